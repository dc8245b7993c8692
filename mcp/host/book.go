package host

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"sync"
	"time"
)

// CallState is how far a call has come.
type CallState string

// The states of a call.
const (
	CallAsking     CallState = "asking"
	CallRunning    CallState = "running"
	CallFinished   CallState = "finished"
	CallMayHaveRun CallState = "mayHaveRun"
	CallUnknown    CallState = "unknown"
)

// CallEntry is one call of this session.
type CallEntry struct {
	CallID, Tool string
	State        CallState
	At           time.Time
	Result       *Result
}

// maxFinishedCalls is how many results are kept for those who ask later.
const maxFinishedCalls = 200

// callBook knows the calls of this session.
type callBook struct {
	mu       sync.Mutex
	open     map[string]*openCall
	finished []CallEntry // oldest first
	isClosed bool
}

type openCall struct {
	CallEntry
	cancel    context.CancelCauseFunc
	caller    Caller
	sessionID string
}

func newCallBook() *callBook { return &callBook{open: map[string]*openCall{}} }

// NewCallID is an id for a call, for callers who want to know it beforehand.
func NewCallID() string {
	var random [12]byte
	_, _ = rand.Read(random[:])
	return hex.EncodeToString(random[:])
}

// begin enters a call; the error is [ErrClosed], or an [*InUseError].
func (b *callBook) begin(id, tool string, at time.Time, cancel context.CancelCauseFunc) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.isClosed:
		return ErrClosed
	case b.open[id] != nil:
		return &InUseError{CallID: id}
	}
	b.open[id] = &openCall{CallEntry: CallEntry{CallID: id, Tool: tool, State: CallRunning, At: at}, cancel: cancel}
	return nil
}

func (b *callBook) setState(id string, state CallState) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if call := b.open[id]; call != nil {
		call.State = state
	}
}

func (b *callBook) end(id string, result Result) {
	b.mu.Lock()
	defer b.mu.Unlock()
	call := b.open[id]
	if call == nil {
		return
	}
	delete(b.open, id)
	// The content may be large, and went to the caller: what is asked for later is the text.
	result.Projection.Content, result.Projection.Structured = nil, nil
	call.State, call.Result = CallFinished, &result
	b.finished = append(b.finished, call.CallEntry)
	if surplus := len(b.finished) - maxFinishedCalls; surplus > 0 {
		b.finished = slices.Delete(b.finished, 0, surplus)
	}
}

// of says who an open call is made for.
func (b *callBook) of(id string) (caller Caller, sessionID string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if call := b.open[id]; call != nil {
		return call.caller, call.sessionID
	}
	return Caller{Kind: CallerEditor}, ""
}

// isFor notes who an open call is made for.
func (b *callBook) isFor(id string, caller Caller, sessionID string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if call := b.open[id]; call != nil {
		call.caller, call.sessionID = caller, sessionID
	}
}

// goOn keeps a call open that goes on without whoever made it, and reports whether it is open still.
func (b *callBook) goOn(id string, cancel context.CancelCauseFunc) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	call := b.open[id]
	if call == nil || b.isClosed {
		return false
	}
	call.cancel = cancel
	return true
}

// drop forgets what is no call any more and leaves nothing to ask for later.
func (b *callBook) drop(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, id)
}

func (b *callBook) cancel(id string, cause error) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	call := b.open[id]
	if call == nil {
		return false
	}
	call.cancel(cause)
	return true
}

func (b *callBook) cancelAll(cause error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, call := range b.open {
		call.cancel(cause)
	}
}

// close cancels what is open and lets no further call begin.
func (b *callBook) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.isClosed = true
	for _, call := range b.open {
		call.cancel(ErrClosed)
	}
}

func (b *callBook) find(id string) (CallEntry, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if call := b.open[id]; call != nil {
		return call.CallEntry, true
	}
	for i := len(b.finished) - 1; i >= 0; i-- {
		if b.finished[i].CallID == id {
			return b.finished[i], true
		}
	}
	return CallEntry{}, false
}

// all returns the open calls and those that finished, oldest first.
func (b *callBook) all() []CallEntry {
	b.mu.Lock()
	defer b.mu.Unlock()
	calls := slices.Clone(b.finished)
	for _, call := range b.open {
		calls = append(calls, call.CallEntry)
	}
	slices.SortStableFunc(calls, func(x, y CallEntry) int {
		return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.CallID, y.CallID))
	})
	return calls
}
