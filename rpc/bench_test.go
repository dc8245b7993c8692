package rpc_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"

	"pillion/rpc"
	"pillion/rpc/rpctest"
)

// pipes is both ends of two system pipes.
type pipes struct {
	ourIn, theirIn   *os.File
	theirOut, ourOut *os.File
}

func newPipes(b *testing.B) pipes {
	b.Helper()
	var p pipes
	var err error
	if p.ourIn, p.theirIn, err = os.Pipe(); err != nil {
		b.Fatal(err)
	}
	if p.theirOut, p.ourOut, err = os.Pipe(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		for _, f := range []*os.File{p.theirIn, p.theirOut} {
			_ = f.Close()
		}
	})
	return p
}

type pipeEnds struct {
	io.Reader
	io.Writer
	io.Closer
}

// hop measures one request and its answer at a time, over system pipes.
func hop(b *testing.B, p pipes, body string) {
	frame := rpctest.Frame([]byte(body))
	out := bufio.NewReaderSize(p.theirOut, 1<<16)
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	for b.Loop() {
		// A pipe holds less than a large message: write and read at once.
		if len(frame) <= 32<<10 {
			if _, err := p.theirIn.Write(frame); err != nil {
				b.Fatal(err)
			}
		} else {
			go func() { _, _ = p.theirIn.Write(frame) }()
		}
		if err := skipFrame(out); err != nil {
			b.Fatal(err)
		}
	}
}

// skipFrame reads past one frame, as cheaply as that goes.
func skipFrame(r *bufio.Reader) error {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return err
	}
	var length int
	for _, c := range line {
		if '0' <= c && c <= '9' {
			length = length*10 + int(c-'0')
		}
	}
	_, err = r.Discard(2 + length)
	return err
}

// BenchmarkHop compares a request through this package with one through the bare
// library, whose handlers run as an LSP server's must: off the reader.
func BenchmarkHop(b *testing.B) {
	small := `{"jsonrpc":"2.0","id":1,"method":"test/add","params":{"a":1,"b":2,"q":"some text"}}`
	bodies := []struct{ name, body string }{
		{"small", small},
		{"echo-100KB", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"test/echo","params":{"text":"%s"}}`, strings.Repeat("0123456789", 10_000))},
		{"echo-5MB", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"test/echo","params":{"text":"%s"}}`, strings.Repeat("0123456789", 500_000))},
	}
	for _, c := range bodies {
		b.Run(c.name+"/rpc", func(b *testing.B) {
			p := newPipes(b)
			conn := rpc.NewConn(p.ourIn, p.ourOut, newServer().router, rpc.Options{})
			served := make(chan error, 1)
			go func() { served <- conn.Serve(context.Background()) }()
			hop(b, p, c.body)
			conn.Close()
			<-served
		})
		b.Run(c.name+"/bare", func(b *testing.B) {
			p := newPipes(b)
			conn := jsonrpc2.NewConn(jsonrpc2.NewStream(pipeEnds{p.ourIn, p.ourOut, p.ourIn}))
			conn.Go(context.Background(), jsonrpc2.AsyncHandler(bareHandler))
			hop(b, p, c.body)
			_ = p.theirIn.Close()
			<-conn.Done()
			_ = p.ourOut.Close()
		})
	}
}

func bareHandler(_ context.Context, req *jsonrpc2.Request) (any, error) {
	if req.Method() == echo.Method {
		return req.Params(), nil
	}
	var p addParams
	if err := json.Unmarshal(req.Params(), &p); err != nil {
		return nil, err
	}
	return sum{Sum: p.A + p.B}, nil
}

// BenchmarkNotify measures queueing an event that is read at once.
func BenchmarkNotify(b *testing.B) {
	p := newPipes(b)
	conn := rpc.NewConn(p.ourIn, p.ourOut, rpc.NewRouter(), rpc.Options{})
	served := make(chan error, 1)
	go func() { served <- conn.Serve(context.Background()) }()
	go func() { _, _ = io.Copy(io.Discard, p.theirOut) }()
	event := rpc.Event[jsontext.Value]{Method: "test/raw"}
	params := jsontext.Value(`{"rev":1,"changed":[],"removed":[]}`)
	b.ReportAllocs()
	for b.Loop() {
		if err := rpc.Notify(conn, event, params); err != nil {
			b.Fatal(err)
		}
	}
	if err := conn.Flush(context.Background()); err != nil {
		b.Fatal(err)
	}
	conn.Close()
	<-served
}
