package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"pillion/mcp/config"
	"pillion/mcp/connector"
	"pillion/mcp/permission"
	"pillion/mcp/result"
)

// CallRequest is one call as its caller wants it.
type CallRequest struct {
	// CallID names the call; empty lets the host choose one.
	CallID string
	// Tool is a tool's id, label or served name.
	Tool string
	// Arguments are one JSON object; empty means {}.
	Arguments []byte
	// SessionID and TurnID scope session permissions and the bounds on questions; both may be empty.
	SessionID, TurnID string
	// ParentSessionID is the session that the caller's was started by, and Joined the session whose processes serve the call in
	// the place of its own's; what was allowed to them does not count for the caller. Both may be empty.
	ParentSessionID, Joined string
	// IsReadOnly refuses every tool that does not say that it only reads.
	IsReadOnly bool
	Caller     Caller
	// Timeout without progress; zero means the connector's own.
	Timeout time.Duration
	// IsWithoutText leaves out the text projection of the result, for callers who take its content.
	IsWithoutText bool
	// IsRaw wants the result as it was received, for callers who pass it on; see [Result.Raw].
	IsRaw bool
	// Answering is the caller where he answers himself what the connector asks during the call; nil has the [Asker] asked.
	Answering *Answering
	// KeepsAsking leaves the question about the call open where its context ends before there is an answer: a yes then holds five
	// minutes for the identical call of the session (U8). What else ends the call takes the question with it.
	KeepsAsking bool
	// OnProgress is told of the connector's progress, in order; it must not block.
	OnProgress func(connector.Progress)
	// OnLog is told what the connector logs about the call at LogLevel and above, as params of MCP's notifications/message, without
	// secrets; it must not block. Without a level nothing is asked for.
	OnLog    func(params []byte)
	LogLevel string
	// OnState is told when the call starts to ask or to run; it must not block.
	OnState func(CallState)
}

// Status is how a call ended, in the words of the editor protocol.
type Status string

// The ends of a call.
const (
	StatusOK               Status = "ok"
	StatusToolError        Status = "toolError"      // the tool says that it did not succeed
	StatusConnectorError   Status = "connectorError" // the connector answered with a protocol error
	StatusDeclined         Status = "declined"       // a person said no
	StatusDenied           Status = "denied"         // a rule or the mode said no
	StatusNeedsConsent     Status = "needsConsent"
	StatusNeedsLogin       Status = "needsLogin"
	StatusCancelled        Status = "cancelled"
	StatusRepeat           Status = "repeat" // the same call of this turn was answered already
	StatusInvalidArguments Status = "invalidArguments"
	StatusConnectorDown    Status = "connectorDown"
	StatusTimeout          Status = "timeout"
	StatusTask             Status = "task"
)

// Result is what came of a call.
type Result struct {
	CallID string
	Tool   string // its id
	Status Status
	// Projection is set for StatusOK and StatusToolError.
	Projection result.Projection
	// Raw is MCP's CallToolResult as received but for secrets, of a call that wanted it; the Projection has no text and no files
	// then.
	Raw []byte
	// ArgumentFault is what is wrong with the arguments, where the tool's schema says so.
	ArgumentFault *result.Difference
	// Error is the connector's own protocol error.
	Error *connector.ProtocolError
	// Message is one sentence for whoever called; Steps lead on from it.
	Message string
	Steps   []string
	// Advice is the same for an agent: what it is to do and to say where the connector is down; mostly empty.
	Advice string
	// MayHaveRun is false only where the tool provably did not run.
	MayHaveRun bool
	// TaskID is that of the task that the call became; empty for any other.
	TaskID string
	// AllowedBy is readOnly, rule, session or answer; Rule names the rule.
	AllowedBy, Rule string
	// Duration is how long the tool took; the time of questions does not count.
	Duration time.Duration
}

// Call resolves the tool, judges the call, asks if it must, makes the call and returns what came of it.
// Every door leads through here; outcomes are results, and the error is for misuse alone: an [*UnknownError] for a tool
// that does not exist, an [*InUseError], or [ErrClosed].
func (h *Host) Call(ctx context.Context, request CallRequest) (Result, error) {
	given := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if request.CallID == "" {
		request.CallID = NewCallID()
	}
	if err := h.calls.begin(request.CallID, request.Tool, time.Now(), cancel); err != nil {
		return Result{}, err
	}
	h.calls.isFor(request.CallID, request.Caller, request.SessionID)
	call := &call{host: h, request: request, given: given}
	outcome, err := call.run(ctx)
	outcome.CallID = request.CallID
	outcome.Advice = advice(outcome, cmp.Or(call.tool.Label, request.Tool))
	if call.place != nil {
		h.repeats.end(call.place, outcome)
	}
	if call.hasGoneOn {
		return outcome, err // its end is yet to come
	}
	h.calls.end(request.CallID, outcome)
	call.changed(CallFinished, &outcome)
	if err == nil {
		h.record(call.endRecord(outcome))
	}
	return outcome, err
}

// CancelCall ends an open call; it reports false when there is none of that id.
func (h *Host) CancelCall(id string) bool { return h.calls.cancel(id, ErrCancelledByCaller) }

// Calls returns the calls of this session, oldest first.
func (h *Host) Calls() []CallEntry { return h.calls.all() }

// call is one call on its way through the gate.
type call struct {
	host      *Host
	request   CallRequest
	arguments []byte // compact, checked: the bytes that are shown and sent
	reach     *reach // of the arguments; nil until it was looked at
	tool      Tool
	given     context.Context // its caller's
	allowedBy string
	rule      string
	hasGoneOn bool // as a task
	// wasOutdated says that it passed the gate again, for its tool was listed otherwise.
	wasOutdated bool
	errand      *errand // nil for a call of a tool
	place       *inTurn // nil for a call of no turn, or that is not made
	basis       *basis  // nil until it was read, and once something was waited for
	leased      *slot   // the process that it has been given; nil for the one that all have
	isAgain     bool    // it was sent before, to a server that had lost its session
}

// reach is how far arguments lead.
type reach struct {
	remote    bool // to another machine (S14)
	ownFolder bool // into a folder of Pillion's own (S20)
}

// basis is what was decided, as a call is judged by it.
type basis struct {
	rules     []permission.Rule // about its tool
	isHealthy bool
}

// target is a tool together with the process that would run it.
type target struct {
	slot    *slot
	entry   *config.Entry
	process *connector.Connector
	tool    Tool
	subject permission.Subject
	// present are the tools that were listed when the call was judged: what a yes to all of them is a yes to (S8).
	present []connector.Tool
	base    string // the folder that relative paths are meant in
	key     string // of the definition in its place
	builtin *Builtin
}

func (c *call) run(ctx context.Context) (Result, error) {
	arguments, err := permission.CheckArguments(c.request.Arguments)
	c.arguments = arguments
	// Which tool it is comes first: a mistake in the name is the caller's, whatever the arguments.
	target, stop, resolveErr := c.resolve(ctx)
	if resolveErr != nil {
		return Result{}, resolveErr
	}
	if stop != nil {
		return *stop, nil
	}
	if err != nil {
		return c.ended(StatusInvalidArguments, err.Error()), nil
	}
	if stop := c.misfit(target); stop != nil {
		return *stop, nil
	}
	if stop := c.repeated(ctx, target); stop != nil {
		return *stop, nil
	}
	for {
		if target, stop = c.pass(ctx, target); stop != nil {
			return *stop, nil
		}
		result, err := c.makeInRoom(ctx, target)
		if !errors.Is(err, errOutdated) {
			return result, nil
		}
	}
}

// misfit ends a call whose arguments are not what the tool says that it takes, before anybody is asked about them (E4).
func (c *call) misfit(at target) *Result {
	d := c.host.schemas.ArgumentDifference(at.tool.takes, c.arguments)
	if d == nil {
		return nil
	}
	d = &result.Difference{Path: c.host.redacted(d.Path), Reason: c.host.redacted(d.Reason)}
	wrong := c.ended(StatusInvalidArguments, fmt.Sprintf("the arguments are not what %q takes, %s; nothing ran", at.tool.Label, d))
	wrong.ArgumentFault = d
	return &wrong
}

// errOutdated says that a call must pass the gate again, because what it was allowed on is not so any more.
var errOutdated = errors.New("what the call was judged on has changed")

// recheck is [call.pass] for a call that passed and had to wait for its turn: an [errOutdated] keeps it from leaving (S9).
func (c *call) recheck(ctx context.Context, at target) error {
	c.waited()
	if c.errand != nil {
		return c.stillStands(ctx, at)
	}
	now, stop, err := c.resolve(ctx)
	if err != nil || stop != nil || !isSame(now, at) || c.denied(now) != nil {
		return errOutdated
	}
	return nil
}

// pass takes the call through the gate. After every judgement the tool is looked up again, and one that is different by
// then is judged again (S9).
func (c *call) pass(ctx context.Context, at target) (target, *Result) {
	for {
		if stop := c.judge(ctx, at); stop != nil {
			return target{}, stop
		}
		now, stop, err := c.resolve(ctx)
		switch {
		case err != nil:
			gone := c.ended(StatusConnectorDown, "the tool was taken away while the call waited: "+err.Error()+"; nothing ran")
			return target{}, &gone
		case stop != nil:
			return target{}, stop
		case !isSame(now, at):
			c.waited()
			if stop := c.misfit(now); stop != nil {
				return target{}, stop
			}
			at = now
			continue
		}
		if denied := c.denied(now); denied != nil {
			return target{}, denied
		}
		return now, nil
	}
}

// isSame reports whether a yes to one target is a yes to the other.
func isSame(a, b target) bool {
	return a.tool.ID == b.tool.ID && a.tool.Hash == b.tool.Hash && a.key == b.key && a.subject.ServerVersion == b.subject.ServerVersion
}

// judge lets the call go on, asking if it must; a result ends it.
func (c *call) judge(ctx context.Context, at target) *Result {
	subject, verdict := c.verdict(at)
	switch verdict.Decision {
	case permission.Auto:
		c.allowedBy, c.rule = verdict.By, verdict.Rule
		return nil
	case permission.Deny:
		return c.refused(verdict)
	}
	defer c.waited()
	return c.ask(ctx, at, subject, verdict)
}

// denied ends a call that a rule or the mode refuses by now, whatever was answered before.
func (c *call) denied(at target) *Result {
	_, verdict := c.verdict(at)
	if verdict.Decision != permission.Deny {
		return nil
	}
	return c.refused(verdict)
}

func (c *call) refused(verdict permission.Verdict) *Result {
	denied := c.ended(StatusDenied, verdict.Reason)
	if verdict.Rule != "" {
		denied.Steps = []string{"To take that back: pillion permissions remove " + verdict.Rule}
	}
	return &denied
}

// verdict judges the call with its arguments on the tool as it is listed now.
func (c *call) verdict(at target) (permission.Subject, permission.Verdict) {
	h := c.host
	subject := at.subject
	subject.SessionID, subject.Arguments, subject.Disk = c.request.SessionID, c.arguments, disk{}
	if c.reach == nil {
		c.reach = &reach{remote: permission.HasRemoteURL(c.arguments), ownFolder: h.reachesOwnFolder(at.base, c.arguments)}
	}
	subject.HasRemoteURL, subject.NamesOwnFolder = c.reach.remote, c.reach.ownFolder
	subject = at.builtin.ruled(subject, c.toBuiltin(at))
	if c.basis == nil {
		c.basis = h.basisOf(subject)
	}
	if c.request.IsReadOnly && !subject.ReadOnly {
		return subject, permission.Verdict{Decision: permission.Deny, Reason: "This session was joined for reading alone, and the tool does not say that it only reads."}
	}
	return subject, permission.Judge(c.basis.rules, h.Mode(), subject, c.basis.isHealthy)
}

// toBuiltin is the call as a connector of Pillion's own judges it.
func (c *call) toBuiltin(at target) BuiltinCall {
	return BuiltinCall{
		CallID: c.request.CallID, Session: cmp.Or(c.request.Joined, c.request.SessionID), Tool: at.tool.Name, Arguments: c.arguments,
	}
}

// basisOf reads what was decided, in whichever window.
func (h *Host) basisOf(subject permission.Subject) *basis {
	rules, fault := h.permissions.RulesConcerning(subject.Connector, subject.Tool)
	return &basis{rules, fault == nil && h.consents.Health() == nil && h.personal.Health() == nil}
}

// waited has what was decided read again: time has passed.
func (c *call) waited() { c.basis = nil }

func (c *call) cancelled(ctx context.Context) *Result {
	message := "cancelled before anything ran"
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, ErrClosed):
		message = "the window ended before the call was sent; nothing ran"
		if c.request.Caller.Kind == callerAgent {
			message = "the editor reloaded before you answered; call again. Nothing ran." // U9
		}
	case errors.Is(cause, errStopAll):
		message = "everything was stopped before the call ran; nothing ran"
	}
	cancelled := c.ended(StatusCancelled, message)
	return &cancelled
}

func (c *call) state(state CallState) {
	c.host.calls.setState(c.request.CallID, state)
	c.changed(state, nil)
	if c.request.OnState != nil {
		c.request.OnState(state)
	}
}

// changed tells how far the call has come.
func (c *call) changed(state CallState, outcome *Result) {
	c.host.notify(Event{Call: &CallChange{
		CallID: c.request.CallID, Tool: cmp.Or(c.tool.Label, c.request.Tool), Connector: c.tool.Connector, Caller: c.request.Caller,
		State: state, Result: outcome,
	}})
}

// ended is the result of a call that did not run.
func (c *call) ended(status Status, message string) Result {
	return Result{Tool: c.tool.ID, Status: status, Message: message}
}
