package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"go.lsp.dev/jsonrpc2"
)

const (
	defaultBodyBytes   = 64 << 20
	defaultQueuedBytes = 64 << 20
	defaultGrace       = time.Second
	// lastWords is granted to unwritten output even when handlers used up the
	// grace.
	lastWords = 100 * time.Millisecond
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

// withDefaults returns the options with every field set but the hooks.
func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.MaxBodyBytes == 0 {
		o.MaxBodyBytes = defaultBodyBytes
	}
	if o.MaxQueuedBytes == 0 {
		o.MaxQueuedBytes = defaultQueuedBytes
	}
	if o.Grace == 0 {
		o.Grace = defaultGrace
	}
	return o
}

// Conn is one connection. Its methods may be called from any goroutine.
type Conn struct {
	in      io.ReadCloser
	out     io.WriteCloser
	router  *Router
	options Options
	logger  *slog.Logger

	pool   framePool
	queue  *queue
	stream *stream
	reader jsonrpc2.Conn // drives the reading of stream

	inflight inflight
	runners  runners
	calls    calls
	handlers context.Context // parent of the contexts of handlers; set by Serve
	open     context.Context // ends when the connection does
	shut     context.CancelFunc
}

// NewConn returns a connection that reads frames from in and writes frames to
// out. Nothing happens before [Conn.Serve], which owns and closes both.
func NewConn(in io.ReadCloser, out io.WriteCloser, router *Router, o Options) *Conn {
	o = o.withDefaults()
	c := &Conn{in: in, out: out, router: router, options: o, logger: o.Logger, runners: newRunners()}
	c.open, c.shut = context.WithCancel(context.Background())
	c.queue = newQueue(out, o.MaxQueuedBytes, o.Trace, &c.pool)
	c.stream = &stream{
		frames:  newFrameReader(in, o.MaxBodyBytes),
		trace:   o.Trace,
		answer:  c.refuse,
		dropped: c.logDropped,
		push:    c.push,
		deliver: c.calls.deliver,
		ended:   make(chan struct{}),
	}
	c.reader = jsonrpc2.NewConn(c.stream)
	return c
}

// Serve reads and serves until the peer ends its stream, [Conn.Close] is called or
// ctx ends (nil), a header carries no usable length (*[FrameError]), or reading or
// writing fails (that error). It is called once. Before it returns it cancels the
// contexts of running handlers, waits for them and for unwritten output within the
// grace, and closes in and out.
func (c *Conn) Serve(ctx context.Context) error {
	handlers, cancel := context.WithCancel(ctx)
	defer cancel()
	c.handlers = handlers
	defer context.AfterFunc(ctx, c.Close)()
	go c.queue.run()
	c.reader.Go(context.WithoutCancel(ctx), c.dispatch)

	select {
	case <-c.stream.ended:
	case <-c.queue.failed:
	case <-c.open.Done():
	}
	c.Close()
	cancel()
	c.windDown()
	return c.outcome()
}

// Close ends Serve and returns at once; it may be called from a handler, more
// than once, and before Serve. Nothing that arrives afterwards is served.
func (c *Conn) Close() {
	c.stream.closed.Store(true)
	c.shut()
}

// Flush returns once everything queued so far is written, ctx ends or the
// connection has ended.
func (c *Conn) Flush(ctx context.Context) error {
	return c.queue.flush(ctx)
}

// windDown waits, no longer than the grace, for handlers, then for output, and
// closes both ends. Closing may hang where the system cannot interrupt a read, and
// a handler may ignore its context: what is left then ends with the process.
func (c *Conn) windDown() {
	grace := time.NewTimer(c.options.Grace)
	defer grace.Stop()
	inClosed := closing(c.in)
	select {
	case <-c.inflight.idle():
	case <-grace.C:
		c.logger.Warn("requests still run after the connection ended", "count", c.inflight.running())
		grace.Reset(lastWords)
	}
	c.queue.close()
	select {
	case <-c.queue.done:
	case <-grace.C:
		grace.Reset(lastWords)
	}
	outClosed := closing(c.out)
	for _, end := range []<-chan struct{}{c.queue.done, inClosed, outClosed, c.reader.Done()} {
		select {
		case <-end:
		case <-grace.C:
			c.logger.Warn("the streams of the editor could not be closed")
			return
		}
	}
}

// closing closes e on a goroutine and returns a channel that says when it is done.
func closing(e io.Closer) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		// What a pipe reports on closing is of no use to anybody: the connection is
		// over either way.
		_ = e.Close()
	}()
	return done
}

// outcome is what Serve returns.
func (c *Conn) outcome() error {
	var readErr error
	select {
	case <-c.stream.ended:
		readErr = c.stream.err
	default:
	}
	var unreadable *FrameError
	if errors.As(readErr, &unreadable) {
		return unreadable
	}
	if err := c.queue.failure(); err != nil {
		return err
	}
	for _, ordinary := range []error{nil, io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, os.ErrClosed} {
		if errors.Is(readErr, ordinary) {
			return nil
		}
	}
	return fmt.Errorf("read from the editor: %w", readErr)
}
