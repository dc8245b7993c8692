//go:build unix

package cases

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/rpctest"
)

const (
	// lostBound is within what time a process that has lost its editor ends, and exitBound after exit, with what a busy
	// machine takes on top.
	lostBound = 5*time.Second + busy
	exitBound = 1500*time.Millisecond + busy
	busy      = 4 * time.Second
	// idleCPU is what a process may have spent that had nothing to do but to end.
	idleCPU = time.Second
)

// stream is a Pillion whose standard streams are held one by one.
type stream struct {
	t       *testing.T
	command *exec.Cmd
	in, out *os.File
	err     *os.File
	frames  *bufio.Reader
	waited  chan error
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// stream starts Pillion on pipes.
func (w *world) stream() *stream {
	w.t.Helper()
	command := exec.Command(pillion, "--stdio")
	command.Env, command.Dir = w.environ, string(filepath.Separator)
	s := &stream{t: w.t, command: command, waited: make(chan error, 1)}
	theirIn, in := pipe(w.t)
	out, theirOut := pipe(w.t)
	stderr, theirErr := pipe(w.t)
	command.Stdin, command.Stdout, command.Stderr = theirIn, theirOut, theirErr
	s.in, s.out, s.err, s.frames = in, out, stderr, bufio.NewReader(out)
	if err := command.Start(); err != nil {
		w.t.Fatal(err)
	}
	for _, theirs := range []*os.File{theirIn, theirOut, theirErr} {
		theirs.Close()
	}
	go func() { s.waited <- command.Wait() }()
	w.t.Cleanup(func() {
		_ = command.Process.Kill()
		s.waited <- <-s.waited
	})
	return s
}

// send writes messages.
func (s *stream) send(bodies ...string) {
	s.t.Helper()
	for _, body := range bodies {
		if _, err := s.in.Write(rpctest.Frame([]byte(body))); err != nil {
			s.t.Fatalf("send %s: %v", body, err)
		}
	}
}

// answer reads on to the answer to an id.
func (s *stream) answer(id string) string {
	s.t.Helper()
	for {
		body, err := rpctest.ReadFrame(s.frames)
		if err != nil {
			s.t.Fatalf("the answer to %s did not come: %v", id, err)
		}
		var message struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if err := json.Unmarshal(body, &message); err != nil {
			s.t.Fatalf("%q: %v", body, err)
		}
		if message.Method == "" && string(message.ID) == id {
			return string(body)
		}
	}
}

// ends holds that the process ends within a time, with a code, and has not spun.
func (s *stream) ends(within time.Duration, code int) {
	s.t.Helper()
	select {
	case err := <-s.waited:
		s.waited <- err
	case <-time.After(within):
		s.t.Fatalf("it has not ended within %s", within)
	}
	state := s.command.ProcessState
	if state.ExitCode() != code {
		s.t.Errorf("exit code %d (%s), want %d", state.ExitCode(), state, code)
	}
	if spent := state.UserTime() + state.SystemTime(); spent > idleCPU {
		s.t.Errorf("it took %s of the processor", spent)
	}
}

// beginning initializes with a folder, and perhaps an editor's process.
func (w *world) beginning(processID string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":%s,"rootUri":"file://%s","capabilities":{}}}`, processID, w.repository)
}

const (
	begun   = `{"jsonrpc":"2.0","method":"initialized","params":{}}`
	leave   = `{"jsonrpc":"2.0","method":"exit"}`
	askMode = `{"jsonrpc":"2.0","id":1,"method":"pillion/mode"}`
)

// stubborn are connectors of the user's own that start unasked and end unwillingly.
func (w *world) stubborn() {
	w.user(servers(map[string]entry{
		"polite":  fake("flush=" + w.file("flushed")),
		"deaf":    fake("ignoreeof,pid=" + w.file("pid")),
		"wrapped": fake("wrapper,ignoreeof"),
	}))
}

// started waits until the connectors of stubborn run.
func (s *stream) started(w *world) {
	s.t.Helper()
	eventually(s.t, "the connectors run", func() bool {
		s.send(`{"jsonrpc":"2.0","id":"list","method":"pillion/connectors"}`)
		return strings.Count(s.answer(`"list"`), `"state":"ready"`) == 3
	})
}

func TestC79_InputEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.stubborn()
	s := w.stream()
	s.send(w.beginning("null"), begun)
	s.started(w)
	s.in.Close()
	s.ends(lostBound, 1)
	if said, err := io.ReadAll(s.err); err != nil || len(said) != 0 {
		t.Errorf("stderr: %q, %v", said, err)
	}
	eventually(t, "the polite connector has flushed", func() bool { return exists(w.file("flushed")) })
	if got := string(read(t, w.file("flushed"))); got != "flushed\n" {
		t.Errorf("%q", got)
	}
}

func TestC79_NobodyReadsTheOutput(t *testing.T) {
	t.Parallel()
	for _, isAsked := range []bool{false, true} {
		t.Run(fmt.Sprintf("asked=%t", isAsked), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.stubborn()
			s := w.stream()
			s.send(w.beginning("null"), begun)
			s.started(w)
			s.out.Close()
			if isAsked {
				_, _ = s.in.Write(rpctest.Frame([]byte(askMode)))
			}
			s.ends(lostBound, 1)
		})
	}
}

func TestC79_NobodyReadsStderr(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.stubborn()
	s := w.stream()
	s.err.Close()
	s.send(w.beginning("null"), begun)
	s.started(w)
	s.send(askMode)
	s.answer("1")
	s.send(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`)
	s.answer("2")
	s.send(leave)
	s.ends(exitBound, 0)
	// A stream that cannot be read is said on stderr; nobody hears it, and the code is the same.
	s = w.stream()
	s.err.Close()
	if _, err := s.in.WriteString("nonsense\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	s.ends(lostBound, 2)
}

// The editor is killed while another process holds the pipes open.
func TestC79_ParentIsKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.stubborn()
	theirIn, in := pipe(t)
	out, theirOut := pipe(t)
	report, theirReport := pipe(t)
	parent := exec.Command("/bin/sh", "-c", `"$0" --stdio <&3 >&4 3<&- 4>&- 5>&- & echo $! >&5; exec 5>&-; wait`, pillion)
	parent.Env, parent.ExtraFiles = w.environ, []*os.File{theirIn, theirOut, theirReport}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	theirReport.Close()
	text, err := io.ReadAll(report)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	s := &stream{t: t, in: in, out: out, frames: bufio.NewReader(out)}
	s.send(w.beginning(strconv.Itoa(parent.Process.Pid)), begun)
	s.started(w)
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, s.frames) // to the end of the output
	}()
	select {
	case <-gone:
	case <-time.After(lostBound):
		t.Errorf("process %d goes on without its editor", pid)
		_ = syscall.Kill(pid, syscall.SIGKILL)
		<-gone
	}
}

// A process id that is none of an ancestor, as in a container, says nothing (U20).
func TestC79_ForeignProcessIDIsIgnored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stranger := exec.Command("/bin/sh", "-c", "read x")
	hold, err := stranger.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	for _, processID := range []string{strconv.Itoa(stranger.Process.Pid), "2147483647", "0", "-1"} {
		s := w.stream()
		s.send(w.beginning(processID), begun)
		s.answer("0")
		if processID == strconv.Itoa(stranger.Process.Pid) {
			hold.Close()
			_ = stranger.Wait()
		}
		s.send(askMode)
		s.answer("1")
		s.send(leave)
		s.ends(exitBound, 1)
	}
}

// While the editor does not read, what it wants done is done; what is answered waits for it.
func TestC79_EditorThatDoesNotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", mcptest.ToolsVar+"="+modal, mcptest.LogVar+"="+w.log("mine"))}))
	s := w.stream()
	s.send(w.beginning("null"), begun)
	eventually(t, "the connector runs", func() bool {
		s.send(`{"jsonrpc":"2.0","id":"list","method":"pillion/connectors"}`)
		return strings.Contains(s.answer(`"list"`), `"state":"ready"`)
	})
	const requests = 400 // far more than a pipe holds
	for i := range requests {
		s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"pillion/tools","params":{"detail":"full"}}`, i+10))
	}
	for i := range 20 {
		s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"call-%d","method":"pillion/tool/call","params":{"tool":"mine.look"}}`, i))
	}
	eventually(t, "the connector has every call", func() bool { return len(argumentsOf(t, w.log("mine"))) == 20 })
	answers := map[string]int{}
	for len(answers) < requests+20 {
		body, err := rpctest.ReadFrame(s.frames)
		if err != nil {
			t.Fatal(err)
		}
		var message struct {
			ID     json.RawMessage `json:"id"`
			Result json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal(body, &message); err != nil {
			t.Fatal(err)
		}
		if message.Result != nil {
			answers[string(message.ID)]++
		}
	}
	for id, n := range answers {
		if n != 1 {
			t.Errorf("%s was answered %d times", id, n)
		}
	}
	s.in.Close()
	select {
	case err := <-s.waited:
		s.waited <- err
	case <-time.After(lostBound):
		t.Error("it has not ended")
	}
}

func TestC80_CancelledCallIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", mcptest.LogVar+"="+w.log("mine"))}))
	w.play("cancel", `> {"id":1,"method":"initialize","params":{"capabilities":{"experimental":{"pillion":{"protocol":[1],"asks":["approval"]}}}}}
< {"id":1,"result":"$object"}
> {"method":"initialized","params":{}}
> {"id":"a call","method":"pillion/tool/call","params":{"tool":"mine.a"}}
< {"method":"pillion/asksChanged","params":{"opened":[{"askId":"${ask}"}]}}
> {"method":"$/cancelRequest","params":{"id":"a CALL"}}
> {"method":"$/cancelRequest","params":{"id":1}}
> {"id":2,"method":"pillion/ask/answer","params":{"askId":"${ask}","answer":{}}}
< {"id":2,"result":{"accepted":false}}
> {"method":"$/cancelRequest","params":{"id":"a call"}}
< {"id":"a call","result":{"status":"cancelled","mayHaveRun":false}}
< {"method":"pillion/asksChanged","params":{"closed":[{"askId":"${ask}","how":"withdrawn"}]}}
> {"method":"$/cancelRequest","params":{"id":"a call"}}
> {"id":3,"method":"shutdown"}
< {"id":3,"result":null}
> {"method":"exit"}
= exit 0
`, nil)
	if sent := argumentsOf(t, w.log("mine")); len(sent) != 0 {
		t.Errorf("sent %q", sent)
	}
}

func TestC83_QuitWhileInitializeIsPending(t *testing.T) {
	t.Parallel()
	endings := map[string]func(*stream){
		"closed input":  func(s *stream) { s.in.Close(); s.answer("0"); s.ends(lostBound, 1) },
		"exit":          func(s *stream) { s.send(leave); s.answer("0"); s.ends(exitBound, 1) },
		"SIGTERM":       func(s *stream) { s.answer("0"); s.signal(syscall.SIGTERM); s.ends(lostBound, 1) },
		"SIGHUP":        func(s *stream) { s.answer("0"); s.signal(syscall.SIGHUP); s.ends(lostBound, 1) },
		"closed output": func(s *stream) { s.answer("0"); s.out.Close(); s.ends(lostBound, 1) },
		"cancelled": func(s *stream) {
			s.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":0}}`)
			s.answer("0") // -32800 or a result; it lives on either way
			s.send(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`)
			s.answer("2")
			s.send(leave)
			s.ends(exitBound, 0)
		},
	}
	for name, end := range endings {
		for _, isInitialized := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s initialized=%t", name, isInitialized), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.user(servers(map[string]entry{
					"mute": fake("mute,ignoreeof"), "slow": fake("slowstart=1s"), "dying": fake("failfirst=99:" + w.file("lives")),
					"wrapped": fake("wrapper,slowstart=1s,ignoreeof"),
				}))
				s := w.stream()
				s.send(w.beginning(strconv.Itoa(os.Getpid())))
				if isInitialized {
					s.send(begun)
				}
				end(s)
			})
		}
	}
}

func (s *stream) signal(signal os.Signal) {
	s.t.Helper()
	if err := s.command.Process.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
}

// The editor's handshake waits for no connector, whatever they do.
func TestC83_InitializeIsAnsweredFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"late": fake("slowstart=1h"), "mute": fake("mute"), "quick": fake("touch=" + w.file("started"))}))
	e := w.edit(func(o *editortest.Options) { o.IsSilent = true })
	e.Initialize()
	if exists(w.file("started")) {
		t.Error("a connector was started before the editor said that it is initialized")
	}
	editortest.Notify(e, initialized, struct{}{})
	e.Connector("quick", "ready")
	for _, name := range []string{"late", "mute"} {
		e.Connector(name, "starting")
	}
}
