package host

import (
	"context"
	"errors"
	"sync"

	"pillion/mcp/permission"
)

// Caller is who wants a call made.
type Caller struct {
	Kind    string // editor, cli or agent
	Name    string // as it names itself
	Program string // the executable, from the kernel, where it is known
	PID     int
}

// callerAgent is the kind of a caller that no person is at.
const callerAgent = "agent"

// Approval is one call that a person must judge.
type Approval struct {
	CallID, SessionID string
	Caller            Caller
	Tool              Tool
	// Method is that of MCP which is asked for where it is no call of a tool, or that of the editor protocol where a connector of
	// Pillion's own asks whether it may be in a session at all: the Tool only names it then.
	Method string
	// Changed is what differs from the tool that a standing yes was given for, which is suspended.
	Changed []Change
	// Arguments are the exact bytes that will be sent.
	Arguments []byte
	Reason    string
	Choices   []string
	Scopes    []string
}

// The decisions about an approval, in the words of the editor protocol.
const (
	DecideDecline   = "decline"
	DecideOnce      = "once"
	DecideSession   = "session"
	DecideReadOnly  = "readOnly"
	DecideTool      = "tool"
	DecideConnector = "connector"
)

// ApprovalAnswer is a person's judgement of one call.
type ApprovalAnswer struct {
	Decision string
	Scope    string
	// Text is passed on to the caller of a declined call.
	Text string
	// Arguments replace the call's own when they are set; they allow once only (S10).
	Arguments []byte
	// Where are the conditions of an answer that allows the tool: what the arguments of later calls must be (E10).
	Where []permission.Condition
	// By says who answered, for the audit log.
	By string
}

// ErrNobody is what an [Asker] returns when there is nobody to ask.
var ErrNobody = errors.New("nobody can be asked")

// Asker puts questions to people.
type Asker interface {
	// Approve asks whether a call may run and blocks until somebody answered; there is no time-out (E3).
	// When ctx ends the question is withdrawn.
	Approve(ctx context.Context, a Approval) (ApprovalAnswer, error)
	// AskPermission raises the one question about what waits, if there is somebody to ask, and returns at once.
	// The answer comes back through [Host.Decide].
	AskPermission(waiting []Permission, caller Caller)
	// AskWidening opens the question whether a change that gives more is to be made, and returns its id at once; one that is open
	// about the same already serves. The answer comes back through [Host.Widen].
	AskWidening(w Widening, caller Caller) (askID string, err error)
	// AskInput asks for the value of an input and blocks until somebody answered; there is no time-out.
	// When ctx ends the question is withdrawn.
	AskInput(ctx context.Context, q InputQuestion) (InputAnswer, error)
	// Abilities says what connectors may have asked; it is looked at when one starts.
	Abilities() Abilities
	// Elicit puts a connector's own question and blocks until somebody answered, or the deadline of the question has passed:
	// then the answer is a cancel. When ctx ends the question is withdrawn.
	Elicit(ctx context.Context, q Elicitation) (ElicitationAnswer, error)
	// Sample shows what a connector would have a model answer, and blocks like Elicit; the error is [ErrNobody] where there is
	// no model.
	Sample(ctx context.Context, r Sampling) (SamplingAnswer, error)
}

// Abilities are the ways in which a connector's questions can be answered.
type Abilities struct {
	Forms, Pages bool
	// Model says that an editor has one that answers.
	Model bool
}

// maxQueuedApprovals is how many calls of one session may wait behind the question that is open (S19).
const maxQueuedApprovals = 20

// maxDeclinesPerTurn is how many refusals in one turn refuse the rest of it (S19).
const maxDeclinesPerTurn = 3

// approvalQueue lets one approval of a session be open at a time, in the order of the calls.
type approvalQueue struct {
	mu       sync.Mutex
	sessions map[string]*approvalLine
}

type approvalLine struct {
	open     chan struct{} // capacity 1: holding it is having the question open
	queued   int
	declines map[string]int // by turn, of the last ones
}

// maxCountedTurns bounds what a line remembers of refusals.
const maxCountedTurns = 64

// refusalOfTurn says why no further question of a turn is put, or is empty.
func (l *approvalLine) refusalOfTurn(turn string) string {
	if turn != "" && l.declines[turn] >= maxDeclinesPerTurn {
		return "three calls of this turn were declined; the rest of the turn is declined with them"
	}
	return ""
}

func newApprovalQueue() *approvalQueue {
	return &approvalQueue{sessions: map[string]*approvalLine{}}
}

// enter waits until the session's question may be put.
// A refusal says why the question is not put at all; release must be called otherwise.
func (q *approvalQueue) enter(ctx context.Context, session, turn string) (release func(), refusal string, err error) {
	line, refusal := q.join(session, turn)
	if refusal != "" {
		return nil, refusal, nil
	}
	select {
	case line.open <- struct{}{}:
	case <-ctx.Done():
		q.leave(session, line)
		return nil, "", ctx.Err()
	}
	release = func() {
		<-line.open
		q.leave(session, line)
	}
	if refusal = q.refusal(line, turn); refusal != "" { // the answers to those before it count
		release()
		return nil, refusal, nil
	}
	return release, "", nil
}

// join takes a place in the line of a session, or says why there is none.
func (q *approvalQueue) join(session, turn string) (line *approvalLine, refusal string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	line = q.sessions[session]
	if line == nil {
		line = &approvalLine{open: make(chan struct{}, 1), declines: map[string]int{}}
		q.sessions[session] = line
	}
	refusal = line.refusalOfTurn(turn)
	if refusal == "" && line.queued > maxQueuedApprovals {
		refusal = "too many calls wait for an answer already"
	}
	if refusal == "" {
		line.queued++
	}
	return line, refusal
}

func (q *approvalQueue) refusal(line *approvalLine, turn string) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return line.refusalOfTurn(turn)
}

func (q *approvalQueue) leave(session string, line *approvalLine) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if line.queued--; line.queued == 0 && len(line.declines) == 0 {
		delete(q.sessions, session)
	}
}

// end forgets the refusals of sessions that are over.
func (q *approvalQueue) end(isOver func(session string) bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for session, line := range q.sessions {
		if !isOver(session) {
			continue
		}
		if clear(line.declines); line.queued == 0 {
			delete(q.sessions, session)
		}
	}
}

// declined counts a refusal against the turn.
func (q *approvalQueue) declined(session, turn string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	line := q.sessions[session]
	if line == nil || turn == "" {
		return
	}
	if len(line.declines) >= maxCountedTurns {
		clear(line.declines)
	}
	line.declines[turn]++
}
