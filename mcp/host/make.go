package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"pillion/mcp/connector"
	"pillion/mcp/result"
)

// makeInRoom makes the call, to the process that it must have.
func (c *call) makeInRoom(ctx context.Context, at target) (Result, error) {
	defer c.leave()
	leaveSeat, stop := c.sit(ctx, at)
	if stop != nil {
		return *stop, nil
	}
	defer leaveSeat()
	moved, stop, err := c.move(ctx, at)
	if err != nil {
		return Result{}, err
	}
	if stop != nil {
		return *stop, nil
	}
	return c.make(ctx, moved)
}

// make sends the call and turns what comes back into a result. The error is errOutdated: then nothing was sent.
func (c *call) make(ctx context.Context, at target) (Result, error) {
	h := c.host
	h.busy(at.slot, 1)
	defer h.busy(at.slot, -1)
	c.state(CallRunning)
	reply, err := at.process.Call(ctx, connector.CallRequest{
		ID: c.request.CallID, Tool: at.tool.Name, Arguments: c.arguments, Timeout: cmp.Or(c.request.Timeout, callTimeoutOf(at.entry)), OnProgress: c.request.OnProgress, Inquirer: c.request.Answering.inquirer(),
		OnLog: h.redactedLog(c.request.OnLog), LogLevel: c.request.LogLevel,
		Recheck: func(ctx context.Context) error { return c.recheck(ctx, at) },
		OnWritten: func() {
			h.repeats.sent(c.place, !at.tool.ReadOnly)
			h.recordWritten(c, !at.tool.ReadOnly)
		},
	})
	if errors.Is(err, errOutdated) {
		return Result{}, err
	}
	if err != nil && c.isToRepeat(at, err) {
		return c.makeAgain(ctx, at)
	}
	if err != nil {
		return c.unanswered(ctx, at, reply, err), nil
	}
	if reply.IsOutdated && !c.wasOutdated {
		c.wasOutdated = true
		c.waited()
		return Result{}, errOutdated
	}
	return c.replied(at, reply), nil
}

// replied is the result where a reply came.
func (c *call) replied(at target, reply connector.CallReply) Result {
	h := c.host
	outcome := c.ended(StatusOK, "")
	outcome.MayHaveRun, outcome.AllowedBy, outcome.Rule, outcome.Duration = true, c.allowedBy, c.rule, reply.Duration
	switch {
	case reply.ProtocolError != nil:
		outcome.Status = StatusConnectorError
		outcome.Error = h.redactedError(reply.ProtocolError)
		outcome.Message = fmt.Sprintf("the connector %q answered with an error: %s", at.tool.ConnectorName, outcome.Error.Message)
		return outcome
	case reply.ResultType == connector.ResultTask:
		if reply.Task == nil || !c.isFollowed(at, reply.Task, &outcome) {
			outcome.Status = StatusConnectorError
			outcome.Message = fmt.Sprintf("the connector %q goes on with this call in the background, and cannot be followed there", at.tool.ConnectorName)
		}
		return outcome
	case reply.ResultType != connector.ResultComplete:
		outcome.Status = StatusConnectorError
		outcome.Message = fmt.Sprintf("the connector %q answered with a result of the kind %q, which nothing is known of", at.tool.ConnectorName, reply.ResultType)
		return outcome
	}
	return c.project(at, reply, outcome)
}

func (c *call) project(at target, reply connector.CallReply, outcome Result) Result {
	h := c.host
	received := reply.Result
	if b := at.builtin; b != nil && b.Rewrite != nil {
		received = b.Rewrite(at.slot.session(), at.tool.Name, received)
	}
	options := result.Options{
		Folder: h.options.Results, CallID: c.request.CallID, Redact: h.knownSecrets(), OutputSchema: at.tool.returns, Schemas: &h.schemas,
		IsWithoutText: c.request.IsWithoutText && c.place == nil, // whoever repeats the call may want it
	}
	if c.request.IsRaw {
		options.IsWithoutText, options.Folder = true, ""
		outcome.Raw, _ = options.Redact.Bytes(received)
	}
	projection, err := result.Project(received, options)
	if err != nil {
		outcome.Status = StatusConnectorError
		outcome.Message = fmt.Sprintf("the connector %q answered with something that is no result: %v", at.tool.ConnectorName, err)
		return outcome
	}
	outcome.Projection = projection
	if projection.IsError {
		outcome.Status = StatusToolError
	}
	return outcome
}

// redactedError is a connector's own error without the secrets that may be in it.
func (h *Host) redactedError(e *connector.ProtocolError) *connector.ProtocolError {
	data, _ := h.knownSecrets().Bytes(e.Data)
	return &connector.ProtocolError{Code: e.Code, Message: h.redacted(e.Message), Data: data}
}

// redactedLog is told what a connector logs without the secrets that may be in it; nil stays nil.
func (h *Host) redactedLog(tell func([]byte)) func([]byte) {
	if tell == nil {
		return nil
	}
	return func(params []byte) {
		clean, _ := h.knownSecrets().Bytes(params)
		tell(clean)
	}
}

// unanswered is the result where no answer came.
func (c *call) unanswered(ctx context.Context, at target, reply connector.CallReply, err error) Result {
	name := at.tool.ConnectorName
	outcome := c.ended(StatusConnectorDown, "")
	outcome.MayHaveRun, outcome.AllowedBy, outcome.Rule, outcome.Duration = reply.MayHaveRun, c.allowedBy, c.rule, reply.Duration
	var lost *connector.LostError
	var timeout *connector.TimeoutError
	var notReady *connector.NotReadyError
	var unsupported *connector.UnsupportedError
	var refused *connector.DeclinedError
	switch {
	case ctx.Err() != nil:
		outcome.Status = StatusCancelled
		outcome.Message = "cancelled"
		if errors.Is(context.Cause(ctx), errStopAll) {
			outcome.Message = "cancelled: everything was stopped"
		}
	case errors.As(err, &timeout):
		outcome.Status = StatusTimeout
		outcome.Message = fmt.Sprintf("the connector %q: %v", name, err)
	case errors.As(err, &lost):
		outcome.Message = fmt.Sprintf("the connector %q went away: %s", name, c.host.redacted(lost.Reason))
		outcome.Steps = c.host.stepsBack(at, lost.Problem, reply.MayHaveRun)
		if lost.Problem != nil && lost.Problem.Kind == connector.ProblemLogin {
			outcome.Status = StatusNeedsLogin
		}
	case errors.As(err, &notReady):
		outcome.Message = fmt.Sprintf("the connector %q is not running", name)
		outcome.Steps = c.host.stepsBack(at, notReady.Problem, reply.MayHaveRun)
	case errors.As(err, &refused):
		outcome.Status = StatusConnectorError
		outcome.Message = fmt.Sprintf("the connector %q cannot go on: %s", name, c.host.redacted(refused.Reason))
	case errors.As(err, &unsupported):
		outcome.Status = StatusConnectorError
		outcome.Message = fmt.Sprintf("the connector %q offers no %s", name, unsupported.What)
	default: // a reply that is too large or cannot be understood
		outcome.Status = StatusConnectorError
		outcome.Message = fmt.Sprintf("the connector %q: %s", name, c.host.redacted(err.Error()))
	}
	if c.errand != nil {
		return outcome
	}
	if outcome.MayHaveRun {
		outcome.Message += "; the tool may have run"
	} else {
		outcome.Message += "; nothing ran"
	}
	return outcome
}

// stepsBack are the steps that bring the connector of a lost call back; the call itself is never repeated (C6). The problem is what
// the call was told, nil for none: the connector's status may know it later.
func (h *Host) stepsBack(at target, problem *connector.Problem, mayHaveRun bool) []string {
	var steps []string
	if mayHaveRun {
		steps = append(steps, "Check what the tool has done before you call it again: this call is not repeated.")
	}
	if problem != nil {
		return append(steps, h.explained(at.entry, at.process, problem).Steps...)
	}
	return append(steps, againStep(at.entry))
}
