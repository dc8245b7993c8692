package rpc_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pillion/rpc"
	"pillion/rpc/rpctest"
)

// stuck is an end that ignores being closed, as a blocking terminal does.
type stuck struct{ release chan struct{} }

func (s stuck) Read([]byte) (int, error)    { <-s.release; return 0, io.EOF }
func (s stuck) Write(p []byte) (int, error) { <-s.release; return len(p), nil }
func (s stuck) Close() error                { <-s.release; return nil }

func TestC79_StalledReaderBlocksOutputAlone(t *testing.T) {
	t.Parallel()
	const count = 2000
	in, theirIn := io.Pipe()
	theirOut, out := io.Pipe() // unbuffered: nothing leaves while nobody reads
	s := newServer()
	c := rpc.NewConn(in, out, s.router, rpc.Options{})
	s.conn.Store(c)
	served := make(chan error, 1)
	go func() { served <- c.Serve(context.Background()) }()

	if err := rpc.Notify(c, noted, sum{Sum: -1}); err != nil {
		t.Errorf("notify while the editor does not read: %v", err)
	}
	// Everything is served while the editor reads nothing.
	for i := range count {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","method":"test/note","params":{"a":%d,"q":"%s"}}`, i, strings.Repeat("x", 100))
		if _, err := theirIn.Write(rpctest.Frame([]byte(body))); err != nil {
			t.Fatal(err)
		}
	}
	// It reads again: all of it is there, in order.
	r := bufio.NewReader(theirOut)
	for i := -1; i < count; i++ {
		body, err := rpctest.ReadFrame(r)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"test/noted","params":{"sum":%d,"parts":[]}}`, i); string(body) != want {
			t.Fatalf("event %d is %s", i, body)
		}
	}
	_ = theirIn.Close()
	_, _ = io.Copy(io.Discard, r)
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestC79_StalledReaderBeyondTheBoundEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in, _ := io.Pipe()
		_, out := io.Pipe()
		c := rpc.NewConn(in, out, rpc.NewRouter(), rpc.Options{MaxQueuedBytes: 1000})
		served := make(chan error, 1)
		go func() { served <- c.Serve(context.Background()) }()
		var err error
		for n := 0; err == nil; n++ {
			if err = rpc.Notify(c, noted, sum{}); n > 100 {
				t.Fatal("the queue has no bound")
			}
		}
		if !errors.Is(err, rpc.ErrClosed) {
			t.Errorf("notify above the bound: %v", err)
		}
		began := time.Now()
		if err := <-served; err == nil || !strings.Contains(err.Error(), "does not read") {
			t.Errorf("serve ended with %v", err)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("serve took %v to end", took)
		}
	})
}

func TestOneLargeMessageMayExceedTheBound(t *testing.T) {
	t.Parallel()
	w := newWire(t, newServer().startBare(t, rpc.Options{MaxQueuedBytes: 1000}))
	large := strings.Repeat("x", 100_000)
	w.send(`{"jsonrpc":"2.0","id":1,"method":"test/echo","params":["` + large + `"]}`)
	w.expect(`{"jsonrpc":"2.0","id":1,"result":["` + large + `"]}`)
}

func TestCloseNeverHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := stuck{release}
		var log strings.Builder
		c := rpc.NewConn(s, s, rpc.NewRouter(), rpc.Options{Logger: testLogger(&log)})
		served := make(chan error, 1)
		go func() { served <- c.Serve(context.Background()) }()
		if err := rpc.Notify(c, noted, sum{}); err != nil {
			t.Fatal(err)
		}
		called := make(chan error, 1)
		go func() {
			_, err := rpc.Call(context.Background(), c, asked, nil)
			called <- err
		}()
		synctest.Wait()
		began := time.Now()
		c.Close()
		c.Close()
		if err := <-served; err != nil {
			t.Errorf("serve ended with %v", err)
		}
		if err := <-called; !errors.Is(err, rpc.ErrClosed) {
			t.Errorf("the call ended with %v", err)
		}
		if took := time.Since(began); took > 1500*time.Millisecond {
			t.Errorf("serve took %v to end", took)
		}
		if !strings.Contains(log.String(), "could not be closed") {
			t.Errorf("the log is %q", log.String())
		}
		close(release)
	})
}

func TestHandlerThatIgnoresItsContextDelaysTheEndByTheGrace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := rpc.NewRouter()
		rpc.Handle(r, wait, func(context.Context, rpc.Null) (rpc.Null, error) {
			<-release
			return rpc.Null{}, nil
		})
		in, theirIn := io.Pipe()
		theirOut, out := io.Pipe()
		go func() { _, _ = io.Copy(io.Discard, theirOut) }()
		c := rpc.NewConn(in, out, r, rpc.Options{Grace: 3 * time.Second})
		served := make(chan error, 1)
		go func() { served <- c.Serve(context.Background()) }()
		_, _ = theirIn.Write(rpctest.Frame([]byte(`{"jsonrpc":"2.0","id":1,"method":"test/wait"}`)))
		synctest.Wait()
		began := time.Now()
		_ = theirIn.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("serve took %v to end", took)
		}
		close(release)
	})
}

func TestC79_NoGoroutineIsLeft(t *testing.T) {
	t.Parallel()
	// The bubble of synctest fails unless every goroutine in it has ended.
	synctest.Test(t, func(t *testing.T) {
		in, theirIn := io.Pipe()
		theirOut, out := io.Pipe()
		s := newServer()
		c := rpc.NewConn(in, out, s.router, rpc.Options{})
		s.conn.Store(c)
		served := make(chan error, 1)
		go func() { served <- c.Serve(context.Background()) }()
		var group sync.WaitGroup
		group.Go(func() { _, _ = io.Copy(io.Discard, theirOut) })
		for i := range 20 {
			_, _ = theirIn.Write(rpctest.Frame(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"test/ask"}`, i)))
			_, _ = theirIn.Write(rpctest.Frame(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"%d","method":"test/wait"}`, i)))
		}
		synctest.Wait()
		_ = theirIn.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
		group.Wait()
	})
}
