//go:build !windows

package main

import (
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/rpc/message"
)

// TestS6_TheFirstAnswerCounts asks about a change that gives more on a terminal while a window is open: it is one question.
func TestS6_TheFirstAnswerCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.entry("one", "fakestdio"), `"off": {"command": "fakestdio", "disabled": true}`)
	e := w.edit()
	e.Connector("one", message.ConnectorReady)
	rules := func() []message.PermissionRule {
		return editortest.Request(e, message.Permissions, message.Empty{}).Rules
	}
	// seen is the question as the window has it, and how it ended.
	seen := func(s *session) message.AskID {
		t.Helper()
		s.sees("Pillion asks:")
		s.sees(yesPrompt)
		return e.Ask(message.AskWiden).AskID
	}
	ended := func(id message.AskID, by string) {
		t.Helper()
		if closed := e.Closed(id); closed.How != message.AskAnswered || !strings.HasPrefix(closed.By, by) {
			t.Errorf("%+v, want by %s", closed, by)
		}
	}
	allow := []string{"permissions", "set", "allow", "one", "a"}

	s := w.onTerminal(nil, allow...) // a no on the terminal is one in the window
	id := seen(s)
	s.types("no\n")
	s.expects(exitNotAllowed)
	ended(id, "cli")
	if len(rules()) != 0 {
		t.Errorf("%+v", rules())
	}

	s = w.onTerminal(nil, allow...) // the window says yes
	id = seen(s)
	e.Answer(id, `{"decision":"make"}`)
	s.sees("was answered by editor")
	s.sees("It stands: allow one.a")
	s.expects(exitOK)
	if len(rules()) != 1 {
		t.Fatalf("%+v", rules())
	}

	// A refusal takes its place, and that is said.
	if o := w.expect(0, "permissions", "set", "deny", "one", "a"); !strings.Contains(o.stdout, "It took the place of: allow one.a") {
		t.Error(o)
	}
	denied := decode[permissionsShape](t, w.expect(0, "permissions", "--json")).Rules[0]
	s = w.onTerminal(nil, "permissions", "remove", string(denied.ID)) // the window says no
	id = seen(s)
	e.Answer(id, `{"decision":"keep"}`)
	s.sees("was answered by editor")
	s.expects(exitNotAllowed)
	s = w.onTerminal(nil, "permissions", "remove", string(denied.ID))
	id = seen(s)
	s.types("yes\n")
	s.expects(exitOK)
	ended(id, "cli")
	if len(rules()) != 0 {
		t.Errorf("%+v", rules())
	}

	s = w.onTerminal(nil, "mcp", "enable", "off")
	id = seen(s)
	e.Answer(id, `{"decision":"make"}`)
	s.expects(exitOK)
	e.ConnectorThat("is on", func(c message.Connector) bool { return c.Name == "off" && len(c.DisabledBy) == 0 })
}

// TestO6_ResumeOnATerminal stops and resumes: to resume gives more, and is asked.
func TestO6_ResumeOnATerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if o := w.expect(0, "resume"); !strings.Contains(o.stdout, "nothing is paused") {
		t.Error(o)
	}
	e := w.edit()
	if o := w.expect(0, "resume"); !strings.Contains(o.stdout, "Nothing is paused") {
		t.Error(o)
	}
	w.expect(0, "stop")
	w.expect(exitUnanswered, "resume")
	mode := func() message.Mode { return editortest.Request(e, message.ModeCurrent, message.Empty{}).Mode }
	if mode() != message.ModePaused {
		t.Error("resumed without a person")
	}
	s := w.onTerminal(nil, "resume")
	s.sees("| Pillion is paused: nothing runs")
	s.sees(yesPrompt)
	s.types("yes\n")
	s.expects(exitOK)
	if mode() != message.ModeAsk {
		t.Error("not resumed")
	}
	// What a terminal did not ask about it can answer.
	w.expect(0, "stop")
	editortest.Request(e, message.ModeSet, message.ModeParams{Mode: message.ModePlan})
	ask := e.Ask(message.AskWiden)
	s = w.onTerminal(nil, "answer", string(ask.AskID))
	s.sees("1. Keep as it is")
	s.sees("2. Make the change")
	s.sees(numberPrompt)
	s.types("2\n")
	s.expects(exitOK)
	if mode() != message.ModePlan {
		t.Errorf("the mode is %s", mode())
	}
}
