//go:build !windows

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
	"pillion/sidecar/core"
)

// noTerminal makes the program begin a session of its own, so that it has no terminal even where the tests have one.
const noTerminal = "PILLION_TEST_NO_TERMINAL"

// quickExit keeps a program that was built with -race from sleeping a second before it exits.
const quickExit = "halt_on_error=1 exitcode=66 atexit_sleep_ms=0"

// TestMain is the program itself under the name pillion, and a fake connector under the name fakestdio.
func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){
		"pillion": func() {
			if os.Getenv(noTerminal) != "" {
				_, _ = syscall.Setsid()
			}
			code := run(os.Args[1:])
			if slices.Equal(os.Args[1:], []string{core.GuardCommand}) {
				syscall.Exit(code) // its environment is not the test's: see quickExit
			}
			os.Exit(code)
		},
		"fakestdio": func() {
			mode := strings.Join(os.Args[1:min(2, len(os.Args))], "")
			os.Exit(mcptest.Run(mode, os.Stdin, os.Stdout, os.Stderr))
		},
		"rogue": func() { os.Exit(rogue()) },
	})
}

// tests makes copies of the programs before it runs the tests: links to one file would be one program to Pillion, and a copy
// that is made while other tests start processes may be busy.
type tests struct{ *testing.M }

func (t tests) Run() int {
	for _, program := range []string{"fakestdio", "rogue"} {
		if err := copyProgram(program); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return t.M.Run()
}

func copyProgram(program string) error {
	path, err := exec.LookPath(program)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	copied := copyOf(path)
	if err := os.MkdirAll(filepath.Dir(copied), 0o700); err != nil {
		return err
	}
	return os.WriteFile(copied, text, 0o700)
}

func copyOf(path string) string {
	return filepath.Join(filepath.Dir(path), "copies", filepath.Base(path))
}

// pathOf is the path of a program of TestMain.
func pathOf(t testing.TB, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	if program == "pillion" {
		return path
	}
	return copyOf(path)
}

// world is a user with a home and a repository of their own.
type world struct {
	t          testing.TB
	home       string
	repository string
	environ    []string
}

func newWorld(t testing.TB) *world {
	t.Helper()
	return newWorldIn(t, "repository")
}

// newWorldIn is a world whose repository has a name of the test's choice.
func newWorldIn(t testing.TB, repository string) *world {
	t.Helper()
	// The path of a socket is short, that of t.TempDir may not be.
	home, err := os.MkdirTemp("", "pt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	w := &world{t: t, home: home, repository: filepath.Join(home, repository)}
	for _, folder := range []string{w.repository, filepath.Join(home, "run"), filepath.Join(home, "tmp")} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.environ = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + filepath.Join(home, "tmp"), "LANG=C.UTF-8", "TERM=xterm",
		"XDG_RUNTIME_DIR=" + filepath.Join(home, "run"),
		"PILLION_CONFIG_DIR=" + filepath.Join(home, "config"), "PILLION_STATE_DIR=" + filepath.Join(home, "state"), "PILLION_CACHE_DIR=" + filepath.Join(home, "cache"),
		"GORACE=" + quickExit,
	}
	return w
}

// with is the same world, whose faults are those of another test.
func (w *world) with(t testing.TB) *world {
	other := *w
	other.t = t
	return &other
}

func (w *world) write(path, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(path string) string {
	w.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

func (w *world) userFile() string    { return filepath.Join(w.home, "config", "mcp.json") }
func (w *world) projectFile() string { return filepath.Join(w.repository, ".mcp.json") }

// entry is the text of one entry, whose program is a copy of the test binary.
func (w *world) entry(name, program string, arguments ...string) string {
	w.t.Helper()
	text, err := json.Marshal(map[string]any{
		"command": pathOf(w.t, program), "args": append([]string{}, arguments...), "env": map[string]string{"GORACE": quickExit},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	key, err := json.Marshal(name)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(key) + ": " + string(text)
}

func file(entries ...string) string {
	return "{\n  \"mcpServers\": {\n    " + strings.Join(entries, ",\n    ") + "\n  }\n}\n"
}

func (w *world) project(entries ...string) { w.t.Helper(); w.write(w.projectFile(), file(entries...)) }
func (w *world) user(entries ...string)    { w.t.Helper(); w.write(w.userFile(), file(entries...)) }

// edit opens the repository in an editor.
func (w *world) edit(asks ...message.AskKind) *editortest.Editor {
	w.t.Helper()
	e := editortest.Start(w.t, editortest.Options{
		Command: []string{pathOf(w.t, "pillion"), "--stdio"}, Environ: w.environ, Roots: []string{w.repository},
		Asks: asks,
	})
	editortest.Request(e, message.Connectors, message.Empty{}) // who looks for the window after an answer finds it
	return e
}

// outcome is what a verb left behind.
type outcome struct {
	stdout, stderr string
	code           int
}

func (o outcome) String() string {
	return fmt.Sprintf("exit code %d\nstdout:\n%s\nstderr:\n%s", o.code, o.stdout, o.stderr)
}

func (w *world) command(arguments ...string) *exec.Cmd {
	w.t.Helper()
	command := exec.Command(pathOf(w.t, "pillion"), arguments...)
	command.Dir, command.Env = w.repository, w.environ
	return command
}

// run runs a verb without a terminal.
func (w *world) run(arguments ...string) outcome {
	w.t.Helper()
	return w.runWith("", arguments...)
}

// runWith runs a verb without a terminal and with something on its standard input.
func (w *world) runWith(stdin string, arguments ...string) outcome {
	w.t.Helper()
	command := w.command(arguments...)
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var out, errors strings.Builder
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), &out, &errors
	err := command.Run()
	if command.ProcessState == nil {
		w.t.Fatal(err)
	}
	w.isOfItsShape(arguments, out.String())
	return outcome{out.String(), errors.String(), command.ProcessState.ExitCode()}
}

// expect runs a verb without a terminal and checks its exit code.
func (w *world) expect(code int, arguments ...string) outcome {
	w.t.Helper()
	o := w.run(arguments...)
	if o.code != code {
		w.t.Fatalf("pillion %s: want exit code %d\n%v", strings.Join(arguments, " "), code, o)
	}
	return o
}

// decode reads what a verb printed as JSON.
func decode[T any](t testing.TB, o outcome) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(o.stdout), &value); err != nil {
		t.Fatalf("standard output is not one JSON value: %v\n%v", err, o)
	}
	return value
}

// eventually waits until something holds that only another process can bring about.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("it did not come about that %s", what)
		}
		<-tick.C
	}
}
