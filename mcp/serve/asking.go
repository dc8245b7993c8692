package serve

import (
	"time"

	"pillion/mcp/connector"
	"pillion/mcp/host"
)

const (
	// askingTime is how often a client hears that a person is still asked: it would give up what it hears nothing of (U8).
	askingTime = 10 * time.Second
	// askingStep is how far that is progress: less than any that a connector tells of, which comes after it and must be more.
	askingStep = 1e-6
)

// state is told how far the call has come.
func (t *telling) state(state host.CallState) {
	if of := t.request.server.options.OnState; of != nil && t.request.name != "" {
		of(t.request.name, state)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answered()
	if state == host.CallAsking && t.request.token != nil && !t.isOver {
		t.asking = time.AfterFunc(askingTime, t.tellAsking)
	}
}

// tellAsking says that a person is still asked.
func (t *telling) tellAsking() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.asking == nil || t.isOver {
		return
	}
	t.advance(connector.Progress{Progress: t.last + askingStep, Message: "the user is asked, and has not answered yet"})
	t.asking.Reset(askingTime)
}

// answered ends the telling that a person is asked; t.mu is held.
func (t *telling) answered() {
	if t.asking != nil {
		t.asking.Stop()
		t.asking = nil
	}
}
