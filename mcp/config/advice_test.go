package config

import (
	"strings"
	"testing"
)

func TestPackage(t *testing.T) {
	t.Parallel()
	commit := strings.Repeat("0a", 20)
	for line, want := range map[string]string{
		"npx -y @scope/server": "@scope/server", "npx -y server@latest": "server", "npx --package a@^1 b": "a", "npx server@1.2.3": "", "npx -y github:o/r#v1": "github:o/r", "npx -y github:o/r#" + commit: "",
		"npx -y github:o/r": "github:o/r", "npm exec -- pkg": "pkg", "pnpm dlx pkg@2.0.0": "", "npm run start": "", "bun x pkg": "pkg",
		"uvx server": "server", "uvx server==1.0": "", "uvx server@1.0": "", "uvx server>=1": "server", "uvx --from git srv": "git", "uv tool run --python 3.12 x": "x",
		"pipx run x": "x", "docker run -i --rm -e A ghcr.io/o/i": "ghcr.io/o/i", "docker run --rm -i mcp/x:latest": "mcp/x", "docker run mcp/x:1.2": "",
		"docker run mcp/x@sha256:" + commit + commit[:24]: "", "docker run --name=a localhost:5000/x": "localhost:5000/x", "docker compose up": "", "node server.js": "", "npx ${PKG}": "", "npx": "",
	} {
		words := strings.Fields(line)
		e := &Entry{Transport: TransportStdio, Command: words[0], Args: words[1:]}
		p, ok := e.Package()
		got := ""
		if ok && !p.IsPinned {
			got = p.Name
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestS11_LiteralSecretsAreFoundAndTheirEditHasNone(t *testing.T) {
	t.Parallel()
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	for entry, fixed := range map[string]string{
		`{"command": "x", "env": {"GITHUB_TOKEN": "` + secret + `"}}`:                                  `{"command": "x", "env": {"GITHUB_TOKEN": "${GITHUB_TOKEN}"}}`,
		`{"command": "x", "args": ["--api-key", "` + secret + `"]}`:                                    `{"command": "x", "args": ["--api-key", "${API_KEY}"]}`,
		`{"command": "x", "args": ["--token=` + secret + `"]}`:                                         `{"command": "x", "args": ["--token=${TOKEN}"]}`,
		`{"type": "http", "url": "https://h/", "headers": {"Authorization": "Bearer ` + secret + `"}}`: `{"type": "http", "url": "https://h/", "headers": {"Authorization": "Bearer ${MY_HUB_TOKEN}"}}`,
		`{"command": "x", "env": {"DEBUG": "true", "TOKEN_FILE": "/a", "T": "${GITHUB_TOKEN}"}}`:       "",
	} {
		text := `{"mcpServers": {"my-hub": ` + entry + `}}`
		advice := ParseDraft(project(), []byte(text)).Advice()
		if fixed == "" {
			if len(advice) > 0 {
				t.Errorf("%s: %v", entry, advice)
			}
			continue
		}
		if len(advice) != 1 || advice[0].Severity != Warning || advice[0].Edit == nil || strings.Contains(advice[0].Text(), secret) {
			t.Errorf("%s: %v", entry, advice)
			continue
		}
		if got := apply(text, *advice[0].Edit); got != `{"mcpServers": {"my-hub": `+fixed+`}}` {
			t.Errorf("%s becomes %s", entry, got)
		}
	}
}

func TestDraft_Renamed(t *testing.T) {
	t.Parallel()
	text := `{"pillion": {"profiles": {"p": ["a", "b"], "q": {"connectors": ["a"]}}}, "mcpServers": {"a": {"command": "x"}, "b": {"pillion": {"aliasOf": "a"}}}}`
	d := ParseDraft(File{Source: SourceUser}, []byte(text))
	edits, err := d.Renamed("a", "c")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(text, `"a"`, `"c"`)
	if got := string(applyEdits([]byte(text), edits)); got != want {
		t.Errorf("%s", got)
	}
	for _, bad := range []string{"b", "", "browser", "a\x00"} {
		if _, err := d.Renamed("a", bad); err == nil {
			t.Errorf("it may be called %q", bad)
		}
	}
}
