package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/audit"
	"pillion/mcp/connector"
	"pillion/mcp/permission"
)

const completeMethod = "completion/complete"

// CallerEditor is the kind of caller that is the editor's own user.
const CallerEditor = "editor"

// Request is what every request of a connector that is no call of a tool has.
type Request struct {
	// Connector is its id, or a name that only one has.
	Connector string
	// CallID names the request for [Host.CancelCall]; empty lets the host choose one.
	CallID string
	// SessionID, ParentSessionID and Joined say which process of the connector it is made to, as those of a [CallRequest].
	SessionID, ParentSessionID, Joined string
	Caller                             Caller
	// OnLog and LogLevel are those of a [CallRequest].
	OnLog    func(params []byte)
	LogLevel string
	// Answering is that of a [CallRequest].
	Answering *Answering
	// OnProgress is told of the connector's progress, in order; it must not block.
	OnProgress func(connector.Progress)
}

// errand is one such request on its way through the gate.
type errand struct {
	Request
	method    string // of MCP
	what      string // as people read it: "read the resource"
	arguments []byte // what is asked for, as one JSON object: shown, and kept in the audit log
	// isOfWindow says that it is made to the window's own process, whoever makes it.
	isOfWindow bool
	// isFree reports whether anybody may ask for it unasked; h.mu is held.
	isFree func(*slot) bool
	send   func(context.Context, *connector.Connector, connector.RequestOptions) (connector.CallReply, error)
}

// answers makes the errand and returns what came back; the result says why nothing did where its status is not StatusOK. The
// error is for misuse alone, as that of [Host.Call].
func (h *Host) answers(ctx context.Context, e errand) (connector.CallReply, Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	id, name, err := h.connectorNamed(e.Connector)
	if err != nil {
		return connector.CallReply{}, Result{}, err
	}
	if e.CallID == "" {
		e.CallID = NewCallID()
	}
	e.Connector = id // what was resolved once stays that connector
	c := &call{
		host: h, errand: &e, arguments: e.arguments, tool: Tool{ConnectorName: name, Connector: id},
		request: CallRequest{
			CallID: e.CallID, Tool: e.method, SessionID: e.SessionID, ParentSessionID: e.ParentSessionID, Joined: e.Joined, Caller: e.Caller,
		},
	}
	if err := h.calls.begin(e.CallID, Label(name, e.method), time.Now(), cancel); err != nil {
		return connector.CallReply{}, Result{}, err
	}
	h.calls.isFor(e.CallID, e.Caller, e.SessionID)
	defer h.calls.drop(e.CallID)
	reply, outcome := c.runErrand(ctx)
	outcome.CallID = e.CallID
	c.changed(CallFinished, &outcome)
	h.recordErrand(c, outcome)
	return reply, outcome, nil
}

// runErrand takes it through the gate and makes it, and through the gate again where what it passed on has changed.
func (c *call) runErrand(ctx context.Context) (connector.CallReply, Result) {
	for {
		at, stop := c.passErrand(ctx)
		if stop != nil {
			return connector.CallReply{}, *stop
		}
		reply, outcome, err := c.makeErrand(ctx, at)
		if !errors.Is(err, errOutdated) {
			return reply, outcome
		}
	}
}

func (h *Host) connectorNamed(idOrName string) (id, name string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, err := h.findSlot(idOrName)
	if err != nil {
		return "", "", err
	}
	return s.id, s.entry.Name, nil
}

// passErrand takes it through the gate: whoever is not the editor's user is asked for like a call (S15). What is different
// after an answer is judged again (S9).
func (c *call) passErrand(ctx context.Context) (target, *Result) {
	asked := ""
	for {
		at, isFree, stop := c.resolveErrand(ctx)
		if stop != nil {
			return target{}, stop
		}
		_, verdict := c.verdict(at)
		if verdict.Decision == permission.Deny {
			return target{}, c.refused(verdict)
		}
		if isFree || asked == at.key || c.allowsAll(at) {
			return at, nil
		}
		verdict.Reason = fmt.Sprintf("It was not asked for in the editor: somebody else wants to %s.", c.errand.what)
		verdict.Choices, verdict.Scopes, verdict.Rule = []string{DecideDecline, DecideOnce}, []string{}, ""
		stop = c.ask(ctx, at, at.subject, verdict)
		c.waited()
		if stop != nil {
			return target{}, stop
		}
		if !bytes.Equal(c.arguments, c.errand.arguments) { // what is sent is made of what was asked for (S10)
			edited := c.ended(StatusInvalidArguments, "what is asked for here cannot be edited; nothing was sent")
			return target{}, &edited
		}
		asked = at.key
	}
}

// allowsAll reports whether a rule allows all of the connector, and remembers which.
func (c *call) allowsAll(at target) (isAllowed bool) {
	subject := at.subject
	subject.SessionID, subject.NamesOwnFolder = c.request.SessionID, c.reach != nil && c.reach.ownFolder
	rule, isAllowed := permission.AllowsAll(c.basis.rules, c.host.Mode(), subject, c.basis.isHealthy)
	if isAllowed {
		c.allowedBy, c.rule = permission.ByRule, rule
	}
	return isAllowed
}

// resolveErrand finds the connector that runs, starting it if it must, and reports whether nobody need be asked.
func (c *call) resolveErrand(ctx context.Context) (target, bool, *Result) {
	h, e := c.host, c.errand
	id := e.Connector
	if h.Mode() == permission.ModePaused {
		denied := c.ended(StatusDenied, permission.Paused)
		return target{}, false, &denied
	}
	if stop := c.enterBuiltin(ctx, id); stop != nil {
		return target{}, false, stop
	}
	view, _, err := h.live(ctx, id)
	switch {
	case ctx.Err() != nil, err != nil:
		return target{}, false, c.cancelled(ctx)
	case view.State == StateWaiting:
		return target{}, false, c.needsConsent(view)
	case view.State != StateReady:
		return target{}, false, c.down(view)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.slotOf(id)
	if s == nil || s.process == nil {
		gone := c.ended(StatusConnectorDown, "the connector was taken away; nothing was sent")
		return target{}, false, &gone
	}
	// No rule for a tool is one for this: no tool has such a name. What is refused to the whole connector is refused.
	tool := Tool{
		ID: s.id, Label: s.entry.Name + ": " + e.method, ServedName: e.method, Connector: s.id, ConnectorName: s.entry.Name,
		Name: "\x00" + e.method, Summary: "MCP's " + e.method, ReadOnly: true,
	}
	subject := h.subjectOf(s, tool)
	tool.Name = e.method
	c.tool = tool
	return target{
		slot: s, entry: s.entry, process: s.process, tool: tool, subject: subject, base: h.workingBase(h.subjectAt(s)), key: s.key(),
	}, e.Caller.Kind == CallerEditor || e.isFree(s), nil
}

// method is what an errand asks for; empty for a call of a tool.
func (c *call) method() string {
	if c.errand != nil {
		return c.request.Tool
	}
	return ""
}

// stillStands is [call.recheck] for an errand.
func (c *call) stillStands(ctx context.Context, at target) error {
	now, _, stop := c.resolveErrand(ctx)
	if stop != nil || now.key != at.key {
		return errOutdated
	}
	if _, verdict := c.verdict(now); verdict.Decision == permission.Deny {
		return errOutdated
	}
	return nil
}

// makeErrand sends it, to the process that a call of the same session would be made to (C8). The error is errOutdated: then nothing
// was sent.
func (c *call) makeErrand(ctx context.Context, at target) (connector.CallReply, Result, error) {
	h, e := c.host, c.errand
	defer c.leave()
	if !e.isOfWindow {
		moved, stop, err := c.move(ctx, at)
		if err != nil {
			return connector.CallReply{}, Result{}, err
		}
		if stop != nil {
			return connector.CallReply{}, *stop, nil
		}
		at = moved
	}
	h.busy(at.slot, 1)
	defer h.busy(at.slot, -1)
	c.state(CallRunning)
	reply, err := e.send(ctx, at.process, connector.RequestOptions{ID: e.CallID, Timeout: callTimeoutOf(at.entry), OnProgress: e.OnProgress, Inquirer: e.Answering.inquirer(), OnLog: h.redactedLog(e.OnLog), LogLevel: e.LogLevel})
	if err != nil {
		return reply, c.unanswered(ctx, at, reply, err), nil
	}
	outcome := c.ended(StatusOK, "")
	outcome.MayHaveRun, outcome.Duration = true, reply.Duration
	switch {
	case reply.ProtocolError != nil:
		outcome.Status = StatusConnectorError
		outcome.Error = h.redactedError(reply.ProtocolError)
		outcome.Message = fmt.Sprintf("the connector %q answered with an error: %s", at.tool.ConnectorName, outcome.Error.Message)
	case reply.ResultType != connector.ResultComplete:
		outcome.Status = StatusConnectorError
		outcome.Message = fmt.Sprintf("the connector %q answered with a result of the kind %q, which nothing is known of", at.tool.ConnectorName, reply.ResultType)
	}
	return reply, outcome, nil
}

// recordErrand keeps the record of one, but of what the editor's user has completed while typing.
func (h *Host) recordErrand(c *call, outcome Result) {
	if c.request.Caller.Kind == CallerEditor && c.request.Tool == completeMethod {
		return // one for each key that is typed
	}
	r := c.record(audit.KindCall)
	r.Status, r.Message = string(outcome.Status), outcome.Message
	r.DurationMS, r.MayHaveRun, r.Allowed = outcome.Duration.Milliseconds(), outcome.MayHaveRun, c.allowedBy
	h.record(r)
}

// malformed is the outcome of an answer that is not what was asked for.
func (h *Host) malformed(outcome Result, connectorName string, err error) Result {
	outcome.Status = StatusConnectorError
	outcome.Message = fmt.Sprintf("the connector %q answered with something else than what it was asked for: %s", connectorName, h.redacted(err.Error()))
	return outcome
}

func quoted(text string) []byte {
	q, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return []byte(`""`)
	}
	return q
}
