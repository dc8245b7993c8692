package connector

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// relisting counts what the server says of its tools against what was fetched since; session.dirtyMu guards it.
type relisting struct {
	told    int           // how often the server has said that they changed
	listed  int           // up to which of these times they were listed since
	fetches int           // how many have ended
	failed  int           // up to which of these times they were asked for in vain
	err     error         // and why
	ended   chan struct{} // closed, and replaced, when a fetch has ended
}

// UnlistedError says that the server does not list the tools that it said have changed.
type UnlistedError struct{ Err error }

func (e *UnlistedError) Error() string {
	return fmt.Sprintf("its tools have changed and could not be listed: %v", e.Err)
}

// Unwrap returns why they could not be.
func (e *UnlistedError) Unwrap() error { return e.Err }

// AwaitTools waits until the tools are listed that the server has said are others by now, or whose list is too old to be relied
// on, and reports whether there was anything to wait for: Status then has them. It waits no longer than atMost, zero meaning the definition's CallTimeout. The
// error is an *[UnlistedError], a *[TimeoutError], or the cause of ctx's end. For a connector that does not run there is
// nothing to wait for.
func (c *Connector) AwaitTools(ctx context.Context, atMost time.Duration) (hasWaited bool, err error) {
	c.mu.Lock()
	s := c.session
	if c.state != StateReady {
		s = nil
	}
	c.mu.Unlock()
	if s == nil || s.announced()&toolList == 0 {
		return false, nil
	}
	isAged := s.freshen()&toolList != 0
	now := s.relistingNow()
	switch {
	case now.listed < now.told:
	case isAged:
		return true, s.awaitFresh(ctx, firstOf(atMost, c.definition.CallTimeout))
	default:
		return false, nil
	}
	return true, s.awaitTools(ctx, now, firstOf(atMost, c.definition.CallTimeout))
}

func (s *session) awaitTools(ctx context.Context, begun relisting, atMost time.Duration) error {
	late := time.NewTimer(atMost)
	defer late.Stop()
	for now := begun; now.listed < begun.told; now = s.relistingNow() {
		// A list that does not come in time may yet: the server is busy with another call.
		isRefused := now.fetches > begun.fetches && now.failed >= begun.told && !errors.Is(now.err, context.DeadlineExceeded)
		if isRefused {
			return &UnlistedError{Err: now.err}
		}
		signal(s.changed)
		signal(s.hurry)
		select {
		case <-now.ended:
		case <-late.C:
			return &TimeoutError{After: atMost}
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.ctx.Done():
			return nil // the call itself says why
		}
	}
	return nil
}

func (s *session) relistingNow() relisting {
	s.dirtyMu.Lock()
	defer s.dirtyMu.Unlock()
	return s.tools
}

// relisted notes how a fetch of the tools has ended; told is what the server had said when it began. What could not be had is
// fetched again once somebody waits for it.
func (s *session) relisted(told int, err error) {
	s.dirtyMu.Lock()
	defer s.dirtyMu.Unlock()
	s.tools.fetches++
	if err == nil {
		s.tools.listed = told
	} else {
		s.tools.err, s.tools.failed = err, told
		s.dirty |= toolList
	}
	close(s.tools.ended)
	s.tools.ended = make(chan struct{})
}
