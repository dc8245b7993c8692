package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/uri"

	"pillion/rpc/message"
)

func TestU33_RootOfAFolder(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, folder := range []string{
		"repo/.git", "repo/sub/deep", "repo/nested", "bare/.git", "bare/sub", "plain/sub", "worktree/sub",
	} {
		if err := os.MkdirAll(filepath.Join(home, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"repo/.mcp.json", "repo/nested/.mcp.json", "plain/.mcp.json", "worktree/.git", ".mcp.json"} {
		if err := os.WriteFile(filepath.Join(home, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for folder, want := range map[string]string{
		"repo":          "repo",
		"repo/sub/deep": "repo",        // the root of the repository
		"repo/nested":   "repo/nested", // it holds a file of its own
		"bare/sub":      "bare",
		"plain":         "plain",
		"plain/sub":     "plain/sub", // the file above counts for nothing (A2)
		"worktree/sub":  "worktree",  // .git may be a file
	} {
		if got := rootOf(filepath.Join(home, folder), home); got != filepath.Join(home, want) {
			t.Errorf("%s: root %s, want %s", folder, got, want)
		}
	}
	for _, folder := range []string{home, string(filepath.Separator)} {
		if got := rootOf(folder, home); got != "" {
			t.Errorf("%s: root %s", folder, got)
		}
	}
	// A home folder that is a repository makes no root of itself.
	if err := os.Mkdir(filepath.Join(home, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := rootOf(filepath.Join(home, "plain", "sub"), home); got == home {
		t.Error("the home folder is a root")
	}
}

func TestU8_WindowsHoldingAFolder(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	folder := filepath.Join(home, "a", "b", "c")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(home, "link")
	if err := os.Symlink(filepath.Join(home, "a"), link); err != nil {
		t.Skip(err)
	}
	window := func(name string, roots ...string) message.WindowDescriptor {
		d := message.WindowDescriptor{Window: name}
		for _, root := range roots {
			d.Roots = append(d.Roots, uri.File(root))
		}
		return d
	}
	windows := []message.WindowDescriptor{
		window("outer", filepath.Join(home, "a")),
		window("sibling", filepath.Join(home, "a", "b", "cc")),
		window("inner-last", filepath.Join(home, "x"), filepath.Join(home, "a", "b")),
		window("none"),
		{Window: "odd", Roots: []message.URI{"untitled:x", "", "https://a/b"}},
		window("inner-first", filepath.Join(home, "a", "b")),
		window("linked", link),
	}
	for from, want := range map[string]string{
		folder:                             "inner-last inner-first outer linked",
		filepath.Join(link, "b"):           "inner-last inner-first outer linked",
		filepath.Join(home, "a", "b", "d"): "inner-last inner-first outer linked",
		filepath.Join(home, "elsewhere"):   "",
	} {
		var names []string
		for _, w := range windowsHolding(windows, from) {
			names = append(names, w.Window)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", from, got, want)
		}
	}
}
