package config

import (
	"bytes"
	"fmt"
)

// member reads a key and its value; false says that it is not whole.
func (r *repairer) member() bool {
	key := Span{Start: r.pos}
	if !r.key() {
		return false
	}
	key.End = r.pos
	r.blank()
	if r.atEOF() || !r.colon(key) {
		if r.atEOF() {
			r.noValue(key)
		}
		return false
	}
	afterColon := r.pos
	r.blank()
	if r.atEOF() || bytes.IndexByte([]byte(",}]:"), r.text[r.pos]) >= 0 {
		r.noValue(Span{key.Start, afterColon})
		return false
	}
	return r.memberValue(Span{key.Start, afterColon})
}

// memberValue reads the value of a member. One that turns out to be the next key
// was none.
func (r *repairer) memberValue(key Span) bool {
	start, edits, faults := r.pos, len(r.edits), len(r.faults)
	if !r.value() {
		return false
	}
	isWordOrString := r.text[start] != '{' && r.text[start] != '['
	if isWordOrString && bytes.ContainsAny(r.text[key.End:start], "\r\n") {
		r.blank()
		if !r.atEOF() && r.text[r.pos] == ':' {
			r.pos, r.edits, r.faults = start, r.edits[:edits], r.faults[:faults]
			r.noValue(key)
			return false
		}
	}
	return true
}

func (r *repairer) noValue(key Span) {
	r.noteHiding(&syntaxFault{code: CodeSyntax, span: key, message: "this key has no value", fix: `write "key": value`})
}

// key reads a key, however it is written.
func (r *repairer) key() bool {
	c := r.text[r.pos]
	switch {
	case c == '"':
		return r.stringToken(true)
	case c == '\'':
		r.quotedOtherwise()
		return true
	case isWord(c) || c == '_' || c == '$':
		start := r.pos
		for r.pos < len(r.text) && (isWord(r.text[r.pos]) || r.text[r.pos] == '_' || r.text[r.pos] == '$') {
			r.pos++
		}
		at := Span{start, r.pos}
		f := r.unexpectedAt(wantKey, c, start)
		f.span, f.fix, f.edit = at, "put it in double quotes", &Edit{at, `"` + string(r.text[start:r.pos]) + `"`}
		r.note(f)
		r.fix(at, f.edit.Text)
		return true
	case c == '{' || c == '[':
		r.noteHiding(r.unexpected(wantKey, c))
		r.composite(c)
		return false
	}
	r.noteHiding(r.unexpected(wantKey, c))
	r.skipRune()
	return false
}

// unexpectedAt is unexpected for a place that was moved over.
func (r *repairer) unexpectedAt(want expectation, c byte, at int) *syntaxFault {
	back := r.pos
	r.pos = at
	f := r.unexpected(want, c)
	r.pos = back
	return f
}

// colon moves over the colon after a key, or writes one where a value follows on
// the same line.
func (r *repairer) colon(key Span) bool {
	c := r.text[r.pos]
	switch {
	case c == ':':
		r.pos++
		return true
	case c == '=':
		at := Span{r.pos, r.pos + 1}
		r.note(&syntaxFault{code: CodeSyntax, span: at, message: `a "=" where a colon should stand`, fix: "write :", edit: &Edit{at, ":"}})
		r.fix(at, ":")
		r.pos++
		return true
	case !bytes.ContainsAny(r.text[key.End:r.pos], "\r\n") && (c == '"' || c == '{' || c == '[' || c == '\'' || isWord(c)):
		f := r.unexpected(wantColon, c)
		f.edit = &Edit{Span{key.End, key.End}, ":"}
		r.note(f)
		r.edits = append(r.edits, *f.edit)
		return true
	}
	r.noValue(key)
	return false
}

// stringToken moves over a string, and ends it where it is not closed: before
// the marks that would follow it. Nothing that is too broken to be a key is one.
func (r *repairer) stringToken(isKey bool) bool {
	start := r.pos
	for i := start + 1; ; {
		if i >= len(r.text) || r.text[i] == '\n' || r.text[i] == '\r' {
			r.endString(start, i, isKey)
			return !isKey
		}
		switch c := r.text[i]; {
		case c == '"':
			r.pos = i + 1
			return true
		case c < ' ':
			at, text := Span{i, i + 1}, fmt.Sprintf(`\u%04x`, c)
			r.note(&syntaxFault{code: CodeSyntax, span: at, message: "a control character in a string", fix: "write " + text, edit: &Edit{at, text}})
			r.fix(at, text)
			i++
		case c == '\\':
			i += r.escape(i)
		default:
			i++
		}
	}
}

// escape is the length of what begins with a backslash.
func (r *repairer) escape(i int) int {
	if n := escapeLength(r.text[i:]); n > 0 {
		return n
	}
	end := i + 1
	if end < len(r.text) && r.text[end] != '\n' && r.text[end] != '\r' {
		end++
	}
	edit := &Edit{Span{i, i + 1}, `\\`}
	r.note(&syntaxFault{code: CodeSyntax, span: Span{i, end}, message: "this escape cannot be read", fix: `write \\ for a backslash`, edit: edit})
	r.fix(edit.Span, edit.Text)
	return 1
}

func (r *repairer) endString(start, lineEnd int, isKey bool) {
	kept := start + len(bytes.TrimRight(r.text[start:lineEnd], " \t,]}"))
	kept = max(kept, start+1)
	edit := &Edit{Span{kept, kept}, `"`}
	fault := &syntaxFault{code: CodeSyntax, span: Span{start, lineEnd}, message: "this string is not closed on its line",
		fix: `end it with ", and write \n for a line break`, edit: edit}
	if isKey { // it has no value either
		fault.edit = nil
	}
	r.noteHiding(fault)
	for n := len(r.edits); n > 0 && r.edits[n-1].Span.Start >= kept; n-- {
		r.edits = r.edits[:n-1]
	}
	r.edits = append(r.edits, *edit)
	r.pos = kept
}

// quotedOtherwise moves over a string in single quotes.
func (r *repairer) quotedOtherwise() {
	start, end := r.pos, r.lineEnd(r.pos)
	n := bytes.IndexByte(r.text[start+1:end], '\'')
	f := r.unexpected(wantValue, '\'')
	if n < 0 {
		end = max(start+1, start+len(bytes.TrimRight(r.text[start:end], " \t,]}")))
		r.noteHiding(f)
		r.fix(Span{start, end}, quoteJSON(string(r.text[start+1:end])))
		r.pos = end
		return
	}
	at := Span{start, start + 1 + n + 1}
	f.span, f.edit = at, &Edit{at, quoteJSON(string(r.text[start+1 : start+1+n]))}
	r.note(f)
	r.fix(at, f.edit.Text)
	r.pos = at.End
}
