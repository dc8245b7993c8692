package connector

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"pillion/mcp/mcptest"
	"pillion/mcp/process"
)

func TestMain(m *testing.M) {
	peerMain()
	mcptest.Main()
	goleak.VerifyTestMain(m)
}

// fixture is a connector over a fake, and what was seen of both.
type fixture struct {
	*Connector
	t   *testing.T
	log string // what the fake received

	mu      sync.Mutex
	changes []Change
	seen    chan struct{} // a change came
}

type setting func(*Definition, *Options, *tuning)

// environment adds variables to the fake's.
func environment(variables ...string) setting {
	return func(d *Definition, _ *Options, _ *tuning) { d.Env = append(d.Env, variables...) }
}

// gated returns an address for the fake's mode "gate", and what lets its answers through.
func gated(t *testing.T) (address string, open func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	passed := make(chan struct{})
	open = sync.OnceFunc(func() { close(passed) })
	var waiting sync.WaitGroup
	waiting.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			waiting.Go(func() {
				<-passed
				_ = conn.Close()
			})
		}
	})
	t.Cleanup(func() {
		open()
		_ = listener.Close()
		waiting.Wait()
	})
	return listener.Addr().String(), open
}

func define(change func(*Definition)) setting {
	return func(d *Definition, _ *Options, _ *tuning) { change(d) }
}

func tune(change func(*tuning)) setting {
	return func(_ *Definition, _ *Options, t *tuning) { change(t) }
}

// fake makes a connector over a fake of the mode; it is stopped when the test ends.
func fake(t *testing.T, mode string, settings ...setting) *fixture {
	t.Helper()
	f := &fixture{t: t, log: filepath.Join(t.TempDir(), "received"), seen: make(chan struct{}, 1)}
	path, args, env := mcptest.Command(mode)
	d := Definition{
		ID: "id", Name: "fake", Program: path, Args: args, Dir: t.TempDir(),
		Env: append(append(os.Environ(), env...), mcptest.LogVar+"="+f.log),
	}
	o := Options{
		Client: Implementation{Name: "pillion", Version: "0"}, Logger: slog.New(slog.DiscardHandler),
		Timing: process.Timing{EOF: 500 * time.Millisecond, Term: 300 * time.Millisecond},
		OnChange: func(c Change) {
			f.mu.Lock()
			f.changes = append(f.changes, c)
			f.mu.Unlock()
			select {
			case f.seen <- struct{}{}:
			default:
			}
		},
	}
	times := defaultTuning()
	for _, set := range settings {
		set(&d, &o, &times)
	}
	f.Connector = New(d, o)
	f.tuning = times
	t.Cleanup(func() { f.Stop(context.Background()) })
	return f
}

// started is a fake that has been started.
func started(t *testing.T, mode string, settings ...setting) *fixture {
	t.Helper()
	f := fake(t, mode, settings...)
	if err := f.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return f
}

// problem starts a connector that must not start and returns why not.
func problem(t *testing.T, mode string, settings ...setting) *Problem {
	t.Helper()
	f := fake(t, mode, settings...)
	err := f.Start(t.Context())
	var p *Problem
	if !errors.As(err, &p) {
		t.Fatalf("Start: %v", err)
	}
	if status := f.Status(); status.State != StateFailed || status.Problem != p {
		t.Errorf("status %s, %v", status.State, status.Problem)
	}
	return p
}

// say calls tool a and returns the text of its result.
func (f *fixture) say(arguments string) string {
	f.t.Helper()
	reply, err := f.Call(f.t.Context(), CallRequest{Tool: "a", Arguments: []byte(arguments)})
	if err != nil {
		f.t.Fatalf("call: %v", err)
	}
	if reply.ProtocolError != nil {
		f.t.Fatalf("call: %v", reply.ProtocolError)
	}
	return said(f.t, reply)
}

func said(t *testing.T, reply CallReply) string {
	t.Helper()
	var result struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(reply.Result, &result); err != nil {
		t.Fatalf("result %.200q: %v", reply.Result, err)
	}
	var texts []string
	for _, block := range result.Content {
		texts = append(texts, block.Text)
	}
	return strings.Join(texts, "|")
}

// names are those of the tools as they stand.
func (f *fixture) names() string {
	var names []string
	for _, tool := range f.Status().Catalogue.Tools {
		names = append(names, tool.Name)
	}
	return strings.Join(names, " ")
}

// received returns the lines with the method that the fake has got.
func (f *fixture) received(method string) []string {
	var lines []string
	for _, line := range mcptest.Received(f.t, f.log) {
		if strings.Contains(line, `"method":"`+method+`"`) {
			lines = append(lines, line)
		}
	}
	return lines
}

// eventually waits until the condition holds, looking again at every change and now and then.
func (f *fixture) eventually(what string, holds func() bool) {
	f.t.Helper()
	end := time.After(10 * time.Second)
	for !holds() {
		select {
		case <-f.seen:
		case <-time.After(10 * time.Millisecond):
		case <-end:
			f.t.Fatalf("never: %s", what)
		}
	}
}

func (f *fixture) states() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var states []string
	for _, c := range f.changes {
		if len(states) == 0 || states[len(states)-1] != string(c.State) {
			states = append(states, string(c.State))
		}
	}
	return strings.Join(states, " ")
}

func (f *fixture) warned(part string) bool {
	return strings.Contains(strings.Join(f.Status().Warnings, "\n"), part)
}

func raws(texts ...string) []jsontext.Value {
	values := make([]jsontext.Value, len(texts))
	for i, text := range texts {
		values[i] = jsontext.Value(text)
	}
	return values
}
