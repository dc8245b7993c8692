package sidecar

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"pillion/editors"
	"pillion/mcp/config"
	"pillion/mcp/host"
	"pillion/mcp/permission"
	"pillion/rpc"
	"pillion/rpc/message"
)

var codeAction = rpc.Request[protocol.CodeActionParams, []protocol.CodeAction]{Method: "textDocument/codeAction"}

// trustKind is the kind of the actions that lead to a question: never quickfix, never preferred (S18).
const trustKind = protocol.CodeActionKind("pillion.trust")

// codeAction offers what can be done about the entry under the cursor, or in a document of Pillion's own.
// Nothing is offered to what the editor does by itself, such as fixing on save (S18).
func (s *Session) codeAction(ctx context.Context, params protocol.CodeActionParams) ([]protocol.CodeAction, error) {
	if params.Context.TriggerKind == protocol.CodeActionTriggerKindAutomatic || !wants(params.Context.Only) {
		return []protocol.CodeAction{}, nil
	}
	c, err := s.host(ctx)
	if err != nil {
		return nil, err
	}
	u := params.TextDocument.URI
	if review, isShown := s.shown.at(pathOf(u)); isShown {
		return s.answerActions(review), nil
	}
	if id, isShown := s.shown.argumentsAt(pathOf(u)); isShown {
		tool, err := c.Tool(id)
		if err != nil {
			return []protocol.CodeAction{}, nil
		}
		return runActions(ctx, params, tool), nil
	}
	if pathOf(u) == s.documentPath(statusName) {
		return append(statusLineActions(ctx, params, c.Host), statusActions(c.Host)...), nil
	}
	if id, isShown := s.shown.ruleAt(pathOf(u)); isShown {
		return ruleActions(c.Host, id), nil
	}
	b, isOpen := bufferIn(ctx, u)
	if !isOpen || !isConfigName(u) {
		return []protocol.CodeAction{}, nil
	}
	file, isOurs := s.fileOf(pathOf(u))
	if !isOurs {
		return []protocol.CodeAction{}, nil
	}
	document := config.Parse(file, b.text)
	all := c.Connectors()
	actions := []protocol.CodeAction{}
	for _, connector := range all {
		if entry := document.Entry(connector.Name); connector.File == file.Path && entry != nil && s.overlaps(b.text, params.Range, entry) {
			actions = append(actions, connectorActions(connector)...)
		}
	}
	return append(actions, action("Show all connectors", lspCommand("Show all connectors", message.CommandStatus, message.Empty{}))), nil
}

// wants reports whether the editor asks for actions of these kinds at all.
func wants(only []protocol.CodeActionKind) bool {
	if len(only) == 0 {
		return true
	}
	for _, kind := range only {
		if kind == trustKind || kind == "" || strings.HasPrefix(string(trustKind), string(kind)+".") {
			return true
		}
	}
	return false
}

func (s *Session) overlaps(text []byte, r protocol.Range, entry *config.Entry) bool {
	isUTF16 := s.editor.isUTF16()
	start := config.Offset(text, int(r.Start.Line), 0, isUTF16)
	end := config.Offset(text, int(r.End.Line)+1, 0, isUTF16)
	return start <= entry.Span.End && end >= entry.KeySpan.Start
}

// connectorActions are what can be done about a connector, the one that its state calls for first (U6).
func connectorActions(c host.Connector) []protocol.CodeAction {
	about := message.ConnectorArguments{Connector: message.ConnectorRef(c.ID)}
	name := editors.Quoted(c.Name)
	var actions []protocol.CodeAction
	add := func(title string, command protocol.Command) { actions = append(actions, action(title, command)) }
	switch c.State {
	case host.StateWaiting:
		title := "Review and allow " + name
		add(title, lspCommand(title, message.CommandConnectorAllow, about))
	case host.StateDenied:
		title := "Review " + name + " again"
		add(title, lspCommand(title, message.CommandConnectorAllow, about))
	case host.StateReady, host.StateStarting:
		add("Restart "+name, lspCommand("Restart "+name, message.CommandConnectorRestart, about))
		add("Stop "+name, lspCommand("Stop "+name, message.CommandConnectorStop, about))
	case host.StateIdle, host.StateFailed, host.StateLogin:
		add("Start "+name, lspCommand("Start "+name, message.CommandConnectorStart, about))
	}
	switch {
	case len(c.OffBy) > 0:
		add("Enable "+name, lspCommand("Enable "+name, message.CommandConnectorEnable, about))
	case c.State != host.StateDisabled:
		title := "Disable " + name + " here, for you alone"
		add(title, lspCommand(title, message.CommandConnectorDisable, about))
	}
	if c.State != host.StateWaiting && c.Source == config.SourceProject && c.State != host.StateDisabled {
		title := "Take back the permission of " + name
		add(title, lspCommand(title, message.CommandConnectorRevoke, about))
	}
	if c.Problem != nil && c.Problem.LogFile != "" {
		title := "Show the log of " + name
		add(title, lspCommand(title, message.CommandConnectorShowLog, about))
	}
	return actions
}

// answerActions are the answers to a question, in the document that shows it whole.
func (s *Session) answerActions(review shownReview) []protocol.CodeAction {
	actions := []protocol.CodeAction{}
	for _, choice := range editors.Choices(review.ask) {
		title := string(choice.Title)
		actions = append(actions, action(title, lspCommand(title, message.CommandAskAnswer, message.AskAnswerArguments{
			AskID: review.ask.AskID, Answer: jsontext.Value(choice.Answer), Hash: review.hash,
		})))
	}
	return actions
}

// statusActions are what can be done in the status document: go on after a stop, and take back what stands (U5).
func statusActions(h *host.Host) []protocol.CodeAction {
	actions := []protocol.CodeAction{}
	if h.Mode() != permission.ModeAsk {
		actions = append(actions, action("Resume", lspCommand("Resume", message.CommandResume, message.Empty{})))
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
	return action(title, lspCommand(title, message.CommandPermissionRemove, message.PermissionArguments{ID: message.RuleID(r.ID)}))
}

// runActions make the call whose arguments are written in a document of Pillion's own; unsaved text counts.
func runActions(ctx context.Context, params protocol.CodeActionParams, tool host.Tool) []protocol.CodeAction {
	b, isOpen := bufferIn(ctx, params.TextDocument.URI)
	arguments, err := editors.Arguments(b.text)
	if !isOpen || err != nil {
		return []protocol.CodeAction{}
	}
	title := "Run " + editors.Quoted(tool.Label)
	return []protocol.CodeAction{action(title, lspCommand(title, message.CommandToolCall, message.ToolCallArguments{
		Tool: message.ToolRef(tool.ID), Arguments: arguments,
	}))}
}

func action(title string, command protocol.Command) protocol.CodeAction {
	kind := trustKind
	return protocol.CodeAction{Title: title, Kind: &kind, Command: command}
}
