//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the README gives to paste is, letter by letter, what these tests run.
func TestU13_WhatTheReadmeGivesIsWhatIsTested(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for pattern, language := range map[string]string{
		filepath.Join("testdata", "neovim", "*-*.lua"): "lua",
		filepath.Join("..", "helix", "languages.toml"): "toml",
		filepath.Join("..", "emacs", "pillion.el"):     "elisp",
	} {
		setups, err := filepath.Glob(pattern)
		if err != nil || len(setups) == 0 {
			t.Fatalf("no set-up to compare: %s: %v", pattern, err)
		}
		for _, setup := range setups {
			lines, err := os.ReadFile(setup)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(readme), "```"+language+"\n"+string(lines)+"```") {
				t.Errorf("README.md does not hold %s as it is:\n%s", setup, lines)
			}
		}
	}
}
