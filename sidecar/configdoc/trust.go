package configdoc

import (
	"go.lsp.dev/protocol"

	"pillion/editors"
	"pillion/mcp/config"
	"pillion/mcp/host"
	"pillion/rpc/message"
)

// TrustKind is the kind of the actions that start something or lead to a question: never quickfix, never preferred, never for
// what an editor does by itself (S18).
const TrustKind = protocol.CodeActionKind("pillion.trust")

// Command is a server command as LSP carries it.
func Command[A, R any](title string, c message.Command[A, R], arguments A) protocol.Command {
	raw, err := c.FormatArguments(arguments)
	if err != nil { // the arguments are made of strings
		panic(err)
	}
	return protocol.Command{Title: title, Command: c.Name, Arguments: raw}
}

// Action is a command as a code action.
func Action(command protocol.Command) protocol.CodeAction {
	kind := TrustKind
	return protocol.CodeAction{Title: command.Title, Kind: &kind, Command: command}
}

// Actions are what can be done about the connectors of a range, the one that a state calls for first (U6).
func Actions(d *Document, f Facts, at protocol.Range) []protocol.CodeAction {
	span := d.spanOf(at)
	var actions []protocol.CodeAction
	for _, e := range d.Draft.Document.Entries {
		c, isKnown := f.Connectors[e.Name]
		if !isKnown || !touches(d.linesOf(config.Span{Start: e.KeySpan.Start, End: e.Span.End}), span) {
			continue
		}
		actions = append(actions, ConnectorActions(c.Connector)...)
	}
	return actions
}

// ConnectorActions are what can be done about a connector, the one that its state calls for first (U6).
func ConnectorActions(c host.Connector) []protocol.CodeAction {
	var actions []protocol.CodeAction
	for _, command := range commands(c) {
		actions = append(actions, Action(command))
	}
	return actions
}

// commands are what can be done about a connector, the one that its state calls for first (U6).
func commands(c host.Connector) []protocol.Command {
	about, name := message.ConnectorArguments{Connector: message.ConnectorRef(c.ID)}, editors.Quoted(c.Name)
	var list []protocol.Command
	add := func(title string, command message.Command[message.ConnectorArguments, message.CommandStarted]) {
		list = append(list, Command(title, command, about))
	}
	show := func(title string, command message.Command[message.ConnectorArguments, message.Empty]) {
		list = append(list, Command(title, command, about))
	}
	switch c.State {
	case host.StateWaiting:
		show("Review and allow "+name, message.CommandConnectorAllow)
		show("Not now: "+name, message.CommandConnectorPutOff)
		show("Never run "+name+" here", message.CommandConnectorDeny)
	case host.StateDenied:
		show("Review "+name+" again", message.CommandConnectorAllow)
	case host.StateReady, host.StateStarting:
		add("Restart "+name, message.CommandConnectorRestart)
		add("Stop "+name, message.CommandConnectorStop)
	case host.StateIdle, host.StateFailed, host.StateLogin:
		if !c.IsBroken {
			add(startTitle(c), message.CommandConnectorStart)
		}
	}
	if c.State == host.StateReady || c.State == host.StateIdle || c.State == host.StateFailed && !c.IsBroken {
		add("Test "+name, message.CommandConnectorTest)
	}
	switch {
	case len(c.OffBy) > 0:
		add("Enable "+name, message.CommandConnectorEnable)
	case c.State != host.StateDisabled:
		add("Disable "+name+" here, for you alone", message.CommandConnectorDisable)
	}
	if c.State != host.StateWaiting && c.Source == config.SourceProject && c.State != host.StateDisabled && !c.IsBroken {
		show("Take back the permission of "+name, message.CommandConnectorRevoke)
	}
	if c.Problem != nil && c.Problem.LogFile != "" {
		show("Show the log of "+name, message.CommandConnectorShowLog)
	}
	return list
}

func startTitle(c host.Connector) string {
	name := editors.Quoted(c.Name)
	if c.State == host.StateLogin {
		return "Sign in to " + name
	}
	return "Start " + name
}
