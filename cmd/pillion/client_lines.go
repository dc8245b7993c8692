package main

import (
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// changedLines are the lines that go and those that come, each with a sign in front; a line that gets a comma is none.
func changedLines(before, after []byte) []string {
	var gone, changed []string
	for line := range strings.Lines(string(diff.Diff("before", before, "after", after))) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"), line == "":
		case line[0] == '-':
			gone = append(gone, line[1:])
			changed = append(changed, "- "+line[1:])
		case line[0] == '+':
			if at := len(gone) - 1; at >= 0 && strings.TrimSuffix(line[1:], ",") == strings.TrimSuffix(gone[at], ",") {
				changed = withoutLast(changed, "- "+gone[at])
				gone = gone[:at]
				continue
			}
			changed = append(changed, "+ "+line[1:])
		default:
			gone = nil
		}
	}
	return changed
}

// withoutLast is a list without the last one of its elements that is this.
func withoutLast(list []string, element string) []string {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == element {
			return append(list[:i:i], list[i+1:]...)
		}
	}
	return list
}
