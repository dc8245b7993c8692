//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pillion/rpc/message"
)

func TestK1_AddWithAYes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var out strings.Builder
	command := w.command("mcp", "add", "mine", "-e", "A=b,c=d", "--json", "--", pathOf(t, "fakestdio"), "dump", "-x")
	s := w.start(command, &out)
	s.sees("may this connector of your own run on this machine")
	s.sees(`| mine`)
	s.sees("| dump")
	s.sees("| A = b,c=d")
	s.sees(w.userFile())
	s.sees(`|     "A": "b,c=d"`)
	s.sees(yesPrompt)
	if _, err := os.Stat(w.userFile()); err == nil {
		t.Error("it was written before the answer")
	}
	s.types("yes\n")
	s.expects(exitOK)
	added := decode[addShape](t, outcome{stdout: out.String()})
	if added.Connector.State != message.ConnectorReady || !added.Allowed || len(added.Tools) != 1 || added.Tools[0].Label != "mine.a" {
		t.Errorf("added %+v", added)
	}
	if text := w.read(w.userFile()); !strings.Contains(text, `"-x"`) || strings.Contains(text, "disabled") {
		t.Error(text)
	}
	info, err := os.Stat(w.userFile())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if o := w.expect(exitFailed, "mcp", "add", "mine", "--", "true"); !strings.Contains(o.stderr, "--force") {
		t.Error(o)
	}
}

// TestS6_AddWithoutAYes writes the entry as waiting and starts nothing.
func TestS6_AddWithoutAYes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	touched := filepath.Join(w.home, "touched")
	o := w.runWith("yes\nyes\n", "mcp", "add", "mine", "--", pathOf(t, "fakestdio"), "touch="+touched)
	if o.code != exitUnanswered || !strings.Contains(o.stderr, "pillion mcp approve") {
		t.Fatal(o)
	}
	if !strings.Contains(w.read(w.userFile()), `"disabled"`) {
		t.Error(w.read(w.userFile()))
	}
	s := w.onTerminal(nil, "mcp", "add", "other", "--", pathOf(t, "fakestdio"), "touch="+touched)
	s.sees(yesPrompt)
	s.types("no\n")
	s.expects(exitNotAllowed)
	s = w.onTerminal(nil, "mcp", "add", "third", "--", pathOf(t, "fakestdio"), "touch="+touched)
	s.sees(yesPrompt)
	s.types("\x04")
	s.expects(exitUnanswered)
	got := states(t, w)
	if _, isThere := got["third"]; isThere || got["mine"] != message.ConnectorDisabled || got["other"] != message.ConnectorDisabled {
		t.Errorf("states %v", got)
	}
	w.expect(exitNotAllowed, "call", "mine.a")
	if _, err := os.Stat(touched); err == nil {
		t.Fatal("it was started without a yes")
	}
	// Approved later, in a terminal.
	s = w.onTerminal(nil, "mcp", "approve", "mine")
	s.sees("may this connector of your own run")
	s.sees(yesPrompt)
	s.types("yes\n")
	s.expects(exitOK)
	if got := states(t, w); got["mine"] != message.ConnectorIdle || got["other"] != message.ConnectorDisabled {
		t.Errorf("states %v", got)
	}
}

func TestK1_AddToTheProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := os.Mkdir(filepath.Join(w.repository, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(w.repository, "below")
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	w.write(w.projectFile(), "{\n  // kept\n  \"mcpServers\": {}\n}\n")
	o := w.expect(exitDown, "mcp", "add", "theirs", "--project", "-e", "TOKEN", "--", pathOf(t, "fakestdio"))
	if !strings.Contains(o.stderr, "TOKEN is not set") {
		t.Error(o)
	}
	w.environ = append(w.environ, "TOKEN=x")
	o = w.expect(exitUnanswered, "mcp", "add", "theirs", "--project", "--force", "-e", "TOKEN", "--", pathOf(t, "fakestdio"))
	if !strings.Contains(o.stderr, "needs permission") {
		t.Error(o)
	}
	text := w.read(w.projectFile())
	if !strings.Contains(text, "// kept") || !strings.Contains(text, `"${TOKEN}"`) || strings.Contains(text, "disabled") {
		t.Error(text)
	}
	command := w.command("mcp", "add", "more", "--project", "--", pathOf(t, "fakestdio"))
	command.Dir = below
	s := w.start(command, nil)
	s.sees("may these connectors of this repository run programs")
	s.sees(yesPrompt)
	s.types("yes\n")
	s.sees("more.a")
	s.expects(exitOK)
	if got := states(t, w); got["more"] != message.ConnectorIdle {
		t.Errorf("states %v", got)
	}
}

// TestS1_AddOfCodeOfTheWorkspace asks for the folder as well: the entry is the user's own, its code is the repository's.
func TestS1_AddOfCodeOfTheWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.onTerminal(nil, "mcp", "add", "theirs", "--", pathOf(t, "fakestdio"), "", filepath.Join(w.repository, "script.js"))
	s.sees(yesPrompt)
	s.types("yes\n")
	s.sees("may these connectors of your own run")
	s.sees(yesPrompt)
	s.types("no\n")
	s.expects(exitNotAllowed)
	if got := states(t, w); got["theirs"] != message.ConnectorWaiting {
		t.Errorf("states %v", got)
	}
}

func TestK1_AddOfWhatDoesNotStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.onTerminal(nil, "mcp", "add", "dead", "--", pathOf(t, "fakestdio"), "stderr=no licence,exit=3")
	s.sees(yesPrompt)
	s.types("yes\n")
	if shown := s.expects(exitDown); !strings.Contains(shown, "no licence") || !strings.Contains(shown, "1. ") {
		t.Error(shown)
	}
	if !strings.Contains(w.read(w.userFile()), "dead") {
		t.Error("it was not saved")
	}
	s = w.onTerminal(nil, "mcp", "add", "wiki", "--url", "https://wiki.example/mcp", "-H", "Authorization: Bearer ${WIKI_TOKEN}")
	s.sees("be connected to, from every folder?")
	s.sees("| https://wiki.example/mcp")
	s.sees("| Authorization: Bearer ${WIKI_TOKEN}")
	s.sees(yesPrompt)
	s.types("yes\n")
	if shown := s.expects(exitDown); !strings.Contains(shown, "WIKI_TOKEN is not set") || !strings.Contains(shown, "connected to once") {
		t.Error(shown)
	}
}

func TestAddIsUsedWrongly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, arguments := range [][]string{
		{"x"}, {"x", "--url", "https://a.example", "--", "true"}, {"x", "-H", "A: b", "--", "true"}, {"x", "-e", "A=b", "--url", "https://a.example"},
		{"x", "--url", "https://a.example", "-H", "no colon"}, {"x", "-e", "=b", "--", "true"}, {"x", "-e", "A=1", "-e", "A=2", "--", "true"},
		{"x", "--url", "htp:/nope"}, {"", "--", "true"}, {"a\nb", "--", "true"}, {strings.Repeat("x", 200), "--", "true"},
	} {
		w.expect(exitUsage, append([]string{"mcp", "add"}, arguments...)...)
	}
	if _, err := os.Stat(w.userFile()); err == nil {
		t.Error("something was written")
	}
	// A file that does not parse is not written to.
	w.write(w.userFile(), "{ broken")
	s := w.onTerminal(nil, "mcp", "add", "x", "--", "true")
	s.sees(yesPrompt)
	s.types("yes\n")
	s.expects(exitFailed)
	if text := w.read(w.userFile()); text != "{ broken" {
		t.Errorf("the broken file is now %q", text)
	}
	// Nothing of the project's is above a repository, and the home folder is none.
	command := w.command("mcp", "add", "x", "--project", "--", "true")
	command.Dir = w.home
	s = w.start(command, nil)
	s.expects(exitUsage)
}

func TestA11_PillionIsNotAddedToItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.onTerminal(nil, "mcp", "add", "self", "--", pathOf(t, "pillion"), "--stdio")
	s.sees(yesPrompt)
	s.types("yes\n")
	if code, shown := s.ends(); code == exitOK {
		t.Error(shown)
	}
	s = w.onTerminal(nil, "mcp", "add", "demo", "--", pathOf(t, "pillion"), "demo")
	s.sees(yesPrompt)
	s.types("yes\n")
	if shown := s.expects(exitOK); !strings.Contains(shown, "demo.list_notes") {
		t.Error(shown)
	}
}

func TestAddWarnsOfSecretsInTheFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := w.expect(exitUnanswered, "mcp", "add", "mine", "-e", "API_TOKEN=sk-0123456789abcdef0123456789abcdef", "--json", "--", "true")
	warnings := strings.Join(decode[addShape](t, o).Warnings, "\n")
	if !strings.Contains(warnings, "API_TOKEN") {
		t.Errorf("warnings %q", warnings)
	}
}

func TestK1_Remove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.userFile(), "{\n  \"mcpServers\": {\n    // first\n    "+w.entry("one", "fakestdio")+",\n    "+w.entry("shared", "fakestdio")+"\n  }\n}\n")
	w.project(w.entry("shared", "fakestdio"), w.entry("theirs", "fakestdio"))
	removed := decode[removeShape](t, w.expect(exitOK, "mcp", "remove", "one", "--json"))
	if removed.Removed.Name != "one" || removed.Removed.Source != message.SourceUser {
		t.Errorf("removed %+v", removed)
	}
	if text := w.read(w.userFile()); strings.Contains(text, "one") || !strings.Contains(text, "// first") || !strings.Contains(text, "shared") {
		t.Error(text)
	}
	w.expect(exitOK, "mcp", "remove", "shared", "--project")
	if strings.Contains(w.read(w.projectFile()), "shared") || !strings.Contains(w.read(w.userFile()), "shared") {
		t.Error("the wrong one was removed")
	}
	w.expect(exitUsage, "mcp", "remove", "theirs", "--user")
	w.expect(exitUsage, "mcp", "remove", "none")
	w.expect(exitUsage, "mcp", "remove", "theirs", "--user", "--project")
	w.expect(exitOK, "mcp", "remove", "theirs")
}
