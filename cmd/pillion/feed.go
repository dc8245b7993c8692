package main

import (
	"context"
	"slices"
	"sync"

	"pillion/rpc/message"
)

// feed follows the questions of a hub: which are open, and how those ended that are not.
// Its methods may be called at once.
type feed struct {
	mu      sync.Mutex
	opened  []message.Ask
	ended   map[message.AskID]message.ClosedAsk
	changed chan struct{} // closed and replaced at every change
}

func newFeed() *feed {
	return &feed{ended: map[message.AskID]message.ClosedAsk{}, changed: make(chan struct{})}
}

// add takes a change in; it never blocks.
func (f *feed) add(opened []message.Ask, closed []message.ClosedAsk) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened = append(f.opened, opened...)
	for _, c := range closed {
		f.ended[c.AskID] = c
		f.opened = slices.DeleteFunc(f.opened, func(a message.Ask) bool { return a.AskID == c.AskID })
	}
	close(f.changed)
	f.changed = make(chan struct{})
}

// next waits for an open question of a kind of interest and takes it out: it is returned once.
func (f *feed) next(ctx context.Context, isWanted func(message.Ask) bool) (message.Ask, error) {
	for {
		f.mu.Lock()
		at := slices.IndexFunc(f.opened, isWanted)
		if at >= 0 {
			ask := f.opened[at]
			f.opened = slices.Delete(f.opened, at, at+1)
			f.mu.Unlock()
			return ask, nil
		}
		changed := f.changed
		f.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return message.Ask{}, context.Cause(ctx)
		}
	}
}

// closedError is the cause of a context whose question ended elsewhere.
type closedError struct{ closed message.ClosedAsk }

func (e *closedError) Error() string {
	switch {
	case e.closed.How == message.AskAnswered && e.closed.By != "":
		return "the question was answered by " + e.closed.By
	case e.closed.How == message.AskAnswered:
		return "the question was answered elsewhere"
	case e.closed.How == message.AskExpired:
		return "the question has expired"
	}
	return "the question was withdrawn: what it was about has changed, has gone or was decided elsewhere"
}

// whileOpen is a context that ends, with a [*closedError], when the question does.
func (f *feed) whileOpen(ctx context.Context, id message.AskID) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		for {
			f.mu.Lock()
			closed, isClosed := f.ended[id]
			changed := f.changed
			f.mu.Unlock()
			if isClosed {
				cancel(&closedError{closed})
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}
