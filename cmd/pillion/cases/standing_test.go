package cases

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// pathed has a tool that takes a path.
const pathed = `[{"name":"write","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"}},"required":["path"]}},` +
	`{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]`

func TestE10_AStandingYesOnConditions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	notes, other := w.file("notes"), w.file("other")
	for _, folder := range []string{notes, other} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(other, filepath.Join(notes, "link")); err != nil {
		t.Fatal(err)
	}
	w.user(servers(map[string]entry{"mine": fake("", mcptest.ToolsVar+"="+pathed)}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	path := func(text string) string {
		raw, err := json.Marshal(map[string]string{"path": text})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	answer := begin(t, e, message.ToolCallParams{Tool: "mine.write", ArgumentsText: path(filepath.Join(notes, "a.md"))})
	id := e.Ask(message.AskApproval).AskID
	for _, bad := range []string{
		fmt.Sprintf(`{"decision":"tool","where":[{"path":"/path","under":%q}]}`, other),              // does not hold of this call
		fmt.Sprintf(`{"decision":"tool","where":[{"path":"/path","under":%q}]}`, w.file("nowhere")),  // is not there
		fmt.Sprintf(`{"decision":"connector","where":[{"path":"/path","under":%q}]}`, notes),         // more than one tool
		fmt.Sprintf(`{"decision":"tool","where":[{"path":"/path","under":%q,"never":true}]}`, notes), // not understood
		`{"decision":"tool","where":[{"path":"/path","under":"notes"}]}`,
	} {
		if result := e.Answer(id, bad); result.Accepted || result.Reason == "" {
			t.Errorf("%s: %+v", bad, result)
		}
	}
	if result := e.Answer(id, fmt.Sprintf(`{"decision":"tool","scope":"user","where":[{"path":"/path","under":%q},{"path":"/path","glob":"**/*.md"}]}`, notes)); !result.Accepted {
		t.Fatalf("%+v", result)
	}
	first := ended(t, e, answer)
	rules := editortest.Request(e, message.Permissions, message.Empty{}).Rules
	if len(rules) != 1 || len(rules[0].Where) != 2 || rules[0].Where[0].Under != notes || rules[0].Name != "mine" || rules[0].By == "" || rules[0].Suspended ||
		!strings.Contains(rules[0].Label, notes) || first.Allowed.Rule != string(rules[0].ID) {
		t.Errorf("%+v\n%+v", rules, first.Allowed)
	}
	if result := call(t, e, "mine.write", path(filepath.Join(notes, "b", "c.md"))); result.Status != message.CallOK || result.Allowed.By != message.AllowedByRule {
		t.Errorf("%+v", result)
	}
	for _, outside := range []string{
		filepath.Join(notes, "a.txt"), filepath.Join(other, "a.md"), notes + "/../other/a.md", filepath.Join(notes, "link", "a.md"), "notes/a.md", strings.ToUpper(notes) + "/a.md",
	} {
		if result := approved(t, e, "mine.write", path(outside), message.ApproveDecline); result.Status != message.CallDeclined {
			t.Errorf("%s: %+v", outside, result)
		}
	}
	// A refusal has no conditions: one that is unclear would be a way round it.
	if _, err := editortest.TryRequest(e, message.PermissionSet, message.PermissionSetParams{
		Connector: "mine", Tool: message.OneTool("write"), Decision: message.PermissionDeny, Scope: message.PermissionUser, Where: []message.Condition{{Path: "/path", Glob: "*"}},
	}); err == nil {
		t.Error("a refusal on a condition was taken")
	}
}

func TestS10_EditedArgumentsAreCheckedAgainstTheSchema(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", mcptest.ToolsVar+"="+pathed, mcptest.LogVar+"="+w.log("mine"))}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	for _, edited := range []string{`{}`, `{"path":5}`, `{"path":"x","n":"many"}`} {
		answer := begin(t, e, message.ToolCallParams{Tool: "mine.write", ArgumentsText: `{"path":"x"}`})
		raw, err := json.Marshal(map[string]string{"decision": "once", "argumentsText": edited})
		if err != nil {
			t.Fatal(err)
		}
		e.Answer(e.Ask(message.AskApproval).AskID, string(raw))
		if result := ended(t, e, answer); result.Status != message.CallInvalidArguments || result.MayHaveRun {
			t.Errorf("%s: %+v", edited, result)
		}
	}
	if sent := argumentsOf(t, w.log("mine")); len(sent) != 0 {
		t.Errorf("sent %q", sent)
	}
}

// S8: what stands for the user's own entry says nothing about a project's of the same name, nor one folder's about another's.
func TestS8_AStandingYesIsOfOneSourceAndRoot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"twin": fake("", mcptest.ToolsVar+"="+modal)}))
	w.project(servers(map[string]entry{"twin": fake("", mcptest.ToolsVar+"="+modal)}))
	second := filepath.Join(w.home, "second")
	w.write(filepath.Join(second, ".mcp.json"), servers(map[string]entry{"both": fake("", mcptest.ToolsVar+"="+modal)}))
	e := w.edit(func(o *editortest.Options) { o.Roots = append(o.Roots, second) })
	e.Connector("twin", message.ConnectorReady)
	answer := begin(t, e, message.ToolCallParams{Tool: "twin.write", ArgumentsText: "{}"})
	e.Answer(e.Ask(message.AskApproval).AskID, `{"decision":"tool","scope":"user"}`)
	if result := ended(t, e, answer); result.Status != message.CallOK {
		t.Fatalf("%+v", result)
	}
	if result := call(t, e, "twin.write", "{}"); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	// The user's own entry goes; the project's, which it stood before, comes to light.
	saved(e, w.user(servers(map[string]entry{})))
	e.ConnectorThat("is the project's", func(c message.Connector) bool {
		return c.Name == "twin" && c.Source == message.SourceProject && c.ShadowedBy == "" && c.State == message.ConnectorWaiting
	})
	e.Allow("twin")
	e.Connector("twin", message.ConnectorReady)
	if result := approved(t, e, "twin.write", "{}", message.ApproveDecline); result.Status != message.CallDeclined {
		t.Errorf("the user's permission was taken for the project's connector: %+v", result)
	}
}

// U5, U26: what stands is listed and taken back in one step, in an editor without a plugin and on a terminal.
func TestU5_WhatStandsIsTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", mcptest.ToolsVar+"="+modal)}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	stand := func() message.RuleID {
		t.Helper()
		answer := begin(t, e, message.ToolCallParams{Tool: "mine.write", ArgumentsText: "{}"})
		e.Answer(e.Ask(message.AskApproval).AskID, `{"decision":"tool","scope":"user"}`)
		result := ended(t, e, answer)
		if result.Status != message.CallOK || result.Allowed.Rule == "" {
			t.Fatalf("%+v", result)
		}
		return message.RuleID(result.Allowed.Rule)
	}
	gone := func(how string) {
		t.Helper()
		if rules := editortest.Request(e, message.Permissions, message.Empty{}).Rules; len(rules) != 0 {
			t.Errorf("%s: %+v", how, rules)
		}
		if result := approved(t, e, "mine.write", "{}", message.ApproveDecline); result.Status != message.CallDeclined {
			t.Errorf("%s: %+v", how, result)
		}
	}
	id := stand()
	execute(e, "pillion.server.status")
	if status := e.Shown("allow mine.write"); !strings.Contains(status, string(id)) {
		t.Errorf("%s", status)
	}
	execute(e, "pillion.server.permission.remove") // the only one
	gone("by the command")
	id = stand()
	execute(e, "pillion.server.permission.remove", string(jsontext.Value(`"`+string(id)+`"`)))
	gone("by the command, by its id")
	id = stand()
	if listed := w.verb("permissions"); !strings.Contains(listed, string(id)) || !strings.Contains(listed, "allow mine.write") {
		t.Errorf("%s", listed)
	}
	if said := w.verb("permissions", "remove", string(id)); !strings.Contains(said, "Taken back") {
		t.Errorf("%s", said)
	}
	gone("on a terminal")
	// To refuse takes nothing but the word.
	if said := w.verb("permissions", "set", "deny", "mine", "look"); !strings.Contains(said, "refuse mine.look") {
		t.Errorf("%s", said)
	}
	if result := call(t, e, "mine.look", "{}"); result.Status != message.CallDenied {
		t.Errorf("%+v", result)
	}
}
