package connector

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	eventStream = "text/event-stream"
	jsonType    = "application/json"
	// maxRefusalBytes is how much is read of an answer that refuses.
	maxRefusalBytes = 64 << 10
	// headerMismatch is the code of an error about headers (MCP 2026-07-28).
	headerMismatch = -32020
	// maxPosts is how often one message is posted to a server that asks for time.
	maxPosts = 3
)

// unreachableError says that no connection came about, so that nothing of the message left.
type unreachableError struct{ err error }

func (e *unreachableError) Error() string { return e.err.Error() }
func (e *unreachableError) Unwrap() error { return e.err }

// lostSessionError says that the server does not know the session.
type lostSessionError struct{ status int }

func (e *lostSessionError) Error() string {
	return fmt.Sprintf("answered %s: it does not know the session", statusOf(e.status))
}

func statusOf(code int) string {
	if said := http.StatusText(code); said != "" {
		return fmt.Sprintf("%d (%s)", code, said)
	}
	return strconv.Itoa(code)
}

// deliver posts one message and sees to what comes of it.
func (r *remote) deliver(ctx context.Context, o outgoing) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if o.isAnswer {
		defer r.answered()
	}
	if o.exchange != nil {
		defer context.AfterFunc(o.exchange.life, cancel)()
	}
	for posts := 1; ; posts++ {
		at := r.terms()
		err := r.post(ctx, o, at)
		if err == nil {
			at.hasServed.Store(true)
			return
		}
		if ctx.Err() != nil || !r.isToRepeat(ctx, o, at, err, posts) {
			return
		}
	}
}

func (r *remote) answered() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers--
}

// isToRepeat sees to an error of a post, and reports whether the message is to be posted again: never a call of a tool.
func (r *remote) isToRepeat(ctx context.Context, o outgoing, at terms, err error, posts int) bool {
	x := o.exchange
	isCall := x != nil && x.method == "tools/call"
	var lost *lostSessionError
	var refused *TransportError
	switch {
	case errors.As(err, &lost) && !r.isOld:
		if !r.renew(at) {
			return false
		}
		if !isCall && posts < maxPosts {
			return o.method == "" && !o.isAnswer // what was said to the session before is nothing to this one
		}
		if x != nil {
			wait := r.terms().listed
			if await(ctx, wait) == nil {
				x.position.Store(sentBack)
				r.session.filter.fail(x, &RenewedError{})
			}
		}
		return false
	case x != nil && x.method == listenMethod:
		return r.isToListenAgain(ctx, x, err, posts)
	case errors.As(err, &refused) && refused.isBusy() && x != nil && !isCall && posts < maxPosts:
		if wait := max(refused.RetryAfter, r.session.connector.tuning.busy); wait <= r.session.connector.definition.StartTimeout {
			r.note("%s, asked again in %s", err, wait)
			return sleep(ctx, wait)
		}
	}
	r.fail(o, err)
	return false
}

func (e *TransportError) isBusy() bool {
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable
}

// fail sees to a message that will not be posted again. What says that the server cannot be had ends the session; anything
// else costs the one request.
func (r *remote) fail(o outgoing, err error) {
	var unreachable *unreachableError
	var leak *redirectError
	var status *TransportError
	var lost *lostSessionError
	isStarting := r.terms().version == ""
	switch {
	case errors.As(err, &unreachable):
		r.session.lose(r.problemOf(err))
		return
	case errors.As(err, &status) && (status.Status == http.StatusUnauthorized || status.Status == http.StatusForbidden && isStarting):
		if o.exchange != nil && status.Status == http.StatusUnauthorized {
			o.position.Store(sentBack) // RFC 9110, 15.5.2: it has not been applied
		}
		r.session.lose(r.loginProblem(status))
		return
	case errors.As(err, &leak) && isStarting:
		r.session.lose(r.problemOf(err))
		return
	}
	if o.exchange == nil {
		r.note("a message was not taken: %s", err)
		return
	}
	if errors.As(err, &leak) || errors.As(err, &lost) {
		err = &TransportError{Reason: err.Error()}
	}
	r.session.filter.fail(o.exchange, err)
}

// post sends one message and takes what comes back until its exchange is settled; without one, until it is accepted.
func (r *remote) post(ctx context.Context, o outgoing, at terms) error {
	body := bytes.TrimSuffix(o.frame, []byte("\n"))
	request, err := r.request(r.traced(ctx, o.position), http.MethodPost, at, body)
	if err != nil {
		return err
	}
	r.addMethod(request.Header, o, at, body)
	response, err := r.client.do(request)
	if err != nil {
		return r.sendError(o, err)
	}
	defer response.Body.Close()
	r.session.talk()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return r.refusal(o, at, response)
	}
	if o.exchange != nil && o.exchange.method == "initialize" {
		r.enter(response.Header.Get("Mcp-Session-Id"))
	}
	if r.isOld || o.exchange == nil {
		if response.ContentLength > 0 { // the connection can be used again; a stream is not waited for
			_, _ = io.CopyN(io.Discard, response.Body, maxRefusalBytes)
		}
		return nil
	}
	return r.takeAnswer(ctx, o.exchange, at, response)
}

// traced follows how far the request gets.
func (r *remote) traced(ctx context.Context, position *atomic.Int32) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { position.CompareAndSwap(queued, leaving) },
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err == nil {
				position.CompareAndSwap(leaving, written)
			}
		},
	})
}

// sendError tells an error of the way there from one of the server.
func (r *remote) sendError(o outgoing, err error) error {
	var redirect *redirectError
	switch {
	case errors.As(err, &redirect):
		return err
	case o.position.Load() == queued:
		o.position.CompareAndSwap(queued, withdrawn)
		return &unreachableError{err}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &TransportError{Reason: "closed the connection without an answer"}
	}
	return &TransportError{Reason: "the connection broke before an answer came: " + visible(err.Error(), sampleBytes)}
}

// refusal is what an answer that is no success means.
func (r *remote) refusal(o outgoing, at terms, response *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(response.Body, maxRefusalBytes))
	x, status := o.exchange, response.StatusCode
	message, isError := r.errorIn(text)
	if at.sessionID != "" && (x == nil || x.method != "initialize") && !(isError && protocolError(message.err).Code == -32601) {
		if status == http.StatusNotFound || status == http.StatusBadRequest && saysSessionIsLost(text) && !(isError && x.isOf(message)) {
			return &lostSessionError{status}
		}
	}
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		isError = false
	}
	if isError && protocolError(message.err).Code == headerMismatch {
		r.session.markChanged(toolList) // what headers repeat has changed
	}
	if x != nil && isError && r.session.filter.conclude(x, func(x *exchange) { x.refusal = protocolError(message.err) }) {
		return nil
	}
	reason := "answered " + statusOf(status)
	if said := saidIn(response, text); said != "" {
		reason += ": " + said
	}
	return &TransportError{Status: status, Reason: reason, RetryAfter: retryAfter(response.Header.Get("Retry-After"), time.Now())}
}

// isOf reports whether a reply names the request: its server has read it, which one that does not know the session does not.
func (x *exchange) isOf(reply frame) bool {
	if x == nil {
		return false
	}
	id, isExact, ok := integer(reply.id)
	return ok && isExact && id == x.wireID
}

// errorIn is the JSON-RPC error that an answer holds, if it does.
func (r *remote) errorIn(text []byte) (frame, bool) {
	var frames frameDecoder
	message, _, err := frames.decode(valid(bytes.TrimSpace(text)))
	return message, err == nil && message.isReply() && message.err != nil && message.err.Kind() != 'n'
}

// saysSessionIsLost recognises what servers say who answer 400 where 404 is due.
func saysSessionIsLost(text []byte) bool {
	said := strings.ToLower(string(text[:min(len(text), 1<<10)]))
	return strings.Contains(said, "session")
}

// saidIn is the beginning of what a person can read of an answer.
func saidIn(response *http.Response, text []byte) string {
	if isHTML(response) {
		return "a web page"
	}
	return visible(strings.Join(strings.Fields(string(text[:min(len(text), 4*sampleBytes)])), " "), sampleBytes)
}

func isHTML(response *http.Response) bool {
	return strings.Contains(response.Header.Get("Content-Type"), "html")
}

// retryAfter reads the header (RFC 9110, 10.2.3); 0 where it says nothing.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// takeAnswer takes what comes back for a request.
func (r *remote) takeAnswer(ctx context.Context, x *exchange, at terms, response *http.Response) error {
	kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err == nil && kind == eventStream {
		return r.follow(ctx, x, at, response)
	}
	text, err := readBounded(response, r.session.connector.tuning.maxBytes)
	f := r.session.filter
	if err != nil {
		return err
	}
	trimmed := bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	switch {
	case len(trimmed) == 0:
		return &TransportError{Reason: fmt.Sprintf("answered %s and no reply", statusOf(response.StatusCode))}
	case kind != jsonType && trimmed[0] != '{' && trimmed[0] != '[':
		f.skip(trimmed[:min(len(trimmed), sampleBytes)], int64(len(text)))
		return &TransportError{Reason: fmt.Sprintf("answered with %s in place of MCP: %s", shownKind(kind), saidIn(response, trimmed))}
	}
	f.takeAll(line{text: text, isOwned: true, bytes: int64(len(text))})
	if !x.isSettled() {
		f.fail(x, &MalformedReplyError{Reason: "the answer holds no reply to the request: " + visible(string(trimmed[:min(len(trimmed), sampleBytes)]), sampleBytes)})
	}
	return nil
}

func shownKind(kind string) string {
	if kind == "" {
		return "something of no named type"
	}
	return visible(kind, 60)
}

// readBounded reads an answer of up to the limit of a message.
func readBounded(response *http.Response, maxBytes int) ([]byte, error) {
	limit := int64(maxBytes)
	if response.ContentLength > limit {
		return nil, &TooLargeError{Bytes: response.ContentLength, LimitBytes: limit}
	}
	var text bytes.Buffer
	text.Grow(int(max(response.ContentLength, 0)) + bytes.MinRead)
	n, err := text.ReadFrom(io.LimitReader(response.Body, limit+1))
	switch {
	case n > limit:
		return nil, &TooLargeError{Bytes: n, LimitBytes: limit}
	case err != nil:
		return nil, &TransportError{Reason: fmt.Sprintf("the answer broke off after %d bytes: %s", n, visible(err.Error(), sampleBytes))}
	}
	return text.Bytes(), nil
}
