package connector

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// RequestOptions are what whoever waits for an answer may say; the zero value of each field is usable.
type RequestOptions struct {
	// Timeout without progress; zero means the definition's CallTimeout. The definition's CallCap bounds it.
	Timeout time.Duration
	// OnProgress is called in the order of the server's notifications, all before the answer is returned. It must not block.
	OnProgress func(Progress)
	// OnWritten is called once, just before the request leaves, from the goroutine of whoever waits.
	OnWritten func()
	// Clock lets the caller halt the timeouts while a question of this request is open (E8); nil means it never is.
	Clock *Clock

	// recheck is that of a [CallRequest].
	recheck func(context.Context) error
}

// errand is one request whose answer somebody waits for.
type errand struct {
	method string
	// members are what the SDK must not encode; see [exchange].
	members []member
	// send has the SDK write the request. What it returns counts only where the exchange says nothing.
	send    func(ctx context.Context, client *mcp.ClientSession, token int64) error
	options RequestOptions
}

// run waits for a free place, sends and waits for the reply.
func (s *session) run(ctx context.Context, e errand) (CallReply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })()
	x := newExchange(e.method)
	hasWaited := !s.slots.TryAcquire(1)
	if hasWaited && s.slots.Acquire(ctx, 1) != nil {
		return s.unanswered(ctx, x, nil)
	}
	defer s.slots.Release(1)
	if hasWaited && e.options.recheck != nil {
		if err := e.options.recheck(ctx); err != nil && ctx.Err() == nil {
			return CallReply{}, err
		}
	}
	if ctx.Err() != nil {
		return s.unanswered(ctx, x, nil)
	}
	deadline := newDeadline(firstOf(e.options.Timeout, s.connector.definition.CallTimeout), s.connector.definition.CallCap, cancel)
	defer deadline.stop()
	if clock := e.options.Clock; clock != nil {
		clock.drive(deadline)
		defer clock.drive(nil)
	}
	x.members = e.members
	x.onWritten = e.options.OnWritten
	x.token = s.lastToken.Add(1)
	x.onProgress = func(p Progress) {
		deadline.progressed()
		if e.options.OnProgress != nil {
			e.options.OnProgress(p)
		}
	}
	err := e.send(withExchange(ctx, x), s.client, x.token)
	x.finish()
	if x.isSettled() {
		return x.reply()
	}
	return s.unanswered(ctx, x, err)
}
