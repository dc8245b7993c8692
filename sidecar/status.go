package sidecar

import (
	"context"

	"pillion/editors"
	"pillion/rpc/message"
)

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
	path, err := s.writeDocument("status", editors.StatusText(connectors, tools, c.Folders.Faults(c.Roots(), ""), len(asks)))
	if err != nil {
		return message.Empty{}, err
	}
	s.inBackground(func() {
		s.editor.showFile(s, path, editors.StatusLine(connectors))
	})
	return message.Empty{}, nil
}
