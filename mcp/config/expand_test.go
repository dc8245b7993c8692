package config

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// lookupIn reads variables from a map.
func lookupIn(variables map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	}
}

func expanded(t *testing.T, e *Entry, s Scope) Expanded {
	t.Helper()
	x, findings := e.Expand(s)
	if len(findings) > 0 {
		t.Fatalf("%s: %s", e.Text, findings[0].Text())
	}
	return x
}

// refused expands and returns the reasons not to start.
func refused(t *testing.T, e *Entry, s Scope) []Finding {
	t.Helper()
	x, findings := e.Expand(s)
	if len(findings) == 0 {
		t.Fatalf("%s: expands to %+v", e.Text, x)
	}
	if x.Command != "" || x.Args != nil || x.Env != nil || x.URL != "" || x.Headers != nil {
		t.Errorf("%s: is refused and yet expands to %+v", e.Text, x)
	}
	return findings
}

func TestC01_UnsetVariableIsNamedAndKeepsOneEntry(t *testing.T) {
	t.Parallel()
	d := parseProject(t, "/ws", `{"mcpServers":{"good":{"command":"x"},"bad":{"command":"x","env":{"T":"a${NOPE_XYZ}b"}}}}`)
	sound(t, d.Entry("good"))
	sound(t, d.Entry("bad"))
	if len(d.Findings) != 0 {
		t.Errorf("parsing reads the environment: %v", d.Findings)
	}
	expanded(t, d.Entry("good"), Scope{})
	unset := d.UnsetVariables(nothingSet)
	refusals := refused(t, d.Entry("bad"), Scope{Lookup: nothingSet})
	for _, list := range [][]Finding{unset, refusals} {
		f := finding(t, list, CodeUnset)
		if len(list) != 1 || f.Message != "variable NOPE_XYZ is not set (env.T)" || f.Severity != Information || f.Entry != "bad" || textAt(d, f.Span) != "${NOPE_XYZ}" {
			t.Errorf("%+v at %q", list, textAt(d, f.Span))
		}
	}
	empty := lookupIn(map[string]string{"NOPE_XYZ": ""})
	if len(d.UnsetVariables(empty)) != 0 || expanded(t, d.Entry("bad"), Scope{Lookup: empty}).Env["T"] != "ab" {
		t.Error("a set but empty variable does not count as set")
	}
}

func TestC02_AllFieldsExpandAlike(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "v.env"), "FROM=file\n")
	s := Scope{Root: dir, Lookup: lookupIn(map[string]string{"V": "v", "DIR": dir})}
	e := entryOf(t, `{"command":"/bin/${V}","args":["${V}","-${V}-${env:V}"],"env":{"K":"${V}"},"cwd":"${DIR}","envFile":"${V}.env"}`)
	x := expanded(t, e, s)
	if x.Command != "/bin/v" || !slices.Equal(x.Args, []string{"v", "-v-v"}) || x.Cwd != dir || !maps.Equal(x.Env, map[string]string{"K": "v", "FROM": "file"}) {
		t.Errorf("%+v", x)
	}
	r := expanded(t, entryOf(t, `{"url":"https://${V}.example/","headers":{"Authorization":"Bearer ${V}"}}`), s)
	if r.URL != "https://v.example/" || r.Headers["Authorization"] != "Bearer v" || r.Cwd != "" {
		t.Errorf("%+v", r)
	}
	for _, field := range []string{`"command":"${U}"`, `"command":"x","args":["${U}"]`, `"command":"x","env":{"K":"${U}"}`, `"command":"x","cwd":"${U}"`,
		`"command":"x","envFile":"${U}"`, `"url":"https://${U}/"`, `"url":"https://h/","headers":{"K":"${U}"}`} {
		finding(t, refused(t, entryOf(t, "{"+field+"}"), s), CodeUnset)
	}
}

func TestC02_HeaderWithALineBreakIsRefused(t *testing.T) {
	t.Parallel()
	e := entryOf(t, `{"url":"https://h/","headers":{"X":"${V}"}}`)
	for _, value := range []string{"a\r\nEvil: 1", "a\n", "a\rb", "a\x00b"} {
		f := finding(t, refused(t, e, Scope{Lookup: lookupIn(map[string]string{"V": value})}), CodeHeader)
		if strings.Contains(f.Text(), "Evil") || !strings.Contains(f.Message, "(headers.X)") {
			t.Errorf("%s", f.Text())
		}
	}
}

func TestC07_WorkingDirectory(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	tools := filepath.Join(root, "tools")
	if err := os.Mkdir(tools, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "file")
	write(t, file, "")
	s := Scope{Lookup: lookupIn(map[string]string{"T": tools, "E": ""})}
	tests := []struct{ keys, cwd, command, code string }{
		{`"command":"x"`, root, "x", ""},
		{`"command":"x","cwd":"tools"`, tools, "x", ""},
		{`"command":"x","cwd":"./tools/../tools"`, tools, "x", ""},
		{`"command":"x","cwd":"${T}"`, tools, "x", ""},
		{`"command":"x","cwd":"` + tools + `"`, tools, "x", ""},
		{`"command":"bin/x"`, root, filepath.Join(root, "bin/x"), ""},
		{`"command":"./x","cwd":"tools"`, tools, filepath.Join(root, "x"), ""},
		{`"command":"/bin/x"`, root, "/bin/x", ""},
		{`"command":"x","cwd":"none"`, "", "", CodeWorkingDirectory},
		{`"command":"x","cwd":"file"`, "", "", CodeWorkingDirectory},
		{`"command":"${E}"`, "", "", CodeValue},
	}
	for _, test := range tests {
		d := parseProject(t, root, `{"mcpServers":{"a":{`+test.keys+`}}}`)
		if test.code != "" {
			finding(t, refused(t, d.Entries[0], s), test.code)
			continue
		}
		if x := expanded(t, d.Entries[0], s); x.Cwd != test.cwd || x.Command != test.command {
			t.Errorf("%s: cwd %q, command %q", test.keys, x.Cwd, x.Command)
		}
	}
}

func TestS1_TheUsersEntryDoesNotStartInTheWorkspace(t *testing.T) {
	t.Parallel()
	root, own := t.TempDir(), t.TempDir()
	if x := expanded(t, entryOf(t, `{"command":"x"}`), Scope{Root: root, Dir: own}); x.Cwd != own {
		t.Errorf("cwd %q", x.Cwd)
	}
	if x := expanded(t, entryOf(t, `{"command":"x","cwd":"."}`), Scope{Root: root, Dir: own}); x.Cwd != root {
		t.Errorf("cwd %q", x.Cwd)
	}
	for _, keys := range []string{`"command":"x","cwd":"tools"`, `"command":"./x"`, `"command":"x","envFile":".env"`, `"command":"x","args":["${workspaceFolder}"]`} {
		e := entryOf(t, "{"+keys+"}")
		finding(t, refused(t, e, Scope{Dir: own}), CodeNoFolder)
		if !e.UsesWorkspace() {
			t.Errorf("%s: does not use the workspace", keys)
		}
	}
	for _, keys := range []string{`"command":"x"`, `"command":"/x","cwd":"/y"`, `"command":"x","cwd":"${userHome}/y"`, `"url":"https://h/"`} {
		if entryOf(t, "{"+keys+"}").UsesWorkspace() {
			t.Errorf("%s: uses the workspace", keys)
		}
	}
}

func TestC09_FoldersExpandToTheFilesOwn(t *testing.T) {
	t.Parallel()
	a, b := t.TempDir(), t.TempDir()
	text := `{"mcpServers":{"a":{"command":"x","args":["${workspaceFolder}/x","${workspaceFolderBasename}","${CLAUDE_PROJECT_DIR}"],"env":{"W":"${workspaceFolder}/x"}}}}`
	stale := lookupIn(map[string]string{"CLAUDE_PROJECT_DIR": "/elsewhere"})
	for _, root := range []string{a, b} {
		d := parseProject(t, root, text)
		x := expanded(t, d.Entries[0], Scope{Lookup: stale})
		if x.Env["W"] != root+"/x" || !slices.Equal(x.Args, []string{root + "/x", filepath.Base(root), root}) {
			t.Errorf("%+v", x)
		}
		if len(d.UnsetVariables(nothingSet)) != 0 || len(d.Entries[0].Reads()) != 0 {
			t.Errorf("reads %q", d.Entries[0].Reads())
		}
	}
	e := entryOf(t, `{"command":"x","args":["${userHome}","${pathSeparator}"]}`)
	if x := expanded(t, e, Scope{Home: "/home/u"}); !slices.Equal(x.Args, []string{"/home/u", string(filepath.Separator)}) {
		t.Errorf("args %q", x.Args)
	}
	finding(t, refused(t, e, Scope{}), CodeReference)
}

func TestC09_UnknownFormsAreSaidWhenParsing(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"${foo:bar}", "${config:a}", "${command:a}", "${workspaceFolder:web}", "${}", "${ A }", "${A%b}", "${A-b}", "${A:b}",
		"${1A}", "${MY-TOKEN}", "${/}", "${env:}", "${input:}", "${A", "${A:-b", "${env:A"} {
		e := entryOf(t, `{"command":"x","args":["ok `+form+`"]}`)
		fault(t, e, CodeReference)
		if got := e.Text[e.Fault.Span.Start-e.Span.Start : e.Fault.Span.End-e.Span.Start]; got != form {
			t.Errorf("%s: fault at %q", form, got)
		}
		refused(t, e, Scope{Lookup: lookupIn(map[string]string{"A": "v"})})
	}
	deep := strings.Repeat("${A:-", maxDefaults+1) + strings.Repeat("}", maxDefaults+1)
	fault(t, entryOf(t, `{"command":"`+deep+`"}`), CodeReference)
	sound(t, entryOf(t, `{"command":"x`+strings.Repeat("${A:-", maxDefaults)+strings.Repeat("}", maxDefaults)+`"}`))
}

func TestA4_Values(t *testing.T) {
	t.Parallel()
	lookup := lookupIn(map[string]string{"A": "a", "EMPTY": "", "REF": "${A}", "DOLLAR": "$A", "BRACE": "}", "ProgramFiles(x86)": "pf"})
	tests := []struct{ text, want string }{
		{"${A}", "a"},
		{"${A}${A}", "aa"},
		{"x${A}y", "xay"},
		{"$A", "$A"},
		{"$", "$"},
		{"$$", "$$"},
		{"$${A}", "$a"},
		{"{A}", "{A}"},
		{"}", "}"},
		{"${U:-d}", "d"},
		{"${U:-}", ""},
		{"${A:-d}", "a"},
		{"${EMPTY:-d}", ""},
		{"${EMPTY}", ""},
		{"${U:-${A}}", "a"},
		{"${U:-x${A}y}z", "xayz"},
		{"${U:-${W:-${A}}}", "a"},
		{"${U:-${W:-e}}", "e"},
		{"${A:-${U}}", "a"},
		{"${U:-$A}", "$A"},
		{"${U:-a:b-c}", "a:b-c"},
		{"${U:-{\"x\":1}}", "{\"x\":1}"},
		{"${U:-}}", "}"},
		{"${env:A}", "a"},
		{"${env:U:-d}", "d"},
		{"${env:ProgramFiles(x86)}", "pf"},
		{"${env:-d}", "d"},
		{"${REF}", "${A}"},
		{"${U:-${REF}}", "${A}"},
		{"${DOLLAR}", "$A"},
		{"${U:-${BRACE}}", "}"},
		{"日本${A}😀", "日本a😀"},
	}
	for _, test := range tests {
		parts, faults := parseTemplate(test.text)
		if len(faults) > 0 {
			t.Errorf("%s: %v", test.text, faults)
			continue
		}
		got := parts.expand(func(r *reference) (string, bool) { return lookup(r.name) }, func(r *reference) { t.Errorf("%s: %s is unset", test.text, r.name) })
		if got != test.want {
			t.Errorf("%s expands to %q, want %q", test.text, got, test.want)
		}
	}
}

func TestReads(t *testing.T) {
	t.Parallel()
	e := entryOf(t, `{"command":"${B}","args":["${A:-${C:-${env:D}}}","${A}","$E","${userHome}"],"env":{"X":"${F}"}}`)
	if got, want := e.Reads(), []string{"A", "B", "C", "D", "F"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if shown := e.Shown(); shown.Command != "${B}" || !slices.Equal(shown.Reads, e.Reads()) || shown.Env[0].Value != "${F}" {
		t.Errorf("%+v", shown)
	}
	// A default that is used is not unset, and one that is needed is.
	var names []string
	for _, f := range e.UnsetVariables(lookupIn(map[string]string{"A": "1", "B": "1"})) {
		names = append(names, f.Message)
	}
	if want := []string{"variable F is not set (env.X)"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

func TestUnsetVariablePointsBehindEscapes(t *testing.T) {
	t.Parallel()
	d := parseUser(t, `{"mcpServers":{"a":{"command":"x","args":["\u00e9\"\ud83d\ude00é😀${U}"]}}}`)
	f := finding(t, d.UnsetVariables(nothingSet), CodeUnset)
	if textAt(d, f.Span) != "${U}" {
		t.Errorf("at %q", textAt(d, f.Span))
	}
}

func TestE7_Secrets(t *testing.T) {
	t.Parallel()
	s := Scope{
		Lookup: lookupIn(map[string]string{"MY_TOKEN": "tok-value", "PLAIN": "plain"}),
		IsSecret: func(key, value string) bool {
			key = strings.ToLower(key)
			return strings.Contains(key, "token") || strings.Contains(key, "key") || strings.HasPrefix(value, "sk-")
		},
	}
	tests := []struct {
		entry string
		want  []string
	}{
		{`{"command":"x","env":{"API_KEY":"k","A":"sk-1","B":"plain"}}`, []string{"sk-1", "k"}},
		{`{"command":"x","env":{"B":"${MY_TOKEN}/x"}}`, []string{"tok-value"}},
		{`{"command":"x","env":{"B":"${U:-${MY_TOKEN}}"}}`, []string{"tok-value"}},
		{`{"command":"x","args":["--api-key","k1","--token=t1","sk-2","${PLAIN}"]}`, []string{"sk-2", "k1", "t1"}},
		{`{"url":"https://h/","headers":{"Authorization":"Bearer abc"}}`, []string{"Bearer abc", "abc"}},
		{`{"url":"https://h/","headers":{"X-Any":"v","Accept":"text/plain","User-Agent":"u"}}`, []string{"v"}},
		{`{"url":"https://h/","headers":{"Accept":"${PLAIN}"}}`, []string{"plain"}},
		{`{"url":"https://u:pw@h/?token=q&x=y"}`, []string{"pw", "q"}},
	}
	for _, test := range tests {
		if got := expanded(t, entryOf(t, test.entry), s).Secrets; !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.entry, got, test.want)
		}
	}
	if got := expanded(t, entryOf(t, `{"command":"x","env":{"API_KEY":"k"}}`), Scope{}).Secrets; len(got) != 0 {
		t.Errorf("without a matcher: %q", got)
	}
}

func TestA1_ExpandedURLIsJudgedAgain(t *testing.T) {
	t.Parallel()
	e := entryOf(t, `{"url":"${BASE}/mcp"}`)
	for base, code := range map[string]string{"ftp://h": CodeURL, "": CodeURL, "javascript:x": CodeURL, "http://[": CodeURL} {
		findings := refused(t, e, Scope{Lookup: lookupIn(map[string]string{"BASE": base})})
		if f := finding(t, findings, code); base != "" && strings.Contains(f.Text(), base) {
			t.Errorf("%q is repeated: %s", base, f.Text())
		}
	}
	x := expanded(t, e, Scope{Lookup: lookupIn(map[string]string{"BASE": "http://example.com"})})
	if f := finding(t, x.Warnings, CodePlainHTTP); f.Severity != Warning || x.URL != "http://example.com/mcp" {
		t.Errorf("%+v", x)
	}
}

func TestExpandRefusesAFaultyEntry(t *testing.T) {
	t.Parallel()
	finding(t, refused(t, entryOf(t, `{"command":"x","url":"https://h/"}`), Scope{}), CodeConflict)
}

func TestEntryMadeInCodeExpands(t *testing.T) {
	t.Parallel()
	e := &Entry{Name: "demo", File: File{Source: SourceBuiltin}, Transport: TransportStdio, Command: "/bin/x", Args: []string{"${U}"}}
	f := finding(t, refused(t, e, Scope{}), CodeUnset)
	if f.Span != (Span{}) {
		t.Errorf("span %v", f.Span)
	}
	e.Args = []string{"demo"}
	if x := expanded(t, e, Scope{Dir: "/d"}); x.Command != "/bin/x" || x.Cwd != "/d" || len(e.Hash()) != 64 {
		t.Errorf("%+v", x)
	}
}

func TestEnvFile(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, filepath.Join(root, ".env"), "A=file\nB=file\nNODE_OPTIONS=--require x\nMY_TOKEN=secret-value\nC=${HOME}\n")
	text := `{"mcpServers":{"a":{"command":"x","env":{"A":"entry"},"envFile":".env"}}}`
	s := Scope{Root: root, IsSecret: func(key, _ string) bool { return key == "MY_TOKEN" }}
	e := parseProject(t, root, text).Entries[0]
	x := expanded(t, e, s)
	want := map[string]string{"A": "entry", "B": "file", "NODE_OPTIONS": "--require x", "MY_TOKEN": "secret-value", "C": "${HOME}"}
	if !maps.Equal(x.Env, want) || !slices.Equal(x.Secrets, []string{"secret-value"}) {
		t.Errorf("env %v, secrets %q", x.Env, x.Secrets)
	}
	if f := finding(t, x.Warnings, CodeLoaderVariable); !strings.Contains(f.Message, "NODE_OPTIONS") || f.Entry != "a" {
		t.Errorf("%+v", f)
	}
	write(t, filepath.Join(root, ".env"), "A=1\nhunter2\n")
	if f := finding(t, refused(t, e, s), CodeEnvFile); strings.Contains(f.Text(), "hunter2") || !strings.Contains(f.Text(), "line 2") {
		t.Errorf("%s", f.Text())
	}
	if err := os.Remove(filepath.Join(root, ".env")); err != nil {
		t.Fatal(err)
	}
	finding(t, refused(t, e, s), CodeEnvFile)
}

func TestS24_EnvFileOfAProjectStaysInside(t *testing.T) {
	t.Parallel()
	root, outside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret.env")
	write(t, secret, "A=1\n")
	link(t, secret, filepath.Join(root, "link.env"))
	for _, name := range []string{secret, "../" + filepath.Base(outside) + "/secret.env", "link.env"} {
		text := `{"mcpServers":{"a":{"command":"x","envFile":"` + filepath.ToSlash(name) + `"}}}`
		finding(t, refused(t, parseProject(t, root, text).Entries[0], Scope{}), CodeEnvFile)
		expanded(t, parseUser(t, text).Entries[0], Scope{Root: root})
	}
}

func TestParseEnvFile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want []Variable
	}{
		{"", nil},
		{"# comment\n\n  # another\n", nil},
		{"A=1", []Variable{{"A", "1"}}},
		{"\ufeffA=1\r\nB=2\r\n", []Variable{{"A", "1"}, {"B", "2"}}},
		{"export A=1\n  B = 2 \nC=", []Variable{{"A", "1"}, {"B", "2"}, {"C", ""}}},
		{"A=x # note\nB=x#y\nC=#z\nD=a  b\t# c", []Variable{{"A", "x"}, {"B", "x#y"}, {"C", ""}, {"D", "a  b"}}},
		{`A='it is $x \n # so'` + "\nB=2", []Variable{{"A", `it is $x \n # so`}, {"B", "2"}}},
		{`A="a\nb\"c\\d\$e\q" # note`, []Variable{{"A", "a\nb\"c\\d$e\\q"}}},
		{"A=\"two\nlines\"\nB=2", []Variable{{"A", "two\nlines"}, {"B", "2"}}},
		{"A=b=c\nA=d", []Variable{{"A", "b=c"}, {"A", "d"}}},
	}
	for _, test := range tests {
		got, err := parseEnvFile([]byte(test.text))
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, %v", test.text, got, err)
		}
	}
	for text, line := range map[string]string{"A=1\nnoise": "line 2", "=x": "line 1", "A B=1": "line 1", "A=1\nB=\"open\nC=2": "line 2", "A='a' b": "line 1", "A\n=1": "line 1", "\xff=1": "UTF-8", "A=\x00": "UTF-8"} {
		if got, err := parseEnvFile([]byte(text)); err == nil || !strings.Contains(err.Error(), line) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
