package cases

import (
	"testing"

	"go.lsp.dev/protocol"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc"
	"pillion/rpc/message"
)

var progressCancel = rpc.Notification[protocol.WorkDoneProgressCancelParams]{Method: "window/workDoneProgress/cancel"}

// hasBegun waits until progress with a token has begun, and holds that it can be cancelled.
func hasBegun(t testing.TB, e *editortest.Editor, token protocol.ProgressToken) {
	t.Helper()
	e.Progress("it has begun", func(p protocol.ProgressParams) bool { return p.Token == token })
	var first protocol.WorkDoneProgressBegin
	if err := rpc.Unmarshal(e.ProgressOf(token)[0], &first); err != nil || first.Kind != "begin" || first.Cancellable == nil || !*first.Cancellable {
		t.Errorf("%+v, %v", first, err)
	}
}

// Whatever takes long and was given a token is ended by the cancel of its progress.
func TestE8_ProgressThatIsCancelled(t *testing.T) {
	t.Parallel()
	for name, silent := range map[string]struct {
		method string
		run    func(e *editortest.Editor, token protocol.ProgressToken) <-chan message.CallStatus
	}{
		"a call": {"tools/call", func(e *editortest.Editor, token protocol.ProgressToken) <-chan message.CallStatus {
			return statusOf(t, e, message.ToolCall, message.ToolCallParams{Tool: "mine.a", WorkDoneToken: token}, func(r message.CallResult) message.CallStatus { return r.Status })
		}},
		"a resource": {"resources/read", func(e *editortest.Editor, token protocol.ProgressToken) <-chan message.CallStatus {
			return statusOf(t, e, message.ResourceRead, message.ResourceReadParams{Connector: "mine", URI: "test://0", WorkDoneToken: token}, func(r message.ResourceReadResult) message.CallStatus { return r.Status })
		}},
		"a prompt": {"prompts/get", func(e *editortest.Editor, token protocol.ProgressToken) <-chan message.CallStatus {
			return statusOf(t, e, message.PromptGet, message.PromptGetParams{Connector: "mine", Name: "p0", WorkDoneToken: token}, func(r message.PromptGetResult) message.CallStatus { return r.Status })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			log := w.log("mine")
			w.user(servers(map[string]entry{"mine": fake("silent="+silent.method, offersAll, readOnly, mcptest.LogVar+"="+log)}))
			e := w.edit()
			e.Connector("mine", message.ConnectorReady)
			token := protocol.String("mine-1")
			status := silent.run(e, token)
			hasBegun(t, e, token)
			eventually(t, "the connector has it", func() bool { return len(requestsOf(t, log, silent.method)) == 1 })
			editortest.Notify(e, progressCancel, protocol.WorkDoneProgressCancelParams{Token: token})
			if got := next(t, e, status); got != message.CallCancelled {
				t.Errorf("%s", got)
			}
			eventually(t, "the connector is told", func() bool { return len(requestsOf(t, log, "notifications/cancelled")) == 1 })
		})
	}
}

// statusOf begins a request and returns where the status of its result comes.
func statusOf[P, R any](t *testing.T, e *editortest.Editor, m rpc.Request[P, R], params P, status func(R) message.CallStatus) <-chan message.CallStatus {
	done := make(chan message.CallStatus, 1)
	answer := editortest.Go(t.Context(), e, m, params)
	go func() {
		if outcome, ok := <-answer; ok && outcome.Err == nil {
			done <- status(outcome.Result)
		}
	}()
	return done
}

func TestE8_AStartThatIsCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.file("ids")
	w.user(servers(map[string]entry{"mute": fake("mute,pid="+ids).with("pillion", map[string]any{"startTimeout": "10m"})}))
	e := w.edit()
	eventually(t, "it runs", func() bool { return alive(t, ids) == 1 })
	token := protocol.String("start-1")
	answer := editortest.Go(t.Context(), e, message.ConnectorStart, message.ConnectorParams{Connector: "mute", WorkDoneToken: token})
	hasBegun(t, e, token)
	editortest.Notify(e, progressCancel, protocol.WorkDoneProgressCancelParams{Token: token})
	if outcome := next(t, e, answer); outcome.Err != nil || outcome.Result.Connector.State == message.ConnectorStarting {
		t.Errorf("%+v", outcome)
	}
	eventually(t, "nothing is left of it", func() bool { return alive(t, ids) == 0 })
}
