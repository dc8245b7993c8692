//go:build !windows

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pillion/mcp/config/agents"
)

const claudeFile = `{
  "numStartups": 12345678901234567890,
  "token": "canary-secret-of-somebody"
}
`

// TestK8_WithoutAPersonOnlyTheEntryIsWritten holds what --yes means, and that uninstall restores byte for byte.
func TestK8_WithoutAPersonOnlyTheEntryIsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(w.fake("notes", "", nil))
	path := filepath.Join(w.home, ".claude.json")
	w.write(path, claudeFile)
	if o := w.expect(exitUnanswered, "client", "install", "claude-code"); !strings.Contains(o.stderr, "--yes") || w.read(path) != claudeFile {
		t.Error(o)
	}
	installed := decode[clientShape](t, w.expect(exitOK, "client", "install", "claude-code", "--yes", "--json"))
	if len(installed.Changes) != 1 || len(installed.Files) != 1 || w.read(installed.Files[0].Backup) != claudeFile {
		t.Fatalf("%+v", installed)
	}
	var file struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
			Timeout int
		}
		NumStartups json.Number
		Token       string
	}
	if err := json.Unmarshal([]byte(w.read(path)), &file); err != nil {
		t.Fatal(err)
	}
	entry := file.MCPServers["pillion"]
	if !filepath.IsAbs(entry.Command) || !slices.Equal(entry.Args, []string{"serve", "--attach"}) || entry.Timeout < 600_000 || file.NumStartups != "12345678901234567890" {
		t.Errorf("%+v", file)
	}
	if exists(filepath.Join(w.home, ".claude", "settings.json")) {
		t.Error("without a person the agent was told not to ask")
	}
	if o := w.expect(exitUnanswered, "client", "install", "claude-code", "--yes", "--pre-allow"); exists(filepath.Join(w.home, ".claude", "settings.json")) {
		t.Error(o)
	}
	if o := w.expect(exitOK, "client", "install", "claude-code", "--yes"); !strings.Contains(o.stdout, "already") {
		t.Error(o)
	}
	status := decode[clientsShape](t, w.expect(exitOK, "client", "--json")).Agents
	if len(status) != len(agents.All()) || status[0].State != clientInstalled || status[1].State != clientAbsent {
		t.Errorf("%+v", status)
	}
	w.expect(exitOK, "client", "uninstall", "claude-code")
	if got := w.read(path); got != claudeFile {
		t.Errorf("it is not what it was: %s", got)
	}
	if o := w.expect(exitOK, "client", "uninstall", "claude-code"); !strings.Contains(o.stdout, "nothing") || w.read(path) != claudeFile {
		t.Error(o)
	}
}

// TestK8_EachPartIsAskedForOnItsOwn plays an install in a terminal, through a link, and one that is declined.
func TestK8_EachPartIsAskedForOnItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(w.fake("no\u202etes", "", nil))
	kept := filepath.Join(w.home, "dotfiles", "claude.json")
	w.write(kept, claudeFile)
	if err := os.Chmod(kept, 0o640); err != nil {
		t.Fatal(err)
	}
	path, settings := filepath.Join(w.home, ".claude.json"), filepath.Join(w.home, ".claude", "settings.json")
	if err := os.Symlink(kept, path); err != nil {
		t.Fatal(err)
	}
	const prompt = "Type yes to write this, anything else is no: "
	s := w.onTerminal(nil, "client", "install", "claude-code")
	s.sees(prompt)
	s.types("y\n")
	isTame(t, "client install", s.expects(exitNotAllowed))
	if w.read(path) != claudeFile {
		t.Error("it was written without a yes")
	}
	s = w.onTerminal(nil, "client", "install", "claude-code")
	for _, part := range []string{`+     "pillion": {`, "disabledMcpjsonServers", "mcp__pillion"} {
		s.sees(part)
		s.sees(prompt)
		s.types("yes\n")
	}
	shown := s.expects(exitOK)
	isTame(t, "client install", shown)
	if strings.Contains(shown, "canary") {
		t.Errorf("a line that nobody asked about is shown:\n%s", shown)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
	var told struct {
		DisabledMcpjsonServers []string
		Permissions            struct{ Allow []string }
	}
	if err := json.Unmarshal([]byte(w.read(settings)), &told); err != nil || len(told.DisabledMcpjsonServers) != 1 || !slices.Equal(told.Permissions.Allow, []string{"mcp__pillion"}) {
		t.Errorf("%+v, %v", told, err)
	}

	// Somebody else writes there before it is taken back.
	var other map[string]any
	if err := json.Unmarshal([]byte(w.read(settings)), &other); err != nil {
		t.Fatal(err)
	}
	other["model"] = "opus"
	w.write(settings, jsonText(t, other))
	w.expect(exitOK, "client", "uninstall", "claude-code")
	if got := w.read(settings); !strings.Contains(got, "opus") || strings.Contains(got, "pillion") || strings.Contains(got, "tes") {
		t.Error(got)
	}
	if got := w.read(kept); got != claudeFile {
		t.Error(got)
	}
}

func TestK8_EveryAgentIsToldAndForgets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, agent := range agents.All() {
		installed := decode[clientShape](t, w.expect(exitOK, "client", "install", agent.Name, "--yes", "--json"))
		if installed.State == clientByHand {
			if !strings.Contains(installed.ByHand, "pillion") {
				t.Errorf("%+v", installed)
			}
			w.expect(exitFailed, "client", "uninstall", agent.Name)
			continue
		}
		if len(installed.Files) != 1 || !strings.HasPrefix(installed.Files[0].Path, w.home) || !strings.Contains(w.read(installed.Files[0].Path), "--attach") {
			t.Fatalf("%+v", installed)
		}
		w.expect(exitOK, "client", "uninstall", agent.Name)
		if exists(installed.Files[0].Path) {
			t.Errorf("%s: %s was not there before, and is", agent.Name, installed.Files[0].Path)
		}
	}
	w.expect(exitUsage, "client", "install", "emacs")
	path := filepath.Join(w.home, ".cursor", "mcp.json")
	w.write(path, "{ broken")
	if o := w.expect(exitFailed, "client", "install", "cursor", "--yes"); w.read(path) != "{ broken" || !strings.Contains(o.stderr, "by hand") {
		t.Error(o)
	}
}

func TestChangedLines(t *testing.T) {
	t.Parallel()
	before, after := "{\n  \"a\": \"secret\"\n}\n", "{\n  \"a\": \"secret\",\n  \"b\": 1\n}\n"
	if got := changedLines([]byte(before), []byte(after)); !slices.Equal(got, []string{`+   "b": 1`}) {
		t.Errorf("%q", got)
	}
	if got := changedLines([]byte(after), []byte(strings.Replace(after, "1", "2", 1))); !slices.Equal(got, []string{`-   "b": 1`, `+   "b": 2`}) {
		t.Errorf("%q", got)
	}
	if got := changedLines(nil, []byte("x\n")); !slices.Equal(got, []string{"+ x"}) {
		t.Errorf("%q", got)
	}
}
