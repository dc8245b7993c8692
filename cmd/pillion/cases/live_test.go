package cases

import (
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/editors/editortest"
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
