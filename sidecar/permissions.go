package sidecar

import (
	"context"
	"fmt"
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
	draft, err := c.DraftRule(rule)
	if err != nil {
		return message.PermissionSetResult{}, misuse(err)
	}
	if params.Hash != "" && draft.ToolHashes[draft.Tool] != params.Hash {
		return message.PermissionSetResult{}, rpc.Errorf(rpc.CodeInvalidParams, "the tool has changed since it was shown")
	}
	if permission.Widens(c.Rules(), draft) {
		return message.PermissionSetResult{}, rpc.Errorf(rpc.CodeInvalidParams, "it would take the place of a refusal; to see that first, run pillion permissions set in a terminal")
	}
	added, err := c.StoreRule(ctx, draft)
	if err := s.wished(err); err != nil {
		return message.PermissionSetResult{}, err
	}
	return message.PermissionSetResult{Rule: RuleMessage(c.Host, added)}, nil
}

func (s *Session) permissionRemove(ctx context.Context, params message.PermissionRemoveParams) (message.Empty, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.Empty{}, err
	}
	if refusal := refusalToRemove(c.Rules(), string(params.ID)); refusal != "" {
		return message.Empty{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", refusal)
	}
	return message.Empty{}, s.wished(c.RemoveRule(ctx, string(params.ID)))
}

// refusalToRemove says why a rule is not taken back by a request, or is empty: without it more would be allowed, and that a
// person sees first (S6).
func refusalToRemove(rules []permission.Rule, id string) string {
	for _, r := range rules {
		if r.ID == id && r.Limits() {
			return fmt.Sprintf("to take back %q gives more; to see that first, run pillion permissions remove %s in a terminal", r.Label, id)
		}
	}
	return ""
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
	if refusal := refusalToRemove(rules, rules[0].ID); refusal != "" {
		s.editor.showMessage(s, messageInfo, "Pillion: "+editors.Visible(refusal)+".")
		return message.Empty{}, nil
	}
	if err := s.wished(c.RemoveRule(ctx, rules[0].ID)); err != nil {
		return message.Empty{}, err
	}
	s.editor.showMessage(s, messageInfo, "Pillion: taken back: "+editors.Visible(rules[0].Label)+".")
	return message.Empty{}, nil
}

// resume lets calls run again as the rules say.
func (s *Session) resume(ctx context.Context, _ message.Empty) (message.Empty, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.Empty{}, err
	}
	c.SetMode(permission.ModeAsk)
	s.editor.showMessage(s, messageInfo, "Pillion: calls run again.")
	return message.Empty{}, nil
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
	s.withdrawConsents()
	if s.notifies() {
		s.editor.showMessage(s, messageInfo, "Pillion: everything is stopped, and nothing runs until you resume: pillion.server.resume.")
	}
	return message.Empty{}, nil
}
