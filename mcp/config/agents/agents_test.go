package agents

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"pillion/mcp/config/imports"
)

const program = "/opt/pillion/bin/pillion"

func machine(home string, there ...string) Machine {
	return Machine{
		Machine: imports.Machine{System: "linux", Home: home, Lookup: func(string) (string, bool) { return "", false }},
		Exists: func(path string) bool {
			for _, one := range there {
				if path == one {
					return true
				}
			}
			return false
		},
	}
}

// TestK8_EveryAgentIsToldInItsOwnForm holds the documented form of each agent's file, and where it lies.
func TestK8_EveryAgentIsToldInItsOwnForm(t *testing.T) {
	t.Parallel()
	m := machine("/home/me")
	for name, want := range map[string]struct{ file, entry, allow, off string }{
		"claude-code": {"/home/me/.claude.json", `{"type":"stdio","command":"/opt/pillion/bin/pillion","args":["serve","--attach"],"timeout":600000}`,
			`/home/me/.claude/settings.json permissions.allow add "mcp__pillion"`, `/home/me/.claude/settings.json disabledMcpjsonServers add "notes"`},
		"codex": {"/home/me/.codex/config.toml", `{"args":["serve","--attach"],"command":"/opt/pillion/bin/pillion","startup_timeout_sec":30,"tool_timeout_sec":600}`,
			`/home/me/.codex/config.toml mcp_servers.pillion.default_tools_approval_mode set "approve"`, `/home/me/.codex/config.toml mcp_servers.notes.enabled set false`},
		"opencode": {"/home/me/.config/opencode/opencode.json", `{"type":"local","command":["/opt/pillion/bin/pillion","serve","--attach"],"enabled":true,"timeout":600000}`,
			`/home/me/.config/opencode/opencode.json permission.pillion_* set "allow"`, `/home/me/.config/opencode/opencode.json mcp.notes.enabled set false`},
		"gemini": {"/home/me/.gemini/settings.json", `{"command":"/opt/pillion/bin/pillion","args":["serve","--attach"],"timeout":600000}`,
			`/home/me/.gemini/settings.json mcpServers.pillion.trust set true`, `/home/me/.gemini/settings.json mcp.excluded add "notes"`},
		"copilot": {"/home/me/.copilot/mcp-config.json", `{"type":"local","command":"/opt/pillion/bin/pillion","args":["serve","--attach"],"tools":["*"],"timeout":600000}`, "", ""},
		"cursor":  {"/home/me/.cursor/mcp.json", `{"command":"/opt/pillion/bin/pillion","args":["serve","--attach"]}`, "", ""},
		"vscode":  {"/home/me/.config/Code/User/mcp.json", `{"type":"stdio","command":"/opt/pillion/bin/pillion","args":["serve","--attach"]}`, "", ""},
	} {
		a, isKnown := Named(name)
		if !isKnown || a.Title == "" {
			t.Fatalf("%s is not known", name)
		}
		entry := a.Entry(m, program)
		if entry.File != want.file || string(entry.Value) != want.entry {
			t.Errorf("%s: %s: %s", name, entry.File, entry.Value)
		}
		if a.CanAllow() != (want.allow != "") || a.CanAllow() && line(a.Allow(m)) != want.allow {
			t.Errorf("%s allows by %s", name, line(a.Allow(m)))
		}
		// Its own file has an entry of the project's name and one of another.
		text, _, err := Change{File: entry.File, Kind: Set, Path: append(entry.Path[:1:1], "notes"), Value: []byte(`{"command":"x"}`)}.Apply(nil)
		if err != nil {
			t.Fatal(err)
		}
		off := a.Off(m, []string{"notes"}, []string{"notes", "absent", EntryName}, text)
		if len(off) != 0 != (want.off != "") || want.off != "" && (len(off) != 1 || line(off[0]) != want.off) {
			t.Errorf("%s switches off by %v", name, off)
		}
	}
	for _, name := range []string{"codecompanion", "avante"} {
		a, _ := Named(name)
		if text := a.ByHand(); !strings.Contains(text, "setup(") || !strings.Contains(text, "pillion") {
			t.Errorf("%s: %s", name, text)
		}
	}
	if file := openCodeFile(machine("/home/me", "/home/me/.config/opencode/opencode.jsonc")); !strings.HasSuffix(file, ".jsonc") {
		t.Error(file)
	}
}

func line(c Change) string {
	return c.File + " " + strings.Join(c.Path, ".") + " " + string(c.Kind) + " " + string(c.Value)
}

// TestK8_WhatOthersWroteStays applies all changes of each agent to a file with comments of its own, and takes them back.
func TestK8_WhatOthersWroteStays(t *testing.T) {
	t.Parallel()
	for _, a := range All() {
		if a.entry == nil {
			continue
		}
		paths, err := filepath.Glob(filepath.Join("testdata", a.Name+"*"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no file of %s: %v", a.Name, err)
		}
		for _, path := range append(paths, "") {
			before := ""
			if path != "" {
				raw, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				before = string(raw)
			}
			t.Run(a.Name+" "+filepath.Base(path), func(t *testing.T) { playAgent(t, a, before) })
		}
	}
}

func playAgent(t *testing.T, a Agent, before string) {
	m := machine("/home/me")
	entry := a.Entry(m, program)
	changes := append([]Change{entry}, a.Off(m, []string{"notes", "other"}, []string{"notes", "other"}, []byte(before))...)
	if a.CanAllow() {
		changes = append(changes, a.Allow(m))
	}
	texts, made := map[string]string{entry.File: before}, []Change{}
	for _, c := range changes {
		after, done, err := c.Apply([]byte(texts[c.File]))
		if err != nil {
			t.Fatalf("%s: %v", line(c), err)
		}
		if c.Kind == Set && canonical(done.Present(after)) != canonical(c.Value) {
			t.Errorf("%s: there is %s in\n%s", line(c), done.Present(after), after)
		}
		if _, _, err := c.Apply(after); !errors.Is(err, ErrNothing) {
			t.Errorf("%s twice: %v", line(c), err)
		}
		texts[c.File], made = string(after), append(made, done)
	}
	for text := range strings.Lines(before) {
		if note := strings.TrimSpace(text); (strings.HasPrefix(note, "//") || strings.HasPrefix(note, "#")) && !strings.Contains(texts[entry.File], note) {
			t.Errorf("%q is gone from\n%s", note, texts[entry.File])
		}
	}
	for i := len(made) - 1; i >= 0; i-- {
		c := made[i]
		after, err := c.Undo([]byte(texts[c.File]))
		if err != nil {
			t.Fatalf("take back %s: %v", line(c), err)
		}
		texts[c.File] = string(after)
	}
	if strings.Contains(texts[entry.File], "pillion") {
		t.Errorf("there is something left of it:\n%s", texts[entry.File])
	}
	if was, is := meaning(t, entry.File, before), meaning(t, entry.File, texts[entry.File]); !reflect.DeepEqual(was, is) {
		t.Errorf("something else is otherwise:\n%v\n%v", was, is)
	}
}

// meaning is what a file says, empty tables and lists left out.
func meaning(t *testing.T, file, text string) any {
	t.Helper()
	if isTOML(file) {
		root, err := decodeTOML([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return pruned(root)
	}
	if strings.TrimSpace(text) == "" {
		return "{}"
	}
	whole := canonical(valueIn(file, []byte(text), nil))
	for _, empty := range []string{`,"mcp":{"excluded":[]}`, `"mcp":{"excluded":[]},`, `"mcp":{"excluded":[]}`, `"mcpServers":{}`, `"mcp":{}`, `"servers":{}`, `"permission":{},`, `"permission":{}`} {
		whole = strings.ReplaceAll(whole, empty, "")
	}
	return strings.ReplaceAll(whole, "{,", "{")
}

func TestK8_TOMLIsEditedByLines(t *testing.T) {
	t.Parallel()
	const text = "# top\nmodel = \"x\" # mine\r\n\r\n[mcp_servers.\"a b\"] # first\r\ncommand = 'y'\r\n\r\n[mcp_servers.\"a b\".env]\r\nK = '''\r\n[not.a.heading]\r\n'''\r\n"
	path := []string{"mcp_servers", "a b", "enabled"}
	off, err := setTOML([]byte(text), path, []byte("false"))
	if err != nil || !strings.Contains(string(off), "[mcp_servers.\"a b\"] # first\r\nenabled = false\r\ncommand = 'y'") {
		t.Fatalf("%s, %v", off, err)
	}
	on, err := setTOML(off, path, []byte("true"))
	if err != nil || strings.Replace(string(on), "= true", "= false", 1) != string(off) {
		t.Errorf("%s, %v", on, err)
	}
	if back, err := unsetTOML(on, path); err != nil || string(back) != text {
		t.Errorf("%q, %v", back, err)
	}
	for name, text := range map[string]string{
		"one line":   "mcp_servers = { a = { command = \"x\" } }\n",
		"dotted":     "mcp_servers.a.command = \"x\"\n",
		"not TOML":   "[mcp_servers.a\n",
		"no table":   "mcp_servers = 1\n",
		"of a table": "[mcp_servers]\na = { command = \"x\" }\n",
	} {
		if after, err := setTOML([]byte(text), []string{"mcp_servers", "a", "enabled"}, []byte("false")); err == nil {
			t.Errorf("%s became %s", name, after)
		}
	}
}

func FuzzK8_TOML(f *testing.F) {
	f.Add("[mcp_servers.pillion]\ncommand = 'x'\n# end\n")
	f.Add("a = '''\n[mcp_servers.pillion]\n'''\n[[x]]\ny = 1\n[mcp_servers]\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := []string{"mcp_servers", "pillion"}
		after, err := setTOML([]byte(text), path, []byte(`{"command":"x","args":["a"],"n":30}`))
		if err != nil {
			return
		}
		var root map[string]any
		if err := toml.Unmarshal([]byte(strings.TrimPrefix(string(after), "\xef\xbb\xbf")), &root); err != nil {
			t.Fatalf("%q became %q: %v", text, after, err)
		}
		if _, err := unsetTOML(after, path); err != nil && !errors.Is(err, errLaidOut) {
			t.Fatal(err)
		}
	})
}
