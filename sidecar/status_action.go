package sidecar

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/rpc/message"
	"pillion/sidecar/configdoc"
)

// statusLineActions are what can be done about the tools and connectors of the chosen lines of the status document, for
// editors that send commands without arguments (U16). The lines count as the editor shows them; what is offered is named
// after what is there.
func statusLineActions(ctx context.Context, params protocol.CodeActionParams, h *host.Host) []protocol.CodeAction {
	actions := []protocol.CodeAction{}
	b, isOpen := bufferIn(ctx, params.TextDocument.URI)
	if !isOpen {
		return actions
	}
	lines := strings.Split(string(b.text()), "\n")
	first, last := int(params.Range.Start.Line), min(int(params.Range.End.Line), len(lines)-1)
	for at := first; at <= last; at++ {
		for _, tool := range h.Tools() {
			if editors.IsToolLine(lines[at], tool.Label) {
				title := "Call " + editors.Quoted(tool.Label)
				actions = append(actions, configdoc.Action(configdoc.Command(title, message.CommandToolCall, message.ToolCallArguments{Tool: message.ToolRef(tool.ID)})))
			}
		}
		for _, connector := range h.Connectors() {
			if editors.IsConnectorLine(lines[at], connector.Name) {
				actions = append(actions, configdoc.ConnectorActions(connector)...)
			}
		}
	}
	return actions
}
