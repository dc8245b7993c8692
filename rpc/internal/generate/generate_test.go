package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func outputs(t *testing.T) (root string, files map[string][]byte) {
	t.Helper()
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	files, err = generate(root)
	if err != nil {
		t.Fatal(err)
	}
	return root, files
}

func TestGeneratedFilesAreCurrent(t *testing.T) {
	root, files := outputs(t)
	for path, want := range files {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		if err != nil {
			t.Error(err)
			continue
		}
		if !bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want) {
			t.Errorf("%s is stale: run make generate", path)
		}
	}
}

func TestGenerationIsDeterministic(t *testing.T) {
	_, first := outputs(t)
	for range 2 {
		_, again := outputs(t)
		for path := range first {
			if !bytes.Equal(first[path], again[path]) {
				t.Fatalf("%s differs from one run to the next", path)
			}
		}
	}
}

// TestEveryShapeIsInEveryForm holds that no form forgets a shape or a method.
func TestEveryShapeIsInEveryForm(t *testing.T) {
	root, files := outputs(t)
	sources, err := readSources(filepath.Join(root, "rpc", "message"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := load(sources)
	if err != nil {
		t.Fatal(err)
	}
	ts, luaText, page := string(files["vscode-extension/src/generated/protocol.ts"]),
		string(files["nvim-plugin/lua/pillion/protocol.lua"]), string(files["docs/protocol.md"])
	for goName := range m.types {
		name := wireName(goName)
		if !regexp.MustCompile(`(?m)^export (type|interface) ` + name + `\b`).MatchString(ts) {
			t.Errorf("TypeScript has no %s", name)
		}
		if !regexp.MustCompile(`(?m)^---@(class \(exact\)|alias) pillion\.` + name + `\b`).MatchString(luaText) {
			t.Errorf("Lua has no %s", name)
		}
		if !regexp.MustCompile(`(?m)^(type|interface) ` + name + `\b`).MatchString(page) {
			t.Errorf("the page has no %s", name)
		}
	}
	for _, d := range []direction{request, notification, editorRequest, event, command} {
		for _, x := range m.methods(d) {
			if !strings.Contains(ts, `"`+x.wire+`": {`) || !strings.Contains(luaText, "= '"+x.wire+"',") || !strings.Contains(page, "### `"+x.wire+"`\n") {
				t.Errorf("%s is not in every form", x.wire)
			}
		}
	}
}

// TestOneSentenceALine holds the form of the pages' prose.
func TestOneSentenceALine(t *testing.T) {
	_, files := outputs(t)
	for _, page := range []string{"docs/protocol.md", "docs/settings.md"} {
		inCode := false
		for i, line := range strings.Split(string(files[page]), "\n") {
			if strings.HasPrefix(line, "```") {
				inCode = !inCode
			}
			text := regexp.MustCompile(`^\d+\. `).ReplaceAllString(line, "")
			if !inCode && len(sentences(text)) > 1 {
				t.Errorf("%s: line %d holds several sentences: %s", page, i+1, line)
			}
			if strings.TrimRight(line, " ") != line {
				t.Errorf("%s: line %d ends in a space", page, i+1)
			}
		}
	}
}

func TestLinksOfThePageLead(t *testing.T) {
	_, files := outputs(t)
	page := string(files["docs/protocol.md"])
	headings := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		headings[anchor(found[1])] = true
	}
	links := regexp.MustCompile(`\]\(#([^)]*)\)`).FindAllStringSubmatch(page, -1)
	if len(links) == 0 {
		t.Error("the page has no links")
	}
	for _, link := range links {
		if !headings[link[1]] {
			t.Errorf("#%s leads nowhere", link[1])
		}
	}
}
