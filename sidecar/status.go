package sidecar

import (
	"context"

	"pillion/editors"
	"pillion/rpc/message"
)

// statusName is the name of the status document.
const statusName = "status"

// status shows every connector, its state, its tools and what to do about it.
func (s *Session) status(ctx context.Context, _ message.Empty) (message.Empty, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.Empty{}, err
	}
	all := c.Connectors()
	connectors := make([]message.Connector, len(all))
	for i, one := range all {
		connectors[i] = s.wireConnector(one)
	}
	found := c.Tools()
	tools := make([]message.Tool, len(found))
	for i, tool := range found {
		tools[i] = ToolMessage(tool, message.ToolSummary)
	}
	asks, _ := s.questions.Asks()
	status := editors.Status{
		Connectors: connectors, Tools: tools, Rules: wireRules(c.Host), Mode: message.Mode(c.Mode()),
		Faults: c.Folders.Faults(c.Roots(), ""), Asks: len(asks),
	}
	path, err := s.writeDocument(statusName, status.Text())
	if err != nil {
		return message.Empty{}, err
	}
	s.afterAnswer(func() {
		s.editor.showFile(s, path, editors.StatusLine(connectors))
	})
	return message.Empty{}, nil
}
