package rpc

import (
	"context"
	"io"
	"log/slog"
	"time"
)

// Options adjust a connection. The zero value is usable.
type Options struct {
	// Logger receives what goes wrong inside; nil discards it.
	Logger *slog.Logger
	// Gate is asked on the reader before a message is matched to its handler. An
	// error answers a request and drops a notification. nil serves everything.
	Gate func(method string, isRequest bool) *Error
	// Snapshot is called on the reader after Gate, before the request runs, and
	// returns the context of its handler: what belongs to this moment in wire order
	// (an open document) travels in it. nil leaves the context as it is.
	Snapshot func(ctx context.Context, method string) context.Context
	// Cancelled is what a request is answered whose context ended and whose handler
	// returned the context's error. nil, here or returned, is -32800.
	Cancelled func() error
	// Trace is told of every frame; nil for none.
	Trace Tracer
	// MaxBodyBytes bounds an incoming body; a larger one is read past and answered
	// -32600. 0 is 64 MiB.
	MaxBodyBytes int64
	// MaxQueuedBytes bounds what waits while the peer does not read; beyond it the
	// connection ends. A single message may exceed it. 0 is 64 MiB.
	MaxQueuedBytes int64
	// Grace bounds how long Serve waits, once the connection has ended, for running
	// handlers and for unwritten output. 0 is one second.
	Grace time.Duration
}

// Conn is one connection. Its methods may be called from any goroutine.
type Conn struct{}

// NewConn returns a connection that reads frames from in and writes frames to
// out. Nothing happens before [Conn.Serve], which owns and closes both.
func NewConn(in io.ReadCloser, out io.WriteCloser, router *Router, o Options) *Conn {
	panic("rpc: not written yet")
}

// Serve reads and serves until the peer ends its stream, [Conn.Close] is called or
// ctx ends (nil), a header carries no usable length (*[FrameError]), or output
// cannot be written any more (the write's error). It is called once. Before it
// returns it cancels the contexts of running handlers, waits for them and for
// unwritten output within the grace, and closes in and out.
func (c *Conn) Serve(ctx context.Context) error { panic("rpc: not written yet") }

// Close ends Serve and returns at once; it may be called from a handler, more
// than once, and before Serve. Nothing that arrives afterwards is served.
func (c *Conn) Close() { panic("rpc: not written yet") }

// Flush returns once everything queued so far is written, ctx ends or the
// connection has ended.
func (c *Conn) Flush(ctx context.Context) error { panic("rpc: not written yet") }

// Notify queues the event e and never blocks. The error is the encoding's, or
// [ErrClosed].
func Notify[P any](c *Conn, e Event[P], params P) error { panic("rpc: not written yet") }

// Call sends the request m and waits for its answer. When ctx ends first it sends
// "$/cancelRequest" and returns ctx.Err(); when the connection ends it returns
// [ErrClosed]; an error of the peer is an [*Error]. It must not be called on the
// reader, that is in a handler of a notification. Give ctx a deadline: a peer may
// never answer.
func Call[P, R any](ctx context.Context, c *Conn, m EditorRequest[P, R], params P) (R, error) {
	panic("rpc: not written yet")
}
