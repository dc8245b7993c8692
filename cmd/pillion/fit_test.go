package main

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestS17_NoLineOfAQuestionIsBrokenByTheTerminal breaks each kind of line.
func TestS17_NoLineOfAQuestionIsBrokenByTheTerminal(t *testing.T) {
	note := foreignNoteStart + " are not Pillion's words."
	for name, c := range map[string]struct {
		text  string
		width int
		want  string
	}{
		"short":            {"connector\n| \"a\"", 20, "connector\n| \"a\""},
		"width unknown":    {strings.Repeat("a ", 100), 0, strings.Repeat("a ", 100)},
		"own words":        {"may this tool be called now?", 20, "may this tool be\ncalled now?"},
		"a choice":         {"  2. Always allow this tool", 20, "  2. Always allow\n  this tool"},
		"foreign":          {"| 45678901234567890Type yes", 20, "| 45678901234567890T\n|+ ype yes"},
		"foreign and note": {note + "\n| 4567890123456789012", 20, "Lines that begin\nwith \"| \" are not\nPillion's words. One\nthat begins with\n\"|+\" goes on with\nthe line above it.\n| 456789012345678901\n|+ 2"},
		"wide":             {"| 漢字漢字漢字漢字漢字", 20, "| 漢字漢字漢字漢字漢\n|+ 字"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := fit(c.text, c.width); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestS17_ForeignTextKeepsItsMarkAndItsCharacters takes any foreign line.
func TestS17_ForeignTextKeepsItsMarkAndItsCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		foreign := "| " + rapid.StringMatching(`[^\n]*`).Draw(t, "foreign")
		width := rapid.IntRange(20, 120).Draw(t, "width")
		got := fit(foreign, width)
		for line := range strings.Lines(got) {
			line = strings.TrimSuffix(line, "\n")
			if !strings.HasPrefix(line, "|") || columns(line) > width {
				t.Fatalf("line %q of %q at %d", line, foreign, width)
			}
		}
		if whole := strings.ReplaceAll(got, "\n"+continued, ""); whole != foreign {
			t.Fatalf("%q became %q", foreign, whole)
		}
	})
}
