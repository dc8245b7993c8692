//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A terminal shows one program to the test as a person sees it, and types. It is a tmux server of its own.
// Its methods end the test when they cannot do their work; a failed test prints the last screen.
type terminal struct {
	t      testing.TB
	s      *sandbox
	socket string
}

// openTerminal runs a program in the repository on a screen of 140 by 45. The program is gone when the test ends.
func openTerminal(t testing.TB, s *sandbox, program string, args ...string) *terminal {
	t.Helper()
	w := &terminal{t: t, s: s, socket: filepath.Join(s.runtime, "tmux")}
	settings := filepath.Join(s.runtime, "tmux.conf")
	// A program that ended leaves its last words to be read; Escape is a key, not the beginning of one.
	text := "set -g remain-on-exit on\nset -s escape-time 0\nset -g status off\nset -g default-terminal tmux-256color\n"
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w.tmux(append([]string{"-f", settings, "new-session", "-d", "-x", "140", "-y", "45", "-c", s.repository, program}, args...)...)
	t.Cleanup(w.close)
	return w
}

// close ends the program and its screen. It may be called again.
func (w *terminal) close() {
	if _, err := os.Stat(w.socket); err != nil {
		return
	}
	if w.t.Failed() {
		w.t.Logf("last screen:\n%s", w.screen())
	}
	w.tmux("kill-server")
	if !await(func() bool { return runs(w.socket) == nil }) {
		w.t.Errorf("left running: %q", runs(w.socket))
	}
	_ = os.Remove(w.socket)
}

func (w *terminal) tmux(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", w.socket}, args...)...)
	cmd.Env = w.s.environment()
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// screen is the text on the screen now.
func (w *terminal) screen() string {
	w.t.Helper()
	return strings.TrimRight(w.tmux("capture-pane", "-p"), "\n")
}

// waitFor waits until the screen shows text, and answers that screen.
func (w *terminal) waitFor(text string) string {
	w.t.Helper()
	var screen string
	if !await(func() bool { screen = w.screen(); return strings.Contains(screen, text) }) {
		w.t.Fatalf("the screen never showed %q", text)
	}
	return screen
}

// typeText types as a person does, letter by letter; press presses keys by tmux's names for them: Enter, Escape, C-c.
func (w *terminal) typeText(text string) { w.t.Helper(); w.tmux("send-keys", "-l", text) }

func (w *terminal) press(keys ...string) {
	w.t.Helper()
	w.tmux(append([]string{"send-keys"}, keys...)...)
}

// waitForEnd waits until the program has ended by itself.
func (w *terminal) waitForEnd() {
	w.t.Helper()
	if !await(func() bool { return strings.TrimSpace(w.tmux("display-message", "-p", "#{pane_dead}")) == "1" }) {
		w.t.Fatal("the program did not end")
	}
}

// keep saves the screen for people to look at, where PILLION_E2E_SCREENS names a folder.
func (w *terminal) keep(name string) {
	w.t.Helper()
	folder := os.Getenv("PILLION_E2E_SCREENS")
	if folder == "" {
		return
	}
	file := filepath.Join(folder, strings.ReplaceAll(w.t.Name(), "/", "-")+"-"+name+".txt")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(w.screen()+"\n"), 0o600); err != nil {
		w.t.Fatal(err)
	}
}
