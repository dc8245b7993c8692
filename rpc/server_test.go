package rpc_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/rpc"
	"pillion/rpc/rpctest"
)

// server is a small program with the life cycle of LSP, to play transcripts on.
type server struct {
	router *rpc.Router
	conn   atomic.Pointer[rpc.Conn]
	phase  phase // only touched on the reader
}

type phase int

const (
	starting phase = iota
	serving
	stopped
)

type (
	addParams struct {
		A int    `json:"a"`
		B int    `json:"b"`
		Q string `json:"q,omitzero"`
	}
	sum struct {
		Sum   int      `json:"sum"`
		Parts []string `json:"parts"`
	}
)

var (
	initialize = rpc.Request[jsontext.Value, map[string]string]{Method: "initialize"}
	shutdown   = rpc.Request[rpc.Null, rpc.Null]{Method: "shutdown"}
	exit       = rpc.Notification[rpc.Null]{Method: "exit"}
	echo       = rpc.Request[jsontext.Value, jsontext.Value]{Method: "test/echo"}
	add        = rpc.Request[addParams, sum]{Method: "test/add"}
	wait       = rpc.Request[rpc.Null, rpc.Null]{Method: "test/wait"}
	ask        = rpc.Request[rpc.Null, string]{Method: "test/ask"}
	broken     = rpc.Request[jsontext.Value, rpc.Null]{Method: "test/broken"}
	note       = rpc.Notification[addParams]{Method: "test/note"}
	asked      = rpc.EditorRequest[map[string]string, string]{Method: "window/ask"}
	noted      = rpc.Event[sum]{Method: "test/noted"}
)

// newServer returns a server whose handlers are registered.
func newServer() *server {
	s := &server{router: rpc.NewRouter()}
	rpc.Handle(s.router, initialize, func(context.Context, jsontext.Value) (map[string]string, error) {
		return map[string]string{"name": "test"}, nil
	})
	rpc.Handle(s.router, shutdown, func(context.Context, rpc.Null) (rpc.Null, error) { return rpc.Null{}, nil })
	rpc.HandleNotification(s.router, exit, func(context.Context, rpc.Null) { s.conn.Load().Close() })
	rpc.Handle(s.router, echo, func(_ context.Context, p jsontext.Value) (jsontext.Value, error) { return p, nil })
	rpc.Handle(s.router, add, func(_ context.Context, p addParams) (sum, error) { return sum{Sum: p.A + p.B}, nil })
	rpc.Handle(s.router, wait, func(ctx context.Context, _ rpc.Null) (rpc.Null, error) {
		<-ctx.Done()
		return rpc.Null{}, ctx.Err()
	})
	rpc.Handle(s.router, ask, func(ctx context.Context, _ rpc.Null) (string, error) {
		return rpc.Call(ctx, s.conn.Load(), asked, map[string]string{"question": "really?"})
	})
	rpc.Handle(s.router, broken, func(_ context.Context, how jsontext.Value) (rpc.Null, error) {
		if string(how) == `{"how":"panic"}` {
			panic("at the disco")
		}
		return rpc.Null{}, errors.New("a secret of ours")
	})
	rpc.HandleNotification(s.router, note, func(_ context.Context, p addParams) {
		if p.Q == "panic" {
			panic("on the reader")
		}
		_ = rpc.Notify(s.conn.Load(), noted, sum{Sum: p.A + p.B})
	})
	return s
}

// gate is the life cycle: case C80.
func (s *server) gate(method string, isRequest bool) *rpc.Error {
	switch {
	case method == "exit":
		return nil
	case s.phase == stopped:
		return rpc.Errorf(rpc.CodeInvalidRequest, "shutting down")
	case s.phase == starting && method != "initialize":
		return rpc.Errorf(rpc.CodeServerNotInitialized, "initialize first")
	case s.phase == serving && method == "initialize":
		return rpc.Errorf(rpc.CodeInvalidRequest, "initialized already")
	}
	switch method {
	case "initialize":
		s.phase = serving
	case "shutdown":
		s.phase = stopped
	}
	return nil
}

// start serves s in memory with the life cycle.
func (s *server) start(t testing.TB, o rpc.Options) *rpctest.Peer {
	o.Gate = s.gate
	return s.startBare(t, o)
}

// startBare serves s in memory without it.
func (s *server) startBare(t testing.TB, o rpc.Options) *rpctest.Peer {
	return rpctest.ServeConn(t, func(in io.ReadCloser, out io.WriteCloser) *rpc.Conn {
		c := rpc.NewConn(in, out, s.router, o)
		s.conn.Store(c)
		return c
	})
}

// wire is a peer that speaks bytes.
type wire struct {
	t    testing.TB
	peer *rpctest.Peer
	out  *bufio.Reader
}

func newWire(t testing.TB, p *rpctest.Peer) *wire {
	return &wire{t: t, peer: p, out: bufio.NewReader(p.Out)}
}

// send writes bodies, framed.
func (w *wire) send(bodies ...string) {
	w.t.Helper()
	for _, body := range bodies {
		w.write(string(rpctest.Frame([]byte(body))))
	}
}

func (w *wire) write(text string) {
	w.t.Helper()
	if _, err := io.WriteString(w.peer.In, text); err != nil {
		w.t.Fatalf("write to the connection: %v", err)
	}
}

// read returns the next body.
func (w *wire) read() string {
	w.t.Helper()
	body, err := rpctest.ReadFrame(w.out)
	if err != nil {
		w.t.Fatalf("read from the connection: %v", err)
	}
	return string(body)
}

// expect reads bodies and compares them.
func (w *wire) expect(bodies ...string) {
	w.t.Helper()
	for _, body := range bodies {
		if got := w.read(); got != body {
			w.t.Fatalf("received\n  %s\nexpected\n  %s", got, body)
		}
	}
}

// end waits for the end of the connection.
func (w *wire) end() error {
	_, err := w.peer.Wait()
	return err
}
