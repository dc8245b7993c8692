package sidecar

import (
	"context"
	"slices"

	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

func (s *Session) resourceSubscribe(ctx context.Context, params message.ResourceParams) (message.ResourceSubscribeResult, error) {
	if err := params.Check(); err != nil {
		return message.ResourceSubscribeResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.ResourceSubscribeResult{}, err
	}
	caller := callerOf(ctx)
	outcome, err := c.Subscribe(ctx, requestOf(caller, params.Connector, "", sessionOf(caller, "", ""), &report{}), params.URI, caller.prefix)
	if err != nil {
		return message.ResourceSubscribeResult{}, misuse(err)
	}
	return message.ResourceSubscribeResult{
		Status: message.CallStatus(outcome.Status), Error: wireError(outcome), Message: outcome.Message, Steps: slices.Clone(outcome.Steps),
	}, nil
}

func (s *Session) resourceUnsubscribe(ctx context.Context, params message.ResourceParams) (message.Empty, error) {
	if err := params.Check(); err != nil {
		return message.Empty{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.Empty{}, err
	}
	return message.Empty{}, misuse(c.Unsubscribe(ctx, string(params.Connector), params.URI, callerOf(ctx).prefix))
}

// tellOthers tells what changed beside tools, and of an update those alone who asked to be told.
func (s *Session) tellOthers(resources, prompts []string, updates []host.Update) {
	s.clients.each(func(c *client) {
		for _, id := range resources {
			s.tell(rpc.Notify(c.conn, message.ResourcesChanged, message.ResourcesChangedParams{Connector: message.ConnectorID(id)}))
		}
		for _, id := range prompts {
			s.tell(rpc.Notify(c.conn, message.PromptsChanged, message.PromptsChangedParams{Connector: message.ConnectorID(id)}))
		}
		for _, update := range updates {
			if slices.Contains(update.Holders, c.prefix) {
				s.tell(rpc.Notify(c.conn, message.ResourceUpdated, message.ResourceUpdatedParams{Connector: message.ConnectorID(update.Connector), URI: update.URI}))
			}
		}
	})
}
