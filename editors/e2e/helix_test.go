//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A helix is a running one on a terminal, with the README's lines alone. It opens no document for a server and answers no
// question: Pillion says where a document is, and its code actions are the answers.
type helix struct{ *terminal }

// startHelix opens a file in it. A failed test prints its log.
func startHelix(t testing.TB, s *sandbox, file string) *helix {
	t.Helper()
	program := filepath.Join(cache(t), "helix", "hx")
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("%v (beds/install.sh helix installs it)", err)
	}
	set, err := os.ReadFile(filepath.Join("..", "helix", "languages.toml"))
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(s.home, ".config", "helix")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "languages.toml"), set, 0o600); err != nil {
		t.Fatal(err)
	}
	h := &helix{openTerminal(t, s, program, "-v", file)}
	t.Cleanup(func() {
		if t.Failed() {
			text, _ := os.ReadFile(filepath.Join(s.home, ".cache", "helix", "helix.log")) // absent when it never started
			t.Logf("helix.log:\n%s", text)
		}
	})
	h.waitFor("NOR")
	return h
}

// command types a command of Helix.
func (h *helix) command(text string) {
	h.t.Helper()
	h.typeText(":" + text)
	h.press("Enter")
}

// choose takes one of the code actions that the cursor's place offers; the menu must begin with these, in this order.
// It answers the screen on which the choice was made.
func (h *helix) choose(title string, offered ...string) string {
	h.t.Helper()
	h.press("Space", "a")
	var screen string
	if !await(func() bool {
		screen = h.screen()
		if strings.Contains(screen, "No code actions available") { // the server does not know the document yet
			h.press("Space", "a")
		}
		return isMenu(screen, offered)
	}) {
		h.t.Fatalf("the code actions are not %q", offered)
	}
	for range slices.Index(offered, title) {
		h.press("Down")
	}
	h.press("Enter")
	return screen
}

// chooseLast takes the last of the code actions.
func (h *helix) chooseLast(title string) {
	h.t.Helper()
	h.press("Space", "a")
	h.waitFor(" " + title)
	h.press("Up", "Enter")
}

// isMenu reports whether consecutive lines of the screen hold these titles.
func isMenu(screen string, titles []string) bool {
	lines := strings.Split(screen, "\n")
	for at := range lines {
		found := 0
		for found < len(titles) && at+found < len(lines) && strings.Contains(lines[at+found]+" ", " "+titles[found]+" ") {
			found++
		}
		if found == len(titles) {
			return true
		}
	}
	return false
}

// follow opens the document of this kind that Pillion says it has written, as a person does who reads the last line.
func (h *helix) follow(kind string) string {
	h.t.Helper()
	said := regexp.MustCompile(`Pillion: see (~/\S*/` + kind + `\S*\.pillion)`)
	var path []string
	if !await(func() bool { path = said.FindStringSubmatch(h.screen()); return path != nil }) {
		h.t.Fatalf("no path of a %s document on the last line", kind)
	}
	h.command("open " + path[1])
	h.waitFor(" NOR   " + path[1])
	return path[1]
}

// TestHelixJourney is the main job in Helix: from a repository that was opened to a result that was read.
func TestHelixJourney(t *testing.T) {
	s := newSandbox(t, pillion(t))
	h := openInHelix(t, s)
	if running := runs("server-everything"); running != nil {
		t.Fatalf("opening the repository started %q", running)
	}
	reviewInHelix(h)
	h.keep("3-consent")
	if screen := h.choose("Allow", "Not now", "Never", "Allow"); !strings.Contains(screen, "| mcp-server-everything") {
		t.Errorf("the question did not show the command:\n%s", screen)
	}
	s.waitForState(t, "everything", "ready")

	h.command("open .mcp.json")
	h.find(`"everything"`)
	h.chooseLast("Show all connectors")
	h.follow("status")
	h.waitFor("| everything.get-sum — ")
	h.keep("4-tools")
	h.find("| everything.get-sum")
	h.choose(`Call "everything.get-sum"`, `Call "everything.get-sum"`)
	h.follow("call")
	h.replaceLast(`"a": 0`, "2")
	h.replaceLast(`"b": 0`, "3")
	h.keep("5-arguments")

	h.choose(`Run "everything.get-sum"`, `Run "everything.get-sum"`)
	h.follow("review")
	approval := []string{"Decline", "Allow once", "Allow for session", "Allow read-only tools", "Always allow tool", "Always allow connector"}
	if screen := h.choose("Allow once", approval...); !strings.Contains(screen, `| {"a":2,"b":3}`) {
		t.Errorf("the question did not show the arguments:\n%s", screen)
	}
	h.follow("result")
	h.waitFor("The sum of 2 and 3 is 5")
	h.keep("6-result")
	h.quit()
}

// Whoever types on has not said yes: the safe answer stands first, and what is typed into the document answers nothing.
func TestS16_HelixTypingThroughAllowsNothing(t *testing.T) {
	s := newSandbox(t, pillion(t))
	h := openInHelix(t, s)
	reviewInHelix(h)
	for _, typed := range []string{"ilocal n = 1", "iy", "iallow", "i"} {
		h.typeText(typed)
		h.press("Enter", "Enter")
		h.leave()
	}
	if state := s.state(t, "everything"); state != "waiting" {
		t.Errorf("after typing the connector is %s, want waiting", state)
	}
	h.choose("Not now", "Not now", "Never", "Allow") // the first one: Enter is enough
	if state := s.state(t, "everything"); state != "waiting" {
		t.Errorf("after the first answer the connector is %s, want waiting", state)
	}
	if running := runs("server-everything"); running != nil {
		t.Errorf("running without permission: %q", running)
	}
	h.quit()
}

// openInHelix opens the .mcp.json of a repository with one connector in it, which nobody has allowed.
func openInHelix(t *testing.T, s *sandbox) *helix {
	t.Helper()
	return startHelix(t, s, s.writeConfiguration(t, map[string]definition{"everything": s.everything(t)}))
}

// reviewInHelix goes from the open file to the document that shows the question about the connector that waits.
func reviewInHelix(h *helix) {
	h.t.Helper()
	h.waitFor("●")
	h.press("Space", "d")
	h.waitFor("needs permission")
	h.keep("1-needs-permission")
	h.press("Enter")
	h.choose(`Review and allow "everything"`, `Review and allow "everything"`)
	h.keep("2-asked")
	h.follow("review")
	h.waitFor("Pillion asks: may these connectors of this repository run programs on this machine?")
}

// find puts the cursor where a text is.
func (h *helix) find(text string) {
	h.t.Helper()
	h.typeText("/" + regexp.QuoteMeta(text))
	h.press("Enter")
}

// replaceLast puts a letter in the place of the last one of a text.
func (h *helix) replaceLast(text, letter string) {
	h.t.Helper()
	h.find(text)
	h.typeText(";r" + letter)
	h.waitFor(text[:len(text)-1] + letter)
}

// leave ends inserting. What is typed before it has ended would count as typed together with Escape, as Alt.
func (h *helix) leave() {
	h.t.Helper()
	h.waitFor(" INS ")
	h.press("Escape")
	h.waitFor(" NOR ")
}

// quit ends the editor as a person does.
func (h *helix) quit() {
	h.t.Helper()
	h.command("quit-all!")
	h.waitForEnd()
}
