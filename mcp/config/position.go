package config

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// Position turns a byte offset into a zero-based line and character, counted in
// UTF-16 code units or in bytes. Offsets outside the text are clamped, and one
// inside a character is that character's start. A byte-order mark has no width:
// editors do not show it.
func Position(text []byte, offset int, utf16 bool) (line, character int) {
	return NewLines(text).Position(offset, utf16)
}

// Offset is the inverse of [Position]. A line beyond the end is the end of the
// text; a character beyond the line's end is the line's end.
func Offset(text []byte, line, character int, utf16 bool) int {
	start := 0
	if bytes.HasPrefix(text, []byte(byteOrderMark)) {
		start = len(byteOrderMark)
	}
	if line < 0 {
		return start
	}
	for ; line > 0; line-- {
		n := nextLine(text[start:])
		if n == 0 {
			return len(text)
		}
		start += n
	}
	at, end := start, len(text)
	if n := nextLine(text[start:]); n > 0 {
		end = start + len(bytes.TrimSuffix(bytes.TrimSuffix(text[start:start+n], []byte("\n")), []byte("\r")))
	}
	for at < end {
		width, n := unitsAt(text[at:], utf16)
		if character < width {
			break
		}
		character -= width
		at += n
	}
	return at
}

// nextLine is where the next line begins, 0 for none.
func nextLine(text []byte) int {
	n := bytes.IndexByte(text, '\n')
	before := text
	if n >= 0 {
		before = text[:n]
	}
	if i := bytes.IndexByte(before, '\r'); i >= 0 && i != n-1 {
		return i + 1
	}
	return n + 1
}

// Lines is an index for many positions in one text.
type Lines struct {
	text   []byte
	starts []int
	ascii  bool // every byte is one character: no need to walk a line
}

// NewLines reads the text once. Lines end as LSP says: \n, \r\n or \r.
func NewLines(text []byte) *Lines {
	l := &Lines{text: text, starts: []int{0}, ascii: true}
	if bytes.HasPrefix(text, []byte(byteOrderMark)) {
		l.starts[0] = len(byteOrderMark)
	}
	for i, c := range text {
		if c >= utf8.RuneSelf {
			l.ascii = false
		}
		if c == '\n' || c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// Position is [Position] without reading the text again.
func (l *Lines) Position(offset int, utf16 bool) (line, character int) {
	offset = min(max(offset, l.starts[0]), len(l.text))
	line = sort.Search(len(l.starts), func(i int) bool { return l.starts[i] > offset }) - 1
	offset = min(offset, l.lineEnd(line))
	if l.ascii {
		return line, offset - l.starts[line]
	}
	for at := l.starts[line]; at < offset; {
		width, n := unitsAt(l.text[at:], utf16)
		if at+n > offset {
			break
		}
		at += n
		character += width
	}
	return line, character
}

// Offset is [Offset] without reading the text again.
func (l *Lines) Offset(line, character int, utf16 bool) int {
	if line < 0 {
		return l.starts[0]
	}
	if line >= len(l.starts) {
		return len(l.text)
	}
	at, end := l.starts[line], l.lineEnd(line)
	for at < end {
		width, n := unitsAt(l.text[at:], utf16)
		if character < width {
			break
		}
		character -= width
		at += n
	}
	return at
}

// lineEnd is the offset of the line's end-of-line characters.
func (l *Lines) lineEnd(line int) int {
	if line+1 == len(l.starts) {
		return len(l.text)
	}
	end := l.starts[line+1] - 1
	if l.text[end] == '\n' && end > l.starts[line] && l.text[end-1] == '\r' {
		end--
	}
	return end
}

// unitsAt is the width of the first character and its length in bytes. A byte
// that is not UTF-8 counts as one.
func unitsAt(text []byte, utf16 bool) (width, bytes int) {
	r, n := utf8.DecodeRune(text)
	switch {
	case !utf16:
		return n, n
	case r >= 0x10000:
		return 2, n
	}
	return 1, n
}
