package cases

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/editors/editortest"
	"pillion/rpc"
	"pillion/rpc/message"
)

// run runs a verb in the repository, without a terminal, and returns what it printed.
func (w *world) run(arguments ...string) (string, error) {
	command := exec.Command(pillion, arguments...)
	command.Env, command.Dir = w.environ, w.repository
	out, err := command.CombinedOutput()
	return string(out), err
}

func labels(tools []message.Tool) []string {
	var found []string
	for _, tool := range tools {
		found = append(found, tool.Label)
	}
	return found
}

func ptr[T any](v T) *T { return &v }

// kinds are the kinds of the reasons why something is not there.
func kinds(e *editortest.Editor, params message.WhyParams) []message.ReasonKind {
	found := []message.ReasonKind{}
	for _, reason := range editortest.Request(e, message.Why, params).Reasons {
		found = append(found, reason.Kind)
	}
	return found
}

// A12, U25: one tool off, seen at once in lists, counts and tokens, and never an edit of the team's file.
func TestA12_AToolIsOffForOneUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := w.project(servers(map[string]entry{"f": fake("")}))
	before := read(t, path)
	e := w.edit()
	e.Connector("f", message.ConnectorWaiting)
	e.Allow("f")
	ready := e.Connector("f", message.ConnectorReady)
	all := editortest.Request(e, message.Tools, message.ToolsParams{})

	off := editortest.Request(e, message.ToolSet, message.ToolSetParams{Tool: "f.a", State: message.ToolOff}).Tool
	if off.State != message.ToolOff || off.Tokens != 0 {
		t.Errorf("%+v", off)
	}
	fewer := e.ConnectorThat("has fewer tools", func(c message.Connector) bool { return c.Name == "f" && c.Tools == ready.Tools-1 })
	if fewer.Tokens >= ready.Tokens || fewer.State != message.ConnectorReady {
		t.Errorf("%d tokens of %d, %s", fewer.Tokens, ready.Tokens, fewer.State)
	}
	listed := editortest.Request(e, message.Tools, message.ToolsParams{})
	if slices.Contains(labels(listed.Tools), "f.a") || listed.Total != all.Total-1 {
		t.Errorf("listed %q", labels(listed.Tools))
	}
	if withOff := editortest.Request(e, message.Tools, message.ToolsParams{All: true}); withOff.Total != all.Total {
		t.Errorf("all: %q", labels(withOff.Tools))
	}
	if _, err := editortest.TryRequest(e, message.ToolCall, message.ToolCallParams{Tool: "f.a", ArgumentsText: "{}"}); err == nil {
		t.Error("what is off was called")
	}
	if got := kinds(e, message.WhyParams{Tool: "f.a"}); !slices.Equal(got, []message.ReasonKind{message.ReasonDisabled}) {
		t.Errorf("why: %q", got)
	}
	if _, err := editortest.TryRequest(e, message.ToolSet, message.ToolSetParams{Tool: "f.a", State: message.ToolOff, Scope: message.ToolScopeUser}); err == nil {
		t.Error("a project's tool was switched off everywhere")
	}

	editortest.Request(e, message.ToolSet, message.ToolSetParams{Tool: "f.a", State: message.ToolOn})
	e.ConnectorThat("has all its tools", func(c message.Connector) bool { return c.Name == "f" && c.Tools == ready.Tools })
	if got := kinds(e, message.WhyParams{Tool: "f.a"}); len(got) != 0 {
		t.Errorf("why it is there: %q", got)
	}

	// What a terminal says, the window that is open sees.
	if out, err := w.run("tools", "off", "f.a"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	e.ConnectorThat("has fewer tools again", func(c message.Connector) bool { return c.Name == "f" && c.Tools == ready.Tools-1 })
	if string(read(t, path)) != string(before) {
		t.Error("the team's file was written")
	}
	if exists(filepath.Join(w.repository, ".pillion")) {
		t.Error("the repository was written to")
	}
}

// A12, U25: a connector is off for one user; switching it on gives nothing that was not allowed.
func TestA12_AConnectorIsOffForOneUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(servers(map[string]entry{"f": fake(""), "g": fake("")}))
	e := w.edit()
	e.Connector("f", message.ConnectorWaiting)
	editortest.Request(e, message.ConnectorSet, message.ConnectorSetParams{Connector: "f", Enabled: ptr(false)})
	off := e.Connector("f", message.ConnectorDisabled)
	if !slices.Equal(off.DisabledBy, []message.DisabledBy{message.DisabledByUser}) || off.Tools != 0 || off.Tokens != 0 {
		t.Errorf("%+v", off)
	}
	if got := kinds(e, message.WhyParams{Connector: "f"}); !slices.Equal(got, []message.ReasonKind{message.ReasonDisabled, message.ReasonPermission}) {
		t.Errorf("why: %q", got)
	}
	command := rpc.Request[map[string]any, jsontext.Value]{Method: "workspace/executeCommand"}
	editortest.Request(e, command, map[string]any{"command": message.CommandConnectorEnable.Name, "arguments": []string{"f"}})
	e.Connector("f", message.ConnectorWaiting) // on is not allowed
	e.Allow("f")
	e.Connector("f", message.ConnectorReady)
	editortest.Request(e, command, map[string]any{"command": message.CommandConnectorDisable.Name, "arguments": []string{"f"}})
	if stopped := e.Connector("f", message.ConnectorDisabled); len(stopped.Processes) != 0 {
		t.Errorf("it runs on: %+v", stopped.Processes)
	}
	editortest.Request(e, message.ConnectorSet, message.ConnectorSetParams{Connector: "f", Enabled: ptr(true)})
	e.Connector("f", message.ConnectorReady, message.ConnectorIdle)

	editortest.Request(e, message.ConnectorSet, message.ConnectorSetParams{Connector: "g", Pinned: ptr(true)})
	if first := editortest.Request(e, message.Connectors, message.Empty{}).Connectors[0]; first.Name != "g" || !first.Pinned {
		t.Errorf("first is %+v", first)
	}
}

// S6: what a file has off is switched on by somebody who has seen it alone.
func TestS6_OnlyWhatWasSeenIsSwitchedOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	touched := w.file("touched")
	mine := entry{"command": fakestdio, "args": []string{"touch=" + touched}, "disabled": true}
	w.user(servers(map[string]entry{"mine": mine, "ours": fake("")}))
	w.project(servers(map[string]entry{"ours": {"disabled": true}}))
	e := w.edit()
	e.Connector("mine", message.ConnectorDisabled)
	asked := editortest.Request(e, message.ConnectorSet, message.ConnectorSetParams{Connector: "mine", Enabled: ptr(true)})
	if asked.AskID == "" || asked.Connector.State != message.ConnectorDisabled {
		t.Errorf("unseen: %+v", asked)
	}
	if shown := bodyOf[message.WidenBody](t, e.Ask(message.AskWiden)); !strings.Contains(shown.DefinitionText, touched) || shown.Hash == "" || len(shown.Now) != 1 {
		t.Errorf("shown: %+v", shown)
	}
	e.Answer(asked.AskID, `{"decision":"keep"}`)
	if out, err := w.run("mcp", "enable", "mine"); err == nil || !strings.Contains(out, "nothing was changed") {
		t.Errorf("without a terminal: %v, %s", err, out)
	}
	if got := kinds(e, message.WhyParams{Connector: "ours"}); !slices.Equal(got, []message.ReasonKind{message.ReasonDisabled}) {
		t.Errorf("why: %q", got)
	}
	ours := editortest.Request(e, message.ConnectorSet, message.ConnectorSetParams{Connector: "ours", Enabled: ptr(true)})
	e.Connector("ours", message.ConnectorDisabled)
	e.Answer(ours.AskID, `{"decision":"make"}`)
	e.Connector("ours", message.ConnectorReady)
	if e.Connector("mine", message.ConnectorDisabled); exists(touched) {
		t.Error("it was started")
	}
}

// S2, S11, A12: variables are given by reference alone, shown in the question, and another reference asks again.
func TestS2_VariablesFromElsewhereAreAskedAbout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.environ = append(w.environ, "WORK_TOKEN=canary-of-work", "PLAY_TOKEN=canary-of-play")
	definition := fake("dump")
	definition["env"].(map[string]string)["GITHUB_TOKEN"] = "${GITHUB_TOKEN}"
	path := w.project(servers(map[string]entry{"f": definition}))
	e := w.edit()
	e.ConnectorThat("lacks its variable", func(c message.Connector) bool { return c.Name == "f" && c.State == message.ConnectorFailed })
	root := message.URI("file://" + filepath.ToSlash(w.repository))
	set := func(value string) error {
		_, err := editortest.TryRequest(e, message.WorkspaceSet, message.WorkspaceSetParams{Root: root, Env: map[string]string{"GITHUB_TOKEN": value}})
		return err
	}
	if err := set("canary-value"); err == nil || strings.Contains(err.Error(), "canary-value") {
		t.Errorf("a value: %v", err)
	}
	if err := set("${WORK_TOKEN}"); err != nil {
		t.Fatal(err)
	}
	e.Connector("f", message.ConnectorWaiting)
	editortest.Request(e, message.AskShow, message.AskShowParams{Connector: "f"})
	if asked := string(e.Ask(message.AskConsent).Body); !strings.Contains(asked, "GITHUB_TOKEN from ${WORK_TOKEN}") || strings.Contains(asked, "canary") {
		t.Errorf("asked %s", asked)
	}
	e.Allow("f")
	ready := e.Connector("f", message.ConnectorReady)
	if err := set("${PLAY_TOKEN}"); err != nil {
		t.Fatal(err)
	}
	if waiting := e.Connector("f", message.ConnectorWaiting); waiting.Hash == ready.Hash {
		t.Error("another reference is the same definition")
	}
	if err := set("${WORK_TOKEN}"); err != nil { // back to what was allowed
		t.Fatal(err)
	}
	if again := e.Connector("f", message.ConnectorReady, message.ConnectorIdle); again.Hash != ready.Hash {
		t.Errorf("hash %s, was %s", again.Hash, ready.Hash)
	}
	if text := string(read(t, path)) + string(read(t, w.file("state/personal.json"))); strings.Contains(text, "canary") || !strings.Contains(text, "${WORK_TOKEN}") {
		t.Errorf("written: %s", text)
	}
}

// D4, U26: "why is this not there" takes one step, and the same is said to an empty search and on a terminal.
func TestD4_WhyItIsNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	limited := fake("")
	limited["pillion"] = map[string]any{"excludeTools": []string{"a"}}
	path := w.user(servers(map[string]entry{"limited": limited, "gone": {"command": "no-such-program"}, "both": fake("")}))
	w.project(servers(map[string]entry{"ours": fake(""), "both": fake("", "OTHER=1")}))
	e := w.edit()
	e.Connector("limited", message.ConnectorReady)
	e.Connector("gone", message.ConnectorFailed)
	e.Connector("ours", message.ConnectorWaiting)
	for _, test := range []struct {
		params message.WhyParams
		want   []message.ReasonKind
	}{
		{message.WhyParams{Connector: "limited"}, []message.ReasonKind{}},
		{message.WhyParams{Tool: "limited.a"}, []message.ReasonKind{message.ReasonFiltered}},
		{message.WhyParams{Tool: "limited__a"}, []message.ReasonKind{message.ReasonFiltered}},
		{message.WhyParams{Tool: "limited.nothing"}, []message.ReasonKind{message.ReasonNeverListed}},
		{message.WhyParams{Connector: "gone"}, []message.ReasonKind{message.ReasonProblem}},
		{message.WhyParams{Tool: "gone.a"}, []message.ReasonKind{message.ReasonProblem}},
		{message.WhyParams{Connector: "ours"}, []message.ReasonKind{message.ReasonPermission}},
		{message.WhyParams{Tool: "ours.a"}, []message.ReasonKind{message.ReasonPermission}},
	} {
		if got := kinds(e, test.params); !slices.Equal(got, test.want) {
			t.Errorf("%+v: %q, want %q", test.params, got, test.want)
		}
	}
	filtered := editortest.Request(e, message.Why, message.WhyParams{Tool: "limited.a"}).Reasons
	if len(filtered) == 1 && (filtered[0].Range == nil || !strings.HasSuffix(filtered[0].URI.FsPath(), filepath.Base(path))) {
		t.Errorf("no place: %+v", filtered[0])
	}
	empty := editortest.Request(e, message.Tools, message.ToolsParams{Query: "nothing has this"})
	var said []message.ReasonKind
	for _, reason := range empty.Why {
		said = append(said, reason.Kind)
	}
	for _, kind := range []message.ReasonKind{message.ReasonProblem, message.ReasonPermission, message.ReasonShadowed} {
		if !slices.Contains(said, kind) {
			t.Errorf("an empty search says %q, not %s", said, kind)
		}
	}
	if _, err := editortest.TryRequest(e, message.Why, message.WhyParams{Tool: "limitd.a"}); err == nil || !strings.Contains(err.Error(), `did you mean "limited.a"`) {
		t.Errorf("a near miss: %v", err)
	}
	editortest.Request(e, message.ModeSet, message.ModeParams{Mode: message.ModePaused})
	if got := kinds(e, message.WhyParams{Tool: "limited.a"}); !slices.Equal(got, []message.ReasonKind{message.ReasonFiltered, message.ReasonMode}) {
		t.Errorf("paused: %q", got)
	}
}
