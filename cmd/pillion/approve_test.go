//go:build !windows

package main

import (
	"strings"
	"testing"

	"pillion/rpc/message"
)

func states(t *testing.T, w *world) map[string]message.ConnectorState {
	t.Helper()
	found := map[string]message.ConnectorState{}
	for _, c := range decode[listShape](t, w.expect(0, "mcp", "list", "--json")).Connectors {
		found[c.Name] = c.State
	}
	return found
}

func TestApprove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(w.entry("one", "fakestdio", "dump"), w.entry("two", "fakestdio"))
	s := w.onTerminal(nil, "mcp", "approve")
	s.sees("Pillion asks:")
	s.sees(`| "one"`)
	s.sees("| dump")
	s.sees(yesPrompt)
	s.types("yes\n")
	s.sees(`| "two"`)
	s.sees(yesPrompt)
	s.types("y\n")
	shown := s.expects(exitNotAllowed)
	if !strings.Contains(shown, `"one" is allowed in this folder.`) || !strings.Contains(shown, `"two" was not allowed`) {
		t.Error(shown)
	}
	if got := states(t, w); got["one"] != message.ConnectorIdle || got["two"] != message.ConnectorWaiting {
		t.Errorf("states %v", got)
	}
	// What was allowed is not asked again; a change is, with the difference.
	w.project(w.entry("one", "fakestdio", "echo"))
	s = w.onTerminal(nil, "mcp", "approve", "one")
	s.sees("This connector was allowed here before. Since then something has changed.")
	s.sees(yesPrompt)
	s.types("yes\n")
	s.expects(exitOK)

	if o := w.expect(0, "mcp", "approve"); !strings.Contains(o.stderr, "Nothing needs permission") {
		t.Error(o)
	}
	revoked := decode[revokeShape](t, w.expect(0, "mcp", "revoke", "one", "--json"))
	if len(revoked.Revoked) == 0 || revoked.Revoked[0].Name != "one" || revoked.Revoked[0].Decision != "allow" {
		t.Errorf("revoked %+v", revoked)
	}
	if got := states(t, w); got["one"] != message.ConnectorWaiting {
		t.Errorf("states %v", got)
	}
	w.expect(exitFailed, "mcp", "revoke", "one")
}

// TestS16_NothingButTheExactWordIsAYes types what is nearly one.
func TestS16_NothingButTheExactWordIsAYes(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"", "y", "YES", "Yes", " yes", "yes ", "yes!", "ja", "1", "true", strings.Repeat("yes", 1000)} {
		t.Run(answer[:min(4, len(answer))], func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.project(w.entry("one", "fakestdio"))
			s := w.onTerminal(nil, "mcp", "approve")
			s.sees(yesPrompt)
			s.types(answer + "\n")
			s.expects(exitNotAllowed)
			if got := states(t, w); got["one"] != message.ConnectorWaiting {
				t.Errorf("%q was taken for a yes", answer)
			}
		})
	}
}

// TestS16_TypedAheadIsThrownAway has a person who was typing when the question came.
func TestS16_TypedAheadIsThrownAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(w.entry("one", "fakestdio"), w.entry("two", "fakestdio"))
	s := w.onTerminal(nil, "mcp", "approve")
	s.types("yes\nyes\nyes\nye")
	s.sees(yesPrompt)
	s.types("\n") // would make a yes of what came before it
	s.sees(`| "two"`)
	s.types("yes\n")
	s.sees(yesPrompt)
	s.types("\x04") // end of input
	s.expects(exitUnanswered)
	if got := states(t, w); got["one"] != message.ConnectorWaiting || got["two"] != message.ConnectorWaiting {
		t.Errorf("states %v", got)
	}
}

func TestS6_APipeIsNotAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(w.entry("one", "fakestdio"))
	for _, arguments := range [][]string{
		{"mcp", "approve"}, {"mcp", "approve", "one"}, {"mcp", "approve", "one", "--json"},
	} {
		if o := w.runWith("yes\nyes\n1\n3\n", arguments...); o.code != exitUnanswered {
			t.Errorf("%v: %v", arguments, o)
		}
	}
	// Nor is an argument.
	for _, arguments := range [][]string{
		{"mcp", "approve", "one", "yes"}, {"mcp", "approve", "--yes", "one"}, {"mcp", "approve", "-y"}, {"answer", "x", "allow"},
	} {
		if o := w.runWith("yes\n", arguments...); o.code != exitUsage {
			t.Errorf("%v: %v", arguments, o)
		}
	}
	if got := states(t, w); got["one"] != message.ConnectorWaiting {
		t.Errorf("states %v", got)
	}
}

// TestS6_APipeBesideATerminal has a person at the terminal who says no, and a pipe that says yes.
func TestS6_APipeBesideATerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(w.entry("one", "fakestdio"))
	command := w.command("mcp", "approve")
	command.Stdin = strings.NewReader("yes\nyes\n")
	s := w.start(command, nil)
	s.sees(yesPrompt)
	s.types("no\n")
	s.expects(exitNotAllowed)
	if got := states(t, w); got["one"] != message.ConnectorWaiting {
		t.Errorf("states %v", got)
	}
}

// TestS6_TheSameQuestionStandsInTheWindow approves in a terminal what an editor shows as well, and the other way round.
func TestS6_TheSameQuestionStandsInTheWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(w.entry("one", "fakestdio"), w.entry("two", "fakestdio"))
	e := w.edit()
	e.Connector("one", message.ConnectorWaiting)

	s := w.onTerminal(nil, "mcp", "approve", "one")
	s.sees(yesPrompt)
	ask := e.Ask(message.AskConsent)
	s.types("yes\n")
	s.expects(exitOK)
	if closed := e.Closed(ask.AskID); closed.How != message.AskAnswered {
		t.Errorf("the editor's question: %+v", closed)
	}
	e.Connector("one", message.ConnectorReady)

	two := e.Connector("two", message.ConnectorWaiting)
	s = w.onTerminal(nil, "mcp", "approve", "two")
	s.sees(yesPrompt)
	ask = e.Ask(message.AskConsent)
	if result := e.Answer(ask.AskID, `{"decisions":{"`+string(two.ID)+`":"allow"}}`); !result.Accepted {
		t.Fatal(result.Reason)
	}
	s.sees("the question was answered by")
	s.expects(exitOK)
	e.Connector("two", message.ConnectorReady)
}

func TestApproveOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if o := w.expect(exitUsage, "mcp", "approve", "none"); !strings.Contains(o.stderr, `no connector "none"`) {
		t.Error(o)
	}
	if o := w.expect(exitOK, "mcp", "approve", "--json"); strings.TrimSpace(o.stdout) != `{"decided":[]}` {
		t.Error(o)
	}
}

// TestU26_ANameThatIsNearlyOne is answered with those that may have been meant, and a line to paste takes any name.
func TestU26_ANameThatIsNearlyOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(w.entry("with space", "fakestdio"), w.entry("a/b", "fakestdio"), `"bad": {"command": 7}`)
	for _, test := range []struct {
		arguments string // with ; between
		want      string
	}{
		{"mcp;approve;withspace", `did you mean "with space"?`},
		{"mcp;approve;with;space", `A name with spaces goes in quotes`},
		{"mcp;enable;with_space", `did you mean "with space"?`},
		{"mcp;remove;A/B", `did you mean "a/b"?`},
		{"mcp;revoke;a-b", `did you mean "a/b"?`},
		{"permissions;set;deny;withspace", `did you mean "with space"?`},
	} {
		if o := w.expect(exitUsage, strings.Split(test.arguments, ";")...); !strings.Contains(o.stderr, test.want) {
			t.Errorf("%s: %v", test.arguments, o)
		}
	}
	for name, want := range map[string]string{"with space": "`pillion mcp approve \"with space\"`", "a/b": "`pillion mcp approve a/b`", "bad": "write the program's name"} {
		if o := w.expect(exitOK, "why", name); !strings.Contains(strings.SplitAfter(o.stdout, "\n")[0], want) {
			t.Errorf("why %s: %v", name, o)
		}
	}
	if o := w.expect(exitOK, "mcp", "approve", "bad"); !strings.Contains(o.stderr, "command is a number") {
		t.Error(o)
	}
	w.expect(exitUnanswered, "mcp", "approve", "with space")
}
