package cases

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc"
	"pillion/rpc/message"
)

// quit ends a window as its user does.
func quit(e *editortest.Editor) {
	editortest.Request(e, rpc.Request[message.Empty, rpc.Null]{Method: "shutdown"}, message.Empty{})
	editortest.Notify(e, rpc.Notification[message.Empty]{Method: "exit"}, message.Empty{})
	e.Wait()
}

// trusting is a world in which a user has allowed what there is to allow, in a window that is closed again.
func trusting(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", mcptest.ToolsVar+"="+modal, mcptest.LogVar+"="+w.log("mine"))}))
	w.project(servers(map[string]entry{"theirs": fake("", mcptest.ToolsVar+"="+modal, mcptest.LogVar+"="+w.log("theirs"))}))
	e := w.edit()
	e.Allow("theirs")
	e.Connector("theirs", message.ConnectorReady)
	e.Connector("mine", message.ConnectorReady)
	for tool, scope := range map[string]string{"mine.write": "user", "theirs.write": "project"} {
		answer := begin(t, e, message.ToolCallParams{Tool: message.ToolRef(tool), ArgumentsText: "{}"})
		if result := e.Answer(e.Ask(message.AskApproval).AskID, `{"decision":"tool","scope":"`+scope+`"}`); !result.Accepted {
			t.Fatalf("%+v", result)
		}
		ended(t, e, answer)
	}
	for _, tool := range []string{"mine.look", "mine.write", "theirs.write"} {
		if result := call(t, e, tool, "{}"); result.Status != message.CallOK {
			t.Fatalf("%s: %+v", tool, result)
		}
	}
	quit(e)
	return w
}

// asks holds that a call asks and may be allowed once at most, and answers it.
func asks(t testing.TB, e *editortest.Editor, tool string) {
	t.Helper()
	answer := begin(t, e, message.ToolCallParams{Tool: message.ToolRef(tool), ArgumentsText: "{}"})
	body := approvalOf(t, e.Approve(message.ApproveOnce))
	if result := ended(t, e, answer); result.Status != message.CallOK || result.Allowed.By != message.AllowedByAnswer {
		t.Errorf("%s: %+v", tool, result)
	}
	if !slices.Equal(body.Choices, []message.ApprovalChoice{message.ApproveDecline, message.ApproveOnce}) {
		t.Errorf("%s offers %q", tool, body.Choices)
	}
}

// brokenFiles are what a store may be found as that cannot be understood; mcp/state has more.
var brokenFiles = map[string]string{
	"cut short":    `{"version":1,"data":{"records":[{"root":"/`,
	"another case": `{"Version":1,"Data":{}}`,
}

func TestS20_BrokenStore(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"permissions.json", "consents.json"} {
		for what, content := range brokenFiles {
			t.Run(name+" "+what, func(t *testing.T) {
				t.Parallel()
				w := trusting(t)
				path := w.write(w.file("state/"+name), content)
				for range 2 { // nothing changes by opening another window
					e := w.edit()
					e.Connector("mine", message.ConnectorReady)
					if body := bodyOf[message.StoreBody](t, e.Ask(message.AskStore)); body.File != path || body.Reason == "" {
						t.Errorf("%+v", body)
					}
					asks(t, e, "mine.look")
					asks(t, e, "mine.write")
					if name == "consents.json" {
						e.Connector("theirs", message.ConnectorWaiting)
					} else {
						e.Connector("theirs", message.ConnectorReady)
						asks(t, e, "theirs.write")
					}
					if open := editortest.Request(e, message.Asks, message.Empty{}).Asks; len(open) != 1 || open[0].Kind != message.AskStore {
						t.Errorf("%+v", open)
					}
					quit(e)
				}

				e, other := w.edit(), w.edit()
				e.Connector("mine", message.ConnectorReady)
				other.Connector("mine", message.ConnectorReady)
				open := e.Ask(message.AskStore)
				for _, inexact := range []string{`null`, `{}`, `{"decision":"CONFIRM"}`, `{"decision":true}`, `{"decision":"confirm","all":true}`} {
					if result := e.Answer(open.AskID, inexact); result.Accepted {
						t.Errorf("%s: %+v", inexact, result)
					}
				}
				asks(t, e, "mine.look")
				elsewhere := other.Ask(message.AskStore)
				if result := e.Answer(open.AskID, `{"decision":"confirm"}`); !result.Accepted {
					t.Fatalf("%+v", result)
				}
				other.Closed(elsewhere.AskID)
				aside := setAside(t, w, name)
				if len(aside) != 1 || string(read(t, aside[0])) != content {
					t.Errorf("set aside: %q", aside)
				}
				for _, window := range []*editortest.Editor{e, other} {
					if result := call(t, window, "mine.look", "{}"); result.Status != message.CallOK || result.Allowed.By != message.AllowedByReadOnly {
						t.Errorf("%+v", result)
					}
				}
				if name == "permissions.json" {
					// What was allowed before is gone; what is allowed now is kept.
					approved(t, e, "mine.write", "{}", message.ApproveTool)
				} else {
					e.Connector("theirs", message.ConnectorWaiting)
					e.Allow("theirs")
				}
				e.Connector("theirs", message.ConnectorReady)
				if result := call(t, e, "mine.write", "{}"); result.Status != message.CallOK {
					t.Errorf("%+v", result)
				}
			})
		}
	}
}

// A store that was put off is asked about again once somebody wants to see what is open, in every editor.
func TestS20_AStoreThatWasPutOffIsAskedAboutAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.file("state/permissions.json"), brokenFiles["cut short"])
	e := w.edit()
	open := e.Ask(message.AskStore)
	if result := e.Answer(open.AskID, `{"decision":"later"}`); !result.Accepted {
		t.Fatalf("%+v", result)
	}
	e.Closed(open.AskID)
	shown := editortest.Request(e, message.AskShow, message.AskShowParams{})
	if again := e.Ask(message.AskStore); shown.AskID == nil || *shown.AskID != again.AskID || again.AskID == open.AskID {
		t.Errorf("%+v, %+v", shown, again)
	}
	// Asked again it is the same question.
	if again := editortest.Request(e, message.AskShow, message.AskShowParams{}); again.AskID == nil || *again.AskID != *shown.AskID {
		t.Errorf("%+v", again)
	}
}

// setAside are the files that a store was set aside as.
func setAside(t testing.TB, w *world, name string) []string {
	t.Helper()
	found, err := filepath.Glob(w.file("state/" + name + ".broken-*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestS20_StoreOfANewerVersionIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"permissions.json", "consents.json"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := trusting(t)
			content := regexp.MustCompile(`"version": \d+`).ReplaceAllString(string(read(t, w.file("state/"+name))), `"version": 99`)
			if !strings.Contains(content, `"version": 99`) {
				t.Fatalf("%s", content)
			}
			path := w.write(w.file("state/"+name), content)
			e := w.edit()
			e.Connector("mine", message.ConnectorReady)
			open := e.Ask(message.AskStore)
			if body := bodyOf[message.StoreBody](t, open); body.File != path || body.SetAside != "" || !strings.Contains(body.Reason, "newer") {
				t.Errorf("%+v", body)
			}
			asks(t, e, "mine.look")
			asks(t, e, "mine.write")
			if result := e.Answer(open.AskID, `{"decision":"confirm"}`); !result.Accepted {
				t.Fatalf("%+v", result)
			}
			if result := call(t, e, "mine.look", "{}"); result.Status != message.CallOK {
				t.Errorf("%+v", result)
			}
			// What is decided now holds in this window, and is said to hold there alone.
			if name == "permissions.json" {
				approved(t, e, "mine.write", "{}", message.ApproveTool)
			} else {
				e.Connector("theirs", message.ConnectorWaiting)
				e.Allow("theirs")
				e.Connector("theirs", message.ConnectorReady)
				e.Told("this window only")
			}
			if result := call(t, e, "mine.write", "{}"); result.Status != message.CallOK {
				t.Errorf("%+v", result)
			}
			quit(e)
			if got := string(read(t, path)); got != content {
				t.Errorf("the file of a newer version is now\n%s", got)
			}
			if aside := setAside(t, w, name); len(aside) != 0 {
				t.Errorf("it was set aside: %q", aside)
			}
			again := w.edit()
			again.Ask(message.AskStore)
			asks(t, again, "mine.look")
		})
	}
}

func TestS20_StoreThatBreaksWhileTheWindowIsOpen(t *testing.T) {
	t.Parallel()
	w := trusting(t)
	e := w.edit()
	e.Connector("theirs", message.ConnectorReady, message.ConnectorIdle)
	if result := call(t, e, "theirs.write", "{}"); result.Status != message.CallOK {
		t.Fatalf("%+v", result)
	}
	pid := e.Connector("theirs", message.ConnectorReady).Processes[0].PID
	path := w.file("state/consents.json")
	good := string(read(t, path))
	w.write(path, "{")
	open := e.Ask(message.AskStore)
	e.Connector("theirs", message.ConnectorWaiting)
	eventually(t, "what is no longer known to be allowed has ended", func() bool { return !isAlive(pid) })
	asks(t, e, "mine.look")
	// Put off it goes on asking, and is not asked about again by itself.
	e.Answer(open.AskID, `{"decision":"later"}`)
	asks(t, e, "mine.look")
	w.write(path, good) // mended by hand
	e.Connector("theirs", message.ConnectorReady, message.ConnectorIdle)
	if result := call(t, e, "theirs.write", "{}"); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	if asks := editortest.Request(e, message.Asks, message.Empty{}).Asks; len(asks) != 0 {
		t.Errorf("%+v", asks)
	}
}

// A plain editor is told, and what it cannot answer lets nothing through.
func TestS20_PlainEditorIsTold(t *testing.T) {
	t.Parallel()
	w := trusting(t)
	sent := len(argumentsOf(t, w.log("mine")))
	w.write(w.file("state/permissions.json"), "{")
	e := w.edit(chooser(func(string, []string) string { return "Decline" }))
	e.Told("cannot be read")
	e.Connector("mine", message.ConnectorReady)
	execute(e, "pillion.server.tool.call", `"mine.look"`, `{}`)
	e.Shown("You declined the call")
	execute(e, "pillion.server.review")
	if text := e.Shown("go on without the decisions that it cannot read"); !strings.Contains(text, w.file("state/permissions.json")) {
		t.Errorf("%s", text)
	}
	if now := len(argumentsOf(t, w.log("mine"))); now != sent {
		t.Error("a call was sent")
	}
}

// What is in the place of a store and no file is as bad as a broken one.
func TestS20_NoFileInThePlaceOfAStore(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"a folder", "a link", "a link to nothing"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := trusting(t)
			path := w.file("state/permissions.json")
			outside := w.write(w.file("outside.json"), string(read(t, path)))
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			var err error
			switch what {
			case "a folder":
				err = os.Mkdir(path, 0o700)
			case "a link":
				err = os.Symlink(outside, path)
			case "a link to nothing":
				err = os.Symlink(w.file("nothing"), path)
			}
			if err != nil {
				t.Fatal(err)
			}
			e := w.edit()
			e.Connector("mine", message.ConnectorReady)
			open := e.Ask(message.AskStore)
			asks(t, e, "mine.look")
			asks(t, e, "mine.write")
			if result := e.Answer(open.AskID, `{"decision":"confirm"}`); !result.Accepted {
				t.Fatalf("%+v", result)
			}
			approved(t, e, "mine.write", "{}", message.ApproveTool)
			if exists(w.file("nothing")) {
				t.Error("a store was written through a link")
			}
			if result := call(t, e, "mine.look", "{}"); result.Status != message.CallOK {
				t.Errorf("%+v", result)
			}
		})
	}
}
