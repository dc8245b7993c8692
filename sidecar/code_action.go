package sidecar

import (
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/mcp/permission"
	"pillion/rpc"
	"pillion/rpc/message"
	"pillion/sidecar/configdoc"
)

var codeAction = rpc.Request[protocol.CodeActionParams, []protocol.CodeAction]{Method: "textDocument/codeAction"}

// codeAction offers what can be done about the place of the cursor, or in a document of Pillion's own. To what the editor does by
// itself, such as fixing on save, nothing is offered that starts something or leads to a question (S18).
func (s *Session) codeAction(ctx context.Context, params protocol.CodeActionParams) ([]protocol.CodeAction, error) {
	actions := []protocol.CodeAction{}
	isTrust := params.Context.TriggerKind != protocol.CodeActionTriggerKindAutomatic && wants(params.Context.Only, configdoc.TrustKind)
	isFix := wants(params.Context.Only, protocol.CodeActionKindQuickFix)
	if !isTrust && !isFix {
		return actions, nil
	}
	c, err := s.host(ctx)
	if err != nil {
		return nil, err
	}
	if own, isOwn := s.ownActions(ctx, c.Host, params); isOwn {
		if isTrust {
			actions = own
		}
		return actions, nil
	}
	b, isOpen := bufferIn(ctx, params.TextDocument.URI)
	if !isOpen || !s.isConfigName(params.TextDocument.URI) {
		return actions, nil
	}
	if document, isForeign := s.foreignOf(b); isForeign && isFix {
		return append(actions, configdoc.Conversions(document, params.Range)...), nil
	}
	document, file, isOurs := s.documentOf(b)
	if !isOurs {
		return actions, nil
	}
	facts := s.factsOf(document, file)
	if isFix {
		actions = append(actions, configdoc.Fixes(document, facts, params.Range)...)
	}
	if isTrust {
		actions = append(actions, configdoc.Actions(document, facts, params.Range)...)
		actions = append(actions, configdoc.Action(configdoc.Command("Show all connectors", message.CommandStatus, message.Empty{})))
	}
	return actions, nil
}

// ownActions are those of a document of Pillion's own; false for any other.
func (s *Session) ownActions(ctx context.Context, h *host.Host, params protocol.CodeActionParams) ([]protocol.CodeAction, bool) {
	path := pathOf(params.TextDocument.URI)
	if review, isShown := s.shown.at(path); isShown {
		return append(s.answerActions(review), sendActions(ctx, params, review)...), true
	}
	if id, isShown := s.shown.argumentsAt(path); isShown {
		tool, err := h.Tool(id)
		if err != nil {
			return []protocol.CodeAction{}, true
		}
		return runActions(ctx, params, tool), true
	}
	if path == s.documentPath(statusName) {
		return append(statusLineActions(ctx, params, h), statusActions(h)...), true
	}
	if id, isShown := s.shown.ruleAt(path); isShown {
		return ruleActions(h, id), true
	}
	return nil, false
}

// wants reports whether the editor asks for actions of a kind at all.
func wants(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o protocol.CodeActionKind) bool {
		return o == kind || o == "" || strings.HasPrefix(string(kind), string(o)+".")
	})
}

// answerActions are the answers to a question, in the document that shows it whole.
func (s *Session) answerActions(review shownReview) []protocol.CodeAction {
	actions := []protocol.CodeAction{}
	for _, choice := range editors.Choices(review.ask) {
		title := string(choice.Title)
		actions = append(actions, configdoc.Action(configdoc.Command(title, message.CommandAskAnswer, message.AskAnswerArguments{
			AskID: review.ask.AskID, Answer: jsontext.Value(choice.Answer), Hash: review.hash,
		})))
	}
	return actions
}

// sendActions send the form that is filled in in the document; unsaved text counts.
func sendActions(ctx context.Context, params protocol.CodeActionParams, review shownReview) []protocol.CodeAction {
	body, err := review.ask.ParseBody()
	form, isForm := body.(message.ElicitationBody)
	if err != nil || !isForm || form.URL != "" {
		return nil
	}
	b, isOpen := bufferIn(ctx, params.TextDocument.URI)
	content, err := editors.Arguments(b.text())
	if !isOpen || err != nil {
		return nil
	}
	answer, err := rpc.Marshal(message.ElicitationAnswer{Action: message.ElicitAccept, ContentText: string(content)})
	if err != nil {
		return nil
	}
	title := string(message.TitleSend)
	return []protocol.CodeAction{configdoc.Action(configdoc.Command(title, message.CommandAskAnswer, message.AskAnswerArguments{
		AskID: review.ask.AskID, Answer: answer, Hash: review.hash,
	}))}
}

// statusActions are what can be done in the status document: go on after a stop, and take back what stands (U5).
func statusActions(h *host.Host) []protocol.CodeAction {
	actions := []protocol.CodeAction{}
	if h.Mode() != permission.ModeAsk {
		actions = append(actions, configdoc.Action(configdoc.Command("Resume", message.CommandResume, message.Empty{})))
	}
	for _, r := range h.Rules() {
		actions = append(actions, ruleAction(r)) // about what gives more the command asks
	}
	return actions
}

// ruleActions take back the rule that let a call run, in the document that shows what came of it.
func ruleActions(h *host.Host, id string) []protocol.CodeAction {
	actions := []protocol.CodeAction{}
	for _, r := range h.Rules() {
		if r.ID == id {
			actions = append(actions, ruleAction(r))
		}
	}
	return actions
}

func ruleAction(r permission.Rule) protocol.CodeAction {
	title := "Take back: " + editors.Visible(r.Label)
	return configdoc.Action(configdoc.Command(title, message.CommandPermissionRemove, message.PermissionArguments{ID: message.RuleID(r.ID)}))
}

// runActions make the call whose arguments are written in a document of Pillion's own; unsaved text counts.
func runActions(ctx context.Context, params protocol.CodeActionParams, tool host.Tool) []protocol.CodeAction {
	b, isOpen := bufferIn(ctx, params.TextDocument.URI)
	arguments, err := editors.Arguments(b.text())
	if !isOpen || err != nil {
		return []protocol.CodeAction{}
	}
	title := "Run " + editors.Quoted(tool.Label)
	return []protocol.CodeAction{configdoc.Action(configdoc.Command(title, message.CommandToolCall, message.ToolCallArguments{
		Tool: message.ToolRef(tool.ID), Arguments: arguments,
	}))}
}
