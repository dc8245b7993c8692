package cases

import (
	"os/exec"
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// O6, U27: one command ends whatever runs or is asked, and nothing runs until somebody resumes.
func TestO6_StopEverything(t *testing.T) {
	t.Parallel()
	stops := map[string]func(w *world, e *editortest.Editor){
		"by the method":   func(_ *world, e *editortest.Editor) { editortest.Request(e, message.StopAll, message.Empty{}) },
		"by the command":  func(_ *world, e *editortest.Editor) { execute(e, "pillion.server.stopAll") },
		"from a terminal": func(w *world, _ *editortest.Editor) { w.verb("stop") },
	}
	for how, stop := range stops {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.user(servers(map[string]entry{
				"mute": fake("silent=tools/call", mcptest.ToolsVar+"="+modal),
				"mine": fake("", mcptest.LogVar+"="+w.log("mine")),
			}))
			w.project(servers(map[string]entry{"theirs": fake("touch=" + w.file("ran"))}))
			e := w.edit()
			e.Connector("mute", message.ConnectorReady)
			e.Connector("mine", message.ConnectorReady)
			e.Connector("theirs", message.ConnectorWaiting)
			running := begin(t, e, message.ToolCallParams{Tool: "mute.look", ArgumentsText: "{}"})
			asking := begin(t, e, message.ToolCallParams{Tool: "mine.a", ArgumentsText: "{}"})
			open := e.Ask(message.AskApproval)
			consent := editortest.Request(e, message.AskShow, message.AskShowParams{}).AskID
			stop(w, e)
			for _, answer := range []<-chan editortest.Outcome[message.CallResult]{running, asking} {
				if result := ended(t, e, answer); result.Status != message.CallCancelled || !strings.Contains(result.Message, "stopped") {
					t.Errorf("%+v", result)
				}
			}
			for _, id := range []message.AskID{open.AskID, *consent} {
				if closed := e.Closed(id); closed.How != message.AskWithdrawn {
					t.Errorf("%+v", closed)
				}
			}
			e.Connector("mute", message.ConnectorIdle)
			e.Connector("mine", message.ConnectorIdle)
			if mode := editortest.Request(e, message.ModeCurrent, message.Empty{}).Mode; mode != message.ModePaused {
				t.Errorf("the mode is %s", mode)
			}
			// A call neither runs nor starts anything.
			result := call(t, e, "mine.a", "{}")
			if result.Status != message.CallDenied || !strings.Contains(result.Message, "paused") || result.MayHaveRun || len(result.Steps) == 0 {
				t.Errorf("%+v", result)
			}
			e.Connector("mine", message.ConnectorIdle)
			execute(e, "pillion.server.resume")
			if result := call(t, e, "mine.a", "{}"); result.Status != message.CallDenied {
				t.Errorf("before the answer: %+v", result)
			}
			e.Answer(e.Ask(message.AskWiden).AskID, `{"decision":"make"}`)
			if result := approved(t, e, "mine.a", "{}", message.ApproveOnce); result.Status != message.CallOK {
				t.Errorf("after resuming: %+v", result)
			}
			e.End()
			if log := string(read(t, w.file("state/audit.jsonl"))); !strings.Contains(log, `"status":"stopAll"`) || !strings.Contains(log, `"status":"mode","message":"ask"`) {
				t.Errorf("the audit log: %s", log)
			}
			if exists(w.file("ran")) {
				t.Error("what waits ran")
			}
		})
	}
}

// verb runs a verb of the program in the repository and returns what it prints.
func (w *world) verb(arguments ...string) string {
	w.t.Helper()
	command := exec.Command(pillion, arguments...)
	command.Env, command.Dir = w.environ, w.repository
	out, err := command.CombinedOutput()
	if err != nil {
		w.t.Fatalf("pillion %v: %v: %s", arguments, err, out)
	}
	return string(out)
}
