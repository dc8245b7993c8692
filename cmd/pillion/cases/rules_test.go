package cases

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/editors/editortest"
	"pillion/rpc"
	"pillion/rpc/message"
)

// S8: a refusal holds by every name of the tool, before it is listed, and in every session of the window.
func TestS8_ARefusalMatchesTheIdentity(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log := w.log("f")
	w.project(servers(map[string]entry{"f": fake("", "SRVLOG="+log)}))
	e := w.edit()
	waiting := e.Connector("f", message.ConnectorWaiting)
	editortest.Request(e, message.PermissionSet, message.PermissionSetParams{
		Connector: message.ConnectorRef(waiting.ID), Tool: jsontext.Value(`"f.a"`), Decision: message.PermissionDeny, Scope: message.PermissionSession,
	})
	e.Allow("f")
	e.Connector("f", message.ConnectorReady)
	for _, session := range []message.SessionID{"", "chat-1"} {
		for _, name := range []message.ToolRef{"f.a", "f__a"} {
			result := editortest.Request(e, message.ToolCall, message.ToolCallParams{Tool: name, ArgumentsText: "{}", SessionID: session})
			if result.Status != message.CallDenied {
				t.Errorf("%s in session %q: %+v", name, session, result)
			}
		}
	}
	if sent := argumentsOf(t, log); len(sent) != 0 {
		t.Errorf("%d calls were sent", len(sent))
	}
}

// S8: a refusal reaches a connector by its aliases, and what an alias is refused its first name is.
func TestS8_ARefusalReachesAliases(t *testing.T) {
	t.Parallel()
	for refused, other := range map[message.ConnectorRef]string{"f": "second", "second": "f"} {
		w := newWorld(t)
		w.user(servers(map[string]entry{"f": fake("", readOnly), "second": {"pillion": map[string]any{"aliasOf": "f"}}}))
		e := w.edit()
		e.Connector("f", message.ConnectorReady)
		e.Connector("second", message.ConnectorReady)
		if result := call(t, e, other+".a", "{}"); result.Status != message.CallOK {
			t.Errorf("%+v", result)
		}
		editortest.Request(e, message.PermissionSet, message.PermissionSetParams{
			Connector: refused, Tool: jsontext.Value(`"a"`), Decision: message.PermissionDeny, Scope: message.PermissionUser,
		})
		for _, name := range []string{string(refused), other} {
			if result := call(t, e, name+".a", "{}"); result.Status != message.CallDenied {
				t.Errorf("%s refused, %s called: %+v", refused, name, result)
			}
		}
	}
}

// S8: a rule that no store would keep is a mistake of whoever wants it, told in words, and not one of Pillion's own.
func TestS8_ARuleThatCannotBeIsRefusedInWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"f": fake("", readOnly)}))
	e := w.edit()
	e.Connector("f", message.ConnectorReady)
	for _, decision := range []message.PermissionDecision{message.PermissionDeny, message.PermissionAllow} {
		_, err := editortest.TryRequest(e, message.PermissionSet, message.PermissionSetParams{
			Connector: "f", Tool: jsontext.Value(`"a"`), Decision: decision, Scope: message.PermissionProject,
		})
		if code, text := errorOf(err); code != int(rpc.CodeInvalidParams) || !strings.Contains(text, "names no project") {
			t.Errorf("%s: %d %s", decision, code, text)
		}
	}
}

// S6: an entry that an editor's plugin adds to the user's file is not started unasked.
func TestS6_AnAddedEntryIsSwitchedOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	touched := w.file("touched")
	e := w.edit()
	added := editortest.Request(e, message.ConnectorAdd, message.ConnectorAddParams{
		Name: "new", Scope: message.FileScopeUser, DefinitionText: `{"command": "` + fakestdio + `", "args": ["touch=` + touched + `"]}`,
	})
	if added.Connector.State != message.ConnectorDisabled || len(added.Warnings) == 0 {
		t.Errorf("%+v", added)
	}
	e.Connector("new", message.ConnectorDisabled)
	if exists(touched) {
		t.Error("it was started")
	}
}

// C04: a file that cannot be read does not look like one that names nothing.
func TestC04_AFileThatCannotBeUsedIsNamed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"{", "[]", `{"servers": {}}`, `{"mcpServers": []}`} {
		w := newWorld(t)
		path := w.project(text)
		list := exec.Command(pillion, "mcp", "list")
		list.Env, list.Dir = w.environ, w.repository
		var stderr bytes.Buffer
		list.Stderr = &stderr
		if err := list.Run(); err == nil || !strings.Contains(stderr.String(), path+":") {
			t.Errorf("%s: %v, %q", text, err, stderr.String())
		}
		e := w.edit()
		editortest.Request(e, rpc.Request[map[string]any, jsontext.Value]{Method: "workspace/executeCommand"}, map[string]any{"command": message.CommandStatus.Name})
		e.Shown(path + ":")
	}
}

// E9: what changes which calls run is in the audit log, as the calls are.
func TestE9_RulesAndModesAreRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"f": fake("")}))
	e := w.edit()
	e.Connector("f", message.ConnectorReady)
	given := approved(t, e, "f.a", "{}", message.ApproveTool)
	editortest.Request(e, message.PermissionRemove, message.PermissionRemoveParams{ID: message.RuleID(given.Allowed.Rule)})
	editortest.Request(e, message.PermissionSet, message.PermissionSetParams{
		Connector: "f", Tool: jsontext.Value(`"a"`), Decision: message.PermissionDeny, Scope: message.PermissionUser,
	})
	editortest.Request(e, message.ModeSet, message.ModeParams{Mode: message.ModePaused})
	e.End()
	log := string(read(t, w.file("state/audit.jsonl")))
	for _, want := range []string{`"status":"deny"`, `"status":"removed"`, `"status":"allow"`, `"status":"mode","message":"paused"`} {
		if !strings.Contains(log, `"kind":"rule"`) || !strings.Contains(log, want) {
			t.Errorf("the audit log lacks %s:\n%s", want, log)
		}
	}
}
