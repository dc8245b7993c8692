package rpc_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"pillion/rpc"
	"pillion/rpc/rpctest"
)

// testLogger logs into text, which is to be read when the connection has ended.
func testLogger(text *strings.Builder) *slog.Logger {
	return slog.New(slog.NewTextHandler(text, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// callIt calls asked on its own goroutine.
func callIt(ctx context.Context, c *rpc.Conn) <-chan error {
	done := make(chan error, 1)
	go func() {
		answer, err := rpc.Call(ctx, c, asked, map[string]string{"q": "<ü>"})
		if err == nil && answer != "yes" {
			err = errors.New("answered " + answer)
		}
		done <- err
	}()
	return done
}

func TestCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, answer string
		wrong        func(error) bool
	}{
		{"result", `{"jsonrpc":"2.0","id":1,"result":"yes"}`, func(err error) bool { return err != nil }},
		{"id as a string", `{"jsonrpc":"2.0","id":"1","result":"yes"}`, func(err error) bool { return err != nil }},
		{"no version", `{"id":1,"result":"yes","error":null}`, func(err error) bool { return err != nil }},
		{"error", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown","data":[1.0]}}`, func(err error) bool {
			var fault *rpc.Error
			return !errors.As(err, &fault) || fault.Code != rpc.CodeMethodNotFound || fault.Message != "unknown" || string(fault.Data) != "[1.0]"
		}},
		{"malformed error", `{"jsonrpc":"2.0","id":1,"error":"no"}`, func(err error) bool {
			var fault *rpc.Error
			return !errors.As(err, &fault)
		}},
		{"other type", `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`, func(err error) bool {
			return err == nil || !strings.Contains(err.Error(), "window/ask: the whole is an object, expected a string")
		}},
		{"duplicate keys", `{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}`, func(err error) bool { return err == nil }},
	} {
		s := newServer()
		w := newWire(t, s.startBare(t, rpc.Options{}))
		done := callIt(t.Context(), s.conn.Load())
		w.expect(`{"jsonrpc":"2.0","method":"window/ask","params":{"q":"<ü>"},"id":1}`)
		w.send(`{"jsonrpc":"2.0","id":7,"result":"no"}`, c.answer)
		if err := <-done; c.wrong(err) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestCallThatEndsIsCancelledAtThePeer(t *testing.T) {
	t.Parallel()
	s := newServer()
	w := newWire(t, s.startBare(t, rpc.Options{}))
	ctx, cancel := context.WithCancel(t.Context())
	done := callIt(ctx, s.conn.Load())
	w.expect(`{"jsonrpc":"2.0","method":"window/ask","params":{"q":"<ü>"},"id":1}`)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	w.expect(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
	// Its late answer meets nobody, and the next call works.
	w.send(`{"jsonrpc":"2.0","id":1,"result":"late"}`)
	done = callIt(t.Context(), s.conn.Load())
	w.expect(`{"jsonrpc":"2.0","method":"window/ask","params":{"q":"<ü>"},"id":2}`)
	w.send(`{"jsonrpc":"2.0","id":2,"result":"yes"}`)
	if err := <-done; err != nil {
		t.Error(err)
	}
	// A context that has ended before sends nothing.
	if err := <-callIt(ctx, s.conn.Load()); !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	s.conn.Load().Close()
	if rest, _ := io.ReadAll(w.out); len(rest) > 0 {
		t.Errorf("something was sent: %q", rest)
	}
}

func TestCallEndsWithTheConnection(t *testing.T) {
	t.Parallel()
	s := newServer()
	w := newWire(t, s.startBare(t, rpc.Options{}))
	done := callIt(t.Context(), s.conn.Load())
	w.read()
	_ = w.peer.In.Close()
	if err := <-done; !errors.Is(err, rpc.ErrClosed) {
		t.Errorf("the call ended with %v", err)
	}
	if err := <-callIt(t.Context(), s.conn.Load()); !errors.Is(err, rpc.ErrClosed) {
		t.Errorf("a call after the end: %v", err)
	}
}

func TestCallWithoutParamsOrResult(t *testing.T) {
	t.Parallel()
	s := newServer()
	w := newWire(t, s.startBare(t, rpc.Options{}))
	refresh := rpc.EditorRequest[rpc.Null, rpc.Null]{Method: "workspace/codeLens/refresh"}
	done := make(chan error, 1)
	go func() {
		_, err := rpc.Call(t.Context(), s.conn.Load(), refresh, rpc.Null{})
		done <- err
	}()
	w.expect(`{"jsonrpc":"2.0","method":"workspace/codeLens/refresh","id":1}`)
	w.send(`{"jsonrpc":"2.0","id":1,"result":{"whatever":1}}`)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := rpc.Notify(s.conn.Load(), rpc.Event[rpc.Null]{Method: "bare"}, rpc.Null{}); err != nil {
		t.Error(err)
	}
	w.expect(`{"jsonrpc":"2.0","method":"bare"}`)
}

func TestPair(t *testing.T) {
	t.Parallel()
	s := newServer()
	editor := rpc.NewRouter()
	rpctest.HandleRequest(editor, asked, func(_ context.Context, p map[string]string) (string, error) { return p["question"], nil })
	events := make(chan sum, 1)
	rpctest.HandleEvent(editor, noted, func(_ context.Context, e sum) { events <- e })
	ours, theirs := rpctest.Pair(t, s.router, editor, rpc.Options{})
	s.conn.Store(ours)
	if got, err := rpctest.Call(t.Context(), theirs, ask, rpc.Null{}); err != nil || got != "really?" {
		t.Errorf("ask: %q, %v", got, err)
	}
	if err := rpctest.Notify(theirs, note, addParams{A: 1, B: 2}); err != nil {
		t.Fatal(err)
	}
	if e := <-events; e.Sum != 3 {
		t.Errorf("event: %+v", e)
	}
}
