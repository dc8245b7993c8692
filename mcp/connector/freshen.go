package connector

import (
	"context"
	"time"
)

// fetched notes that a list was asked for, whatever came of it.
func (s *session) fetched(list lists, ttl time.Duration) {
	s.dirtyMu.Lock()
	defer s.dirtyMu.Unlock()
	if s.fresh.since == nil {
		s.fresh.since = map[lists]age{}
	}
	s.fresh.since[list] = age{at: time.Now(), ttl: ttl}
}

// refreshed notes that lists were fetched, in vain or not, and that what came is published.
func (s *session) refreshed(l lists) {
	s.dirtyMu.Lock()
	defer s.dirtyMu.Unlock()
	s.fresh.asked &^= l
	s.fresh.overdue &^= l
}

// freshen has those lists fetched again that are too old, and returns them; it does not wait.
func (s *session) freshen() (stale lists) {
	if s.answer.era != EraModern {
		return 0
	}
	s.dirtyMu.Lock()
	for list, age := range s.fresh.since {
		if s.announced()&list != 0 && isStale(time.Since(age.at), age.ttl, s.fresh.watched&list != 0, s.connector.tuning) {
			stale |= list
		}
	}
	fresh := stale &^ s.fresh.asked
	stale |= s.fresh.asked
	s.fresh.wanted |= fresh
	s.fresh.asked |= fresh
	s.dirtyMu.Unlock()
	if fresh != 0 {
		signal(s.changed)
	}
	return stale
}

// Freshen has the lists fetched again that the server said hold no longer, if it runs; it does not wait, and what comes of it is a
// [Change].
func (c *Connector) Freshen() {
	if s, err := c.ready(); err == nil {
		s.freshen()
	}
}

// awaitFresh waits for the tools that are fetched for their age. Where they cannot be had those before stand: nobody has said that
// they are others.
func (s *session) awaitFresh(ctx context.Context, atMost time.Duration) error {
	late := time.NewTimer(atMost)
	defer late.Stop()
	for {
		s.dirtyMu.Lock()
		isDone, ended := (s.fresh.asked&^s.fresh.overdue)&toolList == 0, s.tools.ended
		s.dirtyMu.Unlock()
		if isDone {
			return nil
		}
		signal(s.hurry)
		select {
		case <-ended:
		case <-late.C:
			s.dirtyMu.Lock()
			s.fresh.overdue |= s.fresh.asked & toolList
			s.dirtyMu.Unlock()
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.ctx.Done():
			return nil
		}
	}
}
