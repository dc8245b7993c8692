//go:build linux || darwin

package process

import (
	"bufio"
	"io"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sidecar is a test binary in the mode of one, as the tests see it.
type sidecar struct {
	cmd   *exec.Cmd
	in    io.Writer
	out   *bufio.Reader
	guard identity
	ids   []identity // of everything it started
}

// startSidecar starts a sidecar that starts these modes.
func startSidecar(t *testing.T, mode, starts string, env ...string) *sidecar {
	t.Helper()
	s := &sidecar{cmd: exec.Command(self(t))}
	s.cmd.Env = append(s.cmd.Environ(), append(env, modeVar+"="+mode, "STARTS="+starts, quickExit)...)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err1 := s.cmd.StdinPipe()
	out, err2 := s.cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.in, s.out = in, bufio.NewReader(out)
	t.Cleanup(func() {
		s.kill()
		for _, id := range s.ids {
			_ = send(id, syscall.SIGKILL)
		}
		expectGone(t, append(s.ids, s.guard)...)
	})
	s.guard = identify(t, s.readGuard(t))
	s.ids = readIDs(t, s.out)
	return s
}

func (s *sidecar) readGuard(t *testing.T) int {
	t.Helper()
	line, err := s.out.ReadString('\n')
	pid, isNumber := strings.CutPrefix(strings.TrimSpace(line), "guard ")
	id, err2 := strconv.Atoi(pid)
	if err != nil || !isNumber || err2 != nil {
		t.Fatalf("no guard: %q, %v", line, err)
	}
	return id
}

func (s *sidecar) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func TestC20_NothingOutlivesAKilledSidecar(t *testing.T) {
	t.Parallel()
	kinds := []struct {
		start     string
		processes int
	}{
		{"echo", 1}, // heeds the end of its input
		{"stubborn", 2},
		{`sh:"$SELF" & wait`, 2},
		{`sh:setsid "$SELF" & wait`, 2},
		{`sh:"$SELF" &`, 2}, // a wrapper that has gone
		{"leave-stray", 2},  // in another session, without a parent
		{"strays", 5},
		{"browser", 2},
	}
	var starts []string
	processes := 0
	for _, kind := range kinds {
		starts = append(starts, kind.start)
		processes += kind.processes
	}
	s := startSidecar(t, "sidecar", strings.Join(starts, ","))
	if len(s.ids) != processes {
		t.Fatalf("started %d processes, want %d", len(s.ids), processes)
	}
	s.kill()
	expectGone(t, s.ids...)
	expectGone(t, s.guard) // ends by itself
}

// A start that is under way when the guard is let go comes through afterwards (C83).
func TestC20_WhatWasAboutToStartDoesNotOutliveEither(t *testing.T) {
	t.Parallel()
	guard, err := guardOf()
	if err != nil {
		t.Fatal(err)
	}
	spec := specFor("stubborn", t.TempDir())
	if _, err := guard.register(spec.Marker); err != nil {
		t.Fatal(err)
	}
	if err := guard.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-guard.ended:
		t.Fatal("the guard has gone before the program could come")
	case <-time.After(300 * time.Millisecond):
	}
	cmd := exec.Command(spec.Path, spec.Args...)
	cmd.Env, cmd.SysProcAttr = spec.environment(), &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	id := identify(t, cmd.Process.Pid)
	t.Cleanup(func() { _ = send(id, syscall.SIGKILL) })
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	within(t, "the end of the program", ended)
	within(t, "the end of the guard", guard.ended)
}

func TestC20_GuardLetsThemCleanUp(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "note")
	s := startSidecar(t, "sidecar", "flush,browser,heed-term", "NOTE="+path)
	s.kill()
	expectGone(t, s.ids...)
	got := noted(path)
	for _, word := range []string{"flushed\n", "cleaned\n", "terminated\n"} {
		if strings.Count(got, word) != 1 {
			t.Errorf("noted %q, want %q once", got, word)
		}
	}
}

// What ends the sidecar, Ctrl-C in its terminal for example, does not end the guard.
func TestC20_GuardSurvivesSignalsToTheSidecar(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, "sidecar", "stubborn")
	if e, _ := lookup(s.guard.pid); e.session != s.guard.pid {
		t.Errorf("the guard is in session %d", e.session)
	}
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTERM} {
		eventually(t, "the guard's readiness", func() bool { return ignores(s.guard.pid, signal) })
		if err := send(s.guard, signal); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Kill(-s.cmd.Process.Pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait()
	expectGone(t, s.ids...)
	expectGone(t, s.guard)
}

func TestGuard_HoldsNoneOfTheSidecarsStreams(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, "sidecar", "stubborn")
	s.kill() // Wait returns only once every copy of the writing end is closed
	if _, err := io.Copy(io.Discard, s.out); err != nil && !strings.Contains(err.Error(), "closed") {
		t.Error(err)
	}
}

func TestC20_OtherWindowsAreLeftAlone(t *testing.T) {
	t.Parallel()
	// The same connector, and a program that looks like it but for the marker.
	dies, lives := startSidecar(t, "sidecar", "strays"), startSidecar(t, "sidecar", "strays")
	dies.kill()
	expectGone(t, append(dies.ids, dies.guard)...)
	for _, id := range append(lives.ids, lives.guard) {
		if !id.lives() {
			t.Errorf("process %d of the other window has gone", id.pid)
		}
	}
}

func TestGuard_ForgetsWhatIsReleased(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, "released", "")
	s.kill()
	expectGone(t, s.guard)
	if !s.ids[0].lives() {
		t.Error("it killed what had been released")
	}
}

func TestGuard_IsReplaced(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, "sidecar", "strays")
	for range 2 {
		old := s.guard
		if err := send(old, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		eventually(t, "another guard", func() bool {
			if _, err := io.WriteString(s.in, "guard?\n"); err != nil {
				t.Fatal(err)
			}
			e, ok := lookup(s.readGuard(t)) // which may still be the old one
			s.guard = e.identity
			return ok && !e.ended && e.identity != old
		})
	}
	for _, id := range s.ids {
		if !id.lives() {
			t.Errorf("process %d has gone with the guard", id.pid)
		}
	}
	s.kill()
	expectGone(t, s.ids...)
}

// One that does not read is ended before its pipe is: when it went on it would take the end for the sidecar's.
func TestGuard_StuckOneIsReplaced(t *testing.T) {
	t.Parallel()
	guard, err := guardOf()
	if err != nil {
		t.Fatal(err)
	}
	p, err := Start(specFor("stubborn", "/"), guard)
	if err != nil {
		t.Fatal(err)
	}
	readIDs(t, bufio.NewReader(p.Stdout))
	stuck := identify(t, guard.cmd.Process.Pid)
	if err := send(stuck, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for stuck.lives() {
		ticket, err := guard.register(NewMarker("x"))
		if err != nil {
			t.Fatal(err)
		}
		guard.release(ticket)
	}
	guard.mu.Lock()
	kept := len(guard.kept)
	guard.mu.Unlock()
	if !p.child.tree.leader.lives() || kept != 1 {
		t.Errorf("lives: %v, kept: %d", p.child.tree.leader.lives(), kept)
	}
	if err := guard.Close(); err != nil {
		t.Error(err)
	}
	within(t, "its end by the new guard", p.Gone())
	within(t, "the guard's end", guard.ended)
}

func TestGuard_CloseWaitsForItsEnd(t *testing.T) {
	t.Parallel()
	guard, err := guardOf()
	if err != nil {
		t.Fatal(err)
	}
	id := identify(t, guard.cmd.Process.Pid)
	p, err := Start(specFor("echo", "/"), guard)
	if err != nil {
		t.Fatal(err)
	}
	p.Stop(t.Context(), patient)
	if err := guard.Close(); err != nil {
		t.Error(err)
	}
	if id.lives() {
		t.Error("it lives")
	}
	if err := guard.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	if p, err := Start(specFor("echo", "/"), guard); err == nil {
		p.Kill()
		t.Error("started something without a guard")
	}
}

// At the end of the sidecar's patience what still runs is the guard's.
func TestGuard_CloseLeavesStragglersToIt(t *testing.T) {
	t.Parallel()
	guard, err := guardOf()
	if err != nil {
		t.Fatal(err)
	}
	p, err := Start(specFor("stubborn", "/"), guard)
	if err != nil {
		t.Fatal(err)
	}
	if err := guard.Close(); err != nil {
		t.Error(err)
	}
	within(t, "its end by the guard", p.Gone())
	if _, signal := p.ExitCode(); signal != "SIGKILL" {
		t.Errorf("ended by %q", signal)
	}
	within(t, "the guard's end", guard.ended)
}

func TestStartGuard_MissingExecutable(t *testing.T) {
	t.Parallel()
	guard, err := StartGuard("/no/such/program", nil, nil, slog.New(slog.DiscardHandler))
	if err == nil {
		t.Fatal(guard.Close())
	}
	if !strings.Contains(err.Error(), "/no/such/program") {
		t.Error(err)
	}
}

func TestGuard_GivesUpReplacing(t *testing.T) {
	t.Parallel()
	// A program that ends at once is no guard.
	guard, err := StartGuard("/bin/true", nil, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "an end of the attempts", func() bool {
		_, err := guard.register(NewMarker("x"))
		return err != nil
	})
	if err := guard.Close(); err != nil {
		t.Error(err)
	}
}
