package cases

import (
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// tasking is a fake of either era whose read-only tool takes calls as tasks alone.
func (w *world) tasking(mode string) entry {
	return fake(mode, mcptest.LogVar+"="+w.log("mine"),
		mcptest.CapabilitiesVar+`={"tools":{},"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}},"extensions":{"io.modelcontextprotocol/tasks":{}}}`,
		mcptest.ToolsVar+`=[{"name":"a","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"execution":{"taskSupport":"required"}}]`)
}

// eras are the modes of a fake of each era.
var eras = map[string]string{"legacy": "", "modern": "modern,"}

func TestF5_ACallThatGoesOnAsATask(t *testing.T) {
	t.Parallel()
	for name, era := range eras {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.user(servers(map[string]entry{"mine": w.tasking(era + "task=2,taskask")}))
			e := w.edit(asksAll, hearing)
			e.Connector("mine", message.ConnectorReady)
			editortest.Request(e, message.Events, message.EventsParams{})
			begun := call(t, e, "mine.a", "{}")
			if begun.Status != message.CallTask || begun.TaskID != "t-1" || begun.CallID == "" {
				t.Fatalf("%+v", begun)
			}
			params := message.TaskParams{CallID: begun.CallID}
			ask := e.Ask(message.AskElicitation)
			if ask.CallID != begun.CallID {
				t.Errorf("%+v", ask)
			}
			if state := editortest.Request(e, message.TaskGet, params); state.TaskID != "t-1" || state.Status != message.TaskInputRequired || state.Result != nil {
				t.Errorf("%+v", state)
			}
			if detail := editortest.Request(e, message.CallDetail, message.CallParams{CallID: begun.CallID}); detail.State != message.CallRunning {
				t.Errorf("%+v", detail)
			}
			if taken := e.Answer(ask.AskID, `{"action":"accept","contentText":"{\"n\":\"x\"}"}`); !taken.Accepted {
				t.Fatal(taken.Reason)
			}
			result := editortest.Request(e, message.TaskResult, params)
			if result.Status != message.CallOK || result.Text != `done {"action":"accept","content":{"n":"x"}}` || result.CallID != begun.CallID {
				t.Errorf("%+v", result)
			}
			if state := editortest.Request(e, message.TaskGet, params); state.Status != message.TaskCompleted || state.Result.Text != result.Text {
				t.Errorf("%+v", state)
			}
			// Its end is told like that of any call, and once.
			told := e.Events("the end of the task", func(e message.SessionEvent) bool {
				return e.Kind == message.EventCall && e.CallID == begun.CallID && e.Call == message.CallFinished
			})
			if !isAmong(told, "call mine.a running", "call mine.a finished ok") || isAmong(told, "call mine.a finished ok", "call mine.a finished ok") {
				t.Errorf("%+v", told)
			}
			if asked := len(editortest.Request(e, message.Asks, message.Empty{}).Asks); asked != 0 {
				t.Errorf("%d questions are open", asked)
			}
		})
	}
}

func TestF5_ATaskIsCancelled(t *testing.T) {
	t.Parallel()
	for name, era := range eras {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.user(servers(map[string]entry{"mine": w.tasking(era + "task=1000000")}))
			e := w.edit()
			e.Connector("mine", message.ConnectorReady)
			begun := call(t, e, "mine.a", "{}")
			params := message.TaskParams{CallID: begun.CallID}
			editortest.Request(e, message.TaskCancel, params)
			result := editortest.Request(e, message.TaskResult, params)
			if result.Status != message.CallCancelled || !result.MayHaveRun {
				t.Errorf("%+v", result)
			}
			eventually(t, "the connector is told", func() bool { return len(requestsOf(t, w.log("mine"), "tasks/cancel")) == 1 })
			for _, line := range mcptest.Received(t, w.log("mine")) {
				for _, id := range requestsOf(t, w.log("mine"), "tools/call") {
					if strings.Contains(line, `"notifications/cancelled"`) && strings.Contains(line, `"requestId":`+id+`,`) {
						t.Errorf("a task is cancelled by tasks/cancel alone, not by %s", line)
					}
				}
			}
		})
	}
}

func TestF5_ATaskThatFailsOrIsUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": w.tasking("modern,task=1,taskend=failed")}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	begun := call(t, e, "mine.a", "{}")
	result := editortest.Request(e, message.TaskResult, message.TaskParams{CallID: begun.CallID})
	if result.Status != message.CallConnectorError || result.Error == nil || result.Error.Message != "it broke" || !result.MayHaveRun {
		t.Errorf("%+v", result)
	}
	if _, err := editortest.TryRequest(e, message.TaskGet, message.TaskParams{CallID: "none"}); err == nil {
		t.Error("there is a task of no call")
	}
	e.End()
	// In a shell the end is waited for.
	w.user(servers(map[string]entry{"mine": w.tasking("task=2")}))
	if out, err := w.run("call", "mine.a"); err != nil || strings.TrimSpace(out) != "done" {
		t.Errorf("%q, %v", out, err)
	}
}
