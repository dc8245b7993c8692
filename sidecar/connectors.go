package sidecar

import (
	"context"
	"errors"

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
	return result, nil
}

func (s *Session) connectorStart(ctx context.Context, params message.ConnectorParams) (message.ConnectorResult, error) {
	return s.settle(ctx, params.Connector, (*host.Host).StartConnector)
}

func (s *Session) connectorStop(ctx context.Context, params message.ConnectorParams) (message.ConnectorResult, error) {
	return s.settle(ctx, params.Connector, (*host.Host).StopConnector)
}

func (s *Session) connectorRestart(ctx context.Context, params message.ConnectorParams) (message.ConnectorResult, error) {
	return s.settle(ctx, params.Connector, (*host.Host).RestartConnector)
}

// settle finds a connector, acts on it and answers with what it came to.
func (s *Session) settle(ctx context.Context, ref message.ConnectorRef, act func(*host.Host, context.Context, string) (host.Connector, error)) (message.ConnectorResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.ConnectorResult{}, err
	}
	found, err := c.Connector(string(ref))
	if err != nil {
		return message.ConnectorResult{}, misuse(err)
	}
	settled, err := act(c.Host, ctx, found.ID)
	if err != nil {
		return message.ConnectorResult{}, misuse(err)
	}
	return message.ConnectorResult{Connector: s.wireConnector(settled)}, nil
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
