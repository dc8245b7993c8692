package connector

import (
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
