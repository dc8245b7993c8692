package sidecar

import (
	"context"
	"slices"

	"pillion/editors"
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
	return message.PermissionsResult{Rules: wireRules(c.Host)}, nil
}

func wireRules(h *host.Host) []message.PermissionRule {
	rules := []message.PermissionRule{}
	for _, rule := range h.Rules() {
		rules = append(rules, RuleMessage(h, rule))
	}
	return rules
}

// RuleMessage is a standing rule.
func RuleMessage(h *host.Host, r permission.Rule) message.PermissionRule {
	wire := message.PermissionRule{
		ID: message.RuleID(r.ID), Connector: message.ConnectorID(h.ConnectorIn(r.Root, r.Connector)),
		Decision: message.PermissionDecision(r.Decision), Scope: message.PermissionScope(r.Scope),
		SessionID: message.SessionID(r.SessionID), At: r.At.UTC(), Label: r.Label, Where: ConditionMessages(r.Where),
		Name: r.Connector, Source: message.Source(r.Source), Root: fileURI(r.Root), By: r.By, Suspended: h.IsSuspended(r),
	}
	if r.Tool != "" {
		wire.Tool, wire.Hash = &r.Tool, r.ToolHashes[r.Tool]
	}
	return wire
}

// permissionSet makes a rule that takes away; about one that gives it opens the question (S6).
func (s *Session) permissionSet(ctx context.Context, params message.PermissionSetParams) (message.PermissionSetResult, error) {
	if err := params.Check(); err != nil {
		return message.PermissionSetResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	rule, err := newRule(params, callerOf(ctx).session(""))
	if err != nil {
		return message.PermissionSetResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.PermissionSetResult{}, err
	}
	if rule.Decision != permission.RuleDeny {
		if err := c.ListLive(ctx, rule.Connector); err != nil {
			return message.PermissionSetResult{}, misuse(err)
		}
	}
	rule.By = callerOf(ctx).caller.String()
	draft, err := c.DraftRule(rule)
	if err != nil {
		return message.PermissionSetResult{}, s.wished(err)
	}
	if err := draft.Check(); err != nil {
		return message.PermissionSetResult{}, rpc.Errorf(rpc.CodeInvalidParams, "no such rule can be made: %s", err)
	}
	if params.Hash != "" && draft.ToolHashes[draft.Tool] != params.Hash {
		return message.PermissionSetResult{}, rpc.Errorf(rpc.CodeInvalidParams, "the tool has changed since it was shown")
	}
	if permission.Widens(c.Rules(), draft) {
		id, err := s.propose(ctx, host.Wanted{Rule: &rule})
		if err != nil || id != "" {
			return message.PermissionSetResult{Rule: RuleMessage(c.Host, draft), AskID: id}, err
		}
	}
	added, err := c.StoreRule(ctx, draft)
	if err := s.wished(err); err != nil {
		return message.PermissionSetResult{}, err
	}
	return message.PermissionSetResult{Rule: RuleMessage(c.Host, added)}, nil
}

// permissionRemove takes back a rule that gives; about one that takes away it opens the question.
func (s *Session) permissionRemove(ctx context.Context, params message.PermissionRemoveParams) (message.PermissionRemoveResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.PermissionRemoveResult{}, err
	}
	id, err := s.propose(ctx, host.Wanted{RemoveRule: string(params.ID)})
	if err != nil || id != "" || params.ID == "" {
		return message.PermissionRemoveResult{AskID: id}, err
	}
	return message.PermissionRemoveResult{}, s.wished(c.RemoveRule(ctx, string(params.ID)))
}

// removePermission takes one rule back at the wish of the editor's user; without an id it is the only one there is (U16).
func (s *Session) removePermission(ctx context.Context, arguments message.PermissionArguments) (message.Empty, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.Empty{}, err
	}
	rules := c.Rules()
	if arguments.ID != "" {
		rules = slices.DeleteFunc(slices.Clone(rules), func(r permission.Rule) bool { return r.ID != string(arguments.ID) })
	}
	switch {
	case len(rules) > 1:
		return s.status(ctx, message.Empty{})
	case len(rules) == 0:
		s.editor.showMessage(s, messageInfo, "Pillion: there is no such standing permission.")
		return message.Empty{}, nil
	}
	result, err := s.permissionRemove(ctx, message.PermissionRemoveParams{ID: message.RuleID(rules[0].ID)})
	if err == nil && result.AskID == "" {
		s.editor.showMessage(s, messageInfo, "Pillion: taken back: "+editors.Visible(rules[0].Label)+".")
	}
	return message.Empty{}, err
}

// resume asks whether calls are to run again as the rules say.
func (s *Session) resume(ctx context.Context, _ message.Empty) (message.Empty, error) {
	result, err := s.modeSet(ctx, message.ModeParams{Mode: message.ModeAsk})
	if err == nil && result.AskID == "" {
		s.editor.showMessage(s, messageInfo, "Pillion: calls run as the rules say; nothing is paused.")
	}
	return message.Empty{}, err
}

func (s *Session) mode(ctx context.Context, _ message.Empty) (message.ModeResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.ModeResult{}, err
	}
	return message.ModeResult{Mode: message.Mode(c.Mode())}, nil
}

// modeSet changes to a mode in which less runs; about one in which more does it opens the question.
func (s *Session) modeSet(ctx context.Context, params message.ModeParams) (message.ModeSetResult, error) {
	if err := params.Check(); err != nil {
		return message.ModeSetResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.ModeSetResult{}, err
	}
	id, err := s.propose(ctx, host.Wanted{Mode: permission.Mode(params.Mode)})
	if err != nil || id != "" {
		return message.ModeSetResult{Mode: message.Mode(c.Mode()), AskID: id}, err
	}
	c.SetMode(permission.Mode(params.Mode))
	return message.ModeSetResult{Mode: params.Mode}, nil
}

func (s *Session) stopAll(ctx context.Context, _ message.Empty) (message.Empty, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.Empty{}, err
	}
	c.StopAll()
	s.withdrawConsents()
	// An editor with a view of its own shows that it is paused, and has its own way to go on.
	if s.notifies() && !s.editor.speaksPillion() {
		s.editor.showMessage(s, messageInfo, "Pillion: everything is stopped, and nothing runs until you resume: pillion.server.resume.")
	}
	return message.Empty{}, nil
}
