//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pillion/rpc/message"
)

// TestA5_ImportLists: what is there, with nothing run and nothing written.
func TestA5_ImportLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	touched := filepath.Join(w.home, "touched")
	w.write(filepath.Join(w.home, ".cursor", "mcp.json"), `{"mcpServers":{"b":{"command":"touch","args":["`+touched+`"]},"a":{"command":"x"}}}`)
	w.write(filepath.Join(w.repository, ".vscode", "mcp.json"), `{"servers":{"c":{"command":"touch","args":["`+touched+`"]}}}`)
	w.write(filepath.Join(w.home, ".gemini", "settings.json"), `{"mcpServers":[]}`)
	listed := decode[importsShape](t, w.expect(exitOK, "import", "--json"))
	if len(listed.Found) != 3 {
		t.Fatalf("%+v", listed)
	}
	if got := listed.Found[0]; got.Format != "cursor" || !slices.Equal(got.Names, []string{"b", "a"}) || got.Root != "" {
		t.Errorf("%+v", got)
	}
	if got := listed.Found[1]; got.Format != "gemini" || got.Problem == "" || got.Names == nil {
		t.Errorf("%+v", got)
	}
	if got := listed.Found[2]; got.Root != w.repository {
		t.Errorf("%+v", got)
	}
	if o := w.expect(exitOK, "import"); !strings.Contains(o.stdout, "cursor\t2\tyou\t") || !strings.Contains(o.stdout, "vscode\t1\tproject\t") {
		t.Error(o)
	}
	for _, path := range []string{touched, w.userFile(), w.projectFile()} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is there", path)
		}
	}
}

// TestS6_ImportWithoutAYes writes the entries switched off and starts nothing.
func TestS6_ImportWithoutAYes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	touched := filepath.Join(w.home, "touched")
	path := filepath.Join(w.home, ".cursor", "mcp.json")
	w.write(path, `{"mcpServers":{
		"mine":{"command":"touch","args":["`+touched+`"],"autoApprove":["x"]},
		"off":{"command":"touch","disabled":true},
		"me":{"command":"pillion","args":["serve"]}}}`)
	o := w.runWith("yes\nyes\n", "import", path)
	if o.code != exitUnanswered || !strings.Contains(o.stdout, "2 of 3") || !strings.Contains(o.stderr, "pillion mcp approve mine") ||
		!strings.Contains(o.stderr, "mine: autoApprove: ") || !strings.Contains(o.stderr, "me: it is not imported: this is Pillion") {
		t.Fatal(o)
	}
	if text := w.read(w.userFile()); strings.Count(text, `"disabled": true`) != 2 || strings.Contains(text, "autoApprove") || strings.Contains(text, "serve") {
		t.Error(text)
	}
	for _, c := range decode[listShape](t, w.expect(exitOK, "mcp", "list", "--json")).Connectors {
		if c.Source != message.SourceImport || c.State != message.ConnectorDisabled {
			t.Errorf("%s: %s %s", c.Name, c.Source, c.State)
		}
	}
	if o := w.expect(exitFailed, "import", path, "mine"); !strings.Contains(o.stderr, "--force") {
		t.Error(o)
	}
	w.expect(exitUsage, "import", path, "nobody")
	w.expect(exitUsage, "import", filepath.Join(w.home, "none.json"))
	w.expect(exitUsage, "import", filepath.Join(w.home, ".codex", "config.toml"))
	if _, err := os.Stat(touched); err == nil {
		t.Error("it ran")
	}
}

// TestA5_ImportWithAYes asks about each entry, whole, and starts none of them.
func TestA5_ImportWithAYes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	touched := filepath.Join(w.home, "touched")
	path := filepath.Join(w.home, ".codex", "config.toml")
	w.write(path, "[mcp_servers.first]\ncommand = \"touch\"\nargs = [\""+touched+"\"]\nenv_vars = [\"KEY\"]\n[mcp_servers.second]\ncommand = \"touch\"\n")
	var out strings.Builder
	s := w.onTerminal(&out, "import", path, "--json")
	s.sees("they come from a file of Codex")
	s.sees("| first")
	s.sees("variables of yours that it reads")
	s.sees("| KEY")
	s.sees(yesPrompt)
	s.types("yes\n")
	s.sees("| second")
	s.sees(yesPrompt)
	s.types("no\n")
	s.expects(exitNotAllowed)
	shape := decode[importShape](t, outcome{stdout: out.String()})
	if len(shape.Imported) != 2 || !shape.Imported[0].Allowed || shape.Imported[1].Allowed || shape.Imported[0].Connector.Source != message.SourceImport {
		t.Errorf("%+v", shape)
	}
	if text := w.read(w.userFile()); strings.Count(text, `"disabled"`) != 1 || !strings.Contains(text, `"importedFrom": "`+path+`"`) {
		t.Error(text)
	}
	if _, err := os.Stat(touched); err == nil {
		t.Error("it ran")
	}
	// What was imported switched off is switched on and removed as every entry of the user's own.
	on := w.onTerminal(nil, "mcp", "approve", "second")
	on.sees(yesPrompt)
	on.types("yes\n")
	on.expects(exitOK)
	if text := w.read(w.userFile()); strings.Contains(text, `"disabled": true`) {
		t.Error(text)
	}
	w.expect(exitOK, "mcp", "remove", "second", "--user")
}

// TestA5_AFileOfTheRepositoryIsTheProjects: it goes nowhere else, and its entries wait.
func TestA5_AFileOfTheRepositoryIsTheProjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	touched := filepath.Join(w.home, "touched")
	path := filepath.Join(w.repository, ".vscode", "mcp.json")
	w.write(path, `{"servers":{"theirs":{"command":"touch","args":["`+touched+`"]}}}`)
	if o := w.expect(exitUsage, "import", path); !strings.Contains(o.stderr, "--project") {
		t.Error(o)
	}
	elsewhere := filepath.Join(w.home, "elsewhere")
	w.write(filepath.Join(elsewhere, ".git", "HEAD"), "ref: refs/heads/main\n")
	other := filepath.Join(elsewhere, ".cursor", "mcp.json")
	w.write(other, `{"mcpServers":{"theirs":{"command":"touch"}}}`)
	w.expect(exitUsage, "import", other)
	w.expect(exitUsage, "import", other, "--project")
	if o := w.expect(exitUnanswered, "import", path, "--project"); !strings.Contains(o.stderr, "needs permission") {
		t.Error(o)
	}
	if text := w.read(w.projectFile()); strings.Contains(text, "disabled") || strings.Contains(text, w.home+"/repository/.vscode") {
		t.Error(text)
	}
	for _, c := range decode[listShape](t, w.expect(exitOK, "mcp", "list", "--json")).Connectors {
		if c.Source != message.SourceProject || c.State != message.ConnectorWaiting {
			t.Errorf("%s: %s %s", c.Name, c.Source, c.State)
		}
	}
	if _, err := os.Stat(touched); err == nil {
		t.Error("it ran")
	}
	if _, err := os.Stat(w.userFile()); err == nil {
		t.Error("the user's own file was written")
	}
}
