package rpc

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// Notify queues the event e and never blocks. The error is the encoding's, or
// [ErrClosed].
func Notify[P any](c *Conn, e Event[P], params P) error {
	text, err := encodeParams(e.Method, &params)
	if err != nil {
		return err
	}
	return c.send(jsonrpc2.NewNotification(e.Method, text))
}

// Call sends the request m and waits for its answer. When ctx ends first it sends
// "$/cancelRequest" and returns ctx.Err(); when the connection ends it returns
// [ErrClosed]; an error of the peer is an [*Error]. It must not be called on the
// reader, that is in a handler of a notification. Give ctx a deadline: a peer may
// never answer.
func Call[P, R any](ctx context.Context, c *Conn, m EditorRequest[P, R], params P) (R, error) {
	var result R
	text, err := encodeParams(m.Method, &params)
	if err != nil {
		return result, err
	}
	answer, err := c.call(ctx, m.Method, text)
	if err != nil {
		return result, err
	}
	if setRaw(&result, func() []byte { return answer }) || len(answer) == 0 || string(answer) == "null" {
		return result, nil
	}
	if err := decode(answer, &result); err != nil {
		return result, fmt.Errorf("decode the answer to %s: %s", m.Method, decodeText(err))
	}
	return result, nil
}

// encodeParams encodes what is sent as parameters; null is nothing, as JSON-RPC
// wants an object or an array.
func encodeParams(method string, params any) (jsonrpc2.RawMessage, error) {
	text, err := Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", method, err)
	}
	if string(text) == "null" {
		return nil, nil
	}
	return text, nil
}

// calls correlates the calls of this side with their answers.
//
// The library could do it, but its waiting calls share channels through one pool
// of the process, so that a call in a bubble of testing/synctest breaks the next
// one outside; its Close waits for answers; and a call whose context ends is not
// cancelled at the peer.
type calls struct {
	mu      sync.Mutex
	last    int64
	waiting map[int64]chan reply
}

// reply is the answer to a call: a result that belongs to the caller, or a fault.
type reply struct {
	result []byte
	fault  *Error
}

func (r reply) unpack() ([]byte, error) {
	if r.fault != nil {
		return nil, r.fault
	}
	return r.result, nil
}

// add returns a new id and where its answer will arrive.
func (t *calls) add() (int64, <-chan reply) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting == nil {
		t.waiting = make(map[int64]chan reply)
	}
	t.last++
	answer := make(chan reply, 1)
	t.waiting[t.last] = answer
	return t.last, answer
}

// remove forgets a call.
func (t *calls) remove(id int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.waiting, id)
}

// deliver hands an answer to its call. One that nobody waits for is dropped: its
// call has been given up, or was never made.
func (t *calls) deliver(id int64, r reply) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if answer, known := t.waiting[id]; known {
		delete(t.waiting, id)
		answer <- r
	}
}

// call sends a request and returns the bytes of its result.
func (c *Conn) call(ctx context.Context, method string, params jsonrpc2.RawMessage) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	id, answer := c.calls.add()
	defer c.calls.remove(id)
	if err := c.send(jsonrpc2.NewCall(jsonrpc2.NewNumberID(id), method, params)); err != nil {
		return nil, err
	}
	select {
	case r := <-answer:
		return r.unpack()
	case <-ctx.Done():
		// It fails only on a connection that has ended.
		_ = c.send(jsonrpc2.NewNotification(cancelMethod, jsonrpc2.RawMessage(`{"id":`+strconv.FormatInt(id, 10)+`}`)))
		return nil, ctx.Err()
	case <-c.open.Done():
		select {
		case r := <-answer: // it came just before the end
			return r.unpack()
		default:
			return nil, ErrClosed
		}
	}
}

// send queues a call or a notification.
func (c *Conn) send(m jsonrpc2.Message) error {
	_, err := c.stream.Write(context.Background(), m)
	return err
}
