package connector

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// CallRequest is one call of one tool.
type CallRequest struct {
	// Tool is the raw name, as listed.
	Tool string
	// Arguments are the bytes of one JSON object on one line; exactly these are sent (S10). Empty means {}.
	Arguments []byte
	// ID names the call in questions that the server has during it; may be empty.
	ID string
	// Timeout without progress; zero means the definition's CallTimeout. The definition's CallCap bounds it.
	Timeout time.Duration
	// OnProgress is called in the order of the server's notifications, all before Call returns. It must not block.
	OnProgress func(Progress)
	// OnWritten is called once, just before the request leaves, from the goroutine of Call.
	OnWritten func()
	// Recheck is called where the call had to wait for its turn, when that has come and right before the request leaves. Its
	// error keeps the request from leaving, and is returned as it is. nil checks nothing.
	Recheck func(context.Context) error
	// Inquirer answers what the server asks during the call; nil has [Offers] answer.
	Inquirer *Inquirer
	// OnLog and LogLevel are those of [RequestOptions].
	OnLog    func(params []byte)
	LogLevel string
	// Clock lets the caller halt the timeouts while a question of this call is open (E8); nil means it never is.
	Clock *Clock
}

// Progress is one notification of a call's progress.
type Progress struct {
	Progress float64
	Total    float64 // 0 when unknown
	Message  string
}

// The kinds of result that are not simply the tool's result.
const (
	ResultComplete      = "complete"
	ResultInputRequired = "input_required" // the server asks for something first (MCP 2026-07-28)
	ResultTask          = "task"           // the server goes on in the background
)

// CallReply is what came of a call.
type CallReply struct {
	// Result is the raw result object as received; invalid UTF-8 and lone surrogates are replaced by U+FFFD.
	Result []byte
	// ResultType is ResultComplete, or what the server says the result is instead; anything but ResultComplete has not the
	// shape of a tool's result.
	ResultType string
	// Task is the call in the background where ResultType is ResultTask, and nil where what the server says of it cannot be
	// read; see [Connector.Follow].
	Task *Task
	// ProtocolError is set when the server answered with an error; Result is then empty.
	ProtocolError *ProtocolError
	// IsOutdated says that the server refused the call because of its headers, and lists the tool otherwise by now: nothing
	// ran, and a call of the tool as it is listed now may be made.
	IsOutdated bool
	// MayHaveRun is false only where the request provably never left.
	MayHaveRun bool
	Duration   time.Duration
}

// emptyArguments stand in what the SDK encodes for the arguments, which the filter puts in as they are.
var emptyArguments = json.RawMessage(`{}`)

// Call calls one tool and waits for its result.
//
// The error is nil when the server answered, also when it answered with an error (see [CallReply.ProtocolError]).
// Otherwise it is that of Recheck, *NotReadyError, *LostError, *TimeoutError, *TooLargeError, *MalformedReplyError,
// *TransportError, *RenewedError, *DeclinedError, *ArgumentsError or the cause of ctx's end; in every case the reply's MayHaveRun and Duration are
// valid. A call that may have run is never sent twice.
func (c *Connector) Call(ctx context.Context, r CallRequest) (CallReply, error) {
	begun := time.Now()
	reply, err := c.call(ctx, r)
	reply.Duration = time.Since(begun)
	return reply, err
}

func (c *Connector) call(ctx context.Context, r CallRequest) (CallReply, error) {
	if len(r.Arguments) == 0 {
		r.Arguments = emptyArguments
	}
	if err := checkArguments(r.Arguments); err != nil {
		return CallReply{}, err
	}
	s, err := c.ready()
	if err != nil {
		return CallReply{}, err
	}
	return s.call(ctx, r)
}

// ready is the session that serves; the error is *NotReadyError.
func (c *Connector) ready() (*session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != StateReady {
		return nil, &NotReadyError{Name: c.definition.Name, State: c.state, Problem: c.problem}
	}
	return c.session, nil
}

// checkArguments makes sure that the arguments end where they seem to, and that all readers see the same in them.
func checkArguments(arguments []byte) error {
	raw := jsontext.Value(arguments)
	switch {
	case raw.Kind() != '{' || !raw.IsValid():
		return &ArgumentsError{Reason: "they are not one JSON object in valid UTF-8 without repeated names"}
	case bytes.IndexByte(arguments, '\n') >= 0, bytes.IndexByte(arguments, '\r') >= 0:
		return &ArgumentsError{Reason: "they have line breaks, which the transport does not allow"}
	}
	return nil
}

// call makes one call.
func (s *session) call(ctx context.Context, r CallRequest) (CallReply, error) {
	reply, err := s.callOnce(ctx, r)
	if err == nil && reply.ProtocolError != nil && reply.ProtocolError.Code == codeHeaderMismatch && s.answer.era == EraModern {
		return s.callAgain(ctx, r, reply)
	}
	return reply, err
}

func (s *session) callOnce(ctx context.Context, r CallRequest) (CallReply, error) {
	asTask := s.taskMembers(r.Tool)
	reply, err := s.run(ctx, errand{
		method: "tools/call", members: append([]member{{"arguments", r.Arguments}}, asTask...),
		send: func(ctx context.Context, client *mcp.ClientSession, meta mcp.Meta) error {
			params := &mcp.CallToolParams{Meta: meta, Name: r.Tool, Arguments: emptyArguments}
			_, err := client.CallTool(ctx, params)
			return err
		},
		options: RequestOptions{ID: r.ID, Timeout: r.Timeout, OnProgress: r.OnProgress, OnWritten: r.OnWritten, Inquirer: r.Inquirer, OnLog: r.OnLog, LogLevel: r.LogLevel, Clock: r.Clock, recheck: r.Recheck},
	})
	return s.asTask(reply, asTask != nil), err
}

func firstOf(durations ...time.Duration) time.Duration {
	for _, d := range durations {
		if d > 0 {
			return d
		}
	}
	return 0
}

// reply is what a settled exchange brought.
func (x *exchange) reply() (CallReply, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	reply := CallReply{Result: x.result, ResultType: x.resultType, ProtocolError: x.refusal, MayHaveRun: x.mayHaveRun()}
	return reply, x.failure
}

// unanswered says why there is no reply. What the SDK returned counts only where nothing better is known.
func (s *session) unanswered(ctx context.Context, x *exchange, err error) (CallReply, error) {
	x.withdraw()
	if ctx.Err() == nil {
		// The stream has ended under the call; the reason is being found out.
		wait(s.ctx.Done(), 4*s.connector.tuning.settle)
	}
	cause := context.Cause(ctx)
	if ctx.Err() == nil {
		cause = context.Cause(s.ctx)
	}
	reply := CallReply{MayHaveRun: x.mayHaveRun()}
	var problem *Problem
	switch {
	case errors.As(cause, &problem):
		return reply, &LostError{Name: s.connector.definition.Name, Reason: problem.Reason, Problem: problem, MayHaveRun: reply.MayHaveRun}
	case errors.Is(cause, errStopped):
		return reply, &LostError{Name: s.connector.definition.Name, Reason: errStopped.Error(), MayHaveRun: reply.MayHaveRun}
	case cause != nil:
		return reply, cause
	}
	return reply, fmt.Errorf("call %q of connector %q: %w", x.method, s.connector.definition.Name, err)
}
