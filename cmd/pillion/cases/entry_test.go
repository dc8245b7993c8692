package cases

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc"
	"pillion/rpc/message"
)

// entry is one connector as a file names it.
type entry map[string]any

// servers is the text of a configuration file with these entries, by name.
func servers(entries map[string]entry) string {
	text, err := json.MarshalIndent(map[string]any{"mcpServers": entries}, "", "  ")
	if err != nil {
		panic(err) // entries are made of literals
	}
	return string(text) + "\n"
}

// fake is an entry that starts a fake connector; variables are NAME=value and go into its env.
func fake(mode string, variables ...string) entry {
	env := map[string]string{mcptest.ModeVar: mode}
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		env[name] = value
	}
	return entry{"command": fakestdio, "env": env}
}

// with is a copy of an entry with a member set; a nil value takes it away.
func (e entry) with(key string, value any) entry {
	changed := entry{}
	for k, v := range e {
		changed[k] = v
	}
	if value == nil {
		delete(changed, key)
	} else {
		changed[key] = value
	}
	return changed
}

// withEnv is a copy with variables set in its env.
func (e entry) withEnv(variables ...string) entry {
	env := map[string]string{}
	old, _ := e["env"].(map[string]string)
	for name, value := range old {
		env[name] = value
	}
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		env[name] = value
	}
	return e.with("env", env)
}

// log is a file of the world that a fake writes what it reads to.
func (w *world) log(name string) string { return filepath.Join(w.home, name+".log") }

// file is a path in the home of the world.
func (w *world) file(name string) string { return filepath.Join(w.home, name) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// eventually waits for what no message tells of.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(editortest.Patience)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("it did not come about that %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// argumentsOf are the arguments of every tools/call that a fake has read, byte for byte.
func argumentsOf(t testing.TB, log string) []string {
	t.Helper()
	var all []string
	for _, line := range mcptest.Received(t, log) {
		var request struct {
			Method string `json:"method"`
			Params struct {
				Arguments json.RawMessage `json:"arguments"`
			} `json:"params"`
		}
		if err := json.Unmarshal([]byte(line), &request); err != nil {
			t.Fatalf("the connector was sent %q: %v", line, err)
		}
		if request.Method == "tools/call" {
			all = append(all, string(request.Params.Arguments))
		}
	}
	return all
}

// next waits for what comes from a channel; where it does not come the test shows the session.
func next[T any](t testing.TB, e *editortest.Editor, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(editortest.Patience):
		t.Fatalf("nothing came\n%s", e.Session())
		panic("unreachable")
	}
}

// begin calls a tool in the background; the call ends with the test.
func begin(t testing.TB, e *editortest.Editor, params message.ToolCallParams) <-chan editortest.Outcome[message.CallResult] {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return editortest.Go(ctx, e, message.ToolCall, params)
}

// ended waits for what came of a call.
func ended(t testing.TB, e *editortest.Editor, answer <-chan editortest.Outcome[message.CallResult]) message.CallResult {
	t.Helper()
	return endedWithin(t, e, answer, editortest.Patience)
}

// endedWithin is ended for a call that has more to do than others.
func endedWithin(t testing.TB, e *editortest.Editor, answer <-chan editortest.Outcome[message.CallResult], patience time.Duration) message.CallResult {
	t.Helper()
	select {
	case outcome := <-answer:
		if outcome.Err != nil {
			t.Fatalf("%s: %v\n%s", message.ToolCall.Method, outcome.Err, e.Session())
		}
		return outcome.Result
	case <-time.After(patience):
		t.Fatalf("the call has not ended\n%s", e.Session())
		panic("unreachable")
	}
}

// call calls a tool that asks nobody, or is answered elsewhere, and waits for what came of it.
func call(t testing.TB, e *editortest.Editor, tool, arguments string) message.CallResult {
	t.Helper()
	return ended(t, e, begin(t, e, message.ToolCallParams{Tool: message.ToolRef(tool), ArgumentsText: arguments}))
}

// approved calls a tool, answers its question, and waits for what came of it.
func approved(t testing.TB, e *editortest.Editor, tool, arguments string, decision message.ApprovalChoice) message.CallResult {
	t.Helper()
	answer := begin(t, e, message.ToolCallParams{Tool: message.ToolRef(tool), ArgumentsText: arguments})
	e.Approve(decision)
	return ended(t, e, answer)
}

// process is what a fake of the mode dump says of itself.
type process struct {
	PID int      `json:"pid"`
	Arg []string `json:"args"`
	Env []string `json:"env"`
	Cwd string   `json:"cwd"`
}

// processOf asks the fake of the mode dump behind a connector of a project what it was started as.
func processOf(t testing.TB, e *editortest.Editor, connector string) process {
	t.Helper()
	return dumped(t, approved(t, e, connector+".a", "{}", message.ApproveOnce))
}

// env is a variable of the process.
func (p process) env(name string) string {
	for _, variable := range p.Env {
		if value, found := strings.CutPrefix(variable, name+"="); found {
			return value
		}
	}
	return "(unset)"
}

// real is a path as a process that works there sees it.
func real(t testing.TB, path string) string {
	t.Helper()
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

var didSave = rpc.Notification[protocol.DidSaveTextDocumentParams]{Method: "textDocument/didSave"}

// saved tells Pillion that a file was saved.
func saved(e *editortest.Editor, path string) {
	editortest.Notify(e, didSave, protocol.DidSaveTextDocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(path)}})
}

// listener is an address that must not be connected to.
type listener struct {
	net.Listener
	accepted atomic.Int32
}

func newListener(t testing.TB) *listener {
	t.Helper()
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{Listener: socket}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := socket.Accept()
			if err != nil {
				return
			}
			l.accepted.Add(1)
			conn.Close()
		}
	}()
	t.Cleanup(func() {
		socket.Close()
		<-done
		if n := l.accepted.Load(); n != 0 {
			t.Errorf("%d connections were made", n)
		}
	})
	return l
}

func (l *listener) url() string { return fmt.Sprintf("http://%s/mcp", l.Addr()) }

// consentOf is what a question about permission shows.
func consentOf(t testing.TB, ask message.Ask) message.ConsentBody {
	t.Helper()
	return bodyOf[message.ConsentBody](t, ask)
}

// approvalOf is what a question about a call shows.
func approvalOf(t testing.TB, ask message.Ask) message.ApprovalBody {
	t.Helper()
	return bodyOf[message.ApprovalBody](t, ask)
}

func bodyOf[B message.AskBody](t testing.TB, ask message.Ask) B {
	t.Helper()
	body, err := ask.ParseBody()
	if err != nil {
		t.Fatal(err)
	}
	typed, isThat := body.(B)
	if !isThat {
		t.Fatalf("the question is %+v", body)
	}
	return typed
}

// errorOf is the code and the message that Pillion answered instead of a result.
func errorOf(err error) (code int, text string) {
	var answered *rpc.Error
	if errors.As(err, &answered) {
		return int(answered.Code), answered.Message
	}
	return 0, ""
}

// isAlive reports whether a process runs; it is looked for as a person would.
func isAlive(pid int) bool {
	process, err := os.FindProcess(pid)
	return err == nil && process.Signal(syscall.Signal(0)) == nil
}

// dumped is what a fake of the mode dump answered.
func dumped(t testing.TB, result message.CallResult) process {
	t.Helper()
	var p process
	if err := json.Unmarshal([]byte(result.Text), &p); err != nil {
		t.Fatalf("%+v: %v", result, err)
	}
	return p
}
