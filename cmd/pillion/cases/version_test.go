package cases

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// A runner that nothing pins brings another version: what was allowed to the old one is asked about, once, with the difference.
func TestS9_AnotherVersionOfWhatNothingPinsAsksAnew(t *testing.T) {
	t.Parallel()
	for _, era := range []string{"", ",modern"} {
		for name, isAsked := range map[string]bool{"pkg": true, "pkg@1.2.3": false} {
			w := newWorld(t)
			release := w.write(w.file("release"), "1.2.3")
			npx := w.copyOf(fakestdio, "npx"+executableSuffix())
			one := fake("release="+release+era, mcptest.LogVar+"="+w.log("mine"), mcptest.ToolsVar+"="+modal).with("command", npx).with("args", []string{"-y", name})
			w.user(servers(map[string]entry{"mine": one}))
			e := w.edit()
			e.Connector("mine", message.ConnectorReady)
			allow := func() {
				answer := begin(t, e, message.ToolCallParams{Tool: "mine.write", ArgumentsText: "{}"})
				if result := e.Answer(e.Ask(message.AskApproval).AskID, `{"decision":"tool","scope":"user"}`); !result.Accepted {
					t.Fatalf("%+v", result)
				}
				ended(t, e, answer)
			}
			stands := func() {
				if result := call(t, e, "mine.write", "{}"); result.Status != message.CallOK || result.Allowed.By != message.AllowedByRule {
					t.Errorf("%s: %+v", name, result)
				}
			}
			restart := func(version string) {
				w.write(release, version)
				c := e.Connector("mine")
				editortest.Request(e, message.ConnectorRestart, message.ConnectorParams{Connector: message.ConnectorRef(c.ID)})
			}
			allow()
			stands()
			restart("1.3.0-beta")
			if !isAsked {
				stands()
				quit(e)
				continue
			}
			answer := begin(t, e, message.ToolCallParams{Tool: "mine.write", ArgumentsText: "{}"})
			ask := e.Ask(message.AskApproval)
			body := approvalOf(t, ask)
			if body.Reason != "Its connector is of another version than when you allowed it, and nothing in its definition pins one." {
				t.Errorf("asked because %q", body.Reason)
			}
			want := message.Change{Path: "/connector/version", Before: `"1.2.3"`, After: `"1.3.0-beta"`}
			if !slices.Contains(body.Tool.Changed, want) {
				t.Errorf("shown is %+v", body.Tool.Changed)
			}
			declined(t, e, ask.AskID, answer)
			if rules := editortest.Request(e, message.Permissions, message.Empty{}).Rules; len(rules) != 1 || !rules[0].Suspended {
				t.Errorf("listed are %+v", rules)
			}
			allow()
			stands()
			restart("1.2.3") // back to the old version, back to the old permission
			stands()
			if sent := argumentsOf(t, w.log("mine")); len(sent) != 5 {
				t.Errorf("%d calls were sent", len(sent))
			}
			quit(e)
		}
	}
}

// copyOf is a copy of a program under another name.
func (w *world) copyOf(program, name string) string {
	w.t.Helper()
	content, err := os.ReadFile(program)
	if err != nil {
		w.t.Fatal(err)
	}
	path := w.file(filepath.Join("bin", name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	// A fork meanwhile would hold the file open for writing, and it could not be started (golang/go#22315).
	syscall.ForkLock.RLock()
	err = os.WriteFile(path, content, 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		w.t.Fatal(err)
	}
	return path
}
