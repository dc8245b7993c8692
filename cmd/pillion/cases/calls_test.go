package cases

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc"
	"pillion/rpc/message"
)

// readOnly is what a fake lists whose calls are to ask nobody.
const readOnly = mcptest.ToolsVar + `=[{"name":"a","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]`

// requestsOf are the ids of the requests of a method that a connector has read.
func requestsOf(t testing.TB, log, method string) []string {
	t.Helper()
	var ids []string
	for _, line := range mcptest.Received(t, log) {
		var request struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if err := json.Unmarshal([]byte(line), &request); err != nil {
			t.Fatalf("the connector was sent %q: %v", line, err)
		}
		if request.Method == method {
			ids = append(ids, string(request.ID))
		}
	}
	return ids
}

// pidOf is the process of a connector that is ready.
func pidOf(t testing.TB, e *editortest.Editor, name string) int {
	t.Helper()
	c := e.Connector(name, message.ConnectorReady)
	if len(c.Processes) != 1 {
		t.Fatalf("%s has the processes %+v", name, c.Processes)
	}
	return c.Processes[0].PID
}

func TestC9_ASlowCallBlocksNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{
		"slow":  w.puppet("slow").with("pillion", map[string]any{"maxConcurrent": 2}),
		"other": fake("", readOnly),
	}))
	e := w.edit()
	e.Connector("slow", message.ConnectorReady)
	e.Connector("other", message.ConnectorReady)
	gate, open := w.gate("gate")
	held := told(t, map[string]any{"gate": gate})
	first := hold(t, e, w.log("slow"), message.ToolCallParams{Tool: "slow.look", ArgumentsText: held})

	if result := call(t, e, "other.a", "{}"); result.Status != message.CallOK {
		t.Errorf("another connector's call: %+v", result)
	}
	if tools := editortest.Request(e, message.Tools, message.ToolsParams{}); tools.Total != 3 {
		t.Errorf("%d tools are listed", tools.Total)
	}
	if result := call(t, e, "slow.look", `{"text":"beside it"}`); result.Text != "beside it" {
		t.Errorf("a call of its own below maxConcurrent: %+v", result)
	}
	second := hold(t, e, w.log("slow"), message.ToolCallParams{Tool: "slow.look", ArgumentsText: held, CallID: "second"})
	// The third waits for a place, and can be cancelled while it does.
	third := begin(t, e, message.ToolCallParams{Tool: "slow.look", ArgumentsText: `{"text":"third"}`, CallID: "third"})
	running(t, e, "third")
	editortest.Request(e, message.CallCancel, message.CallParams{CallID: "third"})
	if result := ended(t, e, third); result.Status != message.CallCancelled || result.MayHaveRun {
		t.Errorf("a call that waited for a place: %+v", result)
	}
	fourth := begin(t, e, message.ToolCallParams{Tool: "slow.look", ArgumentsText: `{"text":"fourth"}`, CallID: "fourth"})
	running(t, e, "fourth")
	if result := call(t, e, "other.a", "{}"); result.Status != message.CallOK || len(argumentsOf(t, w.log("slow"))) != 3 {
		t.Errorf("%+v; the slow one has %q", result, argumentsOf(t, w.log("slow")))
	}
	editortest.Request(e, message.CallCancel, message.CallParams{CallID: "second"})
	if result := ended(t, e, second); result.Status != message.CallCancelled {
		t.Errorf("%+v", result)
	}
	if result := ended(t, e, fourth); result.Text != "fourth" {
		t.Errorf("%+v", result)
	}
	open()
	if result := ended(t, e, first); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
}

// running waits until a call is past the gate.
func running(t testing.TB, e *editortest.Editor, id message.CallID) {
	t.Helper()
	eventually(t, "the call "+string(id)+" runs", func() bool {
		return editortest.Request(e, message.CallDetail, message.CallParams{CallID: id}).State == message.CallRunning
	})
}

func TestC25_ALostCallIsNotRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{
		"dies": fake("exiton=tools/call:3,pid="+w.file("pids"), readOnly, mcptest.LogVar+"="+w.log("dies")).with("pillion", map[string]any{"callTimeout": "10m", "reconnect": map[string]any{"attempts": 0}}),
	}))
	e := w.edit()
	e.Connector("dies", message.ConnectorReady)
	for n := 1; n <= 2; n++ { // the second call starts it again, once
		result := call(t, e, "dies.a", "{}")
		if result.Status != message.CallConnectorDown || !result.MayHaveRun || !strings.Contains(result.Message, "server exited (3)") || len(result.Steps) == 0 {
			t.Errorf("%+v", result)
		}
		if c := e.Connector("dies", message.ConnectorFailed); c.Problem.Kind != message.ProblemExited {
			t.Errorf("%+v", c.Problem)
		}
		if sent, lives := len(argumentsOf(t, w.log("dies"))), len(idsIn(t, w.file("pids"))); sent != n || lives != n {
			t.Errorf("after %d calls %d were sent, to %d processes", n, sent, lives)
		}
	}
}

func TestC26_CancelledOnceByItsOwnID(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*editortest.Editor, context.CancelFunc){
		"by pillion/call/cancel": func(e *editortest.Editor, _ context.CancelFunc) {
			editortest.Request(e, message.CallCancel, message.CallParams{CallID: "held"})
		},
		"by the request":  func(_ *editortest.Editor, cancel context.CancelFunc) { cancel() },
		"by the time-out": func(*editortest.Editor, context.CancelFunc) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			log := w.log("mine")
			w.user(servers(map[string]entry{"mine": w.puppet("mine")}))
			e := w.edit()
			pid := pidOf(t, e, "mine")
			gate, _ := w.gate("gate")
			params := message.ToolCallParams{Tool: "mine.look", CallID: "held", ArgumentsText: told(t, map[string]any{"gate": gate})}
			want := message.CallCancelled
			if name == "by the time-out" {
				params.TimeoutMS, want = 100, message.CallTimeout
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			answer := editortest.Go(ctx, e, message.ToolCall, params)
			eventually(t, "the connector has the call", func() bool { return len(argumentsOf(t, log)) == 1 })
			end(e, cancel)
			outcome := <-answer
			if name == "by the request" {
				// This editor does not wait for the answer to what it cancelled; it comes all the same, and is a result.
				eventually(t, "the call is answered", func() bool { return lineWith(e, "< ", `"callId":"held"`) != "" })
				if answered := lineWith(e, "< ", `"callId":"held"`); !strings.Contains(answered, `"status":"cancelled"`) || !strings.Contains(answered, `"mayHaveRun":true`) {
					t.Errorf("the answer is %s", answered)
				}
			} else if outcome.Err != nil || outcome.Result.Status != want || !outcome.Result.MayHaveRun {
				t.Errorf("%+v, %v", outcome.Result, outcome.Err)
			}
			// The late result, and one for an id that was never used, spoil nothing.
			if result := call(t, e, "mine.look", `{"text":"next"}`); result.Status != message.CallOK || result.Text != "next" {
				t.Errorf("the next call: %+v", result)
			}
			if now := pidOf(t, e, "mine"); now != pid {
				t.Errorf("process %d, then %d", pid, now)
			}
			if told, ids := cancelled(t, log), requestsOf(t, log, "tools/call"); len(told) != 1 || told[0] != ids[0] {
				t.Errorf("told to stop %q of %q", told, ids)
			}
		})
	}
}

// lineWith is the first line of the session that begins and holds what is given.
func lineWith(e *editortest.Editor, prefix, part string) string {
	for line := range strings.Lines(e.Session()) {
		if strings.HasPrefix(line, prefix) && strings.Contains(line, part) {
			return line
		}
	}
	return ""
}

func TestC26_InitializeIsNeverCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{
		"stopped": fake("silent=initialize", mcptest.LogVar+"="+w.log("stopped")),
		"late":    fake("silent=initialize", mcptest.LogVar+"="+w.log("late")).with("pillion", map[string]any{"startTimeout": "300ms"}),
	}))
	e := w.edit()
	eventually(t, "both have the request", func() bool {
		return len(requestsOf(t, w.log("stopped"), "initialize")) == 1 && len(requestsOf(t, w.log("late"), "initialize")) == 1
	})
	editortest.Request(e, message.ConnectorStop, message.ConnectorParams{Connector: "stopped"})
	if c := e.Connector("late", message.ConnectorFailed); c.Problem.Kind != message.ProblemTimeout {
		t.Errorf("%+v", c.Problem)
	}
	for _, name := range []string{"stopped", "late"} {
		if told := cancelled(t, w.log(name)); len(told) != 0 {
			t.Errorf("%s was told to stop %q", name, told)
		}
	}
}

func TestC27_ProgressKeepsACallAlive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log := w.log("works")
	w.user(servers(map[string]entry{
		"works":   fake("progress=100ms:5s", readOnly, mcptest.LogVar+"="+log),
		"foreign": fake("foreignprogress=50ms:forever", readOnly),
	}))
	e := w.edit()
	e.Connector("works", message.ConnectorReady)
	e.Connector("foreign", message.ConnectorReady)
	works := begin(t, e, message.ToolCallParams{Tool: "works.a", TimeoutMS: 2500})
	if result := ended(t, e, begin(t, e, message.ToolCallParams{Tool: "foreign.a", TimeoutMS: 1000})); result.Status != message.CallTimeout {
		t.Errorf("progress that is nobody's: %+v", result)
	}
	if result := ended(t, e, works); result.Status != message.CallOK {
		t.Errorf("progress of its own: %+v", result)
	}
	if sent := strings.Join(mcptest.Received(t, log), "\n"); !strings.Contains(sent, `"progressToken":`) {
		t.Errorf("no token was sent: %s", sent)
	}
}

func TestE8_ProgressInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": w.puppet("mine")}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	gate, open := w.gate("gate")
	token := protocol.String("mine")
	answer := begin(t, e, message.ToolCallParams{Tool: "mine.look", ArgumentsText: told(t, map[string]any{"progress": 3, "gate": gate}), WorkDoneToken: token})
	e.Progress("the third step", func(p protocol.ProgressParams) bool { return strings.Contains(string(p.Value), "step 3") })
	select {
	case outcome := <-answer:
		t.Fatalf("it was answered before its progress: %+v", outcome)
	default:
	}
	open()
	ended(t, e, answer)
	type value struct {
		Kind, Title, Message string
		Percentage           int
	}
	var said []value
	for _, raw := range e.ProgressOf(token) { // the end stands before the answer
		var v value
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		said = append(said, v)
	}
	want := []value{{Kind: "begin"}, {"report", "", "step 1", 25}, {"report", "", "step 2", 50}, {"report", "", "step 3", 75}, {Kind: "end"}}
	if len(said) != len(want) {
		t.Fatalf("%+v", said)
	}
	if !strings.Contains(said[0].Title, "mine.look") {
		t.Errorf("the title is %q", said[0].Title)
	}
	said[0].Title, said[4].Message = "", ""
	for i, v := range said {
		if v != want[i] {
			t.Errorf("%d: %+v, want %+v", i, v, want[i])
		}
	}
}

// An editor that makes calls by the command alone sees their progress and may cancel there.
func TestE8_APlainEditorCancelsByProgress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": w.puppet("mine")}))
	e := w.edit(func(o *editortest.Options) { o.IsPlain = true })
	e.Connector("mine", message.ConnectorReady)
	gate, _ := w.gate("gate")
	execute(e, "pillion.server.tool.call", `"mine.look"`, told(t, map[string]any{"gate": gate}))
	var token protocol.ProgressToken
	e.Progress("it begins and can be cancelled", func(p protocol.ProgressParams) bool {
		token = p.Token
		return strings.Contains(string(p.Value), `"begin"`) && strings.Contains(string(p.Value), `"cancellable":true`)
	})
	editortest.Notify(e, rpc.Notification[protocol.WorkDoneProgressCancelParams]{Method: "window/workDoneProgress/cancel"}, protocol.WorkDoneProgressCancelParams{Token: token})
	if text := e.Shown("The call was cancelled"); !strings.Contains(text, "may have run") {
		t.Errorf("%s", text)
	}
	eventually(t, "the connector is told", func() bool { return len(cancelled(t, w.log("mine"))) == 1 })
	e.Progress("it ends", func(p protocol.ProgressParams) bool {
		return p.Token == token && strings.Contains(string(p.Value), `"end"`)
	})
}

// After Pillion was killed in the middle of a call the next one knows that it may have run (O4).
func TestO4_ACallThatMayHaveRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": w.puppet("mine")}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	answer := begin(t, e, message.ToolCallParams{Tool: "mine.write", CallID: "done", ArgumentsText: `{"text":"done"}`})
	e.Approve(message.ApproveOnce)
	ended(t, e, answer)
	gate, _ := w.gate("gate")
	begin(t, e, message.ToolCallParams{Tool: "mine.write", CallID: "lost", ArgumentsText: told(t, map[string]any{"gate": gate})})
	e.Approve(message.ApproveOnce)
	eventually(t, "the connector has the call", func() bool { return len(argumentsOf(t, w.log("mine"))) == 2 })
	begin(t, e, message.ToolCallParams{Tool: "mine.write", CallID: "asked"})
	e.Ask(message.AskApproval)
	e.Kill()

	e = w.edit()
	for id, want := range map[message.CallID]message.CallState{
		"lost": message.CallMayHaveRun, "done": message.CallFinished, "asked": message.CallUnknown, "never made": message.CallUnknown,
	} {
		detail := editortest.Request(e, message.CallDetail, message.CallParams{CallID: id})
		if detail.State != want {
			t.Errorf("%s is %s, want %s", id, detail.State, want)
		}
		if id == "done" && (detail.Result == nil || detail.Result.Status != message.CallOK || !detail.Result.MayHaveRun) {
			t.Errorf("%s: %+v", id, detail.Result)
		}
	}
	// It comes back on demand, and the lost call is not made again.
	if result := call(t, e, "mine.look", `{"text":"back"}`); result.Text != "back" {
		t.Errorf("%+v", result)
	}
	if sent := argumentsOf(t, w.log("mine")); len(sent) != 3 {
		t.Errorf("sent %q", sent)
	}
}

// An editor that sends commands without arguments calls a tool from its line in the status document (U16).
func TestU16_ACallFromItsLineOfTheStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": w.puppet("mine"), "other": w.puppet("other")}))
	e := w.edit(func(o *editortest.Options) { o.IsPlain = true })
	e.Connector("mine", message.ConnectorReady)
	e.Connector("other", message.ConnectorReady)
	execute(e, "pillion.server.tool.call")
	text := e.Shown("Pillion: connectors")
	path := e.ShownPaths()[0]
	e.Open(path, text)
	at := func(line string) []protocol.CodeAction {
		t.Helper()
		before, _, isThere := strings.Cut(text, line)
		if !isThere {
			t.Fatalf("no line %s in\n%s", line, text)
		}
		here := protocol.Position{Line: uint32(strings.Count(before, "\n"))}
		return editortest.Request(e, codeAction, protocol.CodeActionParams{
			TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(path)}, Range: protocol.Range{Start: here, End: here},
		})
	}
	for line, want := range map[string][]string{
		"| mine.look — ":   {`Call "mine.look"`},
		`| "other"`:        {`Restart "other"`, `Stop "other"`, `Test "other"`, `Disable "other" here, for you alone`},
		"Pillion: connect": nil,
	} {
		var titles []string
		for _, action := range at(line) {
			titles = append(titles, action.Title)
		}
		if !slices.Equal(titles, want) {
			t.Errorf("%s offers %q, want %q", line, titles, want)
		}
	}
	call := at("| mine.look — ")[0].Command
	editortest.Request(e, executeCommand, protocol.ExecuteCommandParams{Command: call.Command, Arguments: call.Arguments})
	if text := e.Shown("what came of a call"); !strings.Contains(text, "| mine.look\n") {
		t.Errorf("it does not name the tool:\n%s", text)
	}
	if n := len(argumentsOf(t, w.log("mine"))); n != 1 {
		t.Errorf("%d calls were made", n)
	}
}
