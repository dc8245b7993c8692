package config

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"
)

// repair is what makes a broken text readable: every place where it stops being
// JSON with comments, and the edits after which it is.
type repair struct {
	faults []*syntaxFault
	edits  []Edit // in order, none touching another
}

// repairText reads a text that the scanner has refused for its syntax. What
// follows a fault on its line is not reported: it is most often the same fault.
func repairText(text []byte) repair {
	r := &repairer{scanner: scanner{text: maskMark(text)}}
	r.root()
	slices.SortStableFunc(r.faults, func(a, b *syntaxFault) int { return a.span.Start - b.span.Start })
	return repair{r.faults, r.edits}
}

// repairer reads like the scanner and goes on after a fault. A member or an
// element that is not whole is taken out, so that what is left says nothing that
// the text does not say.
type repairer struct {
	scanner
	repair
	// quietUntil is the end of the line of the last fault that may hide others.
	quietUntil int
	// misclosed is the first bracket that is closed by one that stands further
	// left than itself, closedBy that one.
	misclosed, closedBy int
	// line is the line that was last looked for the end of: faults stand close together, and a text may be one line.
	line Span
}

// maxFaults bounds how many faults of syntax are reported.
const maxFaults = 100

// note reports a fault that nothing else follows from.
func (r *repairer) note(f *syntaxFault) {
	if f.span.Start >= r.quietUntil && len(r.faults) < maxFaults {
		r.faults = append(r.faults, f)
	}
}

// noteHiding reports a fault after which the rest of the line means little.
func (r *repairer) noteHiding(f *syntaxFault) {
	r.note(f)
	r.quietUntil = max(r.quietUntil, r.lineEnd(f.span.Start))
}

func (r *repairer) lineEnd(at int) int {
	if r.line.Start <= at && at < r.line.End {
		return r.line.End
	}
	r.line = Span{at, len(r.text)}
	if n := bytes.IndexAny(r.text[at:], "\r\n"); n >= 0 {
		r.line.End = at + n
	}
	return r.line.End
}

// fix is an edit that only the repair makes; an earlier one inside it is undone.
func (r *repairer) fix(at Span, text string) {
	for n := len(r.edits); n > 0 && at.Start < at.End && r.edits[n-1].isFrom(at.Start); n-- {
		r.edits = r.edits[:n-1]
	}
	if n := len(r.edits); n > 0 && r.edits[n-1].Span.End >= at.Start && text == "" && r.edits[n-1].Text == "" {
		r.edits[n-1].Span.End = max(r.edits[n-1].Span.End, at.End)
		return
	}
	r.edits = append(r.edits, Edit{at, text})
}

// isFrom reports whether an edit changes something at an offset or behind it;
// what is only put in at the offset itself stands before it.
func (e Edit) isFrom(offset int) bool {
	return e.Span.Start > offset || e.Span.Start == offset && e.Span.End > offset
}

func (r *repairer) drop(start int) { r.fix(Span{start, r.pos}, "") }

func (r *repairer) blank() {
	for {
		fault := r.skipBlank()
		if fault == nil {
			return
		}
		start := r.pos
		if !bytes.HasPrefix(r.text[r.pos:], []byte("/*")) { // a separator in a comment
			r.note(fault)
			r.pos = r.lineEnd(r.pos)
			continue
		}
		r.note(fault)
		r.pos = len(r.text)
		r.drop(start)
	}
}

func (r *repairer) atEOF() bool { return r.pos >= len(r.text) }

func (r *repairer) root() {
	r.blank()
	if r.atEOF() {
		r.note(r.atEnd(wantValue))
		return
	}
	start := r.pos
	if !r.value() {
		r.drop(start)
	}
	r.blank()
	if r.atEOF() {
		return
	}
	f := r.unexpected(wantEnd, r.text[r.pos])
	if c := r.text[start]; c == '"' && r.text[r.pos] == ':' {
		f = &syntaxFault{code: CodeSyntax, span: Span{start, start + 1}, message: "the { of the whole file is missing", fix: "write { before it, and } at the end"}
	}
	r.noteHiding(f)
	end := r.pos
	r.pos = len(r.text)
	r.drop(end)
	if len(r.edits) > 0 && r.edits[0].Span.Start <= start { // nothing is left
		r.edits = []Edit{{Span{start, len(r.text)}, "{}"}}
	}
}

// value reads a value; false says that there is none, or none that can be read.
func (r *repairer) value() bool {
	c := r.text[r.pos]
	switch {
	case c == '{' || c == '[':
		return r.composite(c)
	case c == '"':
		r.stringToken(false)
	case c == '\'':
		r.quotedOtherwise()
	case isWord(c):
		r.word()
	default:
		r.noteHiding(r.unexpected(wantValue, c))
		r.skipRune()
		return false
	}
	r.lastEnd = r.pos
	return true
}

func (r *repairer) word() {
	start := r.pos
	for r.pos < len(r.text) && (isWord(r.text[r.pos]) || r.text[r.pos] == '_') {
		r.pos++
	}
	at := Span{start, r.pos}
	if fault := checkWord(at, string(r.text[start:r.pos])); fault != nil {
		r.note(fault)
		text := "null"
		if fault.edit != nil {
			text = fault.edit.Text
		}
		r.fix(at, text)
	}
}

// composite reads an object or an array.
func (r *repairer) composite(c byte) bool {
	if len(r.open) == MaxDepth {
		r.noteHiding(&syntaxFault{code: CodeTooLarge, span: Span{r.pos, r.pos + 1}, message: fmt.Sprintf("nested deeper than %d levels", MaxDepth)})
		r.pos = len(r.text)
		return false
	}
	r.open = append(r.open, r.pos)
	r.pos++
	parts := parts{isObject: c == '{'}
	for !r.closes(&parts) {
		r.part(&parts)
	}
	r.open = r.open[:len(r.open)-1]
	r.lastEnd = r.pos
	return true
}

// parts are what was read of an object or an array so far.
type parts struct {
	isObject bool
	any      bool // a part was kept
	comma    bool // and a comma stands after the last one
	wasCut   bool // what stood last was taken out
}

func (p parts) closing() byte {
	if p.isObject {
		return '}'
	}
	return ']'
}

// closes moves over the end of the innermost bracket, or over what has to do
// for one.
func (r *repairer) closes(p *parts) bool {
	open := r.open[len(r.open)-1]
	for r.blank(); !r.atEOF(); r.blank() {
		c := r.text[r.pos]
		switch {
		case c == p.closing():
			if r.misclosed == 0 && r.isFirstOnLine(r.pos) && r.indent(r.pos) < r.indent(open) {
				r.misclosed, r.closedBy = open+1, r.pos
			}
			r.pos++
			return true
		case c != '}' && c != ']':
			return false
		case slices.ContainsFunc(r.open, func(at int) bool { return r.text[at] == c-2 }):
			r.closedByAnother(p, open)
			return true
		}
		r.noteHiding(r.unexpected(r.inside(), c))
		r.pos++
		r.drop(r.pos - 1)
	}
	r.unclosed()
	r.fix(Span{r.pos, r.pos}, "\n"+string(p.closing())) // the text may end in a comment
	return true
}

// closedByAnother ends a bracket at the one that ends a bracket around it.
func (r *repairer) closedByAnother(p *parts, open int) {
	r.note(&syntaxFault{code: CodeSyntax, span: Span{open, open + 1}, related: []Span{{r.pos, r.pos + 1}},
		message: fmt.Sprintf("this %c is never closed", r.text[open]), fix: fmt.Sprintf("add the missing %c", p.closing())})
	r.quietUntil = max(r.quietUntil, r.lineEnd(r.pos))
	r.fix(Span{r.pos, r.pos}, string(p.closing()))
}

// unclosed reports the bracket that is most likely the one without an end.
func (r *repairer) unclosed() {
	if len(r.faults) > 0 && r.faults[len(r.faults)-1].isUnclosed {
		return
	}
	at, related := r.open[len(r.open)-1], []Span(nil)
	if r.misclosed > 0 {
		at, related = r.misclosed-1, []Span{{r.closedBy, r.closedBy + 1}}
	}
	closing := "}"
	if r.text[at] == '[' {
		closing = "]"
	}
	r.quietUntil = 0
	r.note(&syntaxFault{code: CodeSyntax, span: Span{at, at + 1}, related: related, isUnclosed: true,
		message: fmt.Sprintf("this %c is never closed", r.text[at]), fix: "add the missing " + closing})
}

func (r *repairer) lineStart(at int) int { return bytes.LastIndexAny(r.text[:at], "\r\n") + 1 }

func (r *repairer) indent(at int) int {
	line := r.text[r.lineStart(at):]
	return len(line) - len(bytes.TrimLeft(line, " \t"))
}

func (r *repairer) isFirstOnLine(at int) bool {
	return len(bytes.TrimLeft(r.text[r.lineStart(at):at], " \t")) == 0
}

// part reads a comma, a member or an element.
func (r *repairer) part(p *parts) {
	start := r.pos
	if r.text[start] == ',' {
		r.comma(p)
		return
	}
	missing := p.any && !p.comma
	end := r.lastEnd
	mark := len(r.edits)
	if missing {
		r.edits = append(r.edits, Edit{Span{start, start}, ","})
		if !p.wasCut {
			r.note(r.unexpected(wantEnd, r.text[start]))
		}
	}
	isKept := false
	if p.isObject {
		isKept = r.member()
	} else {
		isKept = r.value()
	}
	p.wasCut = !isKept
	if isKept {
		p.any, p.comma = true, false
		return
	}
	r.edits = r.edits[:min(mark, len(r.edits))]
	r.lastEnd = end
	r.drop(start)
}

// comma moves over a comma; one that follows nothing is taken out.
func (r *repairer) comma(p *parts) {
	at := Span{r.pos, r.pos + 1}
	if !p.any || p.comma {
		if !p.wasCut {
			r.note(r.unexpected(r.inside(), ','))
		}
		r.fix(at, "")
	} else {
		p.comma = true
	}
	p.wasCut = false
	r.pos++
}

func (r *repairer) skipRune() {
	_, n := utf8.DecodeRune(r.text[r.pos:])
	r.pos += n
}
