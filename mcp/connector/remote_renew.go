package connector

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
)

const maxSessionIDBytes = 4 << 10

// enter takes over the session that the server opened.
func (r *remote) enter(id string) {
	// MCP 2025-11-25 transports: visible ASCII alone.
	if len(id) > maxSessionIDBytes || strings.ContainsFunc(id, func(c rune) bool { return c < 0x21 || c > 0x7e }) {
		r.session.filter.onWarning("session id", "names its session by what cannot be repeated to it")
		id = ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now.sessionID = id
}

// renew opens a session in place of one that the server has lost, unless that was done already, and reports whether there is
// one. A server that loses a session before it has served anything is not asked again: that would never end.
func (r *remote) renew(at terms) bool {
	r.renewing.Lock()
	defer r.renewing.Unlock()
	now := r.terms()
	if now.epoch != at.epoch {
		return true
	}
	if r.session.ctx.Err() != nil {
		return false
	}
	if !now.hasServed.Load() {
		r.session.lose(r.protocolProblem("loses every session as soon as it has opened it"))
		return false
	}
	r.note("the server has lost the session, opening another")
	ctx, cancel := context.WithTimeout(r.ctx, r.session.connector.definition.StartTimeout)
	defer cancel()
	if err := r.reopen(ctx); err != nil {
		if ctx.Err() == nil || r.ctx.Err() == nil {
			r.session.lose(r.problemOf(fmt.Errorf("the session was lost and could not be renewed: %w", err)))
		}
		return false
	}
	r.listen()
	listed := r.terms().listed
	r.session.workers.Go(func() { r.relist(listed) })
	return true
}

// relist fetches what the new session offers: what is called next is judged by that (S9). Its requests may find that this
// session is lost too, so nothing may be locked meanwhile.
func (r *remote) relist(listed chan struct{}) {
	defer close(listed)
	c := r.session.connector
	c.mu.Lock()
	isListed := c.catalogue != nil && c.state == StateReady
	c.mu.Unlock()
	if !isListed {
		return // a start, which lists
	}
	if _, _, err := c.refresh(r.session.ctx, r.session, r.session.announced()); err != nil {
		c.warn("list", fmt.Sprintf("could not be listed again, the list before stands: %v", err))
	}
	r.session.workers.Go(r.session.subscribeAgain)
}

// reopen shakes hands once more, by initialize: there are no sessions since MCP 2026-07-28.
func (r *remote) reopen(ctx context.Context) error {
	r.mu.Lock()
	r.now.end()
	r.now = r.newTerms(r.now.epoch+1, r.now.target)
	r.mu.Unlock()
	x := newExchange("initialize")
	defer x.drop()
	frame, err := x.frame(initializeID, initializeParams(r.session.connector.options.Client, r.session.connector.offers()))
	if err != nil {
		return err
	}
	if !r.session.filter.register(x, initializeID) {
		return errWriterClosed
	}
	x.position.Store(queued)
	if err := r.post(ctx, outgoing{frame: frame, position: &x.position, exchange: x}, r.terms()); err != nil {
		r.session.filter.forget(x)
		return err
	}
	a, err := initialized(x)
	if err != nil {
		return err
	}
	r.agree(a)
	c := r.session.connector
	c.mu.Lock()
	c.server = a.server
	c.mu.Unlock()
	note := outgoing{frame: []byte(`{"jsonrpc":"2.0","method":"` + initializedNotification + `","params":{}}`), position: new(atomic.Int32)}
	note.position.Store(queued)
	return r.post(ctx, note, r.terms())
}
