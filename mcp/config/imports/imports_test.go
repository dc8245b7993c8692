package imports

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"pillion/mcp/config"
)

func machine(system, home string, environment map[string]string, folders ...string) Machine {
	return Machine{System: system, Home: home, Folders: folders, Lookup: func(name string) (string, bool) {
		text, ok := environment[name]
		return text, ok
	}}
}

func TestA5_Places(t *testing.T) {
	tests := []struct {
		name    string
		machine Machine
		want    map[string]Format // path and format that must be among them
		without []string
	}{
		{"linux", machine("linux", "/home/u", nil), map[string]Format{
			"/home/u/.config/Code/User/mcp.json": VSCode, "/home/u/.cursor/mcp.json": Cursor, "/home/u/.config/zed/settings.json": Zed,
			"/home/u/.config/Claude/claude_desktop_config.json": ClaudeDesktop, "/home/u/.claude.json": ClaudeCode,
			"/etc/claude-code/managed-mcp.json": ClaudeCode, "/home/u/.codex/config.toml": Codex,
			"/home/u/.config/opencode/opencode.json": OpenCode, "/home/u/.codeium/windsurf/mcp_config.json": Windsurf,
			"/home/u/.gemini/settings.json": Gemini, "/home/u/.config/mcphub/servers.json": MCPHub,
		}, []string{".vscode/mcp.json"}},
		{"darwin", machine("darwin", "/Users/u", nil), map[string]Format{
			"/Users/u/Library/Application Support/Code/User/mcp.json":                VSCode,
			"/Users/u/Library/Application Support/Claude/claude_desktop_config.json": ClaudeDesktop,
			"/Users/u/.config/zed/settings.json":                                     Zed,
			"/Library/Application Support/ClaudeCode/managed-mcp.json":               ClaudeCode,
			"/Users/u/Library/Application Support/Code - Insiders/User/mcp.json":     VSCode,
		}, []string{"/etc/"}},
		{"windows", machine("windows", "/u", map[string]string{"APPDATA": "/u/roaming"}), map[string]Format{
			"/u/roaming/Code/User/mcp.json": VSCode, "/u/roaming/Zed/settings.json": Zed, "/u/roaming/Claude/claude_desktop_config.json": ClaudeDesktop,
			"/u/.codex/config.toml": Codex,
		}, []string{"/etc/", ".config/zed"}},
		{"variables", machine("linux", "/home/u", map[string]string{
			"XDG_CONFIG_HOME": "/x", "CODEX_HOME": "/c", "CLAUDE_CONFIG_DIR": "/d", "OPENCODE_CONFIG": "/o.json",
		}), map[string]Format{
			"/x/Code/User/mcp.json": VSCode, "/c/config.toml": Codex, "/d/.claude.json": ClaudeCode, "/o.json": OpenCode, "/x/opencode/opencode.jsonc": OpenCode,
		}, []string{"/home/u/.codex", "/home/u/.claude.json"}},
		{"relative variables count for nothing", machine("linux", "/home/u", map[string]string{"CODEX_HOME": "c", "OPENCODE_CONFIG": "o.json"}),
			map[string]Format{"/home/u/.codex/config.toml": Codex}, []string{"o.json"}},
		{"folders", machine("linux", "/home/u", nil, "/ws", "/home/u", "/", "relative"), map[string]Format{
			"/ws/.vscode/mcp.json": VSCode, "/ws/.cursor/mcp.json": Cursor, "/ws/.zed/settings.json": Zed, "/ws/opencode.json": OpenCode,
			"/ws/.gemini/settings.json": Gemini, "/ws/.codex/config.toml": Codex, "/ws/.mcphub/servers.json": MCPHub,
		}, []string{"/home/u/.vscode", "relative", "/ws/.mcp.json"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if filepath.Separator != '/' {
				t.Skip("the paths are those of Unix")
			}
			places := Places(test.machine)
			for path, format := range test.want {
				if !slices.ContainsFunc(places, func(p Place) bool { return p.Path == path && p.Format == format }) {
					t.Errorf("%s is no place of %s", path, format)
				}
			}
			for _, p := range places {
				for _, part := range test.without {
					if strings.Contains(p.Path, part) && !strings.HasSuffix(p.Path, "opencode.json") {
						t.Errorf("%s is a place", p.Path)
					}
				}
				if inside := strings.HasPrefix(p.Path, "/ws/"); inside != (p.Root == "/ws") {
					t.Errorf("%s has the root %q", p.Path, p.Root)
				}
			}
		})
	}
}

func TestA5_PlaceOf(t *testing.T) {
	home := t.TempDir()
	m := machine("linux", home, nil, filepath.Join(home, "ws"))
	for path, want := range map[string]Place{
		".cursor/mcp.json":             {Format: Cursor},
		"ws/.cursor/mcp.json":          {Format: Cursor, Root: "ws"},
		"ws/deep/.vscode/mcp.json":     {Format: VSCode, Root: "ws"},
		"backup/.claude.json":          {Format: ClaudeCode},
		"elsewhere/opencode.jsonc":     {Format: OpenCode},
		"elsewhere/unknown.json":       {},
		"elsewhere/notmcp_config.json": {},
	} {
		want.Path = filepath.Join(home, path)
		if want.Root != "" {
			want.Root = filepath.Join(home, want.Root)
		}
		if got := PlaceOf(want.Path, m); got != want {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
}

// TestA5_PlaceInAFolder: what lies in a repository is a project's file,
// whatever else it may be.
func TestA5_PlaceInAFolder(t *testing.T) {
	home := t.TempDir()
	folder := filepath.Join(home, ".cursor")
	for _, p := range Places(machine("linux", home, nil, folder)) {
		if p.Path == filepath.Join(folder, "mcp.json") {
			if p.Root != folder {
				t.Errorf("the root is %q", p.Root)
			}
			return
		}
	}
	t.Error("it is no place")
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestA5_Find(t *testing.T) {
	home := t.TempDir()
	ws := filepath.Join(home, "ws")
	m := machine("linux", home, nil, ws)
	write(t, filepath.Join(home, ".cursor", "mcp.json"), `{"mcpServers":{"b":{"command":"x"},"a":{"command":"y"}}}`)
	write(t, filepath.Join(home, ".gemini", "settings.json"), `{"theme":"dark"}`)
	write(t, filepath.Join(home, ".codex", "config.toml"), "a = 1\na = 2\n")
	write(t, filepath.Join(ws, ".vscode", "mcp.json"), `{"servers":{"c":{"command":"x"}}}`)
	found := Find(m)
	if len(found) != 3 {
		t.Fatalf("found %+v", found)
	}
	if got := found[0]; got.Place.Format != Cursor || !slices.Equal(got.Names, []string{"b", "a"}) || got.Place.Root != "" {
		t.Errorf("%+v", got)
	}
	var unreadable *UnreadableError
	if got := found[1]; got.Place.Format != Codex || !errors.As(got.Problem, &unreadable) || len(got.Names) != 0 {
		t.Errorf("%+v", got)
	}
	if got := found[2]; got.Place.Root != ws || !slices.Equal(got.Names, []string{"c"}) {
		t.Errorf("%+v", got)
	}
}

// TestS24_LinksAreNotFollowedAcross: a repository's file leads nowhere else, and
// one of the user's not into a repository.
func TestS24_LinksAreNotFollowedAcross(t *testing.T) {
	home := t.TempDir()
	ws := filepath.Join(home, "ws")
	m := machine("linux", home, nil, ws)
	secret := filepath.Join(home, "elsewhere.json")
	write(t, secret, `{"servers":{"c":{"command":"x"}}}`)
	write(t, filepath.Join(ws, "planted.json"), `{"mcpServers":{"c":{"command":"x"}}}`)
	for link, target := range map[string]string{
		filepath.Join(ws, ".vscode", "mcp.json"):   secret,
		filepath.Join(home, ".cursor", "mcp.json"): filepath.Join(ws, "planted.json"),
	} {
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, link); err != nil {
			t.Skip(err)
		}
		_, err := Open(PlaceOf(link, m), m)
		var refused *config.RefusedError
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", link, err)
		}
	}
	if _, err := Read(Place{Format: Cursor, Path: filepath.Join(home, "none.json")}, m); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestC62_Unreadable: what hosts could read in two ways is read in none (C03,
// C04, C06, C62).
func TestC62_Unreadable(t *testing.T) {
	tests := []struct {
		name   string
		format Format
		text   string
		want   string // part of the error; empty for none
	}{
		{"a key twice", Cursor, "{\"mcpServers\":{\n\"a\":{\"command\":\"x\",\"command\":\"y\"}}}", "twice in one object, at line 2"},
		{"a connector twice", ClaudeDesktop, `{"mcpServers":{"a":{},"a":{}}}`, "twice"},
		{"a key twice in what is not read", Gemini, `{"ui":{"a":1,"a":2},"mcpServers":{}}`, "twice"},
		{"a table twice", Codex, "[mcp_servers.a]\n[mcp_servers.a]\n", "not TOML at line 2"},
		{"comments where the program has none", ClaudeDesktop, "// x\n{}", "comments"},
		{"a trailing comma where the program has none", Windsurf, `{"mcpServers":{"a":{"command":"x"},}}`, "comments"},
		{"comments where it has", VSCode, "// x\n{/* y */}", ""},
		{"a byte-order mark and CRLF", VSCode, "\ufeff{\r\n\"servers\": {}\r\n}\r\n", ""},
		{"nothing", Zed, "", ""},
		{"only a comment", Zed, "// x", ""},
		{"another root", Cursor, `[]`, "an array"},
		{"null", Cursor, `null`, "null"},
		{"another kind of servers", Cursor, `{"mcpServers":[]}`, `an array under "mcpServers"`},
		{"no UTF-8", Cursor, "{\"a\":\"\xff\"}", "UTF-8"},
		{"too deep", Cursor, `{"mcpServers":{"a":` + strings.Repeat("[", 80) + strings.Repeat("]", 80) + `}}`, "deeper"},
		{"very deep", Cursor, `{"mcpServers":` + strings.Repeat("[", 1<<20), "deeper"},
		{"very deep in what is not read", Cursor, `{"x":` + strings.Repeat("[", 1<<20), "not JSON"},
		{"very deep in TOML", Codex, "a = " + strings.Repeat("[", 1<<20), "not TOML"},
		{"two values", Cursor, `{} {}`, "more than one"},
		{"a format that is none", "x", `{}`, "not known"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse(Place{Format: test.format, Path: "/p"}, nil, []byte(test.text))
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var unreadable *UnreadableError
			if !errors.As(err, &unreadable) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

func TestA5_TooManyEntries(t *testing.T) {
	var b strings.Builder
	for i := range maxEntries + 1 {
		fmt.Fprintf(&b, `,"n%d":{}`, i)
	}
	if _, err := Parse(Place{Format: Cursor, Path: "/p"}, nil, []byte(`{"mcpServers":{`+b.String()[1:]+`}}`)); err == nil {
		t.Error("read")
	}
}

// TestC63_NoValueInTheReport: secrets are carried, and named by their place
// alone.
func TestC63_NoValueInTheReport(t *testing.T) {
	const canary = "ghp_CANARY0123456789abcdefghijABCDEFGHIJ0123"
	text := `{"mcpServers":{
		"a":{"command":"x","args":["--token","` + canary + `","--key=` + canary + `"],"env":{"T":"` + canary + `"},"unknown":"` + canary + `","alwaysAllow":["` + canary + `"]},
		"b":{"url":"https://u:` + canary + `@h.example/?token=` + canary + `","headers":{"Authorization":"Bearer ` + canary + `"},"auth":{"CLIENT_SECRET":"` + canary + `"}}}}`
	d, err := Parse(Place{Format: Cursor, Path: "/p"}, nil, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for _, target := range []Target{userTarget, projectTarget} {
		for _, name := range d.Names() {
			c, _ := d.Convert(name, target)
			if !strings.Contains(string(c.Definition), canary) {
				t.Errorf("%s lost its secret: %s", name, c.Definition)
			}
			for _, r := range c.Report {
				keys[r.Key] = true
				if strings.Contains(r.Key+r.Message, canary[:20]) {
					t.Errorf("%s: %s", r.Key, r.Message)
				}
			}
		}
	}
	for _, key := range []string{"args[1]", "args[2]", "env.T", "url", "headers.Authorization", "unknown", "auth"} {
		if !keys[key] {
			t.Errorf("%s is not named", key)
		}
	}
}

func TestA11_PillionIsNotImported(t *testing.T) {
	for definition, isItself := range map[string]bool{
		`{"command":"pillion","args":["serve"]}`:                    true,
		`{"command":"npx","args":["-y","pillion@1.2.3","--stdio"]}`: true,
		`{"command":"pillion","args":["demo"]}`:                     false,
		`{"command":"sh","args":["-c","pillion serve"]}`:            true,
	} {
		d, err := Parse(Place{Format: Cursor, Path: "/p"}, nil, []byte(`{"mcpServers":{"a":`+definition+`}}`))
		if err != nil {
			t.Fatal(err)
		}
		c, _ := d.Convert("a", userTarget)
		if (c.Definition == nil) != isItself {
			t.Errorf("%s: %s %v", definition, c.Definition, c.Report)
		}
	}
}

// TestA4_References holds every spelling of every format to Pillion's.
func TestA4_References(t *testing.T) {
	tests := []struct {
		format        Format
		in            string
		user, project string // project is as user where it is empty
		hasRemark     bool
	}{
		{VSCode, "${env:A}", "${A}", "", false},
		{VSCode, "${env:userHome}", "${env:userHome}", "", false},
		{VSCode, "a${env:A}b${workspaceFolder}", "a${A}b${workspaceFolder}", "", false},
		{VSCode, "${/}", "${pathSeparator}", "", false},
		{VSCode, "${input:a-b}", "${input:a-b}", "${A_B}", false},
		{VSCode, "${input:1}", "${input:1}", "${_1}", false},
		{VSCode, "$A", "$A", "", false},
		{VSCode, "${A}", "${A}", "", true},
		{VSCode, "${workspaceFolder:web}", "${workspaceFolder:web}", "", true},
		{VSCode, "${env:A", "${env:A", "", false}, // Pillion's own finding says it
		{VSCode, "${env:}", "${env:}", "", true},
		{Cursor, "${input:a}", "${input:a}", "", true},
		{ClaudeCode, "${A:-}", "${A:-}", "", false},
		{ClaudeCode, "${A:-b c}/d", "${A:-b c}/d", "", false},
		{ClaudeCode, "${CLAUDE_PROJECT_DIR}", "${workspaceFolder}", "${CLAUDE_PROJECT_DIR}", false},
		{ClaudeCode, "${env:A}", "${env:A}", "", true},
		{Gemini, "$A$B-${C}", "${A}${B}-${C}", "", false},
		{Gemini, "$1 $ $$A", "$1 $ $${A}", "", false},
		{Gemini, "${A:-$B}", "${A:-$B}", "", false},
		{OpenCode, "{env:A}/{env:B}", "${A}/${B}", "", false},
		{OpenCode, "${env:A}", "$${A}", "", false},
		{OpenCode, "{env:A", "{env:A", "", false},
		{OpenCode, "{env:a b}", "{env:a b}", "", true},
		{MCPHub, "${A}${env:B}", "${A}${B}", "", false},
		{Zed, "$A {env:B}", "$A {env:B}", "", false},
		{Zed, "${A}", "${A}", "", true},
		{ClaudeDesktop, "%A% ${A}", "%A% ${A}", "", true},
	}
	for _, test := range tests {
		for _, toProject := range []bool{false, true} {
			want := test.user
			if toProject && test.project != "" {
				want = test.project
			}
			got := dialectOf(test.format).translate(test.in, toProject)
			if got.out.String() != want {
				t.Errorf("%s %q: %q, want %q", test.format, test.in, got.out.String(), want)
			}
			isInput := toProject && test.project != "" && strings.Contains(test.in, "input")
			if (len(got.remarks) > 0) != (test.hasRemark || isInput) {
				t.Errorf("%s %q: remarks %q", test.format, test.in, got.remarks)
			}
		}
	}
}

// TestA5_NothingIsLostOrInvented is about entries of every format at random: a
// program, an argument, an address or a header of the source is in the result
// or in the report, and no string of the result that runs or connects comes
// from anywhere else.
func TestA5_NothingIsLostOrInvented(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		format := rapid.SampledFrom(Formats()).Draw(t, "format")
		s := &source{t: t, format: format}
		text := s.file()
		d, err := Parse(Place{Format: format, Path: "/p"}, nil, []byte(text))
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		target := rapid.SampledFrom([]Target{userTarget, projectTarget}).Draw(t, "target")
		c, ok := d.Convert("n", target)
		if !ok {
			t.Fatalf("no entry: %s", text)
		}
		whole := slices.ContainsFunc(c.Report, func(r Remark) bool { return r.Key == "" })
		for key, token := range s.tokens {
			isReported := slices.ContainsFunc(c.Report, func(r Remark) bool {
				return r.Key == key || strings.HasPrefix(key, r.Key+".") || strings.HasPrefix(key, r.Key+"[")
			})
			if !strings.Contains(string(c.Definition), token) && !isReported && (c.Definition != nil || !whole) {
				t.Fatalf("%s is lost\n%s\n%s\n%v", key, text, c.Definition, c.Report)
			}
		}
		if c.Definition == nil {
			return
		}
		inserted, err := config.Insert(nil, "n", c.Definition, true)
		if err != nil {
			t.Fatal(err)
		}
		e := config.Parse(target.File, inserted).Entry("n")
		for _, part := range append([]string{e.Command, e.URL, e.Cwd, e.EnvFile}, e.Args...) {
			if part != "" && !slices.ContainsFunc(s.all(), func(token string) bool { return strings.Contains(part, token) }) {
				t.Fatalf("%q is invented\n%s\n%s", part, text, c.Definition)
			}
		}
		if e.Options.TrustReadOnly || len(e.Options.InheritEnv) > 0 {
			t.Fatalf("it gained a right: %s", c.Definition)
		}
	})
}

// source writes one entry of a format, every string of it with a token of its
// own.
type source struct {
	t      *rapid.T
	format Format
	tokens map[string]string // by key
}

func (s *source) all() []string {
	var all []string
	for _, token := range s.tokens {
		all = append(all, token)
	}
	return all
}

func (s *source) token(key string) string {
	token := fmt.Sprintf("TOK%dX", len(s.tokens))
	s.tokens[key] = token
	around := rapid.SampledFrom([]string{"%s", "/opt/%s", "${A}%s", "%s${env:B}", "$C-%s", "{env:D}%s", "%s${X:-y}", "%s${input:z}", "%s${q:r}"}).Draw(s.t, key)
	return fmt.Sprintf(around, token)
}

func (s *source) file() string {
	s.tokens = map[string]string{}
	quote := func(text string) string { quoted, _ := jsontext.AppendQuote(nil, text); return string(quoted) }
	var members []string
	add := func(key, text string) {
		if s.format == Codex {
			members = append(members, key+" = "+text)
		} else {
			members = append(members, `"`+key+`": `+text)
		}
	}
	has := func(key string) bool { return rapid.Bool().Draw(s.t, "has "+key) }
	isRemote := has("remote")
	for _, key := range []string{"command", "cwd", "envFile", "unheard"} {
		if has(key) && !(isRemote && key == "command") {
			if key == "command" && s.format == OpenCode {
				add(key, "["+quote(s.token("command[0]"))+","+quote(s.token("command[1]"))+"]")
				continue
			}
			add(key, quote(s.token(key)))
		}
	}
	if has("args") {
		add("args", "["+quote(s.token("args[0]"))+","+quote(s.token("args[1]"))+"]")
	}
	for _, key := range []string{"env", "headers", "environment", "http_headers"} {
		if has(key) {
			if s.format == Codex {
				add(key, "{ Name = "+quote(s.token(key+".Name"))+" }")
			} else {
				add(key, `{"Name": `+quote(s.token(key+".Name"))+`}`)
			}
		}
	}
	for _, key := range []string{"url", "serverUrl", "httpUrl"} {
		if isRemote && has(key) {
			add(key, quote("https://h.example/"+s.token(key)))
		}
	}
	if has("alwaysAllow") {
		add("alwaysAllow", "["+quote(s.token("alwaysAllow"))+"]")
	}
	if s.format == Codex {
		return "[mcp_servers.n]\n" + strings.Join(members, "\n") + "\n"
	}
	return `{"` + ServersKey(s.format) + `": {"n": {` + strings.Join(members, ",") + `}}}`
}

// FuzzParse holds that nothing panics in any format, and that what comes out is
// an entry that Pillion can write and read.
func FuzzParse(f *testing.F) {
	archives, _ := filepath.Glob("testdata/*.txtar")
	for _, path := range archives {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		parts := strings.Split(string(text), "-- source --\n")
		before, _, _ := strings.Cut(parts[1], "-- user --")
		for i := range Formats() {
			f.Add(uint8(i), []byte(before))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		format := Formats()[int(which)%len(Formats())]
		d, err := Parse(Place{Format: format, Path: "/p"}, []string{"/ws"}, text)
		if err != nil {
			var unreadable *UnreadableError
			if !errors.As(err, &unreadable) {
				t.Fatal(err)
			}
			return
		}
		for _, name := range d.Names()[:min(len(d.Entries), 20)] {
			for _, target := range []Target{userTarget, projectTarget} {
				c, ok := d.Convert(name, target)
				if !ok {
					t.Fatalf("no %q", name)
				}
				if c.Definition == nil {
					if len(c.Report) == 0 {
						t.Fatal("refused without a word")
					}
					continue
				}
				written, err := config.Insert(nil, name, c.Definition, true)
				if err != nil {
					t.Fatalf("%s: %v", c.Definition, err)
				}
				e := config.Parse(target.File, written).Entry(name)
				if e.Pillion || e.Disabled != c.Disabled || e.Options.TrustReadOnly || len(e.Options.InheritEnv) > 0 {
					t.Fatalf("%s", c.Definition)
				}
			}
		}
	})
}

// FuzzTranslate holds that a string without a reference of its dialect stays as
// it is, and that the work is bounded.
func FuzzTranslate(f *testing.F) {
	for _, seed := range []string{"", "$A", "${A}", "${env:A}", "{env:A}", "${A:-${B}}", "${", "$", "${input:x}", "{file:x}", "$: x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range Formats() {
			got := dialectOf(format).translate(text, false).out.String()
			if !strings.ContainsAny(text, "${") && got != text {
				t.Fatalf("%s: %q became %q", format, text, got)
			}
		}
	})
}
