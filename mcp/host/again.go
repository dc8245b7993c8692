package host

import (
	"context"
	"errors"

	"pillion/mcp/connector"
)

// isToRepeat reports whether a call that a server sent back for want of its session is sent to the new one, once: that of a tool
// that only reads or may be called twice, of a connector that is believed when it says so (C6).
func (c *call) isToRepeat(at target, err error) bool {
	var renewed *connector.RenewedError
	if c.isAgain || !errors.As(err, &renewed) || !at.subject.Trusted {
		return false
	}
	tool := repeatable(at)
	return tool.ReadOnly || tool.Idempotent
}

// makeAgain sends the call to the new session, if that still has the tool as it was; a different one is judged anew (S9).
func (c *call) makeAgain(ctx context.Context, at target) (Result, error) {
	c.isAgain = true
	c.waited()
	now, stop, err := c.resolve(ctx)
	switch {
	case err != nil:
		return c.ended(StatusConnectorDown, "the tool was taken away while the session was renewed: "+err.Error()+"; nothing ran"), nil
	case stop != nil:
		return *stop, nil
	case !isSame(now, at):
		return Result{}, errOutdated
	}
	if denied := c.denied(now); denied != nil {
		return *denied, nil
	}
	moved, stop, err := c.move(ctx, now)
	switch {
	case err != nil:
		return Result{}, err
	case stop != nil:
		return *stop, nil
	}
	return c.make(ctx, moved)
}
