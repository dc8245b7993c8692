package policy

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, text string) Policy {
	t.Helper()
	p, err := Read(write(t, text), os.Getuid())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestO6_WhatMayRun(t *testing.T) {
	t.Parallel()
	npx := Connector{Name: "files", Command: []string{"npx", "-y", "@corp/files@1.2.3", "/srv"}}
	remote := Connector{Name: "wiki", URL: "https://mcp.corp.example/wiki/mcp"}
	for _, test := range []struct {
		name, connectors string
		c                Connector
		want             string // part of the refusal
	}{
		{"no rules", `{}`, npx, ""},
		{"an empty list", `{"allow": []}`, npx, "does not list it"},
		{"listed by command", `{"allow": [{"command": ["npx", "-y", "@corp/*", "**"]}]}`, npx, ""},
		{"another scope", `{"allow": [{"command": ["npx", "-y", "@other/*", "**"]}]}`, npx, "does not list it"},
		{"one argument more", `{"allow": [{"command": ["npx", "-y", "@corp/*"]}]}`, npx, "does not list it"},
		{"listed by the file that it is", `{"allow": [{"command": ["/usr/bin/npx", "**"]}]}`, Connector{Command: npx.Command, Program: "/usr/bin/npx"}, ""},
		{"a program of that name elsewhere", `{"allow": [{"command": ["/usr/bin/npx", "**"]}]}`, Connector{Command: npx.Command, Program: "/tmp/npx"}, "does not list it"},
		{"listed by name", `{"allow": [{"name": "fil*"}]}`, npx, ""},
		{"listed by address", `{"allow": [{"url": "https://*.corp.example/**"}]}`, remote, ""},
		{"an address that looks like it", `{"allow": [{"url": "https://*.corp.example/**"}]}`, Connector{URL: "https://evil.example/.corp.example/x"}, "does not list it"},
		{"an address is no command", `{"allow": [{"command": ["**"]}]}`, remote, "does not list it"},
		{"forbidden though listed", `{"allow": [{"name": "*"}], "deny": [{"command": ["npx", "**"]}]}`, npx, "forbids it"},
		{"forbidden with a path", `{"deny": [{"command": ["npx", "**"]}]}`, Connector{Command: []string{"/opt/bin/NPX.cmd", "x"}}, "forbids it"},
		{"forbidden as what it is found to be", `{"deny": [{"command": ["npx", "**"]}]}`, Connector{Command: []string{"runner", "x"}, Program: "/opt/bin/npx"}, "forbids it"},
		{"forbidden by a longer way", `{"deny": [{"command": ["/opt/fake", "**"]}]}`, Connector{Command: []string{"/opt/x/..//./fake"}, Program: "/opt/x/..//./fake"}, "forbids it"},
		{"forbidden behind a link", `{"deny": [{"command": ["/opt/fake", "**"]}]}`, Connector{Command: []string{"alias"}, Program: "/bin/alias", Real: "/opt/fake"}, "forbids it"},
		{"forbidden by name behind a link", `{"deny": [{"command": ["fake", "**"]}]}`, Connector{Command: []string{"alias"}, Program: "/bin/alias", Real: "/opt/fake"}, "forbids it"},
		{"the workspace's own program of a listed name", `{"allow": [{"command": ["npx", "**"]}]}`, Connector{Command: npx.Command, Program: "/w/bin/npx", InWorkspace: true}, "does not list it"},
		{"forbidden in another case", `{"deny": [{"name": "files"}]}`, Connector{Name: "FILES", Command: []string{"x"}}, "forbids it"},
		{"a variable in the file", `{"allow": [{"command": ["npx", "-y", "@corp/*", "**"]}]}`, Connector{Command: []string{"${RUNNER}"}, IsWritten: true}, ""},
		{"forbidden as it is written", `{"deny": [{"command": ["npx", "**"]}]}`, Connector{Command: []string{"npx", "${X}"}, IsWritten: true}, "forbids it"},
		{"nothing open", `{"allow": [{"name": "x"}]}`, Connector{Name: "files", Command: []string{"npx"}, IsWritten: true}, "does not list it"},
		{"something else is forbidden", `{"deny": [{"name": "mail"}]}`, npx, ""},
	} {
		refusal := read(t, `{"version": 1, "connectors": `+test.connectors+`}`).Refusal(test.c)
		if test.want == "" != (refusal == "") || !strings.Contains(refusal, test.want) {
			t.Errorf("%s: %q, want %q", test.name, refusal, test.want)
		}
	}
}

func TestO6_AnUnclearPolicyIsAnError(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"torn": `{"version": 1, "conn`, "empty": ``, "no version": `{"connectors": {}}`, "newer": `{"version": 2}`,
		"a misspelt key": `{"version": 1, "connectors": {"denny": []}}`, "another case": `{"version": 1, "Connectors": {}}`,
		"a key twice":       `{"version": 1, "connectors": {}, "connectors": {"deny": []}}`,
		"an empty rule":     `{"version": 1, "connectors": {"deny": [{}]}}`,
		"two in one":        `{"version": 1, "connectors": {"deny": [{"name": "a", "url": "b"}]}}`,
		"no glob":           `{"version": 1, "connectors": {"deny": [{"name": "[a"}]}}`,
		"too large":         `{"version": 1` + strings.Repeat(" ", maxBytes) + `}`,
		"a word for a list": `{"version": 1, "connectors": {"allow": "*"}}`,
	} {
		if p, err := Read(write(t, text), os.Getuid()); err == nil {
			t.Errorf("%s: %+v", name, p)
		}
	}
	absent := filepath.Join(t.TempDir(), "policy.json")
	if p, err := Read(absent, 0); err != nil || p.Refusal(Connector{Name: "x"}) != "" {
		t.Errorf("absent: %+v, %v", p, err)
	}
	if _, err := Read(t.TempDir(), os.Getuid()); err == nil {
		t.Error("a folder was taken")
	}
}

func TestO6_APolicyThatOthersMayWriteIsAnError(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no modes there")
	}
	path := write(t, `{"version": 1}`)
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path, os.Getuid()); err == nil || !strings.Contains(err.Error(), "may write it") {
		t.Error(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		if err := os.Chown(path, 12345, -1); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path, 0); err == nil || !strings.Contains(err.Error(), "user 12345") {
			t.Error(err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"version": 1, "connectors": {"allow": [{"name": "*"}], "deny": [{"command": ["a", "**"]}, {"url": "https://*"}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if p, err := parse(text); err == nil {
			p.Refusal(Connector{Name: "x", Command: []string{"y"}, URL: "z"})
		}
	})
}
