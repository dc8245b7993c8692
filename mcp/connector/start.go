package connector

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// attempt is one start of a connector.
type attempt struct {
	ctx    context.Context // ends when the start is to be given up
	cancel context.CancelCauseFunc
	// hurry ends when there is no time to be polite to what the start has begun.
	hurry   context.Context
	hurryUp context.CancelFunc
	done    chan struct{} // closed when the start is over and, where it failed, cleared away
	err     error
}

func newAttempt(ctx context.Context) *attempt {
	a := &attempt{done: make(chan struct{})}
	a.ctx, a.cancel = context.WithCancelCause(ctx)
	a.hurry, a.hurryUp = context.WithCancel(context.Background())
	return a
}

// abort gives the start up and waits until it is cleared away, politely until ctx ends.
func (a *attempt) abort(ctx context.Context) {
	a.cancel(errStopped)
	defer context.AfterFunc(ctx, a.hurryUp)()
	<-a.done
}

// start runs the attempt to its end.
func (c *Connector) start(a *attempt) {
	defer close(a.done)
	defer a.hurryUp()
	defer a.cancel(nil)
	s, err := c.launch(a)
	if err == nil {
		if err = c.makeReady(a, s); err == nil {
			return
		}
	}
	c.mu.Lock()
	var problem *Problem
	switch wasAborted := a.ctx.Err() != nil || c.state == StateStopping; {
	case wasAborted:
		if err = context.Cause(a.ctx); err == nil {
			err = errStopped // it is about to be aborted
		}
		if c.state != StateStopping {
			c.enter(StateStopping)
		}
	default:
		if !errors.As(err, &problem) {
			problem = c.internalProblem(err)
		}
		c.problem = problem
		c.enter(StateFailed)
		err = fmt.Errorf("start connector %q: %w", c.definition.Name, problem)
	}
	c.mu.Unlock()
	c.changes.flush()
	if problem != nil {
		c.log.Warn("connector did not start", "kind", problem.Kind, "reason", problem.Reason)
	}
	if s != nil {
		s.finish(a.hurry)
	}
	c.mu.Lock()
	a.err, c.attempt = err, nil
	if problem == nil && c.state == StateStopping {
		c.enter(StateStopped)
	}
	c.mu.Unlock()
	c.changes.flush()
}

// makeReady publishes that the session serves, unless it has ended by now.
func (c *Connector) makeReady(a *attempt, s *session) error {
	c.mu.Lock()
	switch {
	case a.ctx.Err() != nil || c.state != StateStarting:
		c.mu.Unlock()
		return errStopped
	case s.ctx.Err() != nil:
		c.mu.Unlock()
		return context.Cause(s.ctx)
	}
	c.attempt = nil
	s.chooseLevel()
	s.workers.Go(s.keepUpdated)
	s.workers.Go(s.keepAlive)
	s.workers.Go(s.keepListed) // under the lock: from here on others may end the session and wait for its workers
	c.enter(StateReady)
	tools := len(c.catalogue.Tools)
	c.mu.Unlock()
	c.changes.flush()
	c.log.Info("connector is ready", "protocol", s.answer.version, "tools", tools)
	return nil
}

// launch reaches the server, shakes hands and lists. The session is returned with an error too, where there
// is one to be ended.
func (c *Connector) launch(a *attempt) (*session, error) {
	if a.ctx.Err() != nil {
		return nil, context.Cause(a.ctx)
	}
	meet := c.meetProgram
	if c.definition.URL != "" {
		meet = c.meetRemote
	}
	s, err := meet(a)
	if err != nil {
		return s, err
	}
	c.eras.Remember(c.definition.eraKey(), s.answer.era)
	if err := s.connect(); err != nil {
		return s, c.diagnose(s, err)
	}
	c.setPhase("listing what it offers")
	if err := c.firstList(a.ctx, s); err != nil {
		return s, c.diagnose(s, err)
	}
	return s, nil
}

// meetProgram starts the program, twice at most, and shakes hands.
func (c *Connector) meetProgram(a *attempt) (*session, error) {
	s, err := c.spawn()
	if err != nil {
		return nil, err
	}
	era := c.definition.Era
	isLegacyFirst := era == EraAuto && c.eras.Era(c.definition.eraKey()) == EraLegacy
	hasDiscovered, err := s.shake(a.ctx, era, isLegacyFirst)
	if err != nil && hasDiscovered && era == EraAuto && s.link.hasEnded() && a.ctx.Err() == nil {
		// Older servers may end on a message that they do not know: once more, with the handshake that they do (C23).
		c.log.Info("connector ended on server/discover, trying initialize", "error", err)
		s.finish(a.hurry)
		if s, err = c.spawn(); err != nil {
			return nil, err
		}
		_, err = s.shake(a.ctx, EraLegacy, true)
	}
	if err != nil {
		return s, c.diagnose(s, err)
	}
	return s, nil
}

// meetRemote reaches a remote server and shakes hands, by the older transport where the server knows no other.
func (c *Connector) meetRemote(a *attempt) (*session, error) {
	era := c.definition.Era
	if c.definition.IsSSE {
		old, err := c.meetOld(a)
		return old.sessionOf(), err
	}
	r, err := c.dial(false)
	if err != nil {
		return nil, err
	}
	s := r.session
	isLegacyFirst := era == EraAuto && c.eras.Era(c.definition.eraKey()) == EraLegacy
	if _, err = s.shake(a.ctx, era, isLegacyFirst); err == nil {
		return s, nil
	}
	first := c.diagnose(s, err)
	if era == EraModern || !isOldHint(err) || a.ctx.Err() != nil {
		return s, first
	}
	s.finish(a.hurry)
	old, err := c.meetOld(a)
	if err != nil && (old == nil || !old.isFound.Load()) {
		err = first // it does not speak the older transport either
	}
	return old.sessionOf(), err
}

func (c *Connector) meetOld(a *attempt) (*remote, error) {
	r, err := c.dial(true)
	if err != nil {
		return nil, err
	}
	if _, err := r.session.shake(a.ctx, EraLegacy, true); err != nil {
		return r, c.diagnose(r.session, err)
	}
	return r, nil
}

// shake shakes hands within the time of the definition. The first result reports whether server/discover was sent.
func (s *session) shake(ctx context.Context, era string, isLegacyFirst bool) (bool, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })()
	defer s.startClock(cancel)()
	p := &prober{filter: s.filter, client: s.connector.options.Client, offers: s.connector.offers(), era: era, isLegacyFirst: isLegacyFirst, wait: s.connector.tuning.probe}
	answer, err := p.shake(ctx)
	p.release()
	if err != nil {
		return p.hasDiscovered(), err
	}
	s.answer = answer
	c := s.connector
	c.mu.Lock()
	c.server, c.instructions = answer.server, answer.instructions
	c.mu.Unlock()
	return p.hasDiscovered(), nil
}

// silentError is the cause when the time for the handshake is over.
type silentError struct{ after time.Duration }

func (e *silentError) Error() string {
	return fmt.Sprintf("no answer to the handshake within %s", e.after)
}

// startClock ends the handshake with a silentError. A runner that downloads first gets its time from its first output on.
func (s *session) startClock(cancel context.CancelCauseFunc) (stop func()) {
	timeout := s.connector.definition.StartTimeout
	if !s.connector.definition.Downloads {
		s.connector.setPhase("waiting for its first answer")
		timer := time.AfterFunc(timeout, func() { cancel(&silentError{timeout}) })
		return func() { timer.Stop() }
	}
	s.connector.setPhase("waiting for its first output; it may be downloading")
	over := make(chan struct{})
	s.workers.Go(func() {
		first := time.NewTimer(max(s.connector.tuning.download, timeout))
		defer first.Stop()
		select {
		case <-over:
			return
		case <-first.C:
			cancel(&silentError{max(s.connector.tuning.download, timeout)})
			return
		case <-s.talked:
		}
		s.connector.setPhase("waiting for its first answer")
		first.Reset(timeout)
		select {
		case <-over:
		case <-first.C:
			cancel(&silentError{timeout})
		}
	})
	return func() { close(over) }
}
