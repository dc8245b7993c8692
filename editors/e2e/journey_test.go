//go:build e2e

package e2e

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The main job in an editor that has no plugin: a person opens a repository's .mcp.json, sees that a connector needs
// permission, reviews it, allows it, sees its tools, calls one, approves the call and reads the result.
func TestNeovimJourney(t *testing.T) {
	neovims(t, func(t *testing.T, bed neovimBed) {
		s := newSandbox(t, pillion(t))
		n := openRepository(t, s, bed)
		if running := runs("server-everything"); running != nil {
			t.Fatalf("opening the repository started %q", running)
		}
		travel(t, n)
		n.quit()
		// U20: Neovim writes every line on stderr down as an error.
		if log := n.log(); strings.Contains(log, "[ERROR]") || strings.Contains(log, "[WARN]") {
			t.Errorf("Neovim complains:\n%s", log)
		}
	})
}

// Whoever types on while a question appears has not said yes: the first entry is the safe one, and so is no entry.
func TestS16_NeovimTypingThroughAllowsNothing(t *testing.T) {
	neovims(t, func(t *testing.T, bed neovimBed) {
		s := newSandbox(t, pillion(t))
		for _, typed := range []string{"local n = 1", "", "y", "allow"} {
			n := openRepository(t, s, bed)
			review(n)
			n.waitFor(": Allow")
			n.typeText(typed)
			n.press("Enter", "Enter")
			if state := connectorState(n); state != "waiting" {
				t.Errorf("after %q the connector is %q, want waiting", typed, state)
			}
			n.quit()
			n.close()
		}
		if running := runs("server-everything"); running != nil {
			t.Errorf("running without permission: %q", running)
		}
	})
}

// The README's own example works as it is printed: its connector, its call, its Neovim.
func TestNeovimReadmeExample(t *testing.T) {
	neovims(t, func(t *testing.T, bed neovimBed) {
		s := newSandbox(t, pillion(t))
		n := startNeovim(t, s, bed, s.writeConfiguration(t, map[string]definition{"notes": {Command: "pillion", Args: []string{"demo"}}}))
		n.ask(`vim.api.nvim_win_set_cursor(0, { `+strconv.Itoa(n.waitForDiagnostic("needs permission").Line)+`, 4 })`, nil)
		n.command("lua vim.lsp.buf.code_action()")
		n.pick(`Review and allow "notes"`)
		n.waitFor(": Allow")
		n.pick("Allow")
		if !await(func() bool { return connectorStateOf(n, "notes") == "ready" }) {
			t.Fatalf("the connector is %q, want ready", connectorStateOf(n, "notes"))
		}
		call, err := filepath.Abs(filepath.Join("testdata", "neovim", bed.call))
		if err != nil {
			t.Fatal(err)
		}
		n.command("luafile " + call)
		n.waitFor(": Allow once")
		n.pick("Allow once")
		n.waitForDocument(`Wrote note "todo"`)
		n.quit()
	})
}

// openRepository opens the .mcp.json of a repository with one connector in it, which nobody has allowed.
func openRepository(t *testing.T, s *sandbox, bed neovimBed) *neovim {
	t.Helper()
	return startNeovim(t, s, bed, s.writeConfiguration(t, map[string]definition{"everything": s.everything(t)}))
}

// information is the severity of what is no fault of the text (U23); above it are hints.
const information = 3

// review asks for the question about the connector that waits, from its line.
func review(n *neovim) {
	n.t.Helper()
	waiting := n.waitForDiagnostic("needs permission")
	if waiting.Severity != information {
		n.t.Errorf("severity %d, want %d", waiting.Severity, information)
	}
	if screen := n.screen(); strings.Contains(screen, ": Not now") {
		n.t.Errorf("a question came unasked:\n%s", screen)
	}
	n.ask(`vim.api.nvim_win_set_cursor(0, { `+strconv.Itoa(waiting.Line)+`, 4 })`, nil)
	n.keep("1-needs-permission")
	n.command("lua vim.lsp.buf.code_action()")
	n.waitFor(": Review and allow")
	n.keep("2-code-actions")
	n.pick(`Review and allow "everything"`)
}

// travel goes from a repository that was opened to a result that was read.
func travel(t *testing.T, n *neovim) {
	t.Helper()
	review(n)
	n.waitFor(": Allow")
	n.keep("3-consent")
	// Once in the file that is open, and again in the question or in the document that came with it.
	if screen := n.pick("Allow"); strings.Count(screen, "mcp-server-everything") < 2 {
		t.Errorf("the question did not show the command:\n%s", screen)
	}
	if !await(func() bool { return connectorState(n) == "ready" }) {
		t.Fatalf("the connector is %q, want ready", connectorState(n))
	}
	for _, d := range n.diagnostics() {
		if d.Severity <= information {
			t.Errorf("said after permission: %+v", d)
		}
	}
	if tools := toolLabels(n); !slices.Contains(tools, "everything.get-sum") {
		t.Fatalf("tools are %q", tools)
	}

	call := callSum(n)
	n.waitFor(": Allow once")
	n.keep("4-approval")
	if screen := n.pick("Allow once"); !strings.Contains(screen, `"a":2`) || !strings.Contains(screen, `"b":3`) {
		t.Errorf("the question did not show the arguments:\n%s", screen)
	}
	n.waitForDocument("The sum of 2 and 3 is 5")
	n.waitFor("The sum of 2 and 3 is 5")
	n.keep("5-result")
	if status := callStatus(n, call()); status != "ok" {
		t.Errorf("the call's status is %q, want ok", status)
	}

	call = callSum(n)
	n.pick("Decline")
	if !await(func() bool { return callStatus(n, call()) == "declined" }) {
		t.Errorf("the call's status is %q, want declined", callStatus(n, call()))
	}
	n.keep("6-declined")
}

// callSum calls a tool that asks first. What it returns waits for the id that the server gave the call, at once,
// but can be used only when no question is on the screen.
func callSum(n *neovim) (id func() string) {
	n.t.Helper()
	n.command("lua E2E.execute('pillion.server.tool.call', 'everything.get-sum', { a = 2, b = 3 })")
	return func() string {
		n.t.Helper()
		var answer struct{ Result struct{ CallID string } }
		if !await(func() bool {
			n.ask(`return E2E.answer or vim.empty_dict()`, &answer)
			return answer.Result.CallID != ""
		}) {
			n.t.Fatal("the command answered no callId")
		}
		return answer.Result.CallID
	}
}

func callStatus(n *neovim, call string) string {
	n.t.Helper()
	var found struct {
		State  string
		Result struct{ Status string }
	}
	n.ask(`return E2E.request('pillion/call', { callId = '`+call+`' })`, &found)
	return found.Result.Status
}

func connectorState(n *neovim) string {
	n.t.Helper()
	return connectorStateOf(n, "everything")
}

func connectorStateOf(n *neovim, name string) string {
	n.t.Helper()
	var found struct {
		Connectors []struct{ Name, State string }
	}
	n.ask(`return E2E.request('pillion/connectors', {})`, &found)
	for _, c := range found.Connectors {
		if c.Name == name {
			return c.State
		}
	}
	return "absent"
}

func toolLabels(n *neovim) (labels []string) {
	n.t.Helper()
	var found struct{ Tools []struct{ Label string } }
	n.ask(`return E2E.request('pillion/tools', {})`, &found)
	for _, tool := range found.Tools {
		labels = append(labels, tool.Label)
	}
	return labels
}
