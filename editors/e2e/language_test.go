//go:build e2e

package e2e

import (
	"strconv"
	"strings"
	"testing"
)

// brokenConfiguration is an entry with a misspelt key.
const brokenConfiguration = `{
  "mcpServers": {
    "everything": {
      "comand": "mcp-server-everything",
      "args": []
    }
  }
}
`

const (
	misspelt = `the key "comand" is not known`
	mending  = `Write "command"`
)

// In every editor: a broken file says what is wrong, the fix is applied, the connector is reviewed and allowed, and hover
// shows its tools.

func TestNeovimMendsTheFile(t *testing.T) {
	neovims(t, func(t *testing.T, bed neovimBed) {
		s := newSandbox(t, pillion(t))
		s.everything(t)
		n := startNeovim(t, s, bed, s.write(t, ".mcp.json", brokenConfiguration))
		n.ask(`vim.api.nvim_win_set_cursor(0, { `+strconv.Itoa(n.waitForDiagnostic(misspelt).Line)+`, 8 })`, nil)
		n.command("lua vim.lsp.buf.code_action()")
		n.keep("1-fixes")
		n.pick(mending)
		n.waitFor(`"command": "mcp-server-everything"`)
		n.command("write")
		review(n)
		n.waitFor(": Allow")
		n.pick("Allow")
		s.waitForState(t, "everything", "ready")
		n.ask(`vim.api.nvim_win_set_cursor(0, { 3, 6 })`, nil)
		n.command("lua vim.lsp.buf.hover()")
		n.waitFor("get-sum")
		n.keep("2-hover")
		n.quit()
	})
}

func TestHelixMendsTheFile(t *testing.T) {
	s := newSandbox(t, pillion(t))
	s.everything(t)
	h := startHelix(t, s, s.write(t, ".mcp.json", brokenConfiguration))
	h.waitFor("●")
	h.press("Space", "d")
	h.waitFor(misspelt)
	h.press("Enter")
	h.find(`"comand"`)
	h.keep("1-diagnostic")
	h.choose(mending, mending)
	h.waitFor(`"command": "mcp-server-everything"`)
	h.command("write")
	h.find(`"everything"`)
	reviewInHelix(h)
	h.choose("Allow", "Not now", "Never", "Allow")
	s.waitForState(t, "everything", "ready")
	h.command("open .mcp.json")
	h.find(`everything":`)
	h.typeText(" k")
	h.waitFor("get-sum")
	h.keep("2-hover")
	h.quit()
}

func TestEmacsMendsTheFile(t *testing.T) {
	emacsen(t, func(t *testing.T, program string) {
		s := newSandbox(t, pillion(t))
		s.everything(t)
		e := startEmacs(t, s, program, s.write(t, ".mcp.json", brokenConfiguration))
		e.press("M-<", "Down", "Down", "Down", "C-a", "M-m", "Right", "Right")
		if !await(func() bool { return strings.Contains(e.screen(), misspelt) }) {
			t.Fatalf("the echo area never said %q", misspelt)
		}
		e.keep("1-diagnostic")
		e.command("eglot-code-actions")
		e.waitFor("Pick an action (default " + mending + ")")
		e.press("Enter")
		e.waitFor(`"command": "mcp-server-everything"`)
		e.press("C-x", "C-s")
		e.review()
		e.answer("Choose an option:", "Allow")
		s.waitForState(t, "everything", "ready")
		e.hover("Connector: ready")
		e.waitFor("get-sum")
		e.keep("2-hover")
		e.quit()
	})
}
