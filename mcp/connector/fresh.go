package connector

import (
	"context"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// freshness is which lists of a server of the modern era may be relied on (MCP 2026-07-28 caching, subscriptions); session.dirtyMu
// guards it. What is listed belongs to one process with one set of credentials and goes with it, so that a list whose cacheScope is
// private is nobody else's in any case.
type freshness struct {
	watched lists // the server has said that it tells when they change
	wanted  lists // to be fetched again for their age
	asked   lists // of these, those whose answer has not come
	overdue lists // of these, those that somebody has waited for in vain: nobody does again
	since   map[lists]age
}

// age is when a list was fetched, and for how long its server said that it holds; zero says nothing.
type age struct {
	at  time.Time
	ttl time.Duration
}

// maxTTL bounds what a server may say.
const maxTTL = 365 * 24 * time.Hour

// isStale reports whether a list of that age is not to be used unlooked at. One that its server neither tells the changes of nor says
// how long it holds is looked at now and then: it is fetched when it is used, never for itself.
func isStale(passed, ttl time.Duration, isWatched bool, t tuning) bool {
	switch {
	case ttl > 0:
		return passed > max(ttl, t.sync)
	case isWatched:
		return false
	}
	return passed > t.unwatched
}

// ttlOf is for how long a list holds of which one more page has come: the shortest time that any of them says.
func ttlOf(page jsontext.Value, before time.Duration, isFirst bool) time.Duration {
	ttl := time.Duration(0)
	_ = walkObject(page, func(name string, value jsontext.Value) error {
		if name == "ttlMs" {
			if ms, ok := number(value); ok && ms > 0 {
				ttl = time.Duration(min(ms, float64(maxTTL/time.Millisecond))) * time.Millisecond
			}
		}
		return nil
	})
	if isFirst {
		return ttl
	}
	return min(ttl, before)
}

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

// names are what the lists are called where it is said that nobody tells of their changes.
func (l lists) names() string {
	var names []string
	for _, one := range []struct {
		list lists
		name string
	}{{toolList, "tools"}, {resourceList, "resources"}, {promptList, "prompts"}} {
		if l&one.list != 0 {
			names = append(names, one.name)
		}
	}
	return strings.Join(names, " and ")
}
