//go:build !windows

package sidecar

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pillion/rpc"
	"pillion/rpc/message"
)

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func asked[R any](t *testing.T, w *attachedWindow, method string, params any) (R, error) {
	t.Helper()
	var result R
	raw, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := ask(t, w.editor, method, string(raw))
	if err == nil {
		err = json.Unmarshal(answer, &result)
	}
	return result, err
}

// TestA5_ImportOverTheWire: what was found is listed, a file of the user's goes
// into the user's own, switched off, and a repository's into the repository's
// alone, where it waits.
func TestA5_ImportOverTheWire(t *testing.T) {
	t.Parallel()
	w := openWindow(t, func(home string) {
		touch := `{"command":"touch","args":["` + filepath.Join(home, "touched") + `"],"autoApprove":["x"]}`
		writeFile(t, filepath.Join(home, ".cursor", "mcp.json"), `{"mcpServers":{"mine":`+touch+`,"me":{"command":"pillion"},"taken":`+touch+`}}`)
		writeFile(t, filepath.Join(home, "repository", ".vscode", "mcp.json"), `{"servers":{"theirs":`+touch+`}} // x`)
		writeFile(t, filepath.Join(home, ".gemini", "settings.json"), `{`)
		writeFile(t, filepath.Join(home, "config", "mcp.json"), `{"mcpServers":{"taken":{"command":"/kept","disabled":true}}}`)
	})
	listed, err := asked[message.ImportsResult](t, w, message.Imports.Method, message.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	if len(listed.Found) != 3 {
		t.Fatalf("found %+v", listed.Found)
	}
	own, broken, theirs := listed.Found[0], listed.Found[1], listed.Found[2]
	if own.Format != message.ImportCursor || !slices.Equal(own.Names, []string{"mine", "me", "taken"}) || own.Root != "" || own.Problem != "" {
		t.Errorf("%+v", own)
	}
	if broken.Problem == "" || broken.Names == nil {
		t.Errorf("%+v", broken)
	}
	if theirs.Root.FsPath() != filepath.Join(w.home, "repository") {
		t.Errorf("%+v", theirs)
	}

	result, err := asked[message.ImportResult](t, w, message.Import.Method, message.ImportParams{URI: own.URI, Scope: message.FileScopeUser})
	if err != nil || len(result.Added) != 1 {
		t.Fatalf("%+v, %v", result, err)
	}
	said := func(name, key, part string) {
		t.Helper()
		if !slices.ContainsFunc(result.Report, func(r message.ImportRemark) bool {
			return r.Name == name && r.Key == key && strings.Contains(r.Message, part)
		}) {
			t.Errorf("nothing about %s %s among %+v", name, key, result.Report)
		}
	}
	said("mine", "autoApprove", "never honoured")
	said("mine", "", "switched off until you allow it")
	said("me", "", "this is Pillion")
	said("taken", "", "already")
	if text, _ := os.ReadFile(filepath.Join(w.home, "config", "mcp.json")); !strings.Contains(string(text), `"disabled":true}}}`) || !strings.Contains(string(text), "/kept") {
		t.Errorf("%s", text)
	}

	if _, err := asked[message.ImportResult](t, w, message.Import.Method, message.ImportParams{URI: theirs.URI, Scope: message.FileScopeUser}); !hasCode(err, rpc.CodeInvalidParams) {
		t.Errorf("a repository's file went into the user's own: %v", err)
	}
	result, err = asked[message.ImportResult](t, w, message.Import.Method, message.ImportParams{URI: theirs.URI, Names: []string{"theirs"}, Scope: message.FileScopeProject})
	if err != nil || len(result.Added) != 1 {
		t.Fatalf("%+v, %v", result, err)
	}
	all, err := asked[message.ConnectorsResult](t, w, message.Connectors.Method, message.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, c := range all.Connectors {
		states[c.Name] = string(c.State) + " " + string(c.Source)
	}
	if states["mine"] != "disabled import" || states["theirs"] != "waiting project" || states["taken"] != "disabled user" {
		t.Errorf("%v", states)
	}
	if _, err := os.Stat(filepath.Join(w.home, "touched")); err == nil {
		t.Error("something ran")
	}
}

func TestS6_AnEditorImportsListedFilesAlone(t *testing.T) {
	t.Parallel()
	w := openWindow(t, func(home string) {
		writeFile(t, filepath.Join(home, "elsewhere.json"), `{"mcpServers":{"a":{"command":"x"}}}`)
		writeFile(t, filepath.Join(home, ".cursor", "mcp.json"), `{"mcpServers":{"a":{"command":"x"}}}`)
	})
	for _, params := range []string{
		`{"uri":"file://` + w.home + `/elsewhere.json","scope":"user"}`,
		`{"uri":"https://x.example/mcp.json","scope":"user"}`,
		`{"uri":"file://` + w.home + `/.gemini/settings.json","scope":"user"}`,
		`{"uri":"file://` + w.home + `/.cursor/mcp.json","scope":"user","names":["b"]}`,
		`{"uri":"file://` + w.home + `/.cursor/mcp.json","scope":"both"}`,
		`{"uri":"","scope":"user"}`,
	} {
		if _, err := ask(t, w.editor, message.Import.Method, params); !hasCode(err, rpc.CodeInvalidParams) {
			t.Errorf("%s: %v", params, err)
		}
	}
	if _, err := os.Stat(filepath.Join(w.home, "config", "mcp.json")); err == nil {
		t.Error("something was written")
	}
}
