package config

import (
	"bytes"
	"slices"
)

// Cursor is a place in a text that may be half written: what is written there,
// and what could be.
type Cursor struct {
	// Path are the keys of the objects around it, "#" standing for a list.
	Path []string
	// IsKey says that a key belongs here, and not a value.
	IsKey bool
	// Key is the one whose value belongs here; empty for an element of a list and
	// for a key.
	Key string
	// Span is what stands there already, without quotes; empty between tokens.
	Span Span
	// Prefix is what of it stands before the cursor.
	Prefix string
	// HasOpening and HasClosing say which of the quotes are there, HasColon that a
	// colon follows.
	HasOpening, HasClosing, HasColon bool
	// CommaAt is where a comma is missing before it, or -1; NeedsComma says that one
	// is missing after it.
	CommaAt    int
	NeedsComma bool
}

// CursorAt reads a text up to an offset. It never fails: a text that is broken
// before the offset is read as far as its brackets and strings go.
func CursorAt(text []byte, offset int) Cursor {
	offset = min(max(offset, 0), len(text))
	r := &cursorReader{text: maskMark(text), offset: offset}
	r.read()
	return r.cursor
}

// cursorReader follows brackets, strings, colons and commas, and forgives
// everything else.
type cursorReader struct {
	text   []byte
	pos    int
	offset int
	frames []cursorFrame
	cursor Cursor
	isDone bool
	// lastEnd is the end of the last value.
	lastEnd int
}

type cursorFrame struct {
	isObject bool
	key      string
	want     expectation
}

func (r *cursorReader) read() {
	for !r.isDone {
		if !r.blank() {
			return
		}
		switch c := r.text[r.pos]; {
		case c == '{' || c == '[':
			r.pos++
			want := wantElement
			if c == '{' {
				want = wantKey
			}
			r.frames = append(r.frames, cursorFrame{isObject: c == '{', want: want})
		case c == '}' || c == ']':
			r.pos++
			if len(r.frames) > 0 {
				r.frames = r.frames[:len(r.frames)-1]
			}
			r.took()
		case c == ':':
			r.pos++
			r.set(wantValue)
		case c == ',':
			r.pos++
			if f := r.frame(); f != nil && f.isObject {
				f.want, f.key = wantKey, ""
			} else {
				r.set(wantElement)
			}
		case c == '"':
			r.token(r.quoted())
		case isNameByte(c):
			r.token(r.bare())
		default:
			r.pos++
		}
	}
}

func isNameByte(c byte) bool { return isWord(c) || c == '_' || c == '$' }

// blank moves over blanks and comments; false says that the cursor was reached.
func (r *cursorReader) blank() bool {
	s := scanner{text: r.text, pos: r.pos}
	if s.skipBlank() != nil { // a comment that has no end
		s.pos = len(r.text)
	}
	if r.offset <= s.pos || s.pos >= len(r.text) {
		r.between()
		return false
	}
	r.pos = s.pos
	return true
}

func (r *cursorReader) frame() *cursorFrame {
	if len(r.frames) == 0 {
		return nil
	}
	return &r.frames[len(r.frames)-1]
}

func (r *cursorReader) set(want expectation) {
	if f := r.frame(); f != nil {
		f.want = want
	}
}

// took notes that a value ends here.
func (r *cursorReader) took() {
	r.set(wantEnd)
	r.lastEnd = r.pos
}

// token is a string or a word.
type token struct {
	span                   Span // without quotes
	end                    int  // with them
	hasOpening, hasClosing bool
}

func (r *cursorReader) quoted() token {
	for i := r.pos + 1; ; i++ {
		if i >= len(r.text) || r.text[i] == '\n' || r.text[i] == '\r' {
			kept := max(r.pos+1, r.pos+len(bytes.TrimRight(r.text[r.pos:i], " \t,]}")))
			if r.offset > kept && r.offset <= i && len(bytes.TrimRight(r.text[kept:r.offset], " \t")) == 0 {
				kept = r.offset
			}
			return token{Span{r.pos + 1, kept}, kept, true, false}
		}
		switch r.text[i] {
		case '\\':
			if i+1 < len(r.text) && r.text[i+1] != '\n' && r.text[i+1] != '\r' {
				i++
			}
		case '"':
			return token{Span{r.pos + 1, i}, i + 1, true, true}
		}
	}
}

func (r *cursorReader) bare() token {
	end := r.pos
	for end < len(r.text) && isNameByte(r.text[end]) {
		end++
	}
	return token{Span{r.pos, end}, end, false, false}
}

func (r *cursorReader) token(t token) {
	f := r.frame()
	if r.offset <= t.span.End && (t.hasOpening && r.offset >= t.span.Start || !t.hasOpening && r.offset > t.span.Start) {
		r.inside(t)
		return
	}
	r.pos = t.end
	switch {
	case f != nil && f.want == wantKey, f != nil && f.isObject && f.want == wantEnd:
		f.key, f.want = string(r.text[t.span.Start:t.span.End]), wantColon
	default:
		r.took()
	}
}

// inside is a cursor in a token.
func (r *cursorReader) inside(t token) {
	r.between()
	c := &r.cursor
	c.Span, c.HasOpening, c.HasClosing = t.span, t.hasOpening, t.hasClosing
	c.Prefix = string(r.text[t.span.Start:r.offset])
	r.follow(t.end)
}

// between is a cursor where no token stands.
func (r *cursorReader) between() {
	r.isDone = true
	c := &r.cursor
	c.CommaAt, c.Span = -1, Span{r.offset, r.offset}
	for i, f := range r.frames {
		isLast := i == len(r.frames)-1
		switch {
		case !isLast && f.isObject:
			c.Path = append(c.Path, f.key)
		case !isLast:
			c.Path = append(c.Path, "#")
		case !f.isObject:
			c.Path = append(c.Path, "#")
		case f.want == wantValue:
			c.Key = f.key
		default:
			c.IsKey = true
		}
		if isLast && f.want == wantEnd {
			c.CommaAt = r.lastEnd
		}
	}
	// A list's path ends in the mark of the list, and its parent's key before it.
	c.Path = slices.Clip(c.Path)
	r.follow(r.offset)
}

// follow looks at what comes after the cursor.
func (r *cursorReader) follow(end int) {
	s := scanner{text: r.text, pos: min(end, len(r.text))}
	if s.skipBlank() != nil || s.pos >= len(r.text) {
		return
	}
	c := r.text[s.pos]
	r.cursor.HasColon = r.cursor.IsKey && c == ':'
	r.cursor.NeedsComma = c == '"' || c == '{' || c == '[' || isNameByte(c)
}

// Reference is a ${…} of a value.
type Reference struct {
	Name                            string
	IsInput, IsVariable, HasDefault bool
}

// ReferenceAt is the innermost reference under an offset in a string.
func (d *Draft) ReferenceAt(e *Entry, n *Node, offset int) (Reference, bool) {
	var found *reference
	t, _ := parseTemplate(n.Text)
	t.each(func(r *reference) {
		if rawOffset(d.Document.Text, n.Span, r.start) <= offset && offset < rawOffset(d.Document.Text, n.Span, r.end) {
			found = r
		}
	})
	if found == nil {
		return Reference{}, false
	}
	return Reference{Name: found.name, IsInput: found.kind == refInput, IsVariable: found.kind == refVariable && !e.provides(found.name), HasDefault: found.hasDefault}, true
}
