package sidecar

import (
	"context"
	"errors"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

func (s *Session) connectors(ctx context.Context, _ message.Empty) (message.ConnectorsResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.ConnectorsResult{}, err
	}
	revision := s.notifier.revision()
	all := c.Connectors()
	result := message.ConnectorsResult{Rev: revision, Connectors: make([]message.Connector, len(all))}
	for i, connector := range all {
		result.Connectors[i] = s.wireConnector(connector)
	}
	s.notifier.listed(result.Connectors)
	return result, nil
}

func (s *Session) connectorStart(ctx context.Context, params message.ConnectorParams) (message.ConnectorResult, error) {
	return s.settle(ctx, params, "Starting", (*host.Host).StartConnector)
}

func (s *Session) connectorStop(ctx context.Context, params message.ConnectorParams) (message.ConnectorResult, error) {
	return s.settle(ctx, params, "Stopping", (*host.Host).StopConnector)
}

func (s *Session) connectorRestart(ctx context.Context, params message.ConnectorParams) (message.ConnectorResult, error) {
	return s.settle(ctx, params, "Restarting", (*host.Host).RestartConnector)
}

// settle finds a connector, acts on it and answers with what it came to.
func (s *Session) settle(ctx context.Context, params message.ConnectorParams, doing string, act func(*host.Host, context.Context, string) (host.Connector, error)) (message.ConnectorResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.ConnectorResult{}, err
	}
	found, err := c.Connector(string(params.Connector))
	if err != nil {
		return message.ConnectorResult{}, misuse(err)
	}
	report := s.progressOf(ctx, params.WorkDoneToken, doing+" "+editors.Quoted(found.Name), s.stopping(found.ID))
	settled, err := act(c.Host, ctx, found.ID)
	report.end(string(settled.State))
	if err != nil {
		return message.ConnectorResult{}, misuse(err)
	}
	return message.ConnectorResult{Connector: s.wireConnector(settled)}, nil
}

// stopping stops a connector whose start is not wanted any more.
func (s *Session) stopping(id string) func() {
	return func() { s.inBackground(func() { _, _ = s.core.StopConnector(s.lifetime, id) }) } // its state says what came of it
}

// misuse turns what the caller got wrong into -32602; everything else stays what it is.
func misuse(err error) error {
	var unknown *host.UnknownError
	var inUse *host.InUseError
	if errors.As(err, &unknown) || errors.As(err, &inUse) {
		return rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	if errors.Is(err, host.ErrClosed) {
		return rpc.Errorf(rpc.CodeRequestFailed, "%s", err)
	}
	return err
}
