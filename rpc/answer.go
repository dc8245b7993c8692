package rpc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// refuse queues an error as the answer to id; nil is null, for a message whose id
// is not known.
func (c *Conn) refuse(id []byte, problem *Error) {
	// A closed queue has told whom it concerns.
	_ = c.queue.push(c.errorFrame(id, problem))
}

// resultFrame returns the frame of a result.
func (c *Conn) resultFrame(id []byte, result any) (*outFrame, error) {
	f := c.pool.get()
	f.buffer.WriteString(`{"jsonrpc":"2.0","id":`)
	f.buffer.Write(id)
	f.buffer.WriteString(`,"result":`)
	if err := encode(f, result); err != nil {
		c.pool.put(f)
		return nil, err
	}
	f.buffer.WriteByte('}')
	return f, nil
}

// errorFrame returns the frame of an error.
func (c *Conn) errorFrame(id []byte, problem *Error) *outFrame {
	if id == nil {
		id = []byte("null")
	}
	f := c.pool.get()
	f.buffer.WriteString(`{"jsonrpc":"2.0","id":`)
	f.buffer.Write(id)
	f.buffer.WriteString(`,"error":{"code":`)
	f.buffer.WriteString(strconv.Itoa(int(problem.Code)))
	f.buffer.WriteString(`,"message":`)
	f.quote(problem.Message)
	if len(problem.Data) > 0 {
		f.buffer.WriteString(`,"data":`)
		f.raw(problem.Data)
	}
	f.buffer.WriteString(`}}`)
	return f
}

// push encodes m and queues it.
func (c *Conn) push(m jsonrpc2.Message) error {
	f := c.pool.get()
	f.buffer.Write(jsonrpc2.AppendMessage(f.buffer.AvailableBuffer(), m))
	return c.queue.push(f)
}

// quote appends s as a JSON string; broken UTF-8 becomes U+FFFD.
func (f *outFrame) quote(s string) {
	text, _ := jsontext.AppendQuote(f.buffer.AvailableBuffer(), s)
	f.buffer.Write(text)
}

// internalError is what a peer hears of our own mistakes; the log has the rest.
func internalError() *Error { return Errorf(CodeInternal, "internal error") }

// wireError turns the error of a handler into the one that is sent.
func (c *Conn) wireError(ctx context.Context, method string, err error) *Error {
	var own *Error
	switch {
	case errors.As(err, &own) && own != nil && own.Code != 0:
		if own.Message == err.Error() {
			return own
		}
		return &Error{Code: own.Code, Message: err.Error(), Data: own.Data}
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return c.cancelledError()
	}
	c.logger.Error("a request failed", "method", method, "error", err)
	return internalError()
}

// cancelledError is the answer to a request that ended by being cancelled.
func (c *Conn) cancelledError() *Error {
	if c.options.Cancelled != nil {
		err := c.options.Cancelled()
		var own *Error
		if errors.As(err, &own) && own != nil {
			return own
		}
		if err != nil {
			return Errorf(CodeRequestCancelled, "%s", err)
		}
	}
	return Errorf(CodeRequestCancelled, "cancelled")
}

// logPanic records a handler that did not return.
func (c *Conn) logPanic(method string, reason any) {
	c.logger.Error("a handler panicked", "method", method, "panic", fmt.Sprint(reason), "stack", string(debug.Stack()))
}

// logDropped records a notification that is not served. One that could not be read
// may leave the editor and us with different documents, hence the level.
func (c *Conn) logDropped(method string, problem *Error) {
	level := slog.LevelDebug
	if problem.Code == CodeInvalidParams {
		level = slog.LevelWarn
	}
	c.logger.Log(context.Background(), level, "notification dropped", "method", method, "reason", problem.Message)
}
