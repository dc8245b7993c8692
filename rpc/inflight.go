package rpc

import (
	"bytes"
	"context"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// inflight is the table of running requests: whom "$/cancelRequest" means, and
// when the last has ended.
type inflight struct {
	mu      sync.Mutex
	byID    map[string]*running
	count   int
	waiters []chan struct{}
}

// running is one running request. Requests with the same id form a list: reusing
// an id that is not answered yet is the peer's mistake, and both are served.
type running struct {
	key    string
	cancel context.CancelFunc
	next   *running
}

// add enters a request under its id.
func (t *inflight) add(id []byte, cancel context.CancelFunc) *running {
	r := &running{key: idKey(id), cancel: cancel}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil {
		t.byID = make(map[string]*running)
	}
	r.next = t.byID[r.key]
	t.byID[r.key] = r
	t.count++
	return r
}

// remove takes the request out again: its id is free before its answer leaves.
func (t *inflight) remove(r *running) {
	t.mu.Lock()
	defer t.mu.Unlock()
	first := t.byID[r.key]
	if first == r {
		first = r.next
	} else {
		for at := first; at != nil; at = at.next {
			if at.next == r {
				at.next = r.next
			}
		}
	}
	if first == nil {
		delete(t.byID, r.key)
		return
	}
	t.byID[r.key] = first
}

// finish says that the goroutine of a request is at its end.
func (t *inflight) finish() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count--
	if t.count > 0 {
		return
	}
	for _, w := range t.waiters {
		close(w)
	}
	t.waiters = nil
}

// cancel cancels what runs under the id, if anything does.
func (t *inflight) cancel(id []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for r := t.byID[idKey(id)]; r != nil; r = r.next {
		r.cancel()
	}
}

// idle returns a channel that is closed once nothing runs.
func (t *inflight) idle() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	idle := make(chan struct{})
	if t.count == 0 {
		close(idle)
	} else {
		t.waiters = append(t.waiters, idle)
	}
	return idle
}

// running returns how many requests run.
func (t *inflight) running() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count
}

// idKey returns the text under which an id is found. A string may be written in
// several ways; a number is compared digit by digit.
func idKey(id []byte) string {
	if bytes.IndexByte(id, '\\') < 0 {
		return string(id)
	}
	plain, _ := jsontext.AppendUnquote(nil, id)
	quoted, _ := jsontext.AppendQuote(nil, string(plain))
	return string(quoted)
}
