package sidecar

import (
	"context"
	"fmt"
	"time"

	"pillion/editors"
	"pillion/mcp/consent"
	"pillion/mcp/host"
	"pillion/rpc/message"
)

// putOffConnector says not now about a connector that waits; it only takes away, and needs no question.
func (s *Session) putOffConnector(ctx context.Context, arguments message.ConnectorArguments) (message.Empty, error) {
	return message.Empty{}, s.decideAgainst(ctx, arguments, consent.Later)
}

// denyConnector says never about a connector that waits.
func (s *Session) denyConnector(ctx context.Context, arguments message.ConnectorArguments) (message.Empty, error) {
	return message.Empty{}, s.decideAgainst(ctx, arguments, consent.Never)
}

func (s *Session) decideAgainst(ctx context.Context, arguments message.ConnectorArguments, decision consent.Decision) error {
	found, err := s.named(ctx, arguments.Connector)
	if err != nil {
		return s.orStatus(ctx, err)
	}
	waiting, isWaiting := s.core.WaitingOn(found.ID)
	if !isWaiting {
		s.editor.showMessage(s, messageInfo, "Pillion: the connector "+editors.Quoted(found.Name)+" waits for no permission.")
		return nil
	}
	return s.core.Decide(ctx, waiting, decision, s.own.caller.String())
}

// testConnector starts a connector that may run, and tells what came of it.
func (s *Session) testConnector(ctx context.Context, arguments message.ConnectorArguments) (message.CommandStarted, error) {
	found, err := s.named(ctx, arguments.Connector)
	if err != nil {
		return message.CommandStarted{}, s.orStatus(ctx, err)
	}
	s.inBackground(func() {
		begun := time.Now()
		after, err := s.core.StartConnector(s.lifetime, found.ID)
		name := editors.Quoted(found.Name)
		switch {
		case err != nil:
			s.editor.showMessage(s, messageError, fmt.Sprintf("Pillion: test %s: %s", name, err))
		case after.State == host.StateReady:
			s.editor.showMessage(s, messageInfo, fmt.Sprintf("Pillion: the connector %s answers after %s: %d tool(s), about %d tokens.",
				name, time.Since(begun).Round(time.Millisecond), after.Tools, after.Tokens))
		case after.Problem != nil:
			s.editor.showMessage(s, messageError, fmt.Sprintf("Pillion: the connector %s does not run: %s", name, editors.Visible(after.Problem.Reason)))
		default:
			s.editor.showMessage(s, messageWarning, "Pillion: the connector "+name+" is not tested: it "+editors.StateWords(message.ConnectorState(after.State))+".")
		}
	})
	return message.CommandStarted{}, nil
}
