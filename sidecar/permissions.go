package sidecar

import (
	"context"

	"pillion/mcp/host"
	"pillion/mcp/permission"
	"pillion/rpc"
	"pillion/rpc/message"
)

func (s *Session) permissions(ctx context.Context, _ message.Empty) (message.PermissionsResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.PermissionsResult{}, err
	}
	result := message.PermissionsResult{Rules: []message.PermissionRule{}}
	for _, rule := range c.Rules() {
		result.Rules = append(result.Rules, wireRule(c.Host, rule))
	}
	return result, nil
}

func wireRule(h *host.Host, r permission.Rule) message.PermissionRule {
	wire := message.PermissionRule{
		ID: message.RuleID(r.ID), Connector: message.ConnectorID(h.ConnectorIn(r.Root, r.Connector)),
		Decision: message.PermissionDecision(r.Decision), Scope: message.PermissionScope(r.Scope),
		SessionID: message.SessionID(r.SessionID), At: r.At.UTC(), Label: r.Label, Where: wireConditions(r.Where),
		Name: r.Connector, Source: message.Source(r.Source), Root: fileURI(r.Root), By: r.By, Suspended: h.IsSuspended(r),
	}
	if r.Tool != "" {
		wire.Tool, wire.Hash = &r.Tool, r.ToolHashes[r.Tool]
	}
	return wire
}

// permissionSet makes a rule that takes away; one that gives is an answer to a question, never a request (S6).
func (s *Session) permissionSet(ctx context.Context, params message.PermissionSetParams) (message.PermissionSetResult, error) {
	if err := params.Check(); err != nil {
		return message.PermissionSetResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	if params.Decision == message.PermissionAllow {
		return message.PermissionSetResult{}, rpc.Errorf(rpc.CodeInvalidParams, "a standing yes is given by answering the question of a call, not by a request")
	}
	if len(params.Where) > 0 {
		return message.PermissionSetResult{}, rpc.Errorf(rpc.CodeInvalidParams, "only a standing yes has conditions on the arguments")
	}
	tool, _, err := params.ToolRef()
	if err != nil {
		return message.PermissionSetResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.PermissionSetResult{}, err
	}
	rule := host.NewRule{Connector: string(params.Connector), Decision: string(params.Decision), Scope: string(params.Scope), SessionID: callerOf(ctx).session("")}
	rule.Tool, rule.By = string(tool), callerOf(ctx).caller.String()
	added, err := c.SetRule(ctx, rule)
	if err != nil {
		return message.PermissionSetResult{}, misuse(err)
	}
	return message.PermissionSetResult{Rule: wireRule(c.Host, added)}, nil
}

func (s *Session) permissionRemove(ctx context.Context, params message.PermissionRemoveParams) (message.Empty, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.Empty{}, err
	}
	return message.Empty{}, c.RemoveRule(ctx, string(params.ID))
}

func (s *Session) mode(ctx context.Context, _ message.Empty) (message.ModeResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.ModeResult{}, err
	}
	return message.ModeResult{Mode: message.Mode(c.Mode())}, nil
}

func (s *Session) modeSet(ctx context.Context, params message.ModeParams) (message.ModeResult, error) {
	if err := params.Check(); err != nil {
		return message.ModeResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.ModeResult{}, err
	}
	c.SetMode(permission.Mode(params.Mode))
	return message.ModeResult(params), nil
}

func (s *Session) stopAll(ctx context.Context, _ message.Empty) (message.Empty, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.Empty{}, err
	}
	c.StopAll()
	return message.Empty{}, nil
}
