package connector

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"
)

const listenMethod = "subscriptions/listen"

// stream is a stream of events and what is known for its resumption.
type stream struct {
	lastID string
	retry  time.Duration
	events int
}

// read takes the events until the stream ends, or until the exchange, where there is one, is settled.
func (r *remote) read(body io.ReadCloser, s *stream, x *exchange) error {
	events := newEventReader(body, r.session.connector.tuning.maxBytes)
	isOver := false
	for {
		e, err := events.next()
		if err != nil {
			return err
		}
		s.events++
		if e.hasID {
			s.lastID = e.id
		}
		if e.retry > 0 {
			s.retry = min(e.retry, r.session.connector.tuning.maxPause)
		}
		e.data.of = x
		r.takeEvent(e)
		if x != nil && x.isSettled() && !isOver {
			// A server ends its stream after the reply, and the connection can be used again; one that does not is cut off.
			isOver = true
			defer time.AfterFunc(r.session.connector.tuning.settle, func() { _ = body.Close() }).Stop()
		}
	}
}

// takeEvent takes the message of an event.
func (r *remote) takeEvent(e event) {
	f := r.session.filter
	f.alive.Add(e.data.bytes)
	switch {
	case e.name != "" && e.name != "message":
		r.note("skipped an event of the kind %s", visible(e.name, 40))
	case e.data.over != nil || len(e.data.text) > 0:
		f.takeAll(e.data)
	}
}

// follow takes the stream that answers a request, and resumes it where it breaks off and the server said how (MCP 2025-11-25
// transports; there is no resumption since 2026-07-28).
func (r *remote) follow(ctx context.Context, x *exchange, at terms, response *http.Response) error {
	t := r.session.connector.tuning
	s := stream{retry: t.sync}
	err := r.read(response.Body, &s, x)
	failures := 0
	for pause := s.retry; !x.isSettled() && ctx.Err() == nil; {
		if at.isModern || s.lastID == "" {
			return streamError(err)
		}
		if s.retry > pause || s.events > 0 {
			pause, failures = s.retry, 0
		}
		if !sleep(ctx, pause) {
			return ctx.Err()
		}
		s.events = 0
		pause = min(2*pause, t.maxPause)
		var body io.ReadCloser
		if body, err = r.resume(ctx, at, s.lastID); err == nil {
			err = r.read(body, &s, x)
			_ = body.Close()
			continue
		}
		if failures++; failures > t.resumes {
			return streamError(err)
		}
		var status *TransportError
		if errors.As(err, &status) && status.Status != 0 && !status.isBusy() {
			return streamError(err)
		}
	}
	if x.isSettled() {
		return nil
	}
	return ctx.Err()
}

func streamError(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return &TransportError{Reason: "the stream ended before the answer"}
	}
	return &TransportError{Reason: "the stream ended before the answer: " + visible(err.Error(), sampleBytes)}
}

// resume asks for the rest of a stream.
func (r *remote) resume(ctx context.Context, at terms, lastID string) (io.ReadCloser, error) {
	request, err := r.request(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	if lastID != "" {
		request.Header.Set("Last-Event-Id", lastID)
	}
	response, err := r.client.do(request)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.StatusCode != http.StatusOK || kind != eventStream {
		_ = response.Body.Close()
		return nil, &TransportError{Status: response.StatusCode, Reason: "answered " + statusOf(response.StatusCode) + " to the request for a stream"}
	}
	return response.Body, nil
}

// listen opens the stream that a server may have for what belongs to no request. It is the server's to offer, so whatever
// becomes of it is of no consequence to the session.
func (r *remote) listen() {
	at := r.terms()
	if r.isOld || at.isModern || at.version == "" {
		return
	}
	r.session.workers.Go(func() { r.keepListening(at.life, at) })
}

func (r *remote) keepListening(ctx context.Context, at terms) {
	t := r.session.connector.tuning
	s := stream{retry: t.sync}
	for pause := s.retry; ctx.Err() == nil; {
		body, err := r.resume(ctx, at, s.lastID)
		var status *TransportError
		switch {
		case err == nil:
			s.events = 0
			_ = r.read(body, &s, nil)
			_ = body.Close()
		case errors.As(err, &status) && !status.isBusy() && status.Status < 500:
			r.note("no stream for the server's own messages: %s", err)
			return
		}
		if s.events > 0 {
			pause = s.retry
		}
		if !sleep(ctx, pause) {
			return
		}
		pause = min(2*max(pause, s.retry), t.maxPause)
	}
}

// isToListenAgain reports whether a subscription whose stream broke off is to be made again. What changed meanwhile was not
// heard of.
func (r *remote) isToListenAgain(ctx context.Context, x *exchange, err error, posts int) bool {
	var status *TransportError
	if errors.As(err, &status) && status.Status >= 400 && status.Status < 500 && !status.isBusy() {
		r.note("no subscription: %s", err)
		r.session.filter.fail(x, err)
		return false
	}
	t := r.session.connector.tuning
	if !sleep(ctx, min(t.relisten<<min(posts-1, 10), t.maxPause)) {
		return false
	}
	r.session.markChanged(r.session.announced())
	return true
}

// readOld reads the one stream of the older transport, whose first event names where messages are posted.
func (r *remote) readOld() {
	at := r.terms()
	body, err := r.resume(r.ctx, at, "")
	if err != nil {
		r.session.lose(r.problemOf(err))
		return
	}
	defer body.Close()
	defer context.AfterFunc(r.ctx, func() { _ = body.Close() })()
	events := newEventReader(body, r.session.connector.tuning.maxBytes)
	isOpen := false
	for {
		e, err := events.next()
		switch {
		case err != nil && r.ctx.Err() != nil:
			return
		case err != nil:
			r.session.lose(r.problemOf(streamError(err)))
			return
		case e.name == "endpoint" && !isOpen:
			r.isFound.Store(true)
			if err := r.open(string(e.data.text)); err != nil {
				r.session.lose(r.problemOf(err))
				return
			}
			isOpen = true
		default:
			r.session.talk()
			r.takeEvent(e)
		}
	}
}

// open sets where messages are posted from now on: within the origin of the entry, for the headers go there too (S25).
func (r *remote) open(reference string) error {
	target, err := r.endpoint.Parse(reference)
	switch {
	case err != nil:
		return &redirectError{reason: "names an endpoint that is no address"}
	case originOf(target) != originOf(r.endpoint):
		return &redirectError{reason: "names an endpoint of another origin, " + visible(target.Scheme+"://"+target.Host, sampleBytes) + ", which is refused", isLeak: true}
	}
	target.User = nil
	r.mu.Lock()
	r.now.target = target
	r.mu.Unlock()
	close(r.opened)
	return nil
}
