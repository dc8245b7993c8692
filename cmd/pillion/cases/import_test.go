package cases

import (
	"path/filepath"
	"strings"
	"testing"

	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// A5, A4: what a file of VS Code asks for comes along with what refers to it, and is asked for when the connector starts; into a
// project's file it cannot, and that is said.
func TestA5_InputsComeAlong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	own := filepath.Join(w.home, ".config", "Code", "User", "mcp.json")
	text := `{"inputs": [{"id": "key", "type": "promptString", "password": true, "description": "Key of the notes"}],
		"servers": {"notes": {"command": "` + fakestdio + `", "env": {"` + mcptest.ModeVar + `": "", "KEY": "${input:key}"}}}}`
	w.write(own, text)
	theirs := w.write(filepath.Join(w.repository, ".vscode", "mcp.json"), text)

	out, _ := w.run("import", own, "--json")
	if !strings.Contains(out, "inputs.key") || !strings.Contains(out, "comes along") {
		t.Errorf("nothing is said of it: %s", out)
	}
	written := string(read(t, filepath.Join(w.home, "config", "mcp.json")))
	if !strings.Contains(written, `"inputs"`) || !strings.Contains(written, `"Key of the notes"`) {
		t.Errorf("%s", written)
	}
	out, _ = w.run("import", theirs, "--project", "--json")
	if !strings.Contains(out, "a project's file asks for no input") {
		t.Errorf("nothing is said of it: %s", out)
	}
	if written := string(read(t, filepath.Join(w.repository, ".mcp.json"))); strings.Contains(written, "inputs") || strings.Contains(written, "${input") {
		t.Errorf("%s", written)
	}

	w.user(strings.Replace(written, `"disabled": true`, `"disabled": false`, 1))
	e := w.edit()
	if _, asked := inputOf(t, e); asked.ID != "key" || !asked.Secret || asked.Description != "Key of the notes" {
		t.Errorf("%+v", asked)
	}
	gives(t, e, "s3cr3t-of-notes")
	e.Connector("notes", message.ConnectorReady)
}
