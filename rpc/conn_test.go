package rpc_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/rpc"
	"pillion/rpc/rpctest"
)

func TestC77_GoodMessagesInEveryForm(t *testing.T) {
	t.Parallel()
	w := newWire(t, newServer().startBare(t, rpc.Options{}))
	body := `{"jsonrpc":"2.0","id":"漢","method":"test/echo","params":{"text":"字 😀 \\ \"q\""}}`
	want := `{"jsonrpc":"2.0","id":"漢","result":{"text":"字 😀 \\ \"q\""}}`
	frame := string(rpctest.Frame([]byte(body)))

	for at := range len(frame) {
		w.write(frame[:at])
		w.write(frame[at:])
		w.expect(want)
	}
	w.write(frame + frame)
	w.expect(want, want)
	for i := range len(frame) {
		w.write(frame[i : i+1])
	}
	w.expect(want)
	w.write("X-Other: 1\r\n" + strings.ToLower(frame[:14]) + frame[14:])
	w.expect(want)
}

func TestC77_UnusableLengthEndsTheConnection(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"Content-Length: -1\r\n\r\n", "Content-Length: 1073741825\r\n\r\n", "Content-Length: x\r\n\r\n", "\r\n"} {
		w := newWire(t, newServer().startBare(t, rpc.Options{}))
		w.send(`{"jsonrpc":"2.0","id":1,"method":"test/add","params":{"a":1,"b":1}}`)
		w.expect(`{"jsonrpc":"2.0","id":1,"result":{"sum":2,"parts":[]}}`)
		w.write(header)
		var unreadable *rpc.FrameError
		if err := w.end(); !errors.As(err, &unreadable) {
			t.Errorf("%q: the connection ended with %v", header, err)
		}
	}
}

func TestEndOfInputEndsTheConnection(t *testing.T) {
	t.Parallel()
	for _, rest := range []string{"", "Content-Len", "Content-Length: 10\r\n\r\n{"} {
		w := newWire(t, newServer().startBare(t, rpc.Options{}))
		w.write(rest)
		_ = w.peer.In.Close()
		if err := w.end(); err != nil {
			t.Errorf("after %q: the connection ended with %v", rest, err)
		}
	}
}

func TestOrder_NotificationsAndDecodingFollowTheWire(t *testing.T) {
	t.Parallel()
	const count = 500
	var seen []int // touched on the reader alone: -race would tell
	r := rpc.NewRouter()
	tick := rpc.Notification[addParams]{Method: "tick"}
	rpc.HandleNotification(r, tick, func(_ context.Context, p addParams) { seen = append(seen, p.A) })
	type snapshot struct{}
	o := rpc.Options{Snapshot: func(ctx context.Context, method string) context.Context {
		return context.WithValue(ctx, snapshot{}, len(seen))
	}}
	rpc.Handle(r, add, func(ctx context.Context, p addParams) (sum, error) {
		if at := ctx.Value(snapshot{}); at != p.A {
			return sum{}, fmt.Errorf("the snapshot is %v, expected %d", at, p.A)
		}
		return sum{Sum: p.A}, nil
	})
	w := newWire(t, rpctest.Serve(t, r, o))
	go func() {
		for i := range count {
			w.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"tick","params":{"a":%d}}`, i),
				fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"test/add","params":{"a":%d}}`, i, i+1))
		}
	}()
	answers := map[string]bool{}
	for range count {
		answers[w.read()] = true
	}
	for i := range count {
		if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"sum":%d,"parts":[]}}`, i, i+1); !answers[want] {
			t.Fatalf("no answer %s", want)
		}
	}
	_ = w.peer.In.Close()
	_ = w.end()
	for i, a := range seen {
		if a != i {
			t.Fatalf("notification %d came as number %d", a, i)
		}
	}
}

func TestRequestsRunConcurrently(t *testing.T) {
	t.Parallel()
	const count = 50
	var together sync.WaitGroup
	together.Add(count)
	r := rpc.NewRouter()
	rpc.Handle(r, add, func(ctx context.Context, p addParams) (sum, error) {
		together.Done()
		together.Wait() // returns only if all run at once
		return sum{Sum: p.A}, nil
	})
	_, editor := rpctest.Pair(t, r, nil, rpc.Options{})
	var group sync.WaitGroup
	for i := range count {
		group.Go(func() {
			if got, err := rpctest.Call(t.Context(), editor, add, addParams{A: i}); err != nil || got.Sum != i {
				t.Errorf("call %d: %v, %v", i, got, err)
			}
		})
	}
	group.Wait()
}

func TestDuplicateIDsAreBothServed(t *testing.T) {
	t.Parallel()
	w := newWire(t, newServer().startBare(t, rpc.Options{}))
	w.send(`{"jsonrpc":"2.0","id":1,"method":"test/wait"}`, `{"jsonrpc":"2.0","id":1,"method":"test/wait"}`,
		`{"jsonrpc":"2.0","id":1,"method":"test/add","params":{"a":1}}`)
	w.expect(`{"jsonrpc":"2.0","id":1,"result":{"sum":1,"parts":[]}}`)
	w.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
	cancelled := `{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"cancelled"}}`
	w.expect(cancelled, cancelled)
}

func TestCancelledAnswerIsTheSessions(t *testing.T) {
	t.Parallel()
	o := rpc.Options{Cancelled: func() error { return rpc.Errorf(rpc.CodeContentModified, "changed") }}
	w := newWire(t, newServer().startBare(t, o))
	w.send(`{"jsonrpc":"2.0","id":1,"method":"test/wait"}`, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
	w.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32801,"message":"changed"}}`)
}

func TestErrorsKeepTheirCode(t *testing.T) {
	t.Parallel()
	own := &rpc.Error{Code: rpc.CodeRequestFailed, Message: "no such \"tool\"\n", Data: []byte(`{"ids":[1]}`)}
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"own", own, `{"code":-32803,"message":"no such \"tool\"\n","data":{"ids":[1]}}`},
		{"wrapped", fmt.Errorf("call: %w", own), `{"code":-32803,"message":"call: no such \"tool\"\n","data":{"ids":[1]}}`},
		{"plain", io.ErrShortWrite, `{"code":-32603,"message":"internal error"}`},
		{"no code", &rpc.Error{Message: "zero"}, `{"code":-32603,"message":"internal error"}`},
		{"nil of the type", (*rpc.Error)(nil), `{"code":-32603,"message":"internal error"}`},
		{"cancelled without being cancelled", context.Canceled, `{"code":-32603,"message":"internal error"}`},
		{"broken text", rpc.Errorf(-1, "a\xffb"), "{\"code\":-1,\"message\":\"a\uFFFDb\"}"},
	} {
		r := rpc.NewRouter()
		rpc.Handle(r, add, func(context.Context, addParams) (sum, error) { return sum{}, c.err })
		w := newWire(t, rpctest.Serve(t, r, rpc.Options{}))
		w.send(`{"jsonrpc":"2.0","id":1,"method":"test/add"}`)
		if got, want := w.read(), `{"jsonrpc":"2.0","id":1,"error":`+c.want+`}`; got != want {
			t.Errorf("%s: received\n  %s\nexpected\n  %s", c.name, got, want)
		}
	}
}

// badResult panics or fails when it is encoded.
type badResult struct{ panics bool }

func (b badResult) MarshalJSON() ([]byte, error) {
	if b.panics {
		panic("while encoding")
	}
	return nil, errors.New("cannot be encoded")
}

func TestPanicsCostOneRequest(t *testing.T) {
	t.Parallel()
	r := rpc.NewRouter()
	handle := func(method string, h func() (any, error)) {
		rpc.Handle(r, rpc.Request[rpc.Null, any]{Method: method}, func(context.Context, rpc.Null) (any, error) { return h() })
	}
	handle("panic", func() (any, error) { panic("in a handler") })
	handle("nil panic", func() (any, error) { panic(nil) })
	handle("goexit", func() (any, error) { runtime.Goexit(); return nil, nil })
	handle("encode panic", func() (any, error) { return badResult{panics: true}, nil })
	handle("encode error", func() (any, error) { return badResult{}, nil })
	handle("snapshot", func() (any, error) { return "not reached", nil })
	handle("good", func() (any, error) { return map[string]int{"b": 2, "a": 1}, nil })
	rpc.HandleNotification(r, rpc.Notification[rpc.Null]{Method: "note"}, func(context.Context, rpc.Null) { panic("in a notification") })
	var log strings.Builder
	o := rpc.Options{
		Logger: testLogger(&log),
		Gate: func(method string, _ bool) *rpc.Error {
			if method == "gate" {
				panic("in the gate")
			}
			return nil
		},
		Snapshot: func(ctx context.Context, method string) context.Context {
			if method == "snapshot" {
				panic("in the snapshot")
			}
			return ctx
		},
	}
	w := newWire(t, rpctest.Serve(t, r, o))
	for _, method := range []string{"panic", "nil panic", "goexit", "encode panic", "encode error", "gate", "snapshot"} {
		w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s","method":"%[1]s"}`, method))
		w.expect(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s","error":{"code":-32603,"message":"internal error"}}`, method))
	}
	w.send(`{"jsonrpc":"2.0","method":"note"}`, `{"jsonrpc":"2.0","method":"gate"}`, `{"jsonrpc":"2.0","id":1,"method":"good"}`)
	w.expect(`{"jsonrpc":"2.0","id":1,"result":{"a":1,"b":2}}`)
	_ = w.peer.In.Close()
	_ = w.end()
	for _, text := range []string{"in a handler", "in a notification", "while encoding", "in the gate", "in the snapshot", "stack="} {
		if !strings.Contains(log.String(), text) {
			t.Errorf("the log does not say %q:\n%s", text, log.String())
		}
	}
}

func TestHandleThen_ComesAfterTheAnswer(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]error{"a result": nil, "an error": rpc.Errorf(rpc.CodeRequestFailed, "no")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, theirIn := io.Pipe()
			theirOut, out := io.Pipe() // unbuffered: what is written has been read
			router := rpc.NewRouter()
			finish, done := make(chan struct{}), make(chan struct{})
			rpc.HandleThen(router, wait, func(context.Context, rpc.Null) (rpc.Null, func(), error) {
				return rpc.Null{}, func() { <-finish; close(done) }, fault
			})
			served := make(chan error, 1)
			go func() {
				served <- rpc.NewConn(in, out, router, rpc.Options{Grace: time.Minute}).Serve(context.Background())
			}()
			if _, err := theirIn.Write(rpctest.Frame([]byte(`{"jsonrpc":"2.0","id":1,"method":"test/wait"}`))); err != nil {
				t.Fatal(err)
			}
			// The answer is here although what follows it has not been let go yet.
			if _, err := rpctest.ReadFrame(bufio.NewReader(theirOut)); err != nil {
				t.Fatal(err)
			}
			_ = theirIn.Close()
			select {
			case err := <-served:
				t.Errorf("Serve ended before what follows the answer: %v", err)
			default:
			}
			close(finish)
			<-done
			if err := <-served; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestMethodRegisteredTwicePanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a second handler replaced the first")
		}
	}()
	s := newServer()
	rpc.HandleNotification(s.router, rpc.Notification[rpc.Null](add), func(context.Context, rpc.Null) {})
}

func TestMethodsAreSorted(t *testing.T) {
	t.Parallel()
	got := fmt.Sprint(newServer().router.Methods())
	if want := "[exit initialize shutdown test/add test/ask test/broken test/echo test/note test/wait]"; got != want {
		t.Errorf("methods are %s", got)
	}
}

func TestRawResultsPassAsTheyAre(t *testing.T) {
	t.Parallel()
	odd := `{ "z":1.0e+2,"a" : "\u0041\ud800","n":12345678901234567890 }`
	large := `"` + strings.Repeat("x", 1<<20) + `"`
	results := map[string]any{
		"value": jsontext.Value(odd), "large": jsontext.Value(large), "nil": jsontext.Value(nil),
	}
	r := rpc.NewRouter()
	for name, result := range results {
		rpc.Handle(r, rpc.Request[rpc.Null, jsontext.Value]{Method: name}, func(context.Context, rpc.Null) (jsontext.Value, error) {
			return result.(jsontext.Value), nil
		})
	}
	w := newWire(t, rpctest.Serve(t, r, rpc.Options{Trace: rpc.NewTracer(io.Discard, nil)}))
	for name, want := range map[string]string{"value": odd, "large": large, "nil": "null"} {
		w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"%s"}`, name))
		w.expect(`{"jsonrpc":"2.0","id":1,"result":` + want + `}`)
	}
}

func TestRawParamsOutliveTheReader(t *testing.T) {
	t.Parallel()
	r := rpc.NewRouter()
	release := make(chan struct{})
	rpc.Handle(r, echo, func(_ context.Context, p jsontext.Value) (jsontext.Value, error) {
		<-release // until the reader has read over its buffer
		return p, nil
	})
	rpc.HandleNotification(r, exit, func(context.Context, rpc.Null) { close(release) })
	w := newWire(t, rpctest.Serve(t, r, rpc.Options{}))
	large := strings.Repeat("y", 100_000)
	w.send(`{"jsonrpc":"2.0","id":1,"method":"test/echo","params":["small"]}`,
		`{"jsonrpc":"2.0","id":2,"method":"test/echo","params":["`+large+`"]}`,
		`{"jsonrpc":"2.0","method":"overwrites the buffer with something else"}`,
		`{"jsonrpc":"2.0","method":"overwrites `+strings.Repeat("z", 100_000)+`"}`,
		`{"jsonrpc":"2.0","method":"exit"}`)
	got := map[string]bool{w.read(): true, w.read(): true}
	if !got[`{"jsonrpc":"2.0","id":1,"result":["small"]}`] || !got[`{"jsonrpc":"2.0","id":2,"result":["`+large+`"]}`] {
		t.Error("the parameters were overwritten")
	}
}

func TestFlushWaitsForTheWriter(t *testing.T) {
	t.Parallel()
	in, _ := io.Pipe()
	theirs, out := io.Pipe()
	c := rpc.NewConn(in, out, rpc.NewRouter(), rpc.Options{})
	served := make(chan error, 1)
	go func() { served <- c.Serve(context.Background()) }()
	if err := c.Flush(t.Context()); err != nil {
		t.Errorf("flush of nothing: %v", err)
	}
	for range 3 {
		if err := rpc.Notify(c, noted, sum{}); err != nil {
			t.Fatal(err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Flush(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("flush while nobody reads: %v", err)
	}
	flushed := make(chan error, 1)
	go func() { flushed <- c.Flush(context.Background()) }()
	all := make([]byte, 3*(len(rpctest.Frame([]byte(`{"jsonrpc":"2.0","method":"test/noted","params":{"sum":0,"parts":[]}}`)))))
	if _, err := io.ReadFull(theirs, all); err != nil {
		t.Fatal(err)
	}
	if err := <-flushed; err != nil {
		t.Errorf("flush: %v", err)
	}
	c.Close()
	if err := <-served; err != nil {
		t.Errorf("serve: %v", err)
	}
	if err := rpc.Notify(c, noted, sum{}); !errors.Is(err, rpc.ErrClosed) {
		t.Errorf("notify after the end: %v", err)
	}
}

func TestAnswersLeaveBeforeTheEnd(t *testing.T) {
	t.Parallel()
	// shutdown, exit and the end of input in one write: the answer still arrives.
	for range 50 {
		s := newServer()
		peer := s.start(t, rpc.Options{})
		w := newWire(t, peer)
		w.send(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`, `{"jsonrpc":"2.0","method":"exit"}`)
		_ = peer.In.Close()
		got := map[string]bool{w.read(): true, w.read(): true}
		if !got[`{"jsonrpc":"2.0","id":2,"result":null}`] {
			t.Fatalf("received %v", got)
		}
		if err := w.end(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEndCancelsHandlers(t *testing.T) {
	t.Parallel()
	peer := newServer().startBare(t, rpc.Options{Grace: time.Minute})
	w := newWire(t, peer)
	w.send(`{"jsonrpc":"2.0","id":1,"method":"test/wait"}`)
	_ = peer.In.Close()
	w.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"cancelled"}}`)
	if err := w.end(); err != nil {
		t.Error(err)
	}
}

func TestContextEndsServe(t *testing.T) {
	t.Parallel()
	in, _ := io.Pipe()
	_, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	c := rpc.NewConn(in, out, rpc.NewRouter(), rpc.Options{})
	served := make(chan error, 1)
	go func() { served <- c.Serve(ctx) }()
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestC79_BrokenPipeEnds(t *testing.T) {
	t.Parallel()
	in, theirIn, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	theirOut, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := rpc.NewConn(in, out, rpc.NewRouter(), rpc.Options{})
	served := make(chan error, 1)
	go func() { served <- c.Serve(context.Background()) }()
	_ = theirOut.Close()
	if err := rpc.Notify(c, noted, sum{}); err != nil {
		t.Fatal(err)
	}
	if err := <-served; err == nil {
		t.Error("a broken pipe is no orderly end")
	}
	_ = theirIn.Close()
}
