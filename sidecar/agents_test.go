//go:build !windows

package sidecar

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/admission"
	"pillion/rpc"
	"pillion/rpc/message"
	"pillion/sidecar/attach"
)

// echo serves an agent lines: who it is to the window, and then what it says.
func echo(_ context.Context, joined *joinedAgent, stream io.ReadWriteCloser) error {
	lines := bufio.NewScanner(stream)
	for lines.Scan() {
		if _, err := fmt.Fprintf(stream, "%s %s %q: %s\n", joined.prefix, joined.caller.Kind, joined.caller.Name, lines.Text()); err != nil {
			return err
		}
	}
	return lines.Err()
}

func tempHome(t *testing.T) string {
	t.Helper()
	home, err := os.MkdirTemp("", "ps")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	return home
}

// attempt is one to join as an agent.
type attempt struct {
	stream io.ReadWriteCloser
	err    error
}

func (w *attachedWindow) agent(ctx context.Context, name string) <-chan attempt {
	done := make(chan attempt, 1)
	d := w.descriptor()
	go func() {
		stream, _, err := attach.DialAgent(ctx, w.runtime, d, attach.Options{Name: name})
		if err == nil {
			w.t.Cleanup(func() { _ = stream.Close() })
		}
		done <- attempt{stream, err}
	}()
	return done
}

func (a attempt) says(t *testing.T, line string) string {
	t.Helper()
	if a.err != nil {
		t.Fatal(a.err)
	}
	if _, err := io.WriteString(a.stream, line+"\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := bufio.NewReader(a.stream).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// asked waits for the next question that the editor is told of.
func (w *attachedWindow) asked() message.Ask {
	w.t.Helper()
	for {
		select {
		case change := <-w.told:
			if len(change.Opened) > 0 {
				return change.Opened[0]
			}
		case <-time.After(30 * time.Second):
			w.t.Fatal("nothing was asked")
		}
	}
}

func (w *attachedWindow) eventually(holds func() bool) {
	w.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(30 * time.Second); !holds(); <-tick.C {
		if time.Now().After(deadline) {
			w.t.Fatal("it never comes to that")
		}
	}
}

func (w *attachedWindow) answer(id message.AskID, decision string) {
	w.t.Helper()
	raw, err := ask(w.t, w.editor, message.AskAnswer.Method, `{"askId":"`+string(id)+`","answer":{"decision":"`+decision+`"}}`)
	if err != nil || !strings.Contains(string(raw), `"accepted":true`) {
		w.t.Fatalf("%s, %v", raw, err)
	}
}

func TestS7_TheFirstJoinOfAProgramIsAskedInTheEditor(t *testing.T) {
	t.Parallel()
	home := tempHome(t)
	w := openWindowIn(t, home, "run", nil, echo)
	joining := w.agent(t.Context(), `a "fine" agent`)
	asked := w.asked()
	body, err := asked.ParseBody()
	if err != nil {
		t.Fatal(err)
	}
	own := programAt(os.Getpid())
	want := message.JoinBody{Program: own.Path, PID: os.Getpid(), Parent: own.Parent, ClaimedName: `a "fine" agent`}
	if body != want || asked.Kind != message.AskJoin || asked.Asker.Kind != message.AskerAgent || asked.Asker.Program != own.Path {
		t.Errorf("asked %+v of %+v, want %+v", body, asked.Asker, want)
	}
	w.answer(asked.AskID, "allow")
	first := <-joining
	if got := first.says(t, "hello"); got != `attached-1 agent "a \"fine\" agent": hello`+"\n" {
		t.Errorf("served as %q", got)
	}
	// Later joins of the program are not asked about, here and elsewhere, whatever it calls itself.
	if got := (<-w.agent(t.Context(), "another name")).says(t, "x"); !strings.HasPrefix(got, "attached-2 ") {
		t.Errorf("the second: %q", got)
	}
	w.close()
	if _, err := first.stream.Read(make([]byte, 1)); err == nil {
		t.Error("the stream outlives the window")
	}
	if got := (<-openWindowIn(t, home, "run", nil, echo).agent(t.Context(), "x")).says(t, "x"); !strings.HasPrefix(got, "attached-1 ") {
		t.Errorf("in another window: %q", got)
	}
}

func TestS7_OnlyAYesLetsAProgramJoin(t *testing.T) {
	t.Parallel()
	for decision, want := range map[string]struct {
		joins, asksAgain, asksElsewhere bool
	}{
		"session": {true, false, true},
		"decline": {false, true, true},
		"never":   {false, false, false},
	} {
		t.Run(decision, func(t *testing.T) {
			t.Parallel()
			home := tempHome(t)
			w := openWindowIn(t, home, "run", nil, echo)
			joining := w.agent(t.Context(), "x")
			w.answer(w.asked().AskID, decision)
			if got := <-joining; (got.err == nil) != want.joins || !want.joins && !hasCode(got.err, rpc.CodeRequestFailed) {
				t.Errorf("joined: %v", got.err)
			}
			expect := func(w *attachedWindow, asks bool) {
				t.Helper()
				joining := w.agent(t.Context(), "x")
				if asks {
					w.answer(w.asked().AskID, "decline")
				}
				if got := <-joining; (got.err == nil) != (want.joins && !asks) {
					t.Errorf("again: %v", got.err)
				}
			}
			expect(w, want.asksAgain)
			w.close()
			expect(openWindowIn(t, home, "run", nil, echo), want.asksElsewhere)
		})
	}
}

func TestS19_ThreeDeclinesAreEnough(t *testing.T) {
	t.Parallel()
	w := openWindowIn(t, tempHome(t), "run", nil, echo)
	for range maxJoinDeclines {
		joining := w.agent(t.Context(), "x")
		w.answer(w.asked().AskID, "decline")
		<-joining
	}
	if got := <-w.agent(t.Context(), "x"); !hasCode(got.err, rpc.CodeRequestFailed) || !strings.Contains(got.err.Error(), "declined 3 times") {
		t.Errorf("%v", got.err)
	}
}

func TestS7_ManyOfOneProgramAreOneQuestionThatGoesWithTheLast(t *testing.T) {
	t.Parallel()
	w := openWindowIn(t, tempHome(t), "run", nil, echo)
	ctx, hangUp := context.WithCancel(t.Context())
	first := w.agent(ctx, "first")
	asked := w.asked()
	second := w.agent(t.Context(), "second")
	w.eventually(func() bool {
		w.session.joins.mu.Lock()
		defer w.session.joins.mu.Unlock()
		one := w.session.joins.open[programAt(os.Getpid())]
		return one != nil && one.waiting == 2
	})
	hangUp()
	if got := <-first; got.err == nil {
		t.Error("joined without an answer")
	}
	w.answer(asked.AskID, "session")
	if got := (<-second).says(t, "x"); !strings.Contains(got, `"second"`) {
		t.Errorf("served as %q", got)
	}
	// Alone, it takes its question with it.
	w = openWindowIn(t, tempHome(t), "run", nil, echo)
	ctx, hangUp = context.WithCancel(t.Context())
	first = w.agent(ctx, "first")
	asked = w.asked()
	hangUp()
	<-first
	for {
		select {
		case change := <-w.told:
			if len(change.Closed) == 1 && change.Closed[0].AskID == asked.AskID && change.Closed[0].How == message.AskWithdrawn {
				return
			}
		case <-time.After(30 * time.Second):
			t.Fatal("the question stays")
		}
	}
}

// TestS6_AnAgentSpeaksMCPAlone has one try every method of the editor's and terminals', while its question is open and after it.
func TestS6_AnAgentSpeaksMCPAlone(t *testing.T) {
	t.Parallel()
	received := make(chan string, 1)
	w := openWindowIn(t, tempHome(t), "run", nil, func(_ context.Context, _ *joinedAgent, stream io.ReadWriteCloser) error {
		all, err := io.ReadAll(stream)
		received <- string(all)
		return err
	})
	d := w.descriptor()
	token, err := os.ReadFile(filepath.Join(w.runtime, d.Window+".token"))
	if err != nil {
		t.Fatal(err)
	}
	conn, ended := w.raw()
	nonce := message.NewAttachNonce()
	answer, err := rpc.Call(t.Context(), conn, rpc.EditorRequest[message.AttachChallengeParams, message.AttachChallengeResult](message.AttachChallenge), message.AttachChallengeParams{Nonce: nonce})
	if err != nil {
		t.Fatal(err)
	}
	joining := make(chan error, 1)
	go func() {
		proof := message.CallerProof(strings.TrimSpace(string(token)), nonce, answer.Nonce, message.AttachAgent, "x")
		_, err := rpc.Call(t.Context(), conn, rpc.EditorRequest[message.AttachParams, message.AttachResult](message.Attach), message.AttachParams{Role: message.AttachAgent, Name: "x", Proof: proof})
		joining <- err
	}()
	asked := w.asked()
	for _, declared := range message.All() {
		if declared.Direction != message.DirectionRequest || declared.Method == message.Attach.Method || declared.Method == message.AttachChallenge.Method {
			continue
		}
		params := `{"askId":"` + string(asked.AskID) + `","answer":{"decision":"allow"}}`
		if _, err := ask(t, conn, declared.Method, params); !hasCode(err, rpc.CodeServerNotInitialized) {
			t.Errorf("%s while it is asked about: %v", declared.Method, err)
		}
	}
	w.answer(asked.AskID, "session")
	if err := <-joining; err != nil {
		t.Fatal(err)
	}
	// A frame is no request any more: it is bytes for whoever speaks MCP.
	if err := rpc.Notify(conn, rpc.Event[jsontext.Value]{Method: message.AskAnswer.Method}, jsontext.Value(`{}`)); err != nil {
		t.Fatal(err)
	}
	if err := conn.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	<-ended
	if got := <-received; !strings.HasPrefix(got, "Content-Length: ") || !strings.Contains(got, message.AskAnswer.Method) {
		t.Errorf("received %q", got)
	}
}

func TestAProgramIsNamedByTheKernel(t *testing.T) {
	t.Parallel()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if p := programAt(os.Getpid()); p.Path != executable || p.Parent == "" {
		t.Errorf("%+v", p)
	}
	if p := programAt(0); p != (admission.Program{}) || isNamed(p) {
		t.Errorf("%+v", p)
	}
}
