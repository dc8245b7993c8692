//go:build e2e

package e2e

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A neovimBed is an installed Neovim with the set-up and the call that the README gives for it.
type neovimBed struct {
	name, program, setup, call string
}

// neovims runs a test in every Neovim of the beds. Only the newest may be absent.
func neovims(t *testing.T, test func(t *testing.T, bed neovimBed)) {
	for _, bed := range []neovimBed{
		{name: "neovim-floor", setup: "setup-0.10.lua", call: "call-0.10.lua"},
		{name: "neovim-newest", setup: "setup-0.11.lua", call: "call-0.11.lua"},
	} {
		t.Run(bed.name, func(t *testing.T) {
			bed.program = filepath.Join(cache(t), bed.name, "nvim")
			if _, err := os.Stat(bed.program); err != nil {
				if bed.name == "neovim-newest" {
					t.Skipf("THE NEWEST NEOVIM IS NOT INSTALLED: %v", err)
				}
				t.Fatalf("%v (beds/install.sh %s installs it)", err, bed.name)
			}
			test(t, bed)
		})
	}
}

// A neovim is a running one on a terminal, with nothing but its built-in client and the README's lines.
type neovim struct {
	*terminal
	program, socket string
}

// startNeovim opens a file in it. A failed test prints Neovim's log of the language server.
func startNeovim(t testing.TB, s *sandbox, bed neovimBed, file string) *neovim {
	t.Helper()
	lua, err := filepath.Abs(filepath.Join("testdata", "neovim"))
	if err != nil {
		t.Fatal(err)
	}
	n := &neovim{program: bed.program, socket: filepath.Join(s.runtime, "nvim")}
	n.terminal = openTerminal(t, s, bed.program, "-n", "-i", "NONE", "--listen", n.socket,
		"--cmd", "luafile "+filepath.Join(lua, "prelude.lua"), "-u", filepath.Join(lua, bed.setup), file)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("lsp.log:\n%s", n.log())
		}
	})
	var entered, problem any
	if !await(func() bool {
		problem = n.tryAsk(`return vim.v.vim_did_enter`, &entered)
		return entered == 1.0
	}) {
		t.Fatalf("Neovim did not start: %v", problem)
	}
	return n
}

// log is what Neovim wrote down about language servers: their errors, and every line on their stderr.
func (n *neovim) log() string {
	text, _ := os.ReadFile(filepath.Join(n.s.home, ".local", "state", "nvim", "lsp.log")) // absent until there is something
	return string(text)
}

// ask runs Lua in the editor and decodes what it returns. An editor that waits at a list does not answer: ask before,
// or read the screen. One that only waits for a message to be read is told that it was.
func (n *neovim) ask(lua string, into any) {
	n.t.Helper()
	if strings.Contains(n.screen(), "Press ENTER or type command") {
		n.press("Enter")
	}
	if problem := n.tryAsk(lua, into); problem != "" {
		n.t.Fatalf("%s: %s", lua, problem)
	}
}

func (n *neovim) tryAsk(lua string, into any) (problem string) {
	ctx, cancel := context.WithTimeout(n.t.Context(), patience)
	defer cancel()
	expression := `luaeval("E2E.run(_A)", "` + base64.StdEncoding.EncodeToString([]byte(lua)) + `")`
	cmd := exec.CommandContext(ctx, n.program, "--server", n.socket, "--remote-expr", expression)
	cmd.Env = n.s.environment()
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		return err.Error() + ": " + strings.TrimSpace(string(exit.Stderr))
	} else if err != nil {
		return err.Error()
	}
	answer := struct{ Value any }{into}
	if err := json.Unmarshal(out, &answer); err != nil {
		return err.Error() + " in " + string(out)
	}
	return ""
}

// command types an Ex command.
func (n *neovim) command(text string) {
	n.t.Helper()
	n.typeText(":" + text)
	n.press("Enter")
}

// pick waits for a list that offers the choice of exactly this title, and takes it by its number.
// It answers the screen on which the choice was made.
func (n *neovim) pick(title string) string {
	n.t.Helper()
	choice := regexp.MustCompile(`(?m)^\s*(\d+): ` + regexp.QuoteMeta(title) + `\s*$`)
	var screen string
	var found []string
	if !await(func() bool {
		screen = n.screen()
		found = choice.FindStringSubmatch(screen)
		return found != nil
	}) {
		n.t.Fatalf("no list offered %q", title)
	}
	n.typeText(found[1])
	n.press("Enter")
	return screen
}

// diagnostics are those of the current document.
func (n *neovim) diagnostics() (found []diagnostic) {
	n.t.Helper()
	n.ask(`return E2E.diagnostics()`, &found)
	return found
}

type diagnostic struct {
	Message  string
	Severity int
	Line     int
}

// waitForDiagnostic waits for one of the current document whose message holds text.
func (n *neovim) waitForDiagnostic(text string) diagnostic {
	n.t.Helper()
	var found diagnostic
	if !await(func() bool {
		for _, d := range n.diagnostics() {
			if strings.Contains(d.Message, text) {
				found = d
				return true
			}
		}
		return false
	}) {
		n.t.Fatalf("no diagnostic said %q, but: %+v", text, n.diagnostics())
	}
	return found
}

// waitForDocument waits until a document is open that holds text, and answers its path.
func (n *neovim) waitForDocument(text string) string {
	n.t.Helper()
	var path string
	if !await(func() bool {
		documents := map[string]string{}
		n.ask(`return E2E.documents()`, &documents)
		for name, content := range documents {
			if strings.Contains(content, text) {
				path = name
			}
		}
		return path != ""
	}) {
		n.t.Fatalf("no document shows %q", text)
	}
	return path
}

// quit ends the editor as a person does. Its exit code tells nothing: Neovim 0.12 on a terminal now and then ends with 1
// after a plain :qa.
func (n *neovim) quit() {
	n.t.Helper()
	n.press("Escape")
	n.command("qa!")
	n.waitForEnd()
}
