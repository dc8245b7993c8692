package main

import "strings"

// continued begins a line that goes on with the foreign line above it.
const continued = "|+ "

const continuedNote = `One that begins with "|+" goes on with the line above it.`

// fit breaks the lines of a question so that the terminal breaks none: what it carries over would begin a line without the
// mark of foreign text, and could be taken for Pillion's words (S17). A width of 0 is not known, and nothing is broken.
func fit(text string, width int) string {
	const least = 20 // narrower, nothing is readable any more
	if width <= 0 {
		return text
	}
	width = max(width, least)
	lines, isContinued := strings.Split(text, "\n"), false
	for i, line := range lines {
		if !strings.HasPrefix(line, "|") || columns(line) <= width {
			continue
		}
		lines[i], isContinued = brokenForeign(line, width), true
	}
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "|") || columns(line) <= width && !isContinued:
		case strings.HasPrefix(line, foreignNoteStart) && isContinued:
			lines[i] = wrapped("", line+" "+continuedNote, width)
		case columns(line) > width:
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			lines[i] = wrapped(indent, line, width)
		}
	}
	return strings.Join(lines, "\n")
}

// foreignNoteStart begins the line of every question that says which words are not Pillion's.
const foreignNoteStart = `Lines that begin with "| "`

// brokenForeign cuts a foreign line where the terminal would, wherever that is: no character of it is lost or added but the
// marks.
func brokenForeign(line string, width int) string {
	var b strings.Builder
	used := 0
	for _, r := range line {
		n := columnsOf(r)
		if used+n > width {
			b.WriteString("\n" + continued)
			used = len(continued)
		}
		b.WriteRune(r)
		used += n
	}
	return b.String()
}

func columns(text string) int {
	n := 0
	for _, r := range text {
		n += columnsOf(r)
	}
	return n
}

// columnsOf is the most that a terminal may give a character: one too many breaks a line early, one too few would let the
// terminal break it.
func columnsOf(r rune) int {
	const firstWide = 0x1100 // Hangul, the first of the wide scripts
	if r >= firstWide {
		return 2
	}
	return 1
}
