package host

import (
	"context"
	"errors"

	"pillion/mcp/permission"
)

// ask puts the question and waits for its answer.
func (c *call) ask(ctx context.Context, at target, subject permission.Subject, verdict permission.Verdict) *Result {
	h := c.host
	if h.options.Asker == nil {
		return c.unasked()
	}
	c.state(CallAsking)
	if c.request.KeepsAsking && c.errand == nil {
		return c.askOn(ctx, at, subject, verdict)
	}
	release, refusal, err := h.approvals.enter(ctx, c.request.SessionID, c.request.TurnID)
	if err != nil {
		return c.cancelled(ctx)
	}
	if refusal != "" {
		declined := c.ended(StatusDeclined, refusal)
		return &declined
	}
	defer release()
	h.record(c.askRecord(verdict.Reason))
	answer, err := h.options.Asker.Approve(ctx, c.approval(at, subject, verdict))
	switch {
	case errors.Is(err, ErrNobody):
		return c.unasked()
	case err != nil:
		return c.cancelled(ctx)
	}
	h.record(c.answerRecord(answer))
	return c.answered(ctx, at, subject, answer)
}

// approval is the question about the call.
func (c *call) approval(at target, subject permission.Subject, verdict permission.Verdict) Approval {
	return Approval{
		CallID: c.request.CallID, SessionID: c.request.SessionID, Caller: c.request.Caller, Method: c.method(),
		Tool: at.tool, Changed: c.host.changesSince(verdict.Rule, subject, at.tool), Arguments: c.arguments, Reason: verdict.Reason,
		Choices: verdict.Choices, Scopes: verdict.Scopes,
	}
}

func (c *call) answered(ctx context.Context, at target, subject permission.Subject, answer ApprovalAnswer) *Result {
	h := c.host
	c.allowedBy, c.rule = "answer", ""
	if len(answer.Arguments) > 0 && answer.Decision == DecideOnce { // edited arguments allow once only (S10)
		edited, err := permission.CheckArguments(answer.Arguments)
		if err != nil {
			invalid := c.ended(StatusInvalidArguments, "the edited arguments cannot be sent: "+err.Error())
			return &invalid
		}
		c.arguments, c.reach = edited, nil
		return c.misfit(at)
	}
	if b := at.builtin; b != nil && b.Allowed != nil && answer.Decision != DecideDecline {
		b.Allowed(c.toBuiltin(at))
	}
	switch answer.Decision {
	case DecideOnce:
		return nil
	case DecideSession, DecideReadOnly, DecideTool, DecideConnector:
		rule, err := h.allow(ctx, at, subject, answer)
		if err != nil {
			// The yes holds for this call; that it could not be kept is said, not hidden.
			h.log.Warn("permission not stored", "connector", at.tool.ConnectorName, "tool", at.tool.Name, "error", err)
		}
		c.rule = rule.ID // what undoes it (U5)
		return nil
	}
	if c.place != nil {
		c.place.isDeclined = true
	}
	h.approvals.declined(c.request.SessionID, c.request.TurnID)
	message := "declined by the user"
	if answer.Text != "" {
		message = "declined by the user, who says: " + answer.Text
	}
	declined := c.ended(StatusDeclined, message)
	return &declined
}

// standingFor is what a standing permission that lets the call run is given for: its tool, or all of a connector for what is no
// tool's.
func (c *call) standingFor() string {
	if c.errand != nil {
		return c.tool.ConnectorName
	}
	return c.tool.Label
}

func (c *call) unasked() *Result {
	declined := c.ended(StatusDeclined, "the call needs a person's approval and nobody can be asked here")
	declined.Steps = []string{
		"Open the project in an editor that runs Pillion, or run the call in a terminal, and answer the question there.",
		"Or allow it beforehand: " + commandOn("pillion permissions set allow", c.standingFor()),
	}
	return &declined
}
