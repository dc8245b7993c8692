//go:build !windows

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestC04_EveryVerbNamesTheFileThatCannotBeUsed runs the verbs that depend on the files beside broken ones.
func TestC04_EveryVerbNamesTheFileThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(filepath.Join(w.repository, ".mcp.json"), "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"ls\"},,\n  }\n}\n")
	w.write(filepath.Join(filepath.Dir(w.userFile()), "settings.json"), "{\n  \"ask\": prompt\n}")
	says := func(o outcome, meanwhile string) {
		t.Helper()
		for _, want := range []string{".mcp.json:3:28: ", meanwhile, "settings.json:2:10: ", "It is not used"} {
			if strings.Count(o.stderr, want) != 1 {
				t.Errorf("%q is not said once: %v", want, o)
			}
		}
	}
	verbs := []string{
		"mcp list", "call a.b", "why a", "pending", "tools off a.b", "permissions", "permissions set deny a", "config", "mcp approve",
		"mcp enable a", "mcp disable a", "import", "secret list", "mcp remove a", "mcp revoke a", "permissions remove x",
	}
	for _, verb := range verbs {
		says(w.runWith("", strings.Fields(verb)...), "Until it is mended, none of its connectors is there.")
	}
	w.edit()
	for _, verb := range []string{"mcp list", "call a.b", "why a", "pending", "permissions", "mcp approve"} {
		says(w.runWith("", strings.Fields(verb)...), "the editor's window goes on with what it last read there")
	}
}
