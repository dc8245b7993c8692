package cases

import (
	"context"
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc"
	"pillion/rpc/message"
)

// Whoever waits is answered before the window goes: what was not decided has not run (E3, U9), what was sent may have.
func TestC82_CallsAreAnsweredAtShutdown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{
		"asking": fake(""), "running": fake("silent=tools/call", readOnly, mcptest.LogVar+"="+w.log("running")), "waiting": fake("mute"),
	}))
	e := w.edit()
	e.Connector("asking", message.ConnectorReady)
	e.Connector("running", message.ConnectorReady)
	e.Connector("waiting", message.ConnectorStarting)
	calls := map[string]<-chan editortest.Outcome[message.CallResult]{}
	for _, name := range []string{"asking", "running", "waiting"} {
		calls[name] = editortest.Go(context.Background(), e, message.ToolCall, message.ToolCallParams{Tool: message.ToolRef(name + ".a"), ArgumentsText: "{}"})
	}
	e.Ask(message.AskApproval)
	eventually(t, "the call is sent", func() bool { return exists(w.log("running")) && len(argumentsOf(t, w.log("running"))) > 0 })
	editortest.Request(e, rpc.Request[message.Empty, rpc.Null]{Method: "shutdown"}, message.Empty{})
	for name, answered := range calls {
		outcome := <-answered
		if result := outcome.Result; outcome.Err != nil || result.Status != message.CallCancelled || result.MayHaveRun != (name == "running") || result.Message == "" {
			t.Errorf("%s: %+v, %v", name, result, outcome.Err)
		}
	}
	editortest.Notify(e, rpc.Notification[message.Empty]{Method: "exit"}, message.Empty{})
	e.Wait()
}
