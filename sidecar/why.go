package sidecar

import (
	"context"
	"fmt"

	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
	"pillion/sidecar/core"
)

// why tells what keeps a connector or a tool away.
func (s *Session) why(ctx context.Context, params message.WhyParams) (message.WhyResult, error) {
	if err := params.Check(); err != nil {
		return message.WhyResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.WhyResult{}, err
	}
	if params.Connector != "" {
		found, err := c.Connector(string(params.Connector))
		if err != nil {
			return message.WhyResult{}, misuse(err)
		}
		return message.WhyResult{Reasons: s.reasons(found)}, nil
	}
	if _, err := c.Tool(string(params.Tool)); err == nil {
		return message.WhyResult{Reasons: []message.Reason{}}, nil
	}
	owner, err := c.OwnerOf(string(params.Tool))
	if err != nil {
		return message.WhyResult{}, misuse(err)
	}
	reasons := s.reasons(owner)
	if len(reasons) == 0 {
		reasons = append(reasons, message.Reason{
			Kind: message.ReasonNeverListed, Text: fmt.Sprintf("the connector %q lists no such tool", owner.Name), URI: fileURI(owner.File),
		})
	}
	return message.WhyResult{Reasons: reasons}, nil
}

// absences are the reasons of every connector that offers nothing now.
func (s *Session) absences(c *core.Core, connector string) []message.Reason {
	all := c.Connectors()
	reasons := []message.Reason{}
	for _, one := range all {
		if connector == "" || one.ID == connector {
			reasons = append(reasons, s.reasons(one)...)
		}
	}
	return reasons
}

// reasons say why one connector offers nothing; none where it does.
func (s *Session) reasons(c host.Connector) []message.Reason {
	reason := message.Reason{URI: fileURI(c.File), Range: s.rangeIn(c.File, c.KeySpan)}
	switch {
	case c.IsSelf:
		reason.Kind, reason.Text = message.ReasonDisabled, fmt.Sprintf("the entry %q is Pillion, for other agents; it is not started here", c.Name)
	case c.ShadowedBy != "":
		reason.Kind, reason.Text = message.ReasonShadowed, fmt.Sprintf("the connector %q of another file is used in its place", c.Name)
	case c.State == host.StateWaiting:
		reason.Kind, reason.Text = message.ReasonPermission, fmt.Sprintf("the connector %q needs permission", c.Name)
	case c.State == host.StateDenied:
		reason.Kind, reason.Text = message.ReasonPermission, fmt.Sprintf("the connector %q is blocked by you", c.Name)
	case c.State == host.StateDisabled:
		reason.Kind, reason.Text = message.ReasonDisabled, fmt.Sprintf("the connector %q is switched off in its file", c.Name)
	case c.State == host.StateFailed && c.Problem != nil:
		reason.Kind, reason.Text = message.ReasonProblem, fmt.Sprintf("the connector %q does not run: %s", c.Name, c.Problem.Reason)
	case c.State == host.StateStarting:
		reason.Kind, reason.Text = message.ReasonNeverListed, fmt.Sprintf("the connector %q is still starting", c.Name)
	default:
		return nil
	}
	return []message.Reason{reason}
}
