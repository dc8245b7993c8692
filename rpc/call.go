package rpc

import (
	"context"
	"fmt"
	"strconv"

	"go.lsp.dev/jsonrpc2"
)

// Notify queues the event e and never blocks. The error is the encoding's, or
// [ErrClosed]. Raw params may not be changed afterwards.
func Notify[P any](c *Conn, e Event[P], params P) error {
	return c.notify(e.Method, &params)
}

func (c *Conn) notify(method string, params any) error {
	f := c.pool.get()
	f.buffer.WriteString(`{"jsonrpc":"2.0","method":`)
	f.quote(method)
	if text, isRaw := rawText(params); !isRaw || string(text) != "null" {
		f.buffer.WriteString(`,"params":`)
		if err := encode(f, params); err != nil {
			c.pool.put(f)
			return fmt.Errorf("encode %s: %w", method, err)
		}
	}
	f.buffer.WriteByte('}')
	return c.queue.push(f)
}

// Call sends the request m and waits for its answer. When ctx ends first it sends
// "$/cancelRequest" and returns ctx.Err(); when the connection ends it returns
// [ErrClosed]; an error of the peer is an [*Error]. It must not be called on the
// reader, that is in a handler of a notification. Give ctx a deadline: a peer may
// never answer.
func Call[P, R any](ctx context.Context, c *Conn, m EditorRequest[P, R], params P) (R, error) {
	var result R
	text, err := c.call(ctx, m.Method, &params)
	if err != nil {
		return result, err
	}
	if setRaw(&result, func() []byte { return text }) {
		return result, nil
	}
	if len(text) == 0 || string(text) == "null" {
		return result, nil
	}
	if err := decode(text, &result); err != nil {
		return result, fmt.Errorf("decode the answer to %s: %s", m.Method, decodeText(err))
	}
	return result, nil
}

// call sends a request and returns the bytes of its result.
func (c *Conn) call(ctx context.Context, method string, params any) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// The end of the connection ends the call even when the reader cannot be
	// interrupted.
	joined, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.open, cancel)()

	var result jsonrpc2.RawMessage
	id, err := c.peer.Call(joined, method, params, &result)
	switch fault, isAnswer := err.(*Error); {
	case err == nil:
		return result, nil
	case isAnswer:
		return nil, fault
	case ctx.Err() != nil:
		c.cancelCall(id)
		return nil, ctx.Err()
	case !id.IsValid():
		return nil, fmt.Errorf("encode %s: %w", method, err)
	}
	return nil, ErrClosed
}

// cancelCall tells the peer that nobody waits for the call any more.
func (c *Conn) cancelCall(id jsonrpc2.ID) {
	n, sent := id.Number()
	if !sent {
		return
	}
	// It fails only on a connection that has ended.
	_ = c.notify(cancelMethod, jsonrpc2.RawMessage(`{"id":`+strconv.FormatInt(n, 10)+`}`))
}
