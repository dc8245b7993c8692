package config

// Position turns a byte offset into a zero-based line and character, counted in
// UTF-16 code units or in bytes. Offsets outside the text are clamped, and one
// inside a character is that character's start. A byte-order mark has no width:
// editors do not show it.
func Position(text []byte, offset int, utf16 bool) (line, character int) { panic("unfinished") }

// Offset is the inverse of [Position]. A line beyond the end is the end of the
// text; a character beyond the line's end is the line's end.
func Offset(text []byte, line, character int, utf16 bool) int { panic("unfinished") }

// Lines is an index for many positions in one text.
type Lines struct {
	text   []byte
	starts []int
}

// NewLines reads the text once.
func NewLines(text []byte) *Lines { panic("unfinished") }

// Position is [Position] without reading the text again.
func (l *Lines) Position(offset int, utf16 bool) (line, character int) { panic("unfinished") }

// Offset is [Offset] without reading the text again.
func (l *Lines) Offset(line, character int, utf16 bool) int { panic("unfinished") }
