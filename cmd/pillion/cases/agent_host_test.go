package cases

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/rpc/message"
)

// I7: a chat plugin gets all that its model needs of tools, without a connector that runs for it.
func TestI7_AChatPluginsModelIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"notes": {"command": pillion, "args": []string{"demo"}}, "gone": {"command": "no-such-program-anywhere"}}))
	w.project(servers(map[string]entry{"theirs": fake("echo")}))
	e := w.edit()
	e.Connector("notes", message.ConnectorReady)
	e.Connector("gone", message.ConnectorFailed)

	prompt := editortest.Request(e, message.AgentPrompt, message.AgentPromptParams{})
	lines := strings.Split(strings.TrimSpace(prompt.Text), "\n")
	if len(lines) != 7 || !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "- notes__list_notes: ") }) || prompt.Tokens == 0 || prompt.Stale {
		t.Errorf("%+v", prompt)
	}
	for name, state := range map[string]message.ConnectorState{"gone": message.ConnectorFailed, "theirs": message.ConnectorWaiting} {
		at := slices.IndexFunc(prompt.Down, func(d message.AgentDown) bool { return d.Name == name })
		if at < 0 || prompt.Down[at].State != state || len(prompt.Down[at].Steps) == 0 || !strings.Contains(prompt.Now, "The tools of "+name+" cannot be used now: "+prompt.Down[at].Reason) {
			t.Errorf("%s: %+v", name, prompt)
		}
	}
	if same := editortest.Request(e, message.AgentPrompt, message.AgentPromptParams{Stamp: prompt.Stamp}); same.Stale || same.Text != prompt.Text {
		t.Errorf("%+v", same)
	}
	actions := editortest.Request(e, message.AgentActions, message.Empty{})
	if len(actions.Names) != 6 || !strings.Contains(actions.SchemaText, `"notes__read_note"`) {
		t.Errorf("%+v", actions)
	}
	takes := editortest.Request(e, message.AgentArguments, message.AgentArgumentsParams{Tool: "notes__read_note"})
	if takes.Nothing || !slices.Equal(takes.Required, []string{"name"}) || takes.Tool != "notes__read_note" {
		t.Errorf("%+v", takes)
	}
	clean := editortest.Request(e, message.AgentClean, message.AgentCleanParams{Tool: "notes__read_note", Text: "```json\n{\"nam\":1}\n```"})
	if clean.ArgumentsText != `{"nam":1}` || len(clean.Changes) != 1 || !slices.Equal(clean.Missing, []string{"name"}) {
		t.Errorf("%+v", clean)
	}
	if hint := editortest.Request(e, message.AgentHint, message.AgentHintParams{Message: "open http://localhost:3000 and click Save"}); !hint.NeedsPage || hint.Reason == "" {
		t.Errorf("%+v", hint)
	}

	// A tool that is switched off is a change of the prompt.
	editortest.Request(e, message.ToolSet, message.ToolSetParams{Tool: "notes.chart", State: message.ToolOff})
	if after := editortest.Request(e, message.AgentPrompt, message.AgentPromptParams{Stamp: prompt.Stamp}); !after.Stale || strings.Contains(after.Text, "chart") {
		t.Errorf("%+v", after)
	}
}

// The example of the documents is a host that works, and what its model gets wrong is an answer to it.
func TestI7_TheExampleHostRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"notes": {"command": pillion, "args": []string{"demo"}}}))
	program := filepath.Join(t.TempDir(), "agenthost"+executableSuffix())
	if out, err := exec.Command("go", "build", "-o", program, "pillion/docs/examples/agenthost").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	host := exec.CommandContext(t.Context(), program, pillion, w.repository, "decline")
	host.Env = w.environ
	host.Stdin = strings.NewReader("notes__list_notes\nnotes__read_note {\"name\":\nnotes__write_note \"{\\\"name\\\":\\\"a\\\",\\\"text\\\":\\\"b\\\"}\"\ndone\n")
	var stderr bytes.Buffer
	host.Stderr = &stderr
	out, err := host.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderr.Bytes())
	}
	for _, want := range []string{
		"- notes__list_notes: ", "ok  ideas", "it ends before the JSON does",
		`? {"tool":{`, "declined ",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}
