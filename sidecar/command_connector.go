package sidecar

import (
	"context"
	"errors"
	"fmt"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/rpc/message"
)

// named finds the connector that a command is about; without a name it is the only one there is (U16).
func (s *Session) named(ctx context.Context, ref message.ConnectorRef) (host.Connector, error) {
	c, err := s.host(ctx)
	if err != nil {
		return host.Connector{}, err
	}
	if ref != "" {
		found, err := c.Connector(string(ref))
		if err != nil {
			return host.Connector{}, misuse(err)
		}
		return found, nil
	}
	all := c.Connectors()
	if len(all) == 1 {
		return all[0], nil
	}
	return host.Connector{}, errSeveral
}

// errSeveral says that a command without a name could mean several connectors.
var errSeveral = errors.New("name a connector: there is not exactly one")

// orStatus lets a command that could mean several connectors open the status, whose lines name them (U16).
func (s *Session) orStatus(ctx context.Context, err error) error {
	if errors.Is(err, errSeveral) {
		_, err = s.status(ctx, message.Empty{})
	}
	return err
}

// actOn does something with one connector in the background; several candidates open the status, whose actions carry the
// names (U16).
func (s *Session) actOn(ctx context.Context, ref message.ConnectorRef, verb string, act func(*host.Host, context.Context, string) (host.Connector, error)) (message.CommandStarted, error) {
	found, err := s.named(ctx, ref)
	if err != nil {
		return message.CommandStarted{}, s.orStatus(ctx, err)
	}
	s.afterAnswer(func() {
		ctx, cancel := context.WithCancel(s.lifetime)
		defer cancel()
		doing := map[string]string{"start": "Starting ", "stop": "Stopping ", "restart": "Restarting "}[verb]
		report := s.progressOfOwn(ctx, doing+editors.Quoted(found.Name), s.stopping(found.ID))
		after, err := act(s.core.Host, s.lifetime, found.ID)
		report.end("")
		switch {
		case err != nil:
			s.editor.showMessage(s, messageError, fmt.Sprintf("Pillion: %s %s: %s", verb, editors.Quoted(found.Name), err))
		case (after.State == host.StateFailed || after.State == host.StateLogin) && after.Problem != nil:
			s.editor.showMessage(s, messageError, fmt.Sprintf("Pillion: the connector %s does not run: %s", editors.Quoted(found.Name), editors.Visible(after.Problem.Reason)))
		}
	})
	return message.CommandStarted{}, nil
}

func (s *Session) startConnector(ctx context.Context, arguments message.ConnectorArguments) (message.CommandStarted, error) {
	return s.actOn(ctx, arguments.Connector, "start", (*host.Host).StartConnector)
}

func (s *Session) stopConnector(ctx context.Context, arguments message.ConnectorArguments) (message.CommandStarted, error) {
	return s.actOn(ctx, arguments.Connector, "stop", (*host.Host).StopConnector)
}

func (s *Session) restartConnector(ctx context.Context, arguments message.ConnectorArguments) (message.CommandStarted, error) {
	return s.actOn(ctx, arguments.Connector, "restart", (*host.Host).RestartConnector)
}

func (s *Session) removeConnector(ctx context.Context, arguments message.ConnectorArguments) (message.CommandStarted, error) {
	found, err := s.named(ctx, arguments.Connector)
	if err != nil {
		return message.CommandStarted{}, s.orStatus(ctx, err)
	}
	return message.CommandStarted{}, s.removeEntry(ctx, found)
}

func (s *Session) showLog(ctx context.Context, arguments message.ConnectorArguments) (message.Empty, error) {
	found, err := s.named(ctx, arguments.Connector)
	if err != nil {
		return message.Empty{}, s.orStatus(ctx, err)
	}
	path := s.core.LogFile(found.ID)
	s.afterAnswer(func() {
		if !isRegular(path) {
			s.editor.showMessage(s, messageInfo, "Pillion: the connector "+editors.Quoted(found.Name)+" has written no log.")
			return
		}
		s.editor.showFile(s, path, "The log of "+editors.Quoted(found.Name))
	})
	return message.Empty{}, nil
}
