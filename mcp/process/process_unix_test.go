//go:build linux || darwin

package process

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func isNonBlocking(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_NONBLOCK != 0
}

// quick is a Timing for programs that are known to ignore the polite steps.
var quick = Timing{EOF: 50 * time.Millisecond, Term: 50 * time.Millisecond}

// patient is a Timing whose steps are never reached by programs that heed them.
var patient = Timing{EOF: bound, Term: bound}

// run starts a program that is certainly gone after the test.
func run(t *testing.T, spec Spec) *Process {
	t.Helper()
	p, err := Start(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		within(t, "the end of "+spec.Path, p.Gone())
	})
	return p
}

// noted is what programs wrote into the file named by NOTE.
func noted(path string) string {
	text, _ := os.ReadFile(path)
	return string(text)
}

// identify is the process's identity, to look for later.
func identify(t *testing.T, pid int) identity {
	t.Helper()
	e, ok := lookup(pid)
	if !ok {
		t.Fatalf("no process %d", pid)
	}
	return e.identity
}

// readIDs reads "pid" lines until "ready".
func readIDs(t *testing.T, r *bufio.Reader) []identity {
	t.Helper()
	var ids []identity
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("before it was ready: %v", err)
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if pid, err := strconv.Atoi(rest); err == nil && (word == "pid" || word == "ready") {
			ids = append(ids, identify(t, pid))
		}
		if word == "ready" {
			return ids
		}
	}
}

func expectGone(t *testing.T, ids ...identity) {
	t.Helper()
	for _, id := range ids {
		eventually(t, "the end of process "+strconv.Itoa(id.pid), func() bool { return !id.lives() })
	}
}

// expectNoneMarked looks for processes that carry the marker of a Process that is gone.
func expectNoneMarked(t *testing.T, marker string) {
	t.Helper()
	all, err := entries()
	if err != nil {
		t.Fatal(err)
	}
	if left := (target{marker: marker}).members(all, environ); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestStart_StreamsAndExit(t *testing.T) {
	t.Parallel()
	p := run(t, specFor("echo", t.TempDir()))
	out := bufio.NewReader(p.Stdout)
	if line, err := out.ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	if _, err := io.WriteString(p.Stdin, "hello\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := out.ReadString('\n'); line != "hello\n" {
		t.Fatal(line, err)
	}
	if err := p.Stdin.Close(); err != nil {
		t.Fatal(err)
	}
	within(t, "its exit", p.Exited())
	if code, signal := p.ExitCode(); code != 0 || signal != "" {
		t.Errorf("exit %d %q", code, signal)
	}
	if rest, err := io.ReadAll(out); len(rest) > 0 || err != nil {
		t.Errorf("then %q, %v", rest, err)
	}
	if text, err := io.ReadAll(p.Stderr); !strings.HasPrefix(string(text), "done\n") || err != nil {
		t.Errorf("stderr: %q, %v", text, err)
	}
	if _, err := p.Stdin.Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("write to a closed stdin: %v", err)
	}
	if err := p.Stdin.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

func TestStart_ExitCodes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		script string
		code   int
		signal string
	}{
		{"exit 0", 0, ""},
		{"exit 127", 127, ""},
		{"kill -9 $$", -1, "SIGKILL"},
		{"kill -15 $$", -1, "SIGTERM"},
		{"ulimit -c 0; kill -11 $$", -1, "SIGSEGV"},
	} {
		t.Run(test.script, func(t *testing.T) {
			t.Parallel()
			spec := specFor("", t.TempDir())
			spec.Path, spec.Args = "/bin/sh", []string{"-c", test.script}
			p := run(t, spec)
			within(t, "its exit", p.Exited())
			if code, signal := p.ExitCode(); code != test.code || signal != test.signal {
				t.Errorf("got %d %q, want %d %q", code, signal, test.code, test.signal)
			}
			within(t, "its end", p.Gone())
			if e, ok := lookup(p.PID()); ok && e.parent == os.Getpid() {
				t.Errorf("not reaped: %+v", e)
			}
		})
	}
}

func TestStart_Refuses(t *testing.T) {
	t.Parallel()
	good := func() Spec { return specFor("echo", "/") }
	for name, spoil := range map[string]func(*Spec){
		"relative program":  func(s *Spec) { s.Path = "echo" },
		"relative folder":   func(s *Spec) { s.Dir = "." },
		"no marker":         func(s *Spec) { s.Marker = "" },
		"two-line marker":   func(s *Spec) { s.Marker = "1-x/a\nrelease 1" },
		"NUL in argument":   func(s *Spec) { s.Args = []string{"a\x00b"} },
		"NUL in variable":   func(s *Spec) { s.Env = append(s.Env, "A=\x00") },
		"no such program":   func(s *Spec) { s.Path = "/no/such/program" },
		"folder as program": func(s *Spec) { s.Path = "/" },
		"no such folder":    func(s *Spec) { s.Dir = "/no/such/folder" },
	} {
		spec := good()
		spoil(&spec)
		p, err := Start(spec, nil)
		if err == nil {
			p.Kill()
			t.Errorf("%s: started", name)
			continue
		}
		if want := "start " + strconv.Quote(spec.Path) + ": "; !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s…", name, err, want)
		}
	}
}

func TestStart_SaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	script := filepath.Join(folder, "script")
	if err := os.WriteFile(script, []byte("#!/no/such/interpreter\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ path, dir, want string }{
		{"/no/such/program", folder, `start "/no/such/program": no such file or directory`},
		{"/bin/sh", "/no/such/folder", `start "/bin/sh": the folder "/no/such/folder" to start it in: no such file or directory`},
		{"/bin/sh", script, `start "/bin/sh": the folder "` + script + `" to start it in: not a directory`},
		{script, folder, `start "` + script + `": its interpreter, named in its first line: no such file or directory`},
	} {
		spec := specFor("", test.dir)
		spec.Path = test.path
		if p, err := Start(spec, nil); err == nil {
			p.Kill()
			t.Errorf("%s: started", test.path)
		} else if err.Error() != test.want {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
}

func TestStartedAt(t *testing.T) {
	t.Parallel()
	before := time.Now()
	p := run(t, specFor("echo", "/"))
	if at := p.StartedAt(); at.Before(before) || at.After(time.Now()) {
		t.Errorf("started at %v", at)
	}
}

// Where the system cannot tell of an exit without reaping, the exit still has to arrive.
func TestAwaitReaped(t *testing.T) {
	t.Parallel()
	pipes, err := openPipes()
	if err != nil {
		t.Fatal(err)
	}
	defer pipes.closeOurs()
	defer pipes.closeTheirs()
	for script, want := range map[string]string{"exit 3": "3 ", "kill -9 $$": "-1 SIGKILL"} {
		spec := specFor("", "/")
		spec.Path, spec.Args = "/bin/sh", []string{"-c", script}
		c, err := spawn(spec, pipes.theirs)
		if err != nil {
			t.Fatal(err)
		}
		code, signal := c.awaitReaped()
		if got := strconv.Itoa(code) + " " + signal; got != want {
			t.Errorf("%s: %q", script, got)
		}
	}
}

// The reason is there for errors.Is: the program may have gone between the look-up and the start.
func TestStart_MissingProgramIsNotExist(t *testing.T) {
	t.Parallel()
	spec := specFor("echo", "/")
	spec.Path = "/no/such/program"
	if _, err := Start(spec, nil); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestC13_ChildSeesTheAllowListAndItsMarkerAlone(t *testing.T) {
	t.Parallel()
	base := []string{"OPENAI_API_KEY=leak", "HTTP_PROXY=http://p", "PATH=/usr/bin:/bin", "HOME=/home/me", MarkerVar + "=1-other/x"}
	spec := specFor("environment", t.TempDir())
	spec.Env = Environment(base, nil, map[string]string{"TOKEN": "given", modeVar: "environment"})
	p := run(t, spec)
	var got []string
	if err := json.NewDecoder(p.Stdout).Decode(&got); err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	want := []string{"HOME=/home/me", "HTTP_PROXY=http://p", "PATH=/usr/bin:/bin", MarkerVar + "=" + spec.Marker, modeVar + "=environment", "TOKEN=given"}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestStart_ChildStreamsBlock(t *testing.T) {
	t.Parallel()
	p := run(t, specFor("descriptor-mode", t.TempDir()))
	out, err := io.ReadAll(p.Stdout)
	if want := "0 false\n1 false\n2 false\n"; err != nil || string(out) != want {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestC18_WrapperEndsWithItsServer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, script string }{
		{"waits", `"$SELF" & wait`},
		{"waits with job control", `set -m; "$SELF" & wait`},
		{"runs", `"$SELF"; exit 0`},
		{"hides the server in a session", `setsid "$SELF" & wait`},
		{"ends at once", `"$SELF" &`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			spec := specFor("stubborn", t.TempDir())
			spec.Env = append(spec.Env, "SELF="+spec.Path)
			spec.Path, spec.Args = "/bin/sh", []string{"-c", test.script}
			p := run(t, spec)
			ids := append(readIDs(t, bufio.NewReader(p.Stdout)), p.child.tree.leader)
			p.Stop(t.Context(), quick)
			expectGoneNow(t, ids...)
			expectNoneMarked(t, spec.Marker)
		})
	}
}

// expectGoneNow is for after Stop, which returns when nothing is left.
func expectGoneNow(t *testing.T, ids ...identity) {
	t.Helper()
	for _, id := range ids {
		if id.lives() {
			t.Errorf("process %d still lives", id.pid)
		}
	}
}

func TestC18_NoDescendantEscapes(t *testing.T) {
	t.Parallel()
	spec := specFor("strays", t.TempDir())
	p := run(t, spec)
	ids := append(readIDs(t, bufio.NewReader(p.Stdout)), p.child.tree.leader)
	if len(ids) != 5 {
		t.Fatalf("%d processes", len(ids))
	}
	p.Stop(t.Context(), quick)
	expectGoneNow(t, ids...)
	expectNoneMarked(t, spec.Marker)
}

func TestC18_StopRightAfterStart(t *testing.T) {
	t.Parallel()
	for range 20 {
		spec := specFor("stubborn", "/")
		p, err := Start(spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		p.Stop(t.Context(), Timing{EOF: time.Nanosecond, Term: time.Nanosecond})
		within(t, "its end", p.Gone())
		expectNoneMarked(t, spec.Marker)
	}
}

func TestC19_OrderOfStopping(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mode   string
		timing Timing
		note   string
		signal string
	}{
		{"flush", patient, "flushed\n", ""},
		{"heed-term", Timing{EOF: 50 * time.Millisecond, Term: bound}, "terminated\n", ""},
		{"stubborn", quick, "", "SIGKILL"},
	} {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "note")
			p := run(t, specFor(test.mode, "/", "NOTE="+path))
			readIDs(t, bufio.NewReader(p.Stdout))
			p.Stop(t.Context(), test.timing)
			within(t, "its exit", p.Exited())
			if _, signal := p.ExitCode(); signal != test.signal {
				t.Errorf("ended by %q, want %q", signal, test.signal)
			}
			if got := noted(path); got != test.note {
				t.Errorf("noted %q, want %q", got, test.note)
			}
		})
	}
}

// A second SIGTERM tells many programs to give up cleaning up.
func TestC19_OneSIGTERM(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "note")
	spec := specFor("", "/", "NOTE="+path)
	spec.Path = "/bin/sh"
	spec.Args = []string{"-c", `trap 'echo term >>"$NOTE"; n=x$n' TERM; echo ready; while [ "$n" != xx ]; do sleep 0.05; done`}
	p := run(t, spec)
	readIDs(t, bufio.NewReader(p.Stdout))
	p.Stop(t.Context(), Timing{EOF: time.Millisecond, Term: 300 * time.Millisecond})
	if got := noted(path); got != "term\n" {
		t.Errorf("noted %q", got)
	}
}

func TestC19_ManyAtOnce(t *testing.T) {
	t.Parallel()
	const many = 10
	timing := Timing{EOF: 500 * time.Millisecond, Term: 500 * time.Millisecond}
	var all []*Process
	for range many {
		p := run(t, specFor("stubborn", "/"))
		readIDs(t, bufio.NewReader(p.Stdout))
		all = append(all, p)
	}
	begin := time.Now()
	var stops sync.WaitGroup
	for _, p := range all {
		stops.Go(func() { p.Stop(t.Context(), timing) })
	}
	stops.Wait()
	// One after another they would take ten times the two steps.
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	for _, p := range all {
		if _, signal := p.ExitCode(); signal != "SIGKILL" {
			t.Errorf("ended by %q", signal)
		}
	}
}

func TestStop_FromManyGoroutinesAndAgain(t *testing.T) {
	t.Parallel()
	p := run(t, specFor("echo", "/"))
	var stops sync.WaitGroup
	for range 8 {
		stops.Go(func() { p.Stop(t.Context(), patient) })
	}
	stops.Go(p.Kill)
	stops.Wait()
	p.Stop(t.Context(), Timing{})
	p.Kill()
	within(t, "its end", p.Gone())
}

func TestStop_GoesOnWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	p := run(t, specFor("stubborn", "/"))
	readIDs(t, bufio.NewReader(p.Stdout))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.Stop(ctx, quick)
	within(t, "its end without anybody waiting", p.Gone())
	if _, signal := p.ExitCode(); signal != "SIGKILL" {
		t.Errorf("ended by %q", signal)
	}
}

func TestKill_CutsAStopShort(t *testing.T) {
	t.Parallel()
	p := run(t, specFor("stubborn", "/"))
	readIDs(t, bufio.NewReader(p.Stdout))
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		p.Stop(context.Background(), patient)
	}()
	p.Kill()
	within(t, "the end of Stop", stopped)
}

// The child never reads: a write of more than a pipe holds blocks.
func TestStop_FreesABlockedWrite(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*Process){
		"Stop":  func(p *Process) { p.Stop(context.Background(), quick) },
		"Kill":  func(p *Process) { p.Kill() },
		"Close": func(p *Process) { _ = p.Stdin.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := run(t, specFor("deaf", "/"))
			readIDs(t, bufio.NewReader(p.Stdout))
			written := make(chan error, 1)
			go func() {
				_, err := p.Stdin.Write(make([]byte, 4<<20))
				written <- err
			}()
			end(p)
			if err := within(t, "the end of the write", written); err == nil {
				t.Error("4 MiB went into a pipe that nobody reads")
			}
		})
	}
}

// A writer that nobody reads from is no reason to wait either.
func TestStop_FullOutput(t *testing.T) {
	t.Parallel()
	p := run(t, specFor("chatty", "/"))
	if _, err := io.ReadFull(p.Stdout, make([]byte, 4096)); err != nil {
		t.Fatal(err)
	}
	p.Stop(t.Context(), quick)
	within(t, "its end", p.Gone())
	rest, err := io.Copy(io.Discard, p.Stdout)
	if err != nil || rest == 0 {
		t.Errorf("what lay in the pipe: %d bytes, %v", rest, err)
	}
}

// The leader has gone, a process in another session holds the output.
func TestStdout_EndsWithTheTree(t *testing.T) {
	t.Parallel()
	spec := specFor("leave-stray", "/")
	p := run(t, spec)
	out, err := io.ReadAll(p.Stdout)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "its end", p.Gone())
	if text := string(out); !strings.Contains(text, "ready ") {
		t.Errorf("read %q", text)
	}
	expectNoneMarked(t, spec.Marker)
}

// What left the tree altogether, without a marker and without a parent, is out of reach; it must not hold up readers.
func TestStdout_EndsThoughAnEscapeHoldsIt(t *testing.T) {
	t.Parallel()
	spec := specFor("", "/")
	spec.Path, spec.Args = "/bin/sh", []string{"-c", `env -i ` + modeVar + `=stubborn setsid "$SELF" & while ! read line; do :; done`}
	executable := self(t)
	spec.Env = append(spec.Env, "SELF="+executable)
	p := run(t, spec)
	out := bufio.NewReader(p.Stdout)
	ids := readIDs(t, out)
	t.Cleanup(func() { _ = send(ids[0], syscall.SIGKILL) })
	// While its parent lives it is a descendant and would be found.
	if err := syscall.Kill(p.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(out); err != nil {
		t.Errorf("%q, %v", rest, err)
	}
	within(t, "its end", p.Gone())
	if !ids[0].lives() {
		t.Error("it did not escape, so this shows nothing")
	}
}

func TestC21_HelperInItsOwnSession(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "note")
	spec := specFor("browser", "/", "NOTE="+path)
	p := run(t, spec)
	ids := readIDs(t, bufio.NewReader(p.Stdout))
	p.Stop(t.Context(), patient)
	if got := noted(path); got != "cleaned\n" {
		t.Errorf("the grace was too short for its own clean-up: noted %q", got)
	}
	expectGoneNow(t, ids...)
	expectNoneMarked(t, spec.Marker)
}

// The leader's id, and with it the group's, stays taken until nothing of the group is left.
func TestExit_LeaderIsHeldUntilTheTreeHasGone(t *testing.T) {
	t.Parallel()
	spec := specFor("stubborn", "/")
	spec.Env = append(spec.Env, "SELF="+spec.Path)
	spec.Path, spec.Args = "/bin/sh", []string{"-c", `"$SELF" & exit 0`}
	p := run(t, spec)
	ids := readIDs(t, bufio.NewReader(p.Stdout))
	within(t, "the leader's exit", p.Exited())
	if e, ok := lookup(p.PID()); ids[0].lives() && (!ok || !e.ended) {
		t.Errorf("the leader was reaped while %v lived", ids)
	}
	p.Kill()
	within(t, "the tree's end", p.Gone())
	expectGoneNow(t, ids...)
}
