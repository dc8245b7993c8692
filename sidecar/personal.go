package sidecar

import (
	"context"
	"errors"

	"pillion/mcp/host"
	"pillion/mcp/permission"
	"pillion/mcp/personal"
	"pillion/mcp/state"
	"pillion/rpc"
	"pillion/rpc/message"
)

// connectorSet changes what the user wants of a connector, in no file (A12).
func (s *Session) connectorSet(ctx context.Context, params message.ConnectorSetParams) (message.ConnectorSetResult, error) {
	if err := params.Check(); err != nil {
		return message.ConnectorSetResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.ConnectorSetResult{}, err
	}
	found, err := c.Connector(string(params.Connector))
	if err != nil {
		return message.ConnectorSetResult{}, misuse(err)
	}
	set, id, err := s.setConnector(ctx, found.ID, host.ConnectorWish{Enabled: params.Enabled, Profile: params.ChosenProfile(), Pinned: params.Pinned})
	if err := s.wished(err); err != nil {
		return message.ConnectorSetResult{}, err
	}
	return message.ConnectorSetResult{Connector: s.wireConnector(set), AskID: id}, nil
}

// setConnector does what is wished; about switching on what was not shown it opens the question, and does the rest.
func (s *Session) setConnector(ctx context.Context, id string, wish host.ConnectorWish) (set host.Connector, asked message.AskID, err error) {
	set, err = s.core.SetConnector(ctx, id, wish)
	var unshown *host.UnshownError
	if !errors.As(err, &unshown) {
		return set, "", err
	}
	wish.Enabled = nil
	if set, err = s.core.SetConnector(ctx, id, wish); err != nil && !state.IsUnsaved(err) {
		return set, "", err
	}
	unsaved := err
	if asked, err = s.propose(ctx, host.Wanted{Connector: id}); err != nil {
		return set, "", err
	}
	return set, asked, unsaved
}

func (s *Session) toolSet(ctx context.Context, params message.ToolSetParams) (message.ToolSetResult, error) {
	if err := params.Check(); err != nil {
		return message.ToolSetResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.ToolSetResult{}, err
	}
	set, err := c.SetTool(ctx, string(params.Tool), params.State == message.ToolOn, params.Scope == message.ToolScopeUser)
	if err := s.wished(err); err != nil {
		return message.ToolSetResult{}, err
	}
	return message.ToolSetResult{Tool: ToolMessage(set, message.ToolSummary)}, nil
}

func (s *Session) workspaceSet(ctx context.Context, params message.WorkspaceSetParams) (message.WorkspaceSetResult, error) {
	if err := params.Check(); err != nil {
		return message.WorkspaceSetResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.WorkspaceSetResult{}, err
	}
	root := pathOf(params.Root)
	change := personal.WorkspaceChange{Profile: params.ChosenProfile(), Env: params.Env}
	if change.Profile != nil || change.Env != nil {
		if err := s.wished(c.SetWorkspace(ctx, root, change)); err != nil {
			return message.WorkspaceSetResult{}, err
		}
	}
	stands, err := c.Workspace(root)
	if err != nil {
		return message.WorkspaceSetResult{}, misuse(err)
	}
	result := message.WorkspaceSetResult{Root: params.Root, Env: stands.Env}
	if profile := message.ProfileName(stands.Profile); profile != "" {
		result.Profile = &profile
	}
	return result, nil
}

// wished turns what the caller got wrong into -32602. What could not be written holds in this window, and is said.
func (s *Session) wished(err error) error {
	var unlisted *host.UnlistedError
	var scope *host.ScopeError
	var refused *personal.RefusedError
	var condition *permission.ConditionError
	switch {
	case err == nil:
		return nil
	case state.IsUnsaved(err):
		s.editor.showMessage(s, messageWarning, "Pillion: "+err.Error())
		return nil
	case errors.As(err, &unlisted), errors.As(err, &condition), errors.As(err, &scope), errors.As(err, &refused):
		return rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	return misuse(err)
}

func (s *Session) enableConnector(ctx context.Context, arguments message.ConnectorArguments) (message.CommandStarted, error) {
	return s.switchConnector(ctx, arguments, true)
}

func (s *Session) disableConnector(ctx context.Context, arguments message.ConnectorArguments) (message.CommandStarted, error) {
	return s.switchConnector(ctx, arguments, false)
}

// switchConnector is at once: there is nothing to wait for.
func (s *Session) switchConnector(ctx context.Context, arguments message.ConnectorArguments, isOn bool) (message.CommandStarted, error) {
	found, err := s.named(ctx, arguments.Connector)
	if err != nil {
		return message.CommandStarted{}, s.orStatus(ctx, err)
	}
	_, _, err = s.setConnector(ctx, found.ID, host.ConnectorWish{Enabled: &isOn})
	return message.CommandStarted{}, s.wished(err)
}
