package connector

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// RequestOptions are what whoever waits for an answer may say; the zero value of each field is usable.
type RequestOptions struct {
	// ID names the request in questions that the server has during it; may be empty.
	ID string
	// Timeout without progress; zero means the definition's CallTimeout. The definition's CallCap bounds it.
	Timeout time.Duration
	// OnProgress is called in the order of the server's notifications, all before the answer is returned. It must not block.
	OnProgress func(Progress)
	// OnWritten is called once, just before the request leaves, from the goroutine of whoever waits.
	OnWritten func()
	// Clock lets the caller halt the timeouts while a question of this request is open (E8); nil means it never is.
	Clock *Clock

	// Inquirer answers what the server asks during the request; nil has [Offers] answer.
	Inquirer *Inquirer
	// OnLog is told, as params of MCP's notifications/message, what the server logs about the request at LogLevel and above; it
	// must not block. Without a level nothing is asked for.
	OnLog    func(params []byte)
	LogLevel string

	// recheck is that of a [CallRequest].
	recheck func(context.Context) error
}

// errand is one request whose answer somebody waits for.
type errand struct {
	method string
	// members are what the SDK must not encode; see [exchange].
	members []member
	// send has the SDK write the request. What it returns counts only where the exchange says nothing.
	send    func(ctx context.Context, client *mcp.ClientSession, meta mcp.Meta) error
	options RequestOptions
	cause   *running // see [exchange]
}

// run waits for a free place, sends and waits for the reply. What the server asks for first it gets, if it was offered; each
// round is a request of its own.
func (s *session) run(ctx context.Context, e errand) (CallReply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })()
	s.begun.Add(1)
	s.inFlight.Add(1)
	defer s.inFlight.Add(-1)
	x := newExchange(e.method)
	hasWaited := !s.slots.TryAcquire(1)
	if hasWaited && s.slots.Acquire(ctx, 1) != nil {
		return s.unanswered(ctx, x, nil)
	}
	holds := true
	defer func() {
		if holds {
			s.slots.Release(1)
		}
	}()
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
	clock := e.options.Clock
	if clock == nil {
		clock = &Clock{}
	}
	clock.drive(deadline)
	defer clock.drive(nil)
	r := &running{id: e.options.ID, clock: clock, ctx: ctx, inquirer: e.options.Inquirer, onLog: e.options.OnLog}
	if canAsk(e.method) { // of the others a server asks nothing, in either era: a text is completed with each key
		defer s.inquiries.during(r)()
		e.cause = r
	}
	if e.options.OnLog != nil {
		s.lowerLevel(ctx, e.options.LogLevel)
	}
	members, hasVisited := slices.Concat(e.members, s.given(r.inquirer)), false
	for round := 1; ; round++ {
		reply, err := s.round(ctx, e, r, members, deadline, round == 1)
		switch {
		case err != nil:
			return reply, err
		case reply.ProtocolError != nil && reply.ProtocolError.Code == codeURLElicitation && s.answer.era == EraLegacy && !hasVisited:
			if hasVisited = true; !s.visitPages(ctx, r, reply.ProtocolError) {
				return reply, nil
			}
		case reply.ResultType != ResultInputRequired || !canAsk(e.method):
			return reply, nil
		case round == maxRounds:
			return reply, &MalformedReplyError{Reason: fmt.Sprintf("it asks for something for the %dth time", round)}
		default:
			s.slots.Release(1) // who is asked may take his time
			holds = false
			next, err := s.nextRound(ctx, r, reply.Result)
			if err == nil {
				if holds = s.slots.Acquire(ctx, 1) == nil; !holds {
					err = context.Cause(ctx)
				}
			}
			if err != nil {
				reply.Result = nil
				return reply, err
			}
			members = slices.Concat(e.members, next)
		}
	}
}

// round sends the request once and waits for the reply.
func (s *session) round(ctx context.Context, e errand, r *running, members []member, deadline *deadline, isFirst bool) (CallReply, error) {
	x := newExchange(e.method)
	x.members, x.cause = members, e.cause
	if isFirst {
		x.onWritten = e.options.OnWritten
	}
	x.token = s.lastToken.Add(1)
	x.onProgress = func(p Progress) {
		deadline.progressed()
		if e.options.OnProgress != nil {
			e.options.OnProgress(p)
		}
	}
	err := e.send(withExchange(ctx, x), s.client, s.meta(x.token, r, e))
	x.finish()
	if x.isSettled() {
		return x.reply()
	}
	return s.unanswered(ctx, x, err)
}

// meta is what a request says beside its params: how its progress is told, and in the modern era what is to be logged of it.
func (s *session) meta(token int64, r *running, e errand) mcp.Meta {
	meta := mcp.Meta{"progressToken": token}
	level := s.connector.definition.LogLevel
	if e.options.OnLog != nil {
		level = lowest(level, e.options.LogLevel)
	}
	if level != "" && s.answer.era == EraModern {
		//lint:ignore SA1019 servers log until the revision that takes it out, and some from 2025 for longer
		meta[mcp.MetaKeyLogLevel] = level
	}
	if r.inquirer != nil && s.answer.era == EraModern {
		meta[mcp.MetaKeyClientCapabilities] = s.offersTo(r).ofRequest() // MCP 2026-07-28: they go with every request
	}
	return meta
}
