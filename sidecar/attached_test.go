//go:build !windows

package sidecar

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
	"go.uber.org/goleak"

	"pillion/rpc"
	"pillion/rpc/message"
	"pillion/sidecar/attach"
)

// attachedWindow is a session in this process with an editor that does nothing by itself.
type attachedWindow struct {
	t       *testing.T
	home    string
	runtime string
	editor  *rpc.Conn
	// socket is what the session says of it at initialize.
	socket  string
	session *Session
	// told are the changes of questions that the editor hears of.
	told  chan message.AsksChangedParams
	ended chan int
	end   context.CancelFunc
}

// openWindow starts a session on one folder. Prepare is called with the home folder before it starts.
func openWindow(t *testing.T, prepare func(home string)) *attachedWindow {
	t.Helper()
	return openWindowWith(t, "run", prepare)
}

// openWindowWith has the runtime folder of the system elsewhere below the home folder.
func openWindowWith(t *testing.T, runtime string, prepare func(home string)) *attachedWindow {
	t.Helper()
	home, err := os.MkdirTemp("", "ps") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	return openWindowIn(t, home, runtime, prepare, nil)
}

// openWindowIn opens one with the files of a home folder, which other windows may have.
func openWindowIn(t *testing.T, home, runtime string, prepare func(home string), serve func(context.Context, *joinedAgent, io.ReadWriteCloser) error) *attachedWindow {
	t.Helper()
	w := &attachedWindow{t: t, home: home, runtime: filepath.Join(home, runtime, "pillion"), ended: make(chan int, 1), told: make(chan message.AsksChangedParams, 64)}
	for _, folder := range []string{"run", "repository"} {
		if err := os.MkdirAll(filepath.Join(home, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if prepare != nil {
		prepare(home)
	}
	in, toIn := io.Pipe()
	fromOut, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	w.end = cancel
	w.session = newSession(ctx, Options{
		In: in, Out: out, Version: "test", Executable: "/nonexistent", Logger: slog.New(slog.DiscardHandler), serveAgent: serve,
		Environ: []string{
			"HOME=" + home, "XDG_RUNTIME_DIR=" + filepath.Join(home, runtime),
			"PILLION_CONFIG_DIR=" + filepath.Join(home, "config"), "PILLION_STATE_DIR=" + filepath.Join(home, "state"),
		},
	})
	go func() {
		code, err := w.session.finish(w.session.conn.Serve(w.session.lifetime))
		if err != nil {
			t.Errorf("the session ended: %v", err)
		}
		w.ended <- code
	}()
	router := rpc.NewRouter()
	rpc.HandleNotification(router, rpc.Notification[message.AsksChangedParams](message.AsksChanged), func(_ context.Context, change message.AsksChangedParams) {
		w.told <- change
	})
	w.editor = rpc.NewConn(fromOut, toIn, router, rpc.Options{})
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = w.editor.Serve(context.Background())
	}()
	t.Cleanup(func() {
		w.close()
		w.editor.Close()
		<-served
	})
	w.initialize()
	return w
}

// close ends the session as the loss of its editor does, and waits for it.
func (w *attachedWindow) close() {
	w.end()
	code := <-w.ended
	w.ended <- code
}

func (w *attachedWindow) initialize() {
	w.t.Helper()
	root := "file://" + filepath.Join(w.home, "repository")
	params, err := json.Marshal(map[string]any{
		"processId": nil, "clientInfo": map[string]any{"name": "an editor"},
		"workspaceFolders": []any{map[string]any{"uri": root, "name": "repository"}},
		"capabilities":     map[string]any{"experimental": map[string]any{"pillion": map[string]any{"protocol": []int{1}, "asks": []string{"join"}}}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	answer, err := ask(w.t, w.editor, "initialize", string(params))
	if err != nil {
		w.t.Fatal(err)
	}
	var result struct {
		Capabilities struct {
			Experimental struct{ Pillion message.ServerCapability }
		}
	}
	if err := json.Unmarshal(answer, &result); err != nil {
		w.t.Fatal(err)
	}
	w.socket = result.Capabilities.Experimental.Pillion.Attach.Socket
	if err := rpc.Notify(w.editor, rpc.Event[message.Empty]{Method: "initialized"}, message.Empty{}); err != nil {
		w.t.Fatal(err)
	}
	// Who is answered from the files finds the window.
	if _, err := ask(w.t, w.editor, message.Connectors.Method, `{}`); err != nil {
		w.t.Fatal(err)
	}
}

// ask sends a request by its method alone.
func ask(t *testing.T, conn *rpc.Conn, method, params string) (jsontext.Value, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return rpc.Call(ctx, conn, rpc.EditorRequest[jsontext.Value, jsontext.Value]{Method: method}, jsontext.Value(params))
}

func (w *attachedWindow) descriptor() message.WindowDescriptor {
	w.t.Helper()
	windows, err := attach.Windows(w.runtime)
	if err != nil || len(windows) != 1 {
		w.t.Fatalf("windows: %+v, %v", windows, err)
	}
	return windows[0]
}

func (w *attachedWindow) join(router *rpc.Router) *attach.Window {
	w.t.Helper()
	joined, err := attach.Dial(w.t.Context(), w.runtime, w.descriptor(), attach.Options{Role: message.AttachCLI, Name: "a terminal", Router: router})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(joined.Close)
	return joined
}

// raw is a connection to the socket that has proved nothing.
func (w *attachedWindow) raw() (*rpc.Conn, <-chan struct{}) {
	w.t.Helper()
	dialled, err := net.Dial("unix", w.socket)
	if err != nil {
		w.t.Fatal(err)
	}
	conn := rpc.NewConn(dialled, dialled, rpc.NewRouter(), rpc.Options{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = conn.Serve(context.Background())
	}()
	w.t.Cleanup(func() {
		conn.Close()
		<-ended
	})
	return conn, ended
}

// hasCode reports whether an error is an answer of that code.
func hasCode(err error, code int) bool {
	var fault *rpc.Error
	return errors.As(err, &fault) && int(fault.Code) == code
}

func TestTheWindowIsDescribed(t *testing.T) {
	t.Parallel()
	w := openWindow(t, nil)
	d := w.descriptor()
	root := message.URI("file://" + filepath.Join(w.home, "repository"))
	if d.Socket != w.socket || d.PID != os.Getpid() || d.Editor != "an editor" || !slices.Equal(d.Roots, []message.URI{root}) || d.FocusedAt.IsZero() {
		t.Errorf("descriptor %+v", d)
	}
	if joined := w.join(nil).Joined; joined.Window != d.Window || joined.Version != "test" || !slices.Equal(joined.Roots, d.Roots) {
		t.Errorf("joined %+v", joined)
	}
}

func TestTheDescriptionFollowsTheFolders(t *testing.T) {
	t.Parallel()
	w := openWindow(t, nil)
	if err := os.Mkdir(filepath.Join(w.home, "other"), 0o700); err != nil {
		t.Fatal(err)
	}
	added := message.URI("file://" + filepath.Join(w.home, "other"))
	change := jsontext.Value(`{"event":{"added":[{"uri":"` + string(added) + `","name":"other"}],"removed":[]}}`)
	if err := rpc.Notify(w.editor, rpc.Event[jsontext.Value]{Method: "workspace/didChangeWorkspaceFolders"}, change); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(30 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !slices.Contains(w.descriptor().Roots, added) {
		if time.Now().After(deadline) {
			t.Fatalf("roots %v", w.descriptor().Roots)
		}
		<-tick.C
	}
	if joined := w.join(nil).Joined; len(joined.Roots) != 2 {
		t.Errorf("joined %+v", joined)
	}
}

// peopleOverAttach are the methods for people alone that a terminal reaches: they look, raise a question, or answer one that
// was shown.
var peopleOverAttach = []string{
	message.Consents.Method, message.Permissions.Method, message.Secrets.Method, message.Asks.Method, message.AskAnswer.Method, message.AskShow.Method,
}

func TestS6_AttachReachesNothingThatChangesTrust(t *testing.T) {
	t.Parallel()
	w := openWindow(t, nil)
	joined := w.join(nil)
	walked := 0
	for _, declared := range message.All() {
		isAsked := declared.Direction == message.DirectionRequest || declared.Direction == message.DirectionNotification
		if !declared.ForPeopleOnly || !isAsked || slices.Contains(peopleOverAttach, declared.Method) {
			continue
		}
		walked++
		_, err := attach.Call(t.Context(), joined, rpc.Request[jsontext.Value, jsontext.Value]{Method: declared.Method}, jsontext.Value(`{}`))
		if !hasCode(err, rpc.CodeMethodNotFound) {
			t.Errorf("%s: %v", declared.Method, err)
		}
	}
	if walked < 5 {
		t.Errorf("only %d methods change trust", walked)
	}
	// The commands of the base protocol are no way round.
	for _, method := range []string{"workspace/executeCommand", "textDocument/codeAction", "initialize", "shutdown", "exit"} {
		_, err := attach.Call(t.Context(), joined, rpc.Request[jsontext.Value, jsontext.Value]{Method: method}, jsontext.Value(`{"command":"pillion.server.connector.allow","arguments":[]}`))
		if !hasCode(err, rpc.CodeMethodNotFound) {
			t.Errorf("%s: %v", method, err)
		}
	}
}

func TestS6_OnlyAQuestionThatWasShownIsAnswered(t *testing.T) {
	t.Parallel()
	w := openWindow(t, func(home string) {
		text := `{"mcpServers":{"theirs":{"command":"true"}}}`
		if err := os.WriteFile(filepath.Join(home, "repository", ".mcp.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	first := w.join(nil)
	shown, err := attach.Call(t.Context(), first, message.AskShow, message.AskShowParams{})
	if err != nil || shown.AskID == nil {
		t.Fatalf("no question: %v", err)
	}
	second := w.join(nil) // it came after the question
	answer := message.AskAnswerParams{AskID: *shown.AskID, Answer: jsontext.Value(`{"decisions":{}}`)}
	connectors, err := attach.Call(t.Context(), second, message.Connectors, message.Empty{})
	if err != nil || len(connectors.Connectors) != 1 {
		t.Fatalf("%+v, %v", connectors, err)
	}
	answer.Answer = jsontext.Value(`{"decisions":{"` + string(connectors.Connectors[0].ID) + `":"later"}}`)
	result, err := attach.Call(t.Context(), second, message.AskAnswer, answer)
	if err != nil || result.Accepted || !strings.Contains(result.Reason, "not shown on this connection") {
		t.Errorf("unseen: %+v, %v", result, err)
	}
	if _, err := attach.Call(t.Context(), second, message.Asks, message.Empty{}); err != nil {
		t.Fatal(err)
	}
	if result, err = attach.Call(t.Context(), second, message.AskAnswer, answer); err != nil || !result.Accepted {
		t.Errorf("seen: %+v, %v", result, err)
	}
}

func TestAttachedTerminalsAreToldOfQuestions(t *testing.T) {
	t.Parallel()
	w := openWindow(t, func(home string) {
		text := `{"mcpServers":{"theirs":{"command":"true"}}}`
		if err := os.WriteFile(filepath.Join(home, "repository", ".mcp.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	told := make(chan message.AsksChangedParams, 4)
	router := rpc.NewRouter()
	rpc.HandleNotification(router, rpc.Notification[message.AsksChangedParams](message.AsksChanged), func(_ context.Context, change message.AsksChangedParams) {
		told <- change
	})
	w.join(router)
	shown, err := attach.Call(t.Context(), w.join(nil), message.AskShow, message.AskShowParams{})
	if err != nil || shown.AskID == nil {
		t.Fatalf("no question: %v", err)
	}
	select {
	case change := <-told:
		if len(change.Opened) != 1 || change.Opened[0].AskID != *shown.AskID || change.Opened[0].Asker.Kind != message.AskerCLI ||
			change.Opened[0].Asker.PID != os.Getpid() || change.Opened[0].Asker.Name != "a terminal" {
			t.Errorf("told %+v", change)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("nothing was told")
	}
}

func TestS21_NothingIsServedBeforeTheProof(t *testing.T) {
	t.Parallel()
	w := openWindow(t, nil)
	conn, _ := w.raw()
	for _, declared := range message.All() {
		if declared.Direction != message.DirectionRequest || declared.Method == message.Attach.Method || declared.Method == message.AttachChallenge.Method {
			continue
		}
		if _, err := ask(t, conn, declared.Method, `{}`); !hasCode(err, rpc.CodeServerNotInitialized) {
			t.Errorf("%s: %v", declared.Method, err)
		}
	}
	for _, method := range []string{"initialize", "shutdown", "pillion/none"} {
		if _, err := ask(t, conn, method, `{}`); !hasCode(err, rpc.CodeServerNotInitialized) {
			t.Errorf("%s: %v", method, err)
		}
	}
}

func TestS21_AWrongProofEndsTheConnection(t *testing.T) {
	t.Parallel()
	w := openWindow(t, nil)
	for name, params := range map[string]string{
		"a proof before the challenge": `{"role":"cli","name":"x","proof":"00"}`,
		"no proof":                     `{"role":"cli","name":"x"}`,
	} {
		conn, ended := w.raw()
		if _, err := ask(t, conn, message.Attach.Method, params); !hasCode(err, rpc.CodeRequestFailed) {
			t.Errorf("%s: %v", name, err)
		}
		<-ended
	}
	conn, ended := w.raw()
	if _, err := ask(t, conn, message.AttachChallenge.Method, `{"nonce":"`+message.NewAttachNonce()+`"}`); err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t, conn, message.Attach.Method, `{"role":"cli","name":"x","proof":"00"}`); !hasCode(err, rpc.CodeRequestFailed) {
		t.Errorf("a wrong proof: %v", err)
	}
	<-ended
	// Misuse is told and costs nothing.
	conn, _ = w.raw()
	for _, params := range []string{`{"role":"owner","name":"x","proof":"00"}`, `{"role":"cli","proof":"00"}`, `{"role":"cli","name":7}`} {
		if _, err := ask(t, conn, message.Attach.Method, params); !hasCode(err, rpc.CodeInvalidParams) {
			t.Errorf("%s: %v", params, err)
		}
	}
}

// TestS21_SessionsGoOnWithoutASocket has the folder refused, and one that a repository could hold (S3).
func TestS21_SessionsGoOnWithoutASocket(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(home string) error{
		"a link":         func(home string) error { return os.Symlink(home, filepath.Join(home, "run", "pillion")) },
		"open to others": func(home string) error { return os.Mkdir(filepath.Join(home, "run", "pillion"), 0o755) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := openWindow(t, func(home string) {
				if err := prepare(home); err != nil {
					t.Fatal(err)
				}
			})
			if w.socket != "" {
				t.Errorf("socket %s", w.socket)
			}
			if _, err := ask(t, w.editor, message.Connectors.Method, `{}`); err != nil {
				t.Error(err)
			}
		})
	}
	if w := openWindowWith(t, "repository", nil); w.socket != "" {
		t.Errorf("socket in the workspace: %s", w.socket)
	}
}

func TestAttachIsBounded(t *testing.T) {
	t.Parallel()
	w := openWindow(t, nil)
	for range maxAttached {
		conn, _ := w.raw()
		if _, err := ask(t, conn, message.AttachChallenge.Method, `{"nonce":"`+message.NewAttachNonce()+`"}`); err != nil {
			t.Fatal(err)
		}
	}
	_, ended := w.raw()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Error("one more was served")
	}
}

// TestNothingOfAttachOutlivesTheSession is alone, because it counts goroutines.
func TestNothingOfAttachOutlivesTheSession(t *testing.T) {
	ignored := goleak.IgnoreCurrent()
	w := openWindow(t, nil)
	joined := w.join(nil)
	conn, ended := w.raw()
	_ = conn
	w.close()
	<-joined.Ended()
	<-ended
	if left, err := os.ReadDir(w.runtime); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := os.Lstat(w.socket); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
	w.editor.Close()
	goleak.VerifyNone(t, ignored)
}

func TestS7_SessionsOfAttachedProgramsAreApart(t *testing.T) {
	t.Parallel()
	editor, first, second := &client{}, &client{prefix: "attached-1"}, &client{prefix: "attached-2"}
	for _, id := range []string{"", "x", "attached-1/x"} {
		all := []string{editor.session(id), first.session(id), second.session(id)}
		slices.Sort(all)
		if len(slices.Compact(all)) != 3 {
			t.Errorf("%q: %q", id, all)
		}
		if !first.owns(first.session(id)) || first.owns(second.session(id)) || editor.owns(editor.session(id)) || (&client{prefix: "attached-10"}).owns(first.session(id)) {
			t.Errorf("%q: somebody's session counts as another's", id)
		}
	}
}

// TestU8_ASocketThatOpensLateIsFound has the folder of the workspace answer when the editor has its answer already.
func TestU8_ASocketThatOpensLateIsFound(t *testing.T) {
	t.Parallel()
	folder, err := os.MkdirTemp("", "ps")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	s := newSession(t.Context(), Options{In: nopPipe{}, Out: nopPipe{}, Logger: slog.New(slog.DiscardHandler)})
	s.welcome()
	listener, err := attach.Listen(filepath.Join(folder, "pillion"), message.WindowDescriptor{Window: s.window, PID: os.Getpid()})
	if err != nil {
		t.Fatal(err)
	}
	s.take(listener)
	if windows, err := attach.Windows(filepath.Join(folder, "pillion")); err != nil || len(windows) != 1 || windows[0].Window != s.window {
		t.Errorf("%+v, %v", windows, err)
	}
	if _, err := s.finish(nil); err != nil {
		t.Error(err)
	}
	if windows, err := attach.Windows(filepath.Join(folder, "pillion")); err != nil || len(windows) != 0 {
		t.Errorf("left: %+v, %v", windows, err)
	}
}

// A program that may not serve is found by nobody (A11).
func TestA11_NoTerminalFindsAWindowThatIsRefused(t *testing.T) {
	t.Parallel()
	folder, err := os.MkdirTemp("", "ps")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	s := newSession(t.Context(), Options{
		In: nopPipe{}, Out: nopPipe{}, Logger: slog.New(slog.DiscardHandler), Environ: []string{"XDG_RUNTIME_DIR=" + folder, "HOME=" + folder},
		Refusal: func() error { return errors.New("not here") },
	})
	_, then, err := s.initialize(t.Context(), protocol.InitializeParams{})
	if err != nil || s.attached.socket() == nil {
		t.Fatalf("no socket, %v", err)
	}
	then()
	<-s.opened
	if windows, err := attach.Windows(filepath.Join(folder, "pillion")); err != nil || len(windows) != 0 {
		t.Errorf("found: %+v, %v", windows, err)
	}
	_, _ = s.finish(nil) // what it says is the business of the whole program's test
}
