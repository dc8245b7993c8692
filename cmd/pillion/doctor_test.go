package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWrapped(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("word ", 40) + strings.Repeat("x", 200) + " wörd"
	got := wrapped("  ok      ", text, 80)
	lines := strings.Split(got, "\n")
	for i, line := range lines {
		if utf8.RuneCountInString(line) > 80 && !strings.Contains(line, "xxx") {
			t.Errorf("line %d has %d characters", i, utf8.RuneCountInString(line))
		}
		if i > 0 && !strings.HasPrefix(line, strings.Repeat(" ", 10)) {
			t.Errorf("line %d is %q", i, line)
		}
	}
	if strings.Join(strings.Fields(got), " ") != "ok "+strings.Join(strings.Fields(text), " ") {
		t.Error(got)
	}
}
