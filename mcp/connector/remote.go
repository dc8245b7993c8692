package connector

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
)

// remote is the link to a server that is reached over HTTP: streamable HTTP (MCP 2025-03-26 and later), or where isOld the
// older HTTP with server-sent events (MCP 2024-11-05).
//
// Every message is a POST of its own, so a fault of one costs nobody else. What comes back goes to the filter message by
// message, whichever stream it came by.
type remote struct {
	session  *session
	endpoint *url.URL // without user and password
	headers  http.Header
	host     string // of the header Host, where the entry has one
	isOld    bool
	client   *httpClient

	// ctx ends all traffic but the last DELETE, rushed that one.
	ctx    context.Context
	halt   context.CancelFunc
	rushed context.Context
	rush   context.CancelFunc

	// opened is closed once messages may be posted; of the older transport when its stream has named where to.
	opened chan struct{}
	// isFound is set when the server was seen to speak the older transport.
	isFound atomic.Bool

	mu       sync.Mutex
	now      terms
	queue    []outgoing
	answers  int
	isClosed bool
	wake     chan struct{}

	renewing sync.Mutex // one at a time
}

// terms are what the server wants to read in requests; they change when its session is renewed.
type terms struct {
	epoch     int      // counts sessions
	target    *url.URL // of messages
	sessionID string   // empty where the server keeps none
	version   string   // as agreed on; empty before that
	isModern  bool
	hasServed *atomic.Bool // a request of this session was answered well
	// life ends with the session, be it that another one takes its place.
	life context.Context
	end  context.CancelFunc
	// listed is closed once what the session offers is known.
	listed chan struct{}
}

// dial makes a session over HTTP. Nothing is sent before the handshake, but by the older transport.
func (c *Connector) dial(isOld bool) (*remote, error) {
	c.setPhase("connecting")
	d := &c.definition
	endpoint, err := url.Parse(d.URL)
	if err != nil || endpoint.Host == "" {
		return nil, c.newProblem(ProblemConfig, "its url is not an address that can be read", `Correct "url" in the entry.`)
	}
	headers, host, err := headersOf(d, endpoint)
	if err != nil {
		return nil, c.newProblem(ProblemConfig, err.Error(), `Correct "headers" in the entry.`)
	}
	client, err := newHTTPClient(endpoint, c.options.Environ, c.options.CAFiles)
	if err != nil {
		return nil, c.newProblem(ProblemConfig, visible(err.Error(), maxReasonBytes), "Correct the setting caFile, or SSL_CERT_FILE in the environment.")
	}
	journal := c.openJournal()
	s := newSession(c, journal, http.NoBody)
	endpoint.User, endpoint.Fragment = nil, ""
	r := &remote{
		session: s, endpoint: endpoint, headers: headers, host: host, isOld: isOld, client: client,
		opened: make(chan struct{}), wake: make(chan struct{}, 1),
	}
	r.ctx, r.halt = context.WithCancel(context.Background())
	r.rushed, r.rush = context.WithCancel(context.Background())
	r.now = r.newTerms(0, endpoint)
	close(r.now.listed) // the start sees to it
	journal.note("connecting to " + shownURL(endpoint))
	s.filter.onNoise = func(sample string) { journal.note("no message: " + sample) }
	s.filter.noise.isRemote = true
	c.begin(s, r)
	return r, nil
}

// sessionOf is the session of a link that may be nil.
func (r *remote) sessionOf() *session {
	if r == nil {
		return nil
	}
	return r.session
}

func (r *remote) newTerms(epoch int, target *url.URL) terms {
	t := terms{epoch: epoch, target: target, hasServed: new(atomic.Bool), listed: make(chan struct{})}
	t.life, t.end = context.WithCancel(r.ctx)
	return t
}

func (r *remote) begin() {
	if r.isOld {
		r.session.workers.Go(r.readOld)
	} else {
		close(r.opened)
	}
	r.session.workers.Go(r.run)
}

// send implements wire.
func (r *remote) send(o outgoing) error {
	if o.position == nil {
		o.position = new(atomic.Int32)
	}
	if !o.position.CompareAndSwap(unsent, queued) {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isClosed {
		o.position.CompareAndSwap(queued, withdrawn)
		return errWriterClosed
	}
	r.enqueue(o)
	return nil
}

// answer implements wire.
func (r *remote) answer(frame []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isClosed || r.answers >= maxAnswersQueued {
		return false
	}
	r.answers++
	position := new(atomic.Int32)
	position.Store(queued)
	r.enqueue(outgoing{frame: frame, position: position, isAnswer: true})
	return true
}

// enqueue is called with mu held.
func (r *remote) enqueue(o outgoing) {
	r.queue = append(r.queue, o)
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// cancel implements wire. A stream that is closed is the cancellation itself since MCP 2026-07-28, and was none before.
func (r *remote) cancel(x *exchange, notice outgoing) {
	if !r.terms().isModern {
		_ = r.send(notice)
	}
	x.drop()
}

func (r *remote) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isClosed = true
}

// run posts what is queued, each message on its own. That the handshake is over must be known before anything else comes.
func (r *remote) run() {
	select {
	case <-r.opened:
	case <-r.ctx.Done():
		return
	}
	for {
		o, ok := r.next()
		if !ok {
			return
		}
		if o.method == initializedNotification {
			ctx, cancel := context.WithTimeout(r.ctx, r.session.connector.tuning.notice)
			r.deliver(ctx, o)
			cancel()
			r.listen()
			continue
		}
		r.session.workers.Go(func() { r.deliver(r.ctx, o) })
	}
}

// next waits for the next message.
func (r *remote) next() (outgoing, bool) {
	for {
		r.mu.Lock()
		if len(r.queue) > 0 {
			o := r.queue[0]
			r.queue = r.queue[1:]
			r.mu.Unlock()
			return o, true
		}
		r.mu.Unlock()
		select {
		case <-r.wake:
		case <-r.ctx.Done():
			return outgoing{}, false
		}
	}
}

func (r *remote) terms() terms {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// agree implements link.
func (r *remote) agree(a *answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now.version, r.now.isModern = a.version, a.era == EraModern
}

func (r *remote) hasEnded() bool { return r.session.ctx.Err() != nil }

func (r *remote) obituary() *Problem {
	var problem *Problem
	if errors.As(context.Cause(r.session.ctx), &problem) {
		return problem
	}
	return r.session.connector.newProblem(ProblemUnreachable, "the connection was ended")
}

// end tells the server that its session is over, and does not wait long for it to agree (MCP 2025-11-25 transports, C19).
func (r *remote) end() {
	r.halt()
	at := r.terms()
	if at.sessionID != "" && !r.isOld {
		ctx, cancel := context.WithTimeout(r.rushed, r.session.connector.tuning.farewell)
		r.bidFarewell(ctx, at)
		cancel()
	}
	r.rush()
	r.session.journal.note("disconnected")
	r.client.close()
	close(r.session.filter.ended)
}

func (r *remote) bidFarewell(ctx context.Context, at terms) {
	request, err := r.request(ctx, http.MethodDelete, at, nil)
	if err != nil {
		return
	}
	if response, err := r.client.do(request); err == nil {
		_ = response.Body.Close()
	}
}

func (r *remote) hurry() { r.rush() }

func (r *remote) describe(*Status) {}

// note writes into the log what nobody need act on.
func (r *remote) note(format string, arguments ...any) {
	r.session.journal.note(fmt.Sprintf(format, arguments...))
}
