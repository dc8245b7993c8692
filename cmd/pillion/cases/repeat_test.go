package cases

import (
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// turnOf makes calls of one turn and answers their questions.
type turnOf struct {
	t    *testing.T
	e    *editortest.Editor
	turn string
}

func (c turnOf) call(tool, arguments string, decision message.ApprovalChoice) message.CallResult {
	c.t.Helper()
	answer := begin(c.t, c.e, message.ToolCallParams{Tool: message.ToolRef(tool), ArgumentsText: arguments, SessionID: "agent", TurnID: c.turn})
	if decision != "" {
		c.e.Approve(decision)
	}
	return ended(c.t, c.e, answer)
}

func TestE5_TheSameCallOfATurnIsMadeOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log := w.log("mine")
	w.user(servers(map[string]entry{"mine": fake("echo", mcptest.ToolsVar+"="+modal, mcptest.LogVar+"="+log)}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	one, two := turnOf{t, e, "1"}, turnOf{t, e, "2"}
	sent := func(want int) {
		t.Helper()
		if got := len(argumentsOf(t, log)); got != want {
			t.Errorf("%d calls were sent, want %d", got, want)
		}
	}
	first := one.call("mine.write", `{"a":1,"b":2}`, message.ApproveOnce)
	if first.Status != message.CallOK {
		t.Fatalf("%+v", first)
	}
	again := one.call("mine.write", `{ "b":2, "a":1 }`, "") // nobody is asked
	if again.Status != message.CallRepeat || again.Text != first.Text || again.MayHaveRun || again.Message == "" {
		t.Errorf("%+v", again)
	}
	sent(1)
	for _, other := range []message.CallResult{
		one.call("mine.write", `{"a":1,"b":2.0}`, message.ApproveOnce),
		two.call("mine.write", `{"a":1,"b":2}`, message.ApproveOnce),
		approved(t, e, "mine.write", `{"a":1,"b":2}`, message.ApproveOnce), // of no turn
	} {
		if other.Status != message.CallOK {
			t.Errorf("another call: %+v", other)
		}
	}
	sent(4)
	// What only reads is read again once something may have changed.
	for i, want := range []message.CallStatus{message.CallOK, message.CallRepeat} {
		if result := one.call("mine.look", `{}`, ""); result.Status != want {
			t.Errorf("look %d: %+v", i, result)
		}
	}
	approved(t, e, "mine.write", `{}`, message.ApproveOnce)
	if result := one.call("mine.look", `{}`, ""); result.Status != message.CallOK {
		t.Errorf("after a change: %+v", result)
	}
	if result := one.call("mine.write", `{"a":1,"b":2}`, ""); result.Status != message.CallRepeat {
		t.Errorf("a change lets a call that writes run again: %+v", result)
	}
	sent(7)
	// A refusal holds for an answer that is there already.
	editortest.Request(e, message.ModeSet, message.ModeParams{Mode: message.ModePlan})
	if result := one.call("mine.write", `{"a":1,"b":2}`, ""); result.Status != message.CallDenied {
		t.Errorf("%+v", result)
	}
}

func TestE5_ADeclinedCallOfATurnIsNotAskedAboutAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log := w.log("mine")
	w.user(servers(map[string]entry{"mine": fake("", mcptest.LogVar+"="+log)}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	one := turnOf{t, e, "1"}
	answer := begin(t, e, message.ToolCallParams{Tool: "mine.a", ArgumentsText: "{}", SessionID: "agent", TurnID: "1"})
	e.Answer(e.Ask(message.AskApproval).AskID, `{"decision":"decline","text":"not on main"}`)
	first := ended(t, e, answer)
	if first.Status != message.CallDeclined || !strings.Contains(first.Message, "not on main") {
		t.Fatalf("%+v", first)
	}
	for range 5 { // and it is no further decline of the turn (S19)
		if result := one.call("mine.a", "{}", ""); result.Status != message.CallDeclined || !strings.Contains(result.Message, "not on main") {
			t.Errorf("%+v", result)
		}
	}
	if result := one.call("mine.a", `{"n":1}`, message.ApproveOnce); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	if result := (turnOf{t, e, "2"}).call("mine.a", `{}`, message.ApproveOnce); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	if sent := argumentsOf(t, log); len(sent) != 2 {
		t.Errorf("sent %q", sent)
	}
}

// The same call that comes while the first is asked about waits for it, and asks nothing of its own.
func TestE5_TheSameCallWaitsForTheFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log := w.log("mine")
	w.user(servers(map[string]entry{"mine": fake("", mcptest.LogVar+"="+log)}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	params := message.ToolCallParams{Tool: "mine.a", ArgumentsText: "{}", SessionID: "agent", TurnID: "1"}
	first := begin(t, e, params)
	open := e.Ask(message.AskApproval)
	second := begin(t, e, params)
	e.Answer(open.AskID, `{"decision":"once"}`)
	if result := ended(t, e, first); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	if result := ended(t, e, second); result.Status != message.CallRepeat {
		t.Errorf("%+v", result)
	}
	if sent := argumentsOf(t, log); len(sent) != 1 {
		t.Errorf("sent %q", sent)
	}
}

func TestE5_ALoopOfAStatefulConnectorEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log := w.log("page")
	w.user(servers(map[string]entry{"page": fake("", mcptest.ToolsVar+"="+modal, mcptest.LogVar+"="+log).with("pillion", map[string]any{"maxConcurrent": 1})}))
	e := w.edit()
	e.Connector("page", message.ConnectorReady)
	approved(t, e, "page.write", `{"setup":true}`, message.ApproveOnce)
	one := turnOf{t, e, "1"}
	for range 5 {
		if result := one.call("page.write", `{}`, message.ApproveOnce); result.Status != message.CallOK {
			t.Fatalf("%+v", result)
		}
	}
	if result := one.call("page.write", `{}`, ""); result.Status != message.CallRepeat || !strings.Contains(result.Message, "loop") || len(result.Steps) == 0 {
		t.Errorf("%+v", result)
	}
	if result := one.call("page.look", `{}`, ""); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	if result := one.call("page.write", `{}`, message.ApproveOnce); result.Status != message.CallOK {
		t.Errorf("after another call: %+v", result)
	}
	if sent := argumentsOf(t, log); len(sent) != 8 {
		t.Errorf("%d calls were sent", len(sent))
	}
}
