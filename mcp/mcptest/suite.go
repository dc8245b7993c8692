package mcptest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Subject is a transport under test, ready to call the fake at its other end.
type Subject interface {
	// Tools returns the names of the tools as listed.
	Tools() []string
	// Call calls a tool and returns the result as received. An error that the server answers with is an error.
	Call(ctx context.Context, tool, arguments string, onProgress func(float64)) (result string, err error)
	// Close ends the connection and the fake, and returns when both have.
	Close()
}

// Opener connects to a fake of the mode, with more variables in its environment. The suite closes what it returns.
type Opener func(t *testing.T, mode string, env ...string) (Subject, error)

// Suite is what every transport must do, whatever it is: the raw bytes arrive, a fault stays with what it is the fault of,
// and nothing waits for ever.
func Suite(t *testing.T, open Opener) {
	for name, test := range map[string]func(*testing.T, Opener){
		"lists all pages":                     suitePages,
		"C38 isolates a bad tool":             suiteBadTool,
		"S10 sends the bytes":                 suiteArguments,
		"C42 returns the bytes":               suiteResult,
		"C17 returns long replies":            suiteLongReply,
		"survives an error":                   suiteError,
		"C61 matches replies by id":           suiteReverse,
		"C26 cancels at once":                 suiteCancel,
		"C27 tells progress before the reply": suiteProgress,
		"C25 ends calls when the server does": suiteDeath,
		"closes under a call":                 suiteClose,
		"refuses who does not answer":         suiteSilent,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open)
		})
	}
}

// suiteTimeout is far above what anything here takes.
const suiteTimeout = 30 * time.Second

func opened(t *testing.T, open Opener, mode string, env ...string) Subject {
	t.Helper()
	subject, err := open(t, mode, env...)
	if err != nil {
		t.Fatalf("open %q: %v", mode, err)
	}
	t.Cleanup(subject.Close)
	return subject
}

// expect calls tool a and compares the result.
func expect(t *testing.T, subject Subject, arguments, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), suiteTimeout)
	defer cancel()
	got, err := subject.Call(ctx, "a", arguments, nil)
	if err != nil || got != want {
		t.Errorf("call with %.200s: %.200s, %v; want %.200s", arguments, got, err, want)
	}
}

func expectOK(t *testing.T, subject Subject) {
	t.Helper()
	expect(t, subject, `{}`, textResult("ok"))
}

func suitePages(t *testing.T, open Opener) {
	if got := opened(t, open, "pages=3").Tools(); !slices.Equal(got, []string{"a", "t1", "t2"}) {
		t.Errorf("tools %q", got)
	}
}

func suiteBadTool(t *testing.T, open Opener) {
	subject := opened(t, open, "", ToolsVar+`=[null,{"name":"a","inputSchema":{}},{"name":5},{"name":"x","inputSchema":{},"annotations":{"readOnlyHint":"yes"}}]`)
	if got := subject.Tools(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("tools %q", got)
	}
	expectOK(t, subject)
}

func suiteArguments(t *testing.T, open Opener) {
	subject := opened(t, open, "echo")
	for _, arguments := range []string{`{"z":9007199254740993,"a":1.0}`, `{ "spaced" : "<&>\u003c é" }`} {
		expect(t, subject, arguments, textResult(arguments))
	}
}

func suiteResult(t *testing.T, open Opener) {
	const result = `{ "structuredContent":{"z":9007199254740993,"a":1.0},"content":[{"type":"video"},{"type":"text","text":"keep me"},null]}`
	subject := opened(t, open, "", ResultVar+"="+result)
	expect(t, subject, `{}`, result)
}

func suiteLongReply(t *testing.T, open Opener) {
	subject := opened(t, open, "")
	for _, bytes := range []int{65_537, 1<<20 + 1} {
		ctx, cancel := context.WithTimeout(t.Context(), suiteTimeout)
		got, err := subject.Call(ctx, "a", fmt.Sprintf(`{"bytes":%d}`, bytes), nil)
		cancel()
		if err != nil || len(got) < bytes-100 {
			t.Errorf("%d bytes: %d, %v", bytes, len(got), err)
		}
	}
}

func suiteError(t *testing.T, open Opener) {
	subject := opened(t, open, "failonce=tools/call:-32003")
	if _, err := subject.Call(t.Context(), "a", `{}`, nil); err == nil || !strings.Contains(err.Error(), "told to fail") {
		t.Errorf("error %v", err)
	}
	expectOK(t, subject)
}

func suiteReverse(t *testing.T, open Opener) {
	subject := opened(t, open, "echo,reverse")
	var calls sync.WaitGroup
	for i := range 10 {
		calls.Go(func() {
			arguments := fmt.Sprintf(`{"n":%d}`, i)
			expect(t, subject, arguments, textResult(arguments))
		})
	}
	calls.Wait()
}

func suiteCancel(t *testing.T, open Opener) {
	subject := opened(t, open, "late")
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		begun := time.Now()
		_, err := subject.Call(ctx, "a", `{}`, nil)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) > suiteTimeout {
			t.Errorf("error %v after %s", err, time.Since(begun))
		}
	}
}

func suiteProgress(t *testing.T, open Opener) {
	subject := opened(t, open, "progress=10ms:100ms")
	ctx, cancel := context.WithTimeout(t.Context(), suiteTimeout)
	defer cancel()
	var steps []float64 // written only before Call returns
	if _, err := subject.Call(ctx, "a", `{}`, func(step float64) { steps = append(steps, step) }); err != nil {
		t.Fatal(err)
	}
	if len(steps) < 2 || !slices.IsSorted(steps) || steps[0] != 1 || steps[len(steps)-1] != float64(len(steps)) {
		t.Errorf("steps %v", steps)
	}
}

func suiteDeath(t *testing.T, open Opener) {
	subject := opened(t, open, "exiton=tools/call:3")
	ctx, cancel := context.WithTimeout(t.Context(), suiteTimeout)
	defer cancel()
	if _, err := subject.Call(ctx, "a", `{}`, nil); err == nil || ctx.Err() != nil {
		t.Errorf("error %v", err)
	}
	if _, err := subject.Call(ctx, "a", `{}`, nil); err == nil || ctx.Err() != nil {
		t.Errorf("the second call: error %v", err)
	}
}

func suiteClose(t *testing.T, open Opener) {
	subject := opened(t, open, "silent=tools/call,progress=10ms:forever")
	result := make(chan error, 1)
	go func() {
		_, err := subject.Call(context.Background(), "a", `{}`, nil)
		result <- err
	}()
	subject.Close()
	select {
	case err := <-result:
		if err == nil {
			t.Error("the call ended well")
		}
	case <-time.After(suiteTimeout):
		t.Error("the call goes on")
	}
}

func suiteSilent(t *testing.T, open Opener) {
	ctx, cancel := context.WithTimeout(t.Context(), suiteTimeout)
	defer cancel()
	opening := make(chan error, 1)
	go func() {
		subject, err := open(t, "exit=1")
		if err == nil {
			subject.Close()
		}
		opening <- err
	}()
	select {
	case err := <-opening:
		if err == nil {
			t.Error("a program that exits was taken for a server")
		}
	case <-ctx.Done():
		t.Error("still waiting for a program that has exited")
	}
}
