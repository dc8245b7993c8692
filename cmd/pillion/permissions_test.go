//go:build !windows

package main

import (
	"strings"
	"testing"
)

// TestS6_WhatGivesMoreIsAskedOnTheTerminal sets and takes back standing rules.
func TestS6_WhatGivesMoreIsAskedOnTheTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(w.entry("one", "fakestdio"))
	if o := w.runWith("yes\n", "permissions", "set", "allow", "one", "a"); o.code != exitNotAllowed || !strings.Contains(o.stderr, "needs permission") {
		t.Error(o)
	}
	s := w.onTerminal(nil, "mcp", "approve", "one")
	s.sees(yesPrompt)
	s.types("yes\n")
	s.expects(exitOK)

	allow := []string{"permissions", "set", "allow", "one", "a", "--equals", "/branch=main"}
	if o := w.runWith("yes\n", allow...); o.code != exitUnanswered {
		t.Errorf("a pipe was taken for a person: %v", o)
	}
	s = w.onTerminal(nil, allow...)
	s.sees("Pillion asks:")
	s.sees(`| allow one.a where /branch is "main"`)
	s.sees(yesPrompt)
	s.types("y\n")
	s.expects(exitNotAllowed)
	rules := func() permissionsShape { return decode[permissionsShape](t, w.expect(0, "permissions", "--json")) }
	if got := rules(); len(got.Rules) != 0 {
		t.Errorf("%+v", got)
	}
	s = w.onTerminal(nil, allow...)
	s.sees(yesPrompt)
	s.types("yes\n")
	s.expects(exitOK)
	got := rules()
	if len(got.Rules) != 1 || string(got.Rules[0].Where[0].Equals) != `"main"` || got.Rules[0].Suspended {
		t.Fatalf("%+v", got)
	}
	w.expect(0, "permissions", "remove", string(got.Rules[0].ID)) // takes away

	asked := decode[setShape](t, w.expect(0, "permissions", "set", "deny", "one.a", "--json")).Rule
	if asked.Tool == nil || *asked.Tool != "a" {
		t.Errorf("a label names %+v", asked)
	}
	s = w.onTerminal(nil, "permissions", "remove", string(asked.ID))
	s.sees(yesPrompt)
	s.types("yes\n")
	s.expects(exitOK)

	denied := decode[setShape](t, w.expect(0, "permissions", "set", "deny", "one", "--json")).Rule
	if o := w.runWith("yes\n", "permissions", "remove", string(denied.ID)); o.code != exitUnanswered {
		t.Error(o)
	}
	s = w.onTerminal(nil, "permissions", "remove", string(denied.ID))
	s.sees(yesPrompt)
	s.types("yes\n")
	s.expects(exitOK)
	if got := rules(); len(got.Rules) != 0 {
		t.Errorf("%+v", got)
	}
	for _, arguments := range [][]string{
		{"permissions", "set", "allow", "one", "--glob", "/a=*"}, {"permissions", "set", "deny", "one", "a", "--glob", "/a=*"},
		{"permissions", "set", "perhaps", "one"}, {"permissions", "set", "deny", "none"}, {"permissions", "remove", "none"},
	} {
		w.expect(exitUsage, arguments...)
	}
}

// A person sees the tools of the very connector that an allowance is for, by whichever of its names (S8, S17).
func TestS8_TheQuestionShowsTheToolsOfAnAlias(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.entry("one", "fakestdio"), `"second": {"pillion": {"aliasOf": "one", "tools": ["a"]}}`)
	s := w.onTerminal(nil, "permissions", "set", "allow", "second")
	s.sees("Pillion asks:")
	s.sees("| second.a")
	s.sees(yesPrompt)
	s.types("no\n")
	s.expects(exitNotAllowed)
}
