package rpc

import (
	"context"
	"runtime"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

const (
	cancelMethod = "$/cancelRequest"
	// optionalPrefix marks the methods that LSP lets a receiver ignore.
	optionalPrefix = "$/"
)

// dispatch is the library's handler: it serves the message that the stream has
// just read, on the goroutine that reads.
func (c *Conn) dispatch(context.Context, *jsonrpc2.Request) (any, error) {
	m := c.stream.taken
	c.stream.taken = message{}
	defer c.recovered(&m)
	if m.method == cancelMethod && m.kind == notification {
		c.cancel(m.params)
		return nil, nil
	}
	if gate := c.options.Gate; gate != nil {
		if refusal := gate(m.method, m.kind == request); refusal != nil {
			c.reject(m, refusal)
			return nil, nil
		}
	}
	if m.kind == request {
		c.serveRequest(m)
	} else {
		c.serveNotification(m)
	}
	return nil, nil
}

// serveNotification runs the handler of m to its end.
func (c *Conn) serveNotification(m message) {
	served := c.router.routes[m.method]
	switch {
	case served.notify != nil:
		if err := served.notify(c.handlers, m.params); err != nil {
			c.logDropped(m.method, Errorf(CodeInvalidParams, "%s", decodeText(err)))
		}
	case served.request != nil:
		c.logDropped(m.method, Errorf(CodeInvalidRequest, "a request without an id"))
	case !strings.HasPrefix(m.method, optionalPrefix):
		c.logDropped(m.method, Errorf(CodeMethodNotFound, "unknown method"))
	}
}

// serveRequest decodes m and starts its handler.
func (c *Conn) serveRequest(m message) {
	served := c.router.routes[m.method]
	if served.notify != nil {
		c.refuse(m.id, Errorf(CodeInvalidRequest, "%s is a notification: send it without an id", m.method))
		return
	}
	if served.request == nil {
		c.refuse(m.id, Errorf(CodeMethodNotFound, "unknown method %q", m.method))
		return
	}
	todo, err := served.request(m.params)
	if err != nil {
		c.refuse(m.id, Errorf(CodeInvalidParams, "invalid params: %s", decodeText(err)))
		return
	}
	ctx := c.handlers
	if c.options.Snapshot != nil {
		ctx = c.options.Snapshot(ctx, m.method)
	}
	ctx, cancel := context.WithCancel(ctx)
	entry := c.inflight.add(m.id, cancel)
	c.runners.run(c.open, func() { c.run(ctx, m.method, m.id, todo, entry) })
	// A read that waits in a system call keeps this processor, and with it the request, until the runtime takes it away.
	runtime.Gosched()
}

// run runs one request to its answer.
func (c *Conn) run(ctx context.Context, method string, id []byte, todo work, entry *running) {
	var answer *outFrame
	var then func()
	defer func() {
		if answer == nil {
			// A panic, or runtime.Goexit, which recover does not see.
			c.logPanic(method, recover())
			answer = c.errorFrame(id, internalError())
		}
		entry.cancel()
		// The id is free before its answer leaves: the peer may use it again at once.
		c.inflight.remove(entry)
		if then == nil {
			_ = c.queue.push(answer)
			c.inflight.finish()
			return
		}
		// Written here, the answer has left before what follows it begins. Answers in general are left to the writer, which
		// joins them when there are many.
		_ = c.queue.put(answer)
		defer c.inflight.finish()
		defer then()
		c.queue.help()
	}()
	answer, then = c.attempt(ctx, method, id, todo)
}

// attempt runs the handler and returns the frame of its answer and what is to be done after it.
func (c *Conn) attempt(ctx context.Context, method string, id []byte, todo work) (answer *outFrame, then func()) {
	result, then, err := todo(ctx)
	if err != nil {
		return c.errorFrame(id, c.wireError(ctx, method, err)), then
	}
	answer, err = c.resultFrame(id, result)
	if err != nil {
		c.logger.Error("the result of a request cannot be encoded", "method", method, "error", err)
		return c.errorFrame(id, internalError()), then
	}
	return answer, then
}

// cancel serves "$/cancelRequest". Whatever it holds, it is never an error: the
// request may have ended long ago.
func (c *Conn) cancel(p params) {
	var target struct {
		ID jsontext.Value `json:"id"`
	}
	if len(p.text) == 0 || decode(p.text, &target) != nil {
		return
	}
	c.inflight.cancel(target.ID)
}

// reject answers a request with problem and drops a notification.
func (c *Conn) reject(m message, problem *Error) {
	if m.kind == request {
		c.refuse(m.id, problem)
		return
	}
	c.logDropped(m.method, problem)
}

// recovered keeps a panic on the reader from ending the connection. It is
// deferred.
func (c *Conn) recovered(m *message) {
	if reason := recover(); reason != nil {
		c.logPanic(m.method, reason)
		if m.kind == request {
			c.refuse(m.id, internalError())
		}
	}
}
