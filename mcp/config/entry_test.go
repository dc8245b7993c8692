package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestA1_ValuesOfReadmesAreTaken(t *testing.T) {
	t.Parallel()
	e := entryOf(t, `{"command":"x","args":["--port",3000,true],"env":{"DEBUG":true,"N":1e3}}`)
	sound(t, e)
	if !slices.Equal(e.Args, []string{"--port", "3000", "true"}) || !slices.Equal(e.Env, []Variable{{"DEBUG", "true"}, {"N", "1e3"}}) {
		t.Errorf("args %q, env %q", e.Args, e.Env)
	}
	if len(e.Findings) != 4 || e.Findings[0].Code != CodeSpelling || e.Findings[0].Edit.Text != `"3000"` {
		t.Errorf("findings %+v", e.Findings)
	}
}

func TestA9_CommandThatIsAShellLine(t *testing.T) {
	t.Parallel()
	e := entryOf(t, `{"command":"npx -y pkg@1"}`)
	if f := finding(t, e.Findings, CodeShellLine); f.Severity != Warning || f.Fix != `write "command": "npx", "args": ["-y", …]` {
		t.Errorf("%s", f.Text())
	}
	for _, entry := range []string{`{"command":"C:\\Program Files\\node\\npx.cmd"}`, `{"command":"/opt/my server/run"}`, `{"command":"a b","args":[]}`} {
		without(t, entryOf(t, entry).Findings, CodeShellLine)
	}
}

func TestA10_Names(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		code     string
		severity Severity
	}{
		{"github", "", 0},
		{"a.b-c_9", "", 0},
		{"Sequential Thinking", CodeUnusualName, Hint},
		{"@scope/server", CodeUnusualName, Hint},
		{"github ", CodeUnusualName, Hint},
		{"git\u200bhub", CodeUnusualName, Hint},
		{"gîthub", CodeUnusualName, Hint},
		{strings.Repeat("é", 128), CodeUnusualName, Hint},
		{strings.Repeat("a", 128), "", 0},
		{strings.Repeat("a", 129), CodeName, Error},
		{"", CodeName, Error},
		{"a\u0007b", CodeName, Error},
		{"a\nb", CodeName, Error},
		{"browser", CodeReservedName, Error},
		{"Browser", "", 0},
	}
	for _, test := range tests {
		text, err := Insert(nil, "a", []byte(`{"command":"x"}`), true)
		if err != nil {
			t.Fatal(err)
		}
		quoted := fmt.Sprintf("%q", test.name)
		quoted = strings.ReplaceAll(quoted, `\a`, `\u0007`)
		e := parseUser(t, strings.Replace(string(text), `"a"`, quoted, 1)).Entries[0]
		if e.Name != test.name {
			t.Errorf("name %q, want %q", e.Name, test.name)
		}
		if test.code == "" {
			if len(e.Findings) > 0 {
				t.Errorf("%q: %v", test.name, e.Findings)
			}
			continue
		}
		if f := finding(t, e.Findings, test.code); f.Severity != test.severity || f.Span != e.KeySpan {
			t.Errorf("%q: %+v", test.name, f)
		}
		if (test.severity == Error) != (e.Fault != nil) {
			t.Errorf("%q: fault %v", test.name, e.Fault)
		}
	}
}

func TestA10_ShownName(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"plain name": "plain name", "git\u200bhub": `git\u200bhub`, " a ": `\u0020a\u0020`, "\u202eevil": `\u202eevil`,
		"a\nb": `a\u000ab`, "日本": "日本", "😀": "😀", "a\u00a0b": `a\u00a0b`, "  ": `\u0020\u0020`, "": "",
	}
	for name, want := range tests {
		if got := ShownName(name); got != want {
			t.Errorf("ShownName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestA1_URLs(t *testing.T) {
	t.Parallel()
	tests := []struct{ url, code string }{
		{"https://example.com/mcp", ""},
		{"HTTPS://example.com/mcp", ""},
		{"http://localhost:3000/mcp", ""},
		{"http://127.0.0.1/mcp", ""},
		{"http://127.9.9.9/mcp", ""},
		{"http://[::1]:3000/mcp", ""},
		{"http://app.localhost/mcp", ""},
		{"https://user:pw@example.com/mcp", ""},
		{"${BASE}/mcp", ""},
		{"https://${HOST}/mcp", ""},
		{"http://${HOST}/mcp", ""},
		{"http://example.com/mcp", CodePlainHTTP},
		{"http://10.0.0.1/mcp", CodePlainHTTP},
		{"http://localhost.example.com/mcp", CodePlainHTTP},
		{"http://0.0.0.0/mcp", CodePlainHTTP},
		{"file:///etc/passwd", CodeURL},
		{"javascript:alert(1)", CodeURL},
		{"ftp://example.com/", CodeURL},
		{"ftp://${HOST}/", CodeURL},
		{"unix:///run/x.sock", CodeURL},
		{"localhost:3000/mcp", CodeURL},
		{"example.com/mcp", CodeURL},
		{"//example.com/mcp", CodeURL},
		{"https://", CodeURL},
		{"https:example.com", CodeURL},
		{"https://exa mple.com/", CodeURL},
		{"https://h/\u007f", CodeURL},
	}
	for _, test := range tests {
		e := entryOf(t, `{"url":"`+test.url+`"}`)
		switch test.code {
		case "":
			sound(t, e)
			if len(e.Findings) > 0 {
				t.Errorf("%s: %v", test.url, e.Findings)
			}
		case CodePlainHTTP:
			sound(t, e)
			if finding(t, e.Findings, test.code).Severity != Warning {
				t.Errorf("%s: %v", test.url, e.Findings)
			}
		default:
			fault(t, e, test.code)
		}
	}
}

func TestU22_SharedFileHints(t *testing.T) {
	t.Parallel()
	text := `{
  // comment
  "mcpServers": {
    "a": {"command": "x", "args": ["${env:HOME}", "${env:A:-b}"]},
    "b": {"url": "https://h/"},
  }
}`
	d := parseProject(t, "/ws", text)
	var at []string
	for _, f := range d.Findings {
		if f.Code != CodeOtherHosts || f.Severity != Hint {
			t.Errorf("%+v", f)
		}
		at = append(at, textAt(d, f.Span))
	}
	if want := []string{"// comment", "${env:HOME}", "${env:A:-b}", `"url"`, ","}; !slices.Equal(at, want) {
		t.Errorf("hints at %q, want %q", at, want)
	}
	for range len(d.Findings) {
		i := slices.IndexFunc(d.Findings, func(f Finding) bool { return f.Edit != nil })
		if i < 0 {
			break
		}
		d = parseProject(t, "/ws", apply(string(d.Text), *d.Findings[i].Edit))
	}
	if len(d.Findings) != 2 { // a comment and a default are left to a person
		t.Errorf("after the edits: %s\n%v", d.Text, d.Findings)
	}
	if user := parseUser(t, text); len(user.Findings) != 0 {
		t.Errorf("the user's own file: %v", user.Findings)
	}
}

func TestS11_LoaderVariablesOfAProjectAreNamed(t *testing.T) {
	t.Parallel()
	names := []string{"LD_PRELOAD", "ld_preload", "DYLD_INSERT_LIBRARIES", "NODE_OPTIONS", "PYTHONPATH", "BASH_ENV", "GIT_SSH_COMMAND",
		"PATH", "Path", "HOME", "HTTPS_PROXY", "https_proxy", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "npm_config_registry"}
	for _, name := range names {
		entry := `{"command":"x","env":{"` + name + `":"v"}}`
		e := projectEntryOf(t, entry)
		sound(t, e)
		if f := finding(t, e.Findings, CodeLoaderVariable); f.Severity != Warning || !strings.Contains(f.Message, name) {
			t.Errorf("%s: %+v", name, f)
		}
		without(t, entryOf(t, entry).Findings, CodeLoaderVariable)
	}
	for _, name := range []string{"GITHUB_TOKEN", "NODE_ENV", "API_KEY", "LDAP", "PATHS"} {
		without(t, projectEntryOf(t, `{"command":"x","env":{"`+name+`":"v"}}`).Findings, CodeLoaderVariable)
	}
}

func TestA11_PillionItselfIsRecognised(t *testing.T) {
	t.Parallel()
	e := entryOf(t, `{"command":"pillion","args":["serve"]}`)
	fault(t, e, CodeSelf)
	if !e.Pillion || e.Fault.Severity != Information {
		t.Errorf("%+v", e.Fault)
	}
	tests := []struct {
		command string
		args    []string
		want    bool
	}{
		{"pillion", nil, true},
		{"/usr/local/bin/pillion", []string{"serve", "--attach"}, true},
		{`C:\Tools\Pillion.EXE`, []string{"serve"}, true},
		{"${userHome}/bin/pillion", []string{"serve"}, true},
		{"npx", []string{"-y", "pillion@1.2.3", "serve"}, true},
		{"npx", []string{"-y", "@scope/pillion", "serve"}, true},
		{"npm", []string{"exec", "--", "pillion", "serve"}, true},
		{"cmd", []string{"/c", "npx", "-y", "pillion"}, true},
		{"sh", []string{"-c", "exec pillion serve"}, true},
		{"env", []string{"A=1", "pillion", "serve"}, true},
		{"pillion", []string{"demo"}, false},
		{"npx", []string{"-y", "pillion", "demo"}, false},
		{"pillion", []string{"serve", "demo"}, true},
		{"npx", []string{"-y", "other", "pillion"}, false},
		{"pillion-notes", nil, false},
		{"node", []string{"pillion"}, false},
		{"", nil, false},
		{"sh", []string{"-c", ""}, false},
	}
	for _, test := range tests {
		if got := RunsPillion(test.command, test.args); got != test.want {
			t.Errorf("RunsPillion(%q, %q) = %v", test.command, test.args, got)
		}
	}
}

// TestA5_ImportedFrom only describes: it makes an import of the user's own
// entries alone, and does not count in the hash.
func TestA5_ImportedFrom(t *testing.T) {
	const plain, imported = `{"command":"x"}`, `{"command":"x","pillion":{"importedFrom":"/home/u/.cursor/mcp.json"}}`
	if e := entryOf(t, imported); e.Origin() != SourceImport || e.Fault != nil || e.Hash() != entryOf(t, plain).Hash() {
		t.Errorf("origin %s, fault %v", e.Origin(), e.Fault)
	}
	if e := entryOf(t, plain); e.Origin() != SourceUser {
		t.Errorf("origin %s", e.Origin())
	}
	if e := projectEntryOf(t, imported); e.Origin() != SourceProject {
		t.Errorf("origin %s", e.Origin())
	}
	if e := entryOf(t, `{"command":"x","pillion":{"importedFrom":3}}`); e.Origin() != SourceUser || e.Fault != nil {
		t.Errorf("origin %s, fault %v", e.Origin(), e.Fault)
	}
}
