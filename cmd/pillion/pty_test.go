//go:build !windows

package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// patience bounds every wait of a test.
const patience = 30 * time.Second

// session is a verb on a terminal of its own.
type session struct {
	t       testing.TB
	command *exec.Cmd
	device  *os.File
	ended   chan struct{} // everything is read

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when something was read
	shown   strings.Builder
	place   int // what came before it was expected already
}

// onTerminal runs a verb on a terminal; standard output goes elsewhere if out is not nil.
func (w *world) onTerminal(out io.Writer, arguments ...string) *session {
	w.t.Helper()
	return w.start(w.command(arguments...), out)
}

func (w *world) start(command *exec.Cmd, out io.Writer) *session {
	w.t.Helper()
	s := &session{t: w.t, command: command, ended: make(chan struct{}), changed: make(chan struct{})}
	if out != nil {
		command.Stdout = out
	}
	// The terminal is the one at that of the three ends that nothing else takes.
	command.SysProcAttr = &syscall.SysProcAttr{}
	for fd, isTaken := range []bool{command.Stdin != nil, command.Stdout != nil} {
		if isTaken && command.SysProcAttr.Ctty == fd {
			command.SysProcAttr.Ctty = fd + 1
		}
	}
	device, err := pty.StartWithSize(command, &pty.Winsize{Rows: 40, Cols: 200})
	if err != nil {
		w.t.Fatal(err)
	}
	s.device = device
	go s.read()
	w.t.Cleanup(func() {
		_ = command.Process.Kill()
		<-s.ended
		_ = device.Close()
	})
	return s
}

func (s *session) read() {
	defer close(s.ended)
	part := make([]byte, 32<<10)
	for {
		n, err := s.device.Read(part)
		s.mu.Lock()
		s.shown.Write(part[:n])
		close(s.changed)
		s.changed = make(chan struct{})
		s.mu.Unlock()
		if err != nil { // a terminal that nobody holds open reports an I/O error
			return
		}
	}
}

// sees waits until a text is shown after what was seen before.
func (s *session) sees(text string) {
	s.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		s.mu.Lock()
		at := strings.Index(s.shown.String()[s.place:], text)
		if at >= 0 {
			s.place += at + len(text)
		}
		changed := s.changed
		s.mu.Unlock()
		if at >= 0 {
			return
		}
		select {
		case <-changed:
		case <-s.ended:
			s.mu.Lock()
			isThere := strings.Contains(s.shown.String()[s.place:], text)
			s.mu.Unlock()
			if !isThere {
				s.t.Fatalf("the terminal never showed %q:\n%s", text, s.all())
			}
		case <-deadline.C:
			s.t.Fatalf("the terminal does not show %q:\n%s", text, s.all())
		}
	}
}

func (s *session) types(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.device, text); err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

// ends waits for the program and returns its exit code and everything that it showed.
func (s *session) ends() (code int, shown string) {
	s.t.Helper()
	exited := make(chan error, 1)
	go func() { exited <- s.command.Wait() }()
	select {
	case <-exited:
	case <-time.After(patience):
		s.t.Fatalf("the program does not end:\n%s", s.all())
	}
	select {
	case <-s.ended:
	case <-time.After(patience):
		s.t.Fatalf("somebody holds the terminal open:\n%s", s.all())
	}
	return s.command.ProcessState.ExitCode(), s.all()
}

// expects waits for the program and checks its exit code.
func (s *session) expects(code int) string {
	s.t.Helper()
	got, shown := s.ends()
	if got != code {
		s.t.Fatalf("exit code %d, want %d:\n%s", got, code, shown)
	}
	return shown
}

// The prompts that a person waits for.
const (
	yesPrompt    = "Type yes to allow, anything else is no: "
	numberPrompt = "Type a number from 1 to "
)
