//go:build !windows

package main

import (
	"testing"

	"pillion/rpc/message"
)

// S6, A12: what takes away is done at once; what gives is seen on the terminal, and only the exact word is a yes.
func TestS6_EnableIsAskedOnTheTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(w.entry("one", "fakestdio", "dump"), w.entry("two", "fakestdio"))
	w.expect(0, "mcp", "disable", "one")
	w.expect(0, "tools", "off", "two.a")
	is := func(want message.ConnectorState) {
		t.Helper()
		if got := states(t, w); got["one"] != want || got["two"] != message.ConnectorWaiting {
			t.Errorf("states %v, want one %s", got, want)
		}
	}
	is(message.ConnectorDisabled)
	w.expect(exitUnanswered, "mcp", "enable", "one")

	s := w.onTerminal(nil, "mcp", "enable", "one")
	s.sees("Pillion asks: may this connector be on for you?")
	s.sees(`"dump"`)
	s.sees(yesPrompt)
	s.types("y\n")
	s.expects(exitNotAllowed)
	is(message.ConnectorDisabled)

	s = w.onTerminal(nil, "mcp", "enable", "one")
	s.sees(yesPrompt)
	s.types("yes\n")
	s.expects(exitOK)
	is(message.ConnectorWaiting) // on is not allowed
	w.expect(0, "mcp", "enable", "one")

	s = w.onTerminal(nil, "tools", "on", "two.a")
	s.sees("| two.a")
	s.sees(yesPrompt)
	s.types("yes\n")
	s.expects(exitOK)
	if reasons := decode[whyShape](t, w.expect(0, "why", "two.a", "--json")).Reasons; len(reasons) != 1 || reasons[0].Kind != message.ReasonPermission {
		t.Errorf("why %+v", reasons)
	}
}
