package cases

import (
	"os"
	"path/filepath"
	"testing"

	"pillion/editors/editortest"
	"pillion/rpc/message"
)

// S2: a yes is to the code of one folder. Another one in its place, with the same file, has none.
func TestS2_AFolderThatTookThePlaceOfTheAllowedOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	entry := servers(map[string]entry{"f": fake("")})
	w.project(entry)
	e := w.edit()
	e.Allow("f")
	e.Connector("f", message.ConnectorReady)
	swap := func(name string) {
		t.Helper()
		next := w.file("next-" + name)
		w.write(filepath.Join(next, ".mcp.json"), entry)
		if err := os.Rename(w.repository, w.file("old-"+name)); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, w.repository); err != nil {
			t.Fatal(err)
		}
	}
	swap("running")
	if result := call(t, e, "f.a", "{}"); result.Status != message.CallNeedsConsent {
		t.Errorf("a running connector served another folder: %+v", result)
	}
	e.Allow("f")
	e.Connector("f", message.ConnectorReady)
	editortest.Request(e, message.ConnectorStop, message.ConnectorParams{Connector: "f"})
	swap("stopped")
	if started := editortest.Request(e, message.ConnectorStart, message.ConnectorParams{Connector: "f"}); started.Connector.State != message.ConnectorWaiting {
		t.Errorf("a stopped connector started in another folder: %s", started.Connector.State)
	}
}
