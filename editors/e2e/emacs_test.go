//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// emacsen runs a test in every Emacs of the beds: the oldest with eglot 1.9, and one that holds eglot itself.
func emacsen(t *testing.T, test func(t *testing.T, program string)) {
	for _, bed := range []string{"emacs-floor", "emacs-newest"} {
		t.Run(bed, func(t *testing.T) {
			program := filepath.Join(cache(t), bed, "emacs")
			if _, err := os.Stat(program); err != nil {
				t.Fatalf("%v (beds/install.sh %s installs it)", err, bed)
			}
			test(t, program)
		})
	}
}

// An emacs is a running one on a terminal, with eglot and the README's lines alone.
type emacs struct{ *terminal }

// startEmacs opens a file in it.
func startEmacs(t testing.TB, s *sandbox, program, file string) *emacs {
	t.Helper()
	var paths []string
	for _, path := range []string{filepath.Join("testdata", "emacs", "prelude.el"), filepath.Join("..", "emacs", "pillion.el")} {
		absolute, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, absolute)
	}
	e := &emacs{openTerminal(t, s, program, "-nw", "-Q", "-l", paths[0], "-l", paths[1], file)}
	e.waitFor("[eglot:shop]")
	return e
}

// command runs a command by its name.
func (e *emacs) command(name string) {
	e.t.Helper()
	e.press("M-x")
	e.waitFor("M-x")
	e.typeText(name)
	e.press("Enter")
}

// answer waits for a question of the minibuffer and gives an answer in the place of the one that stands there.
func (e *emacs) answer(question, answer string) {
	e.t.Helper()
	e.waitFor(question)
	e.press("C-a", "C-k")
	e.typeText(answer)
	e.press("Enter")
}

// review asks for the question about the connector that waits, from its line.
func (e *emacs) review() {
	e.t.Helper()
	if !await(func() bool { return strings.Contains(e.screen(), "Flymake[0 0 1]") }) {
		e.t.Fatal("no note is counted")
	}
	e.press("M-<", "Down", "Down", "End", "M-b") // onto the name
	e.waitFor("needs permission")
	e.keep("1-needs-permission")
	e.command("eglot-code-actions")
	e.waitFor("Pick an action (default Review and allow")
	e.keep("2-code-actions")
	e.press("Enter")
	e.waitFor("Choose an option: Not now")
	e.keep("3-consent")
}

// hover reads what stands at the cursor of .mcp.json once it says what is wanted there.
func (e *emacs) hover(want string) {
	e.t.Helper()
	e.press("C-x", "b")
	e.waitFor("Switch to buffer")
	e.typeText(".mcp.json")
	e.press("Enter", "Left") // a move asks anew
	e.waitFor(want)
	e.command("eldoc-doc-buffer")
}

// quit ends the editor as a person does.
func (e *emacs) quit() {
	e.t.Helper()
	e.press("C-x", "C-c")
	if await(func() bool {
		screen := e.screen()
		if strings.Contains(screen, "(yes or no)") {
			e.typeText("yes")
			e.press("Enter")
		}
		return !strings.Contains(screen, "[eglot")
	}) {
		e.waitForEnd()
	}
}

// The main job in Emacs with eglot: from a repository that was opened to a result that was read.
func TestEmacsJourney(t *testing.T) {
	emacsen(t, func(t *testing.T, program string) {
		s := newSandbox(t, pillion(t))
		e := openInEmacs(t, s, program)
		if running := runs("server-everything"); running != nil {
			t.Fatalf("opening the repository started %q", running)
		}
		e.review()
		e.waitFor("It starts: mcp-server-everything")
		e.answer("Choose an option:", "Allow")
		s.waitForState(t, "everything", "ready")

		e.call("everything.get-sum", `{"a":2,"b":3}`)
		e.waitFor("Choose an option: Decline")
		e.waitFor(`{"a":2,"b":3}`) // the minibuffer grows a moment after it has said what it asks
		e.answer("Choose an option: Decline", "Allow once")
		e.waitFor("The sum of 2 and 3 is 5")
		e.keep("4-result")
		e.quit()
	})
}

// Whoever types on has not said yes: the safe answer stands in the minibuffer, and what is typed after it is none.
func TestS16_EmacsTypingThroughAllowsNothing(t *testing.T) {
	emacsen(t, func(t *testing.T, program string) {
		s := newSandbox(t, pillion(t))
		for _, typed := range []string{"local n = 1", "", "y", "allow"} {
			e := openInEmacs(t, s, program)
			e.review()
			e.typeText(typed)
			e.press("Enter", "Enter")
			if state := s.state(t, "everything"); state != "waiting" {
				t.Errorf("after %q the connector is %s, want waiting", typed, state)
			}
			e.close()
		}
		if running := runs("server-everything"); running != nil {
			t.Errorf("running without permission: %q", running)
		}
	})
}

// openInEmacs opens the .mcp.json of a repository with one connector in it, which nobody has allowed.
func openInEmacs(t *testing.T, s *sandbox, program string) *emacs {
	t.Helper()
	return startEmacs(t, s, program, s.writeConfiguration(t, map[string]definition{"everything": s.everything(t)}))
}

// call calls a tool by the command of the README's lines.
func (e *emacs) call(tool, arguments string) {
	e.t.Helper()
	e.command("pillion-call")
	e.waitFor("Tool:")
	e.typeText(tool)
	e.press("Enter")
	e.waitFor("Arguments (JSON):")
	e.typeText(arguments)
	e.press("Enter")
}
