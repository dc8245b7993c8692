package editors

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible shows foreign text as one line on which nothing is hidden (S17): control, format, bidirectional, tag and other
// invisible characters, and bytes that are no UTF-8, stand as \u{…}; a backslash that could be mistaken for one is doubled.
func Visible(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for i, r := range text {
		switch {
		case r == utf8.RuneError && isBroken(text[i:]):
			fmt.Fprintf(&b, `\u{%x}`, text[i])
		case r == '\\' && strings.HasPrefix(text[i+1:], "u{"):
			b.WriteString(`\\`)
		case isHidden(r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isBroken(rest string) bool {
	_, size := utf8.DecodeRuneInString(rest)
	return size == 1
}

// isHidden reports whether a character has no mark of its own on the screen, or moves others about.
func isHidden(r rune) bool {
	switch {
	case r == ' ':
		return false
	case r >= 0xe0000 && r <= 0xe0fff, r >= 0xfe00 && r <= 0xfe0f: // tags, variation selectors
		return true
	case r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x2800: // fillers and the blank braille cell
		return true
	}
	return !unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r) || unicode.Is(unicode.Cf, r)
}

// Quoted is Visible in double quotes, out of which no text gets.
func Quoted(text string) string { return inQuotes(Visible(text)) }

func inQuotes(visible string) string { return `"` + strings.ReplaceAll(visible, `"`, `\u{22}`) + `"` }

// Lines shows foreign text of several lines, each after the mark that tells it from Pillion's own words (S17).
func Lines(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		b.WriteString("| ")
		b.WriteString(visibleLine(line))
		b.WriteByte('\n')
	}
	return b.String()
}

// visibleLine leaves the tabs of indented text alone.
func visibleLine(line string) string {
	parts := strings.Split(line, "\t")
	for i, part := range parts {
		parts[i] = Visible(part)
	}
	return strings.Join(parts, "\t")
}

// Dedented takes the indentation of the last line from all lines but the first: an entry's value begins behind its name.
func Dedented(text string) string {
	last := text[strings.LastIndexByte(text, '\n')+1:]
	indent := last[:len(last)-len(strings.TrimLeft(last, " \t"))]
	return strings.ReplaceAll(text, "\n"+indent, "\n")
}

// Counted is a number of things, in words for people: "1 question", "2 questions".
func Counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}
