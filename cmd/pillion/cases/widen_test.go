package cases

import (
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/rpc/message"
)

// rulesOf are the labels of what stands.
func rulesOf(e *editortest.Editor) string {
	var labels []string
	for _, rule := range editortest.Request(e, message.Permissions, message.Empty{}).Rules {
		labels = append(labels, rule.Label)
	}
	return strings.Join(labels, "; ")
}

func ruleParams(decision message.PermissionDecision, tool string) message.PermissionSetParams {
	return message.PermissionSetParams{Connector: "f", Tool: message.OneTool(message.ToolRef(tool)), Decision: decision, Scope: message.PermissionUser}
}

// S6: whatever gives more is a question that shows it whole, and nothing has changed before the exact yes to it.
func TestS6_WhatGivesMoreIsAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	off := fake("", readOnly)
	off["disabled"] = true
	w.user(servers(map[string]entry{"f": fake("", readOnly), "off": off}))
	deny := func(e *editortest.Editor) message.RuleID {
		return editortest.Request(e, message.PermissionSet, ruleParams(message.PermissionDeny, "a")).Rule.ID
	}
	for _, test := range []struct {
		name    string
		prepare func(e *editortest.Editor)
		ask     func(e *editortest.Editor) message.AskID
		shown   []string // of the body
		before  func(e *editortest.Editor) bool
	}{
		{"a standing yes", func(*editortest.Editor) {}, func(e *editortest.Editor) message.AskID {
			return editortest.Request(e, message.PermissionSet, ruleParams(message.PermissionAllow, "a")).AskID
		}, []string{`"change":"rule"`, `"then":"allow f.a"`, `"now":[]`, `"inputSchemaText"`}, func(e *editortest.Editor) bool { return rulesOf(e) == "" }},
		{"ask over deny", func(e *editortest.Editor) { deny(e) }, func(e *editortest.Editor) message.AskID {
			return editortest.Request(e, message.PermissionSet, ruleParams(message.PermissionAsk, "a")).AskID
		}, []string{`"change":"rule"`, `"then":"always ask for f.a"`, `refuse f.a`}, func(e *editortest.Editor) bool { return rulesOf(e) == "refuse f.a" }},
		{"the end of a refusal", func(e *editortest.Editor) { deny(e) }, func(e *editortest.Editor) message.AskID {
			id := editortest.Request(e, message.Permissions, message.Empty{}).Rules[0].ID
			return editortest.Request(e, message.PermissionRemove, message.PermissionRemoveParams{ID: id}).AskID
		}, []string{`"change":"ruleRemove"`, `refuse f.a`}, func(e *editortest.Editor) bool { return rulesOf(e) == "refuse f.a" }},
		{"another mode", func(e *editortest.Editor) { editortest.Request(e, message.StopAll, message.Empty{}) }, func(e *editortest.Editor) message.AskID {
			return editortest.Request(e, message.ModeSet, message.ModeParams{Mode: message.ModePlan}).AskID
		}, []string{`"change":"mode"`, "paused", "plan mode"}, func(e *editortest.Editor) bool {
			return editortest.Request(e, message.ModeCurrent, message.Empty{}).Mode == message.ModePaused
		}},
		{"a connector that is off", func(*editortest.Editor) {}, func(e *editortest.Editor) message.AskID {
			return editortest.Request(e, message.ConnectorSet, message.ConnectorSetParams{Connector: "off", Enabled: ptr(true)}).AskID
		}, []string{`"change":"connector"`, fakestdio, "off in its file"}, func(e *editortest.Editor) bool {
			return e.Connector("off").State == message.ConnectorDisabled
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := w.edit()
			e.Connector("f", message.ConnectorReady)
			test.prepare(e)
			id := test.ask(e)
			if again := test.ask(e); id == "" || again != id {
				t.Fatalf("questions %q and %q about one change", id, again)
			}
			ask := e.Ask(message.AskWiden)
			for _, want := range append(test.shown, `"hash":"`) {
				if !strings.Contains(string(ask.Body), want) {
					t.Errorf("%s is not shown: %s", want, ask.Body)
				}
			}
			for _, none := range []string{`null`, `{}`, `{"decision":"yes"}`, `{"decision":"make","always":true}`} {
				if e.Answer(id, none).Accepted {
					t.Errorf("%s was taken", none)
				}
			}
			if !test.before(e) {
				t.Error("it was changed before the answer")
			}
			e.Answer(id, `{"decision":"keep"}`)
			if !test.before(e) {
				t.Error("it was changed by a no")
			}
			id = test.ask(e)
			if result := e.Answer(id, `{"decision":"make"}`); !result.Accepted {
				t.Fatalf("%+v", result)
			}
			if closed := e.Closed(id); closed.How != message.AskAnswered {
				t.Errorf("%+v", closed)
			}
			if test.before(e) {
				t.Error("it was not changed by the yes")
			}
			for _, rule := range editortest.Request(e, message.Permissions, message.Empty{}).Rules {
				if id := editortest.Request(e, message.PermissionRemove, message.PermissionRemoveParams{ID: rule.ID}).AskID; id != "" {
					e.Answer(id, `{"decision":"make"}`)
				}
			}
			e.End()
		})
	}
	if log := string(read(t, w.file("state/audit.jsonl"))); !strings.Contains(log, `"kind":"ask"`) || !strings.Contains(log, `"status":"keep"`) || !strings.Contains(log, `"status":"make"`) {
		t.Errorf("the audit log: %s", log)
	}
}

// S6, S9: a yes counts for what was shown; what has become another change by then is not made.
func TestS6_AYesToAnotherChangeIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"f": fake("", readOnly)}))
	e := w.edit()
	e.Connector("f", message.ConnectorReady)
	id := editortest.Request(e, message.PermissionSet, ruleParams(message.PermissionAllow, "a")).AskID
	editortest.Request(e, message.PermissionSet, ruleParams(message.PermissionDeny, "a")) // what holds now is no longer what was shown
	if result := e.Answer(id, `{"decision":"make"}`); result.Accepted || result.Reason == "" {
		t.Errorf("%+v", result)
	}
	if got := rulesOf(e); got != "refuse f.a" {
		t.Errorf("what stands: %s", got)
	}
}

// U16, S18: an editor without a question view is shown the whole as a document, and asked in answer to the user's own command.
func TestS6_APlainEditorIsAskedByItsOwnCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"f": fake("", readOnly)}))
	titles := make(chan []string, 8)
	choice := "Keep as it is"
	e := w.edit(func(o *editortest.Options) {
		o.IsPlain = true
		o.Choose = func(_ string, offered []string) string {
			titles <- offered
			return choice
		}
	})
	execute(e, "pillion.server.stopAll")
	execute(e, "pillion.server.resume")
	if document := e.Shown("Pillion asks: may calls run again?"); !strings.Contains(document, "| Pillion is paused: nothing runs") || !strings.Contains(document, "hash of what is shown") {
		t.Errorf("%s", document)
	}
	if offered := <-titles; len(offered) != 2 || offered[0] != "Keep as it is" || offered[1] != "Make the change" {
		t.Errorf("offered %q", offered)
	}
	mode := func() message.Mode { return editortest.Request(e, message.ModeCurrent, message.Empty{}).Mode }
	if mode() != message.ModePaused {
		t.Error("a no resumed")
	}
}

// S6: what a terminal asks about is the window's question too, and the first answer counts.
func TestS6_TheTerminalsQuestionIsTheWindows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"f": fake("", readOnly)}))
	e := w.edit()
	e.Connector("f", message.ConnectorReady)
	// Without a terminal nothing is asked anywhere.
	if out, err := w.run("permissions", "set", "allow", "f", "a"); err == nil || !strings.Contains(out, "nothing was changed") {
		t.Errorf("%v: %s", err, out)
	}
	if asks := editortest.Request(e, message.Asks, message.Empty{}).Asks; len(asks) != 0 {
		t.Errorf("asked: %+v", asks)
	}
}
