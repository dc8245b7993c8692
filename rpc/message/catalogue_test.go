package message

import (
	"slices"
	"strings"
	"testing"
)

// TestMethodsStayAsTheyAre holds the names of the wire and their directions.
func TestMethodsStayAsTheyAre(t *testing.T) {
	want := []string{
		"request pillion/connectors", "request pillion/connector/start", "request pillion/connector/stop", "request pillion/connector/restart",
		"request pillion/sessions", "request pillion/session/join", "request pillion/session/restart", "request pillion/session/end",
		"request pillion/connector/set", "request pillion/tool/set", "request pillion/workspace/set",
		"request pillion/connector/add", "request pillion/connector/remove",
		"request pillion/imports", "request pillion/import", "event pillion/connectorsChanged",
		"request pillion/joins", "request pillion/join/forget", "request pillion/consents", "request pillion/consent/revoke",
		"request pillion/tools", "request pillion/tool", "request pillion/catalog", "request pillion/why", "event pillion/toolsChanged",
		"request pillion/tool/call", "request pillion/calls", "request pillion/call", "request pillion/call/cancel", "request pillion/result/read",
		"request pillion/task/get", "request pillion/task/result", "request pillion/task/cancel",
		"request pillion/resources", "request pillion/resource/read", "request pillion/resource/subscribe", "request pillion/resource/unsubscribe",
		"event pillion/resourcesChanged", "event pillion/resourceUpdated",
		"request pillion/prompts", "request pillion/prompt/get", "request pillion/complete", "event pillion/promptsChanged",
		"request pillion/agent/prompt", "request pillion/agent/actions", "request pillion/agent/arguments", "request pillion/agent/clean",
		"request pillion/agent/hint",
		"request pillion/browser", "request pillion/browser/start", "request pillion/browser/stop", "request pillion/browser/picture", "request pillion/browser/ask",
		"event pillion/browserChanged",
		"request pillion/asks", "request pillion/ask/answer", "request pillion/ask/show", "event pillion/asksChanged",
		"request pillion/permissions", "request pillion/permission/set", "request pillion/permission/remove",
		"request pillion/secrets", "request pillion/secret/set", "request pillion/secret/remove",
		"request pillion/events", "event pillion/event", "request pillion/doctor",
		"request pillion/log", "request pillion/activity", "request pillion/stats",
		"request pillion/mode", "request pillion/mode/set", "request pillion/stopAll",
		"notification pillion/trustChanged", "notification pillion/focused",
		"request pillion/attach/challenge", "request pillion/attach",
	}
	if got := names(All()); !slices.Equal(got, sorted(want)) {
		t.Errorf("got  %q\nwant %q", got, sorted(want))
	}
}

// TestU15_ServerCommandsHaveTheirOwnPrefix holds the names of the commands: a
// client library registers each of them as an editor command.
func TestU15_ServerCommandsHaveTheirOwnPrefix(t *testing.T) {
	want := []string{"review", "ask.answer", "connector.start", "connector.stop", "connector.restart", "connector.remove",
		"connector.showLog", "connector.putOff", "connector.deny", "connector.test", "import", "connector.enable", "connector.disable", "connector.allow", "connector.revoke", "tool.call", "status", "stopAll",
		"permission.remove", "resume", "doctor", "browser.start", "browser.stop"}
	for i := range want {
		want[i] = "command pillion.server." + want[i]
	}
	if got := names(Commands()); !slices.Equal(got, sorted(want)) {
		t.Errorf("got  %q\nwant %q", got, sorted(want))
	}
}

func names(declared []Declared) []string {
	var found []string
	for _, d := range declared {
		found = append(found, string(d.Direction)+" "+d.Method)
	}
	return sorted(found)
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

// TestS6_WhatChangesTrustIsMarked holds that nothing that shows or changes
// trust can be taken for something that agents may reach.
func TestS6_WhatChangesTrustIsMarked(t *testing.T) {
	subjects := []string{"consent", "permission", "secret", "ask", "trust", "mode/set", "connector/add", "connector/remove", "import",
		"connector.allow", "connector.revoke", "connector.remove", "connector.putOff", "connector.deny",
		"connector/set", "tool/set", "workspace/set", "connector.enable", "connector.disable", "resume", "joins", "join/forget"}
	for _, d := range append(All(), Commands()...) {
		wire := strings.TrimPrefix(strings.TrimPrefix(d.Method, "pillion.server."), "pillion/")
		touches := slices.ContainsFunc(subjects, func(s string) bool { return strings.HasPrefix(wire, s) })
		if d.Direction != DirectionEvent && touches != d.ForPeopleOnly {
			t.Errorf("%s: for people only is %v", d.Method, d.ForPeopleOnly)
		}
	}
}

func TestEveryMessageIsDocumented(t *testing.T) {
	for _, d := range append(All(), Commands()...) {
		if d.Doc == "" || strings.HasPrefix(d.Doc, d.Name) || !strings.HasSuffix(d.Doc, ".") {
			t.Errorf("%s: documentation %q", d.Method, d.Doc)
		}
	}
}

func TestS16_TitlesAreExactAndSafestFirst(t *testing.T) {
	if got, want := (ConsentBody{Items: []ConsentItem{{}}}).Titles(), []Title{"Not now", "Never", "Allow"}; !slices.Equal(got, want) {
		t.Errorf("consent: %q, want %q", got, want)
	}
	body := ApprovalBody{Choices: []ApprovalChoice{ApproveConnector, ApproveTool, ApproveReadOnly, ApproveSession, ApproveOnce, ApproveDecline, "unknown"}}
	want := []Title{"Decline", "Allow once", "Allow for session", "Allow read-only tools", "Always allow tool", "Always allow connector"}
	if got := body.Titles(); !slices.Equal(got, want) {
		t.Errorf("approval: %q, want %q", got, want)
	}
	if got, want := (ApprovalBody{Choices: []ApprovalChoice{ApproveOnce, ApproveDecline}}).Titles(), want[:2]; !slices.Equal(got, want) {
		t.Errorf("offered choices: %q, want %q", got, want)
	}
}

func TestS16_OnlyExactTitlesDecide(t *testing.T) {
	consent := map[Title]ConsentDecision{"Not now": ConsentLater, "Never": ConsentNever, "Allow": ConsentAllow}
	approval := map[Title]ApprovalChoice{"Decline": ApproveDecline, "Allow once": ApproveOnce, "Allow for session": ApproveSession,
		"Allow read-only tools": ApproveReadOnly, "Always allow tool": ApproveTool, "Always allow connector": ApproveConnector}
	titles := []Title{"", "allow", "Allow ", "ALLOW", "Yes", "OK", "null", "once", "Allow once."}
	for title := range consent {
		titles = append(titles, title)
	}
	for title := range approval {
		titles = append(titles, title)
	}
	for _, title := range titles {
		wantDecision, decides := consent[title]
		if got, ok := title.Consent(); got != wantDecision || ok != decides {
			t.Errorf("consent %q: %q, %v", title, got, ok)
		}
		wantChoice, decides := approval[title]
		if got, ok := title.Approval(); got != wantChoice || ok != decides {
			t.Errorf("approval %q: %q, %v", title, got, ok)
		}
	}
}
