package cases

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc"
	"pillion/rpc/message"
)

var didChangeFolders = rpc.Notification[protocol.DidChangeWorkspaceFoldersParams]{Method: "workspace/didChangeWorkspaceFolders"}

// folder is a further folder of a workspace, with a connector of that name that asks for the roots once it is listed.
func (w *world) folder(name string) string {
	w.t.Helper()
	path := filepath.Join(w.home, name)
	w.write(filepath.Join(path, ".mcp.json"), servers(map[string]entry{name: w.rootsAsker(name)}))
	return path
}

func (w *world) rootsAsker(name string) entry {
	return fake("askafter=roots/list", mcptest.LogVar+"="+w.log(name), readOnly)
}

// rootsIn are the addresses in an answer to roots/list.
func rootsIn(t testing.TB, answer string) []string {
	t.Helper()
	var result struct {
		Roots []struct{ URI string }
	}
	if err := json.Unmarshal([]byte(answer), &result); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	uris := make([]string, len(result.Roots))
	for i, root := range result.Roots {
		uris[i] = root.URI
	}
	return uris
}

// bodiesOf are the messages of a method that a connector has read, byte for byte.
func bodiesOf(t testing.TB, log, method string) (bodies []string) {
	t.Helper()
	for _, line := range mcptest.Received(t, log) {
		if strings.Contains(line, `"method":"`+method+`"`) {
			bodies = append(bodies, line)
		}
	}
	return bodies
}

// toldOutside waits for what a connector was answered that asked outside of any call: a result, or an error.
func (w *world) toldOutside(name string) string {
	w.t.Helper()
	var answer struct {
		ID            any
		Result, Error json.RawMessage
	}
	eventually(w.t, name+" is answered", func() bool {
		if !exists(w.log(name)) {
			return false
		}
		for _, line := range mcptest.Received(w.t, w.log(name)) {
			if json.Unmarshal([]byte(line), &answer) == nil && answer.ID == "outside" {
				return true
			}
		}
		return false
	})
	if answer.Error != nil {
		return string(answer.Error)
	}
	return string(answer.Result)
}

// ownFolder holds that a connector is told of one folder, outside of a call and within one.
func (w *world) ownFolder(e *editortest.Editor, name, folder string) {
	w.t.Helper()
	want := string(uri.File(folder))
	e.Connector(name, message.ConnectorReady)
	answer := asking(w.t, e, name+".a", `{"method":"roots/list"}`)
	e.Approve(message.ApproveOnce)
	for _, got := range []string{w.toldOutside(name), answersIn(w.t, ended(w.t, e, answer))[0]} {
		if uris := rootsIn(w.t, got); len(uris) != 1 || uris[0] != want {
			w.t.Errorf("%s was told %s, want %s", name, got, want)
		}
	}
	if said := bodiesOf(w.t, w.log(name), "initialize"); len(said) != 1 || !strings.Contains(said[0], `"roots":{}`) {
		w.t.Errorf("%s was offered %s", name, said)
	}
}

// A project's connector is told of its own folder alone (S30), by Pillion itself: the editor is not asked, and may be busy.
func TestC50_RootsAreItsOwnFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, two, later := w.folder("one"), w.folder("two"), w.folder("later")
	w.user(servers(map[string]entry{"mine": w.rootsAsker("mine")}))
	asked := &heard{}
	e := w.edit(func(o *editortest.Options) { o.Roots, o.Heard = []string{one, two}, asked.hear })
	e.Allow("one", "two")
	w.ownFolder(e, "one", one)
	w.ownFolder(e, "two", two)
	if got := w.toldOutside("mine"); !strings.Contains(got, "-32601") {
		t.Errorf("a connector of the user's is told %s", got)
	}

	// A folder that is added is told to its own connector, and is no news to the others, which were promised none.
	editortest.Notify(e, didChangeFolders, protocol.DidChangeWorkspaceFoldersParams{
		Event: protocol.WorkspaceFoldersChangeEvent{Added: []protocol.WorkspaceFolder{{URI: uri.File(later), Name: "later"}}, Removed: []protocol.WorkspaceFolder{}},
	})
	e.Connector("later", message.ConnectorWaiting)
	e.Allow("later")
	w.ownFolder(e, "later", later)
	for name, folder := range map[string]string{"one": one, "two": two} {
		answer := asking(t, e, name+".a", `{"method":"roots/list"}`)
		e.Approve(message.ApproveOnce)
		if got := rootsIn(t, answersIn(t, ended(t, e, answer))[0]); len(got) != 1 || got[0] != string(uri.File(folder)) {
			t.Errorf("%s is told %s now", name, got)
		}
		if n := len(requestsOf(t, w.log(name), "notifications/roots/list_changed")); n != 0 {
			t.Errorf("%s was told %d times that its roots changed", name, n)
		}
	}
	if strings.Contains(string(asked.bytes()), `"workspace/workspaceFolders"`) {
		t.Error("the editor was asked")
	}
}

// Without a folder there are no roots: they are not offered, and who asks all the same is refused at once, not left waiting.
func TestC50_NoFolderNoRoots(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": w.rootsAsker("mine")}))
	if err := os.RemoveAll(w.repository); err != nil {
		t.Fatal(err)
	}
	e := w.edit(func(o *editortest.Options) { o.Roots = nil })
	e.Connector("mine", message.ConnectorReady)
	for _, got := range []string{w.toldOutside("mine"), answersIn(t, ended(t, e, asking(t, e, "mine.a", `{"method":"roots/list"}`)))[0]} {
		if !strings.Contains(got, "-32601") {
			t.Errorf("it was told %s", got)
		}
	}
	if said := bodiesOf(t, w.log("mine"), "initialize"); len(said) != 1 || strings.Contains(said[0], "roots") {
		t.Errorf("it was offered %s", said)
	}
}
