package sidecar

import (
	"context"
	"sync"
	"time"
)

// answerMoment is how long an editor gets to take in the answer of a command before anything is shown because of it.
// The reader of eglot 1.9 (jsonrpc 1.0.14) leaves at the answer that it waits for, and sees what came in the same read only
// when more comes: a question would stay unseen until the next key.
const answerMoment = 100 * time.Millisecond

// answering knows which commands of the editor are being answered.
type answering struct {
	mu       sync.Mutex
	underWay int
	quiet    chan struct{} // closed when none is under way any more
	ended    time.Time
}

func (a *answering) begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.underWay == 0 {
		a.quiet = make(chan struct{})
	}
	a.underWay++
}

func (a *answering) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.underWay--
	a.ended = time.Now()
	if a.underWay == 0 {
		close(a.quiet)
	}
}

// wait waits until no command is being answered and the moment after the last one is over, or ctx ends.
func (a *answering) wait(ctx context.Context) {
	a.mu.Lock()
	underWay, quiet, left := a.underWay > 0, a.quiet, answerMoment-time.Since(a.ended)
	a.mu.Unlock()
	if underWay {
		select {
		case <-quiet:
			left = answerMoment
		case <-ctx.Done():
			return
		}
	}
	if left <= 0 {
		return
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
