package cases

import (
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// What was listed as reading only comes back from a restart as something that destroys: nothing reaches it unasked.
func TestS9_ACallIsJudgedOnTheLiveList(t *testing.T) {
	t.Parallel()
	const before = `[{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]`
	const after = `[{"name":"look","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}]`
	w := newWorld(t)
	mine, file := w.turncoat(before)
	w.user(servers(map[string]entry{"mine": mine}))
	e := w.edit()
	c := e.Connector("mine", message.ConnectorReady)
	if result := call(t, e, "mine.look", "{}"); result.Status != message.CallOK || result.Allowed.By != message.AllowedByReadOnly {
		t.Fatalf("%+v", result)
	}
	editortest.Request(e, message.ConnectorStop, message.ConnectorParams{Connector: message.ConnectorRef(c.ID)})
	w.write(file, after)
	answer := begin(t, e, message.ToolCallParams{Tool: "mine.look", ArgumentsText: "{}"}) // by the list of before; it starts the connector
	ask := e.Ask(message.AskApproval)
	if body := approvalOf(t, ask); body.Tool.Permission == "auto" {
		t.Errorf("%+v", body)
	}
	if result := e.Answer(ask.AskID, `{"decision":"decline"}`); !result.Accepted {
		t.Fatal(result.Reason)
	}
	if result := ended(t, e, answer); result.Status != message.CallDeclined || result.MayHaveRun {
		t.Errorf("%+v", result)
	}
}

// A connector says that its tools are others, and takes its time to list them: a call is judged on what they are by then.
func TestS9_ACallWaitsForTheListThatIsUnderWay(t *testing.T) {
	t.Parallel()
	for _, era := range []string{"", ",modern"} {
		w := newWorld(t)
		w.user(servers(map[string]entry{"mine": fake("turn,burst=1,delay=tools/list:200ms"+era, mcptest.LogVar+"="+w.log("mine"))}))
		e := w.edit()
		e.Connector("mine", message.ConnectorReady)
		if result := call(t, e, "mine.a", "{}"); result.Status != message.CallOK || result.Allowed.By != message.AllowedByReadOnly {
			t.Fatalf("%+v", result)
		}
		answer := begin(t, e, message.ToolCallParams{Tool: "mine.a", ArgumentsText: "{}"})
		ask := e.Ask(message.AskApproval)
		if body := approvalOf(t, ask); strings.Contains(string(body.Tool.Annotations), "readOnly") {
			t.Errorf("%+v", body.Tool)
		}
		declined(t, e, ask.AskID, answer)
		if sent := argumentsOf(t, w.log("mine")); len(sent) != 1 {
			t.Errorf("sent %q", sent)
		}
		quit(e)
	}
}

// A call that passed the gate and waits for its turn is judged again when that has come.
func TestS9_ACallThatWaitsForItsTurnIsJudgedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := fake("turn,progress=100ms:500ms,waitlist", mcptest.LogVar+"="+w.log("mine")).with("pillion", map[string]any{"maxConcurrent": 1})
	w.user(servers(map[string]entry{"mine": one}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	first := begin(t, e, message.ToolCallParams{Tool: "mine.a", ArgumentsText: "{}"})
	eventually(t, "the first call is under way", func() bool { return len(argumentsOf(t, w.log("mine"))) == 1 })
	second := begin(t, e, message.ToolCallParams{Tool: "mine.a", ArgumentsText: `{"second":true}`})
	ask := e.Ask(message.AskApproval)
	if result := ended(t, e, first); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	declined(t, e, ask.AskID, second)
	if sent := argumentsOf(t, w.log("mine")); len(sent) != 1 {
		t.Errorf("sent %q", sent)
	}
}

// What says that it has changed and does not show how is not called.
func TestS9_WithoutTheNewListNothingRuns(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]message.CallStatus{
		"turn,burst=1,failafter=tools/list:-32603": message.CallConnectorError,
		"turn,burst=1,silentafter=tools/list":      message.CallTimeout,
	} {
		w := newWorld(t)
		w.user(servers(map[string]entry{"mine": fake(mode, mcptest.LogVar+"="+w.log("mine"))}))
		e := w.edit()
		e.Connector("mine", message.ConnectorReady)
		if result := call(t, e, "mine.a", "{}"); result.Status != message.CallOK {
			t.Fatalf("%s: %+v", mode, result)
		}
		answer := begin(t, e, message.ToolCallParams{Tool: "mine.a", ArgumentsText: "{}", TimeoutMS: 300})
		if result := ended(t, e, answer); result.Status != want || result.MayHaveRun {
			t.Errorf("%s: %+v", mode, result)
		}
		if sent := argumentsOf(t, w.log("mine")); len(sent) != 1 {
			t.Errorf("%s: sent %q", mode, sent)
		}
		quit(e)
	}
}

// declined answers a question with a no, and holds that nothing ran.
func declined(t testing.TB, e *editortest.Editor, id message.AskID, answer <-chan editortest.Outcome[message.CallResult]) {
	t.Helper()
	if result := e.Answer(id, `{"decision":"decline"}`); !result.Accepted {
		t.Fatal(result.Reason)
	}
	if result := ended(t, e, answer); result.Status != message.CallDeclined || result.MayHaveRun {
		t.Errorf("%+v", result)
	}
}

// What an editor does by itself, fixing on save above all, is offered nothing that leads to a yes; what is offered has a kind
// of its own, is never preferred, and an answer in a document is good once.
func TestS18_ActionsThatGrant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := servers(map[string]entry{"build": fake("")})
	path := w.project(text)
	e := w.edit(func(o *editortest.Options) { o.IsPlain = true })
	e.Open(path, text)
	ask := func(path string, context protocol.CodeActionContext) []protocol.CodeAction {
		context.Diagnostics = []protocol.Diagnostic{}
		return editortest.Request(e, codeAction, protocol.CodeActionParams{
			TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(path)}, Context: context,
			Range: protocol.Range{Start: protocol.Position{Line: 2}, End: protocol.Position{Line: 2}},
		})
	}
	eventually(t, "the entry is judged", func() bool { return len(ask(path, protocol.CodeActionContext{})) > 1 })
	for what, context := range map[string]protocol.CodeActionContext{
		"by itself":      {TriggerKind: protocol.CodeActionTriggerKindAutomatic},
		"quick fixes":    {Only: []protocol.CodeActionKind{"quickfix"}},
		"all on save":    {Only: []protocol.CodeActionKind{"source.fixAll"}},
		"another's kind": {Only: []protocol.CodeActionKind{"pillion.trusty"}},
	} {
		if actions := ask(path, context); len(actions) != 0 {
			t.Errorf("%s: offered %+v", what, actions)
		}
	}
	for _, action := range ask(path, protocol.CodeActionContext{TriggerKind: protocol.CodeActionTriggerKindInvoked}) {
		if action.Kind == nil || *action.Kind != "pillion.trust" || action.IsPreferred != nil && *action.IsPreferred {
			t.Errorf("%+v", action)
		}
	}
}
