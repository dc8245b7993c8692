package config

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// newMember is something to write: a value taken from elsewhere, a literal, or
// an object of further members.
type newMember struct {
	key     string
	value   *hujson.Value
	literal string
	nested  []newMember
}

// layout is how an object's text is laid out.
type layout struct {
	lines     bool   // members stand on lines of their own
	eol       string // the file's line end
	unit      string // one level of indentation
	afterMark string // what follows a colon and, on one line, a comma
}

// layoutOf follows what the object itself looks like, or the file if it is empty.
func (ed *editor) layoutOf(v *hujson.Value) layout {
	l := layout{eol: "\n", unit: ed.unit(), afterMark: " "}
	if i := bytes.IndexByte(ed.text, '\n'); i > 0 && ed.text[i-1] == '\r' {
		l.eol = "\r\n"
	}
	body := bytes.TrimRight(bytes.TrimPrefix(ed.text, []byte(byteOrderMark)), " \t\r\n")
	object, ok := v.Value.(*hujson.Object)
	switch {
	case !ok || len(object.Members) == 0:
		// An empty file may be all on one line without meaning anything by it.
		l.lines = bytes.IndexByte(body, '\n') >= 0 || v == ed.root || bytes.IndexByte(ed.text[v.StartOffset:v.EndOffset], '\n') >= 0
		if !l.lines && bytes.Contains(body, []byte(`":`)) && !bytes.Contains(body, []byte(`": `)) {
			l.afterMark = ""
		}
	default:
		first := object.Members[0]
		l.lines = bytes.IndexByte(ed.text[v.StartOffset:first.Name.StartOffset], '\n') >= 0
		if !l.lines && len(first.Value.BeforeExtra) == 0 {
			l.afterMark = ""
		}
	}
	return l
}

// unit is the first step of indentation in the text, or two blanks.
func (ed *editor) unit() string {
	if ed.root == nil {
		return "  "
	}
	for v := range ed.root.All() {
		child := 0
		switch composite := v.Value.(type) {
		case *hujson.Object:
			if len(composite.Members) > 0 {
				child = composite.Members[0].Name.StartOffset
			}
		case *hujson.Array:
			if len(composite.Elements) > 0 {
				child = composite.Elements[0].StartOffset
			}
		}
		if child == 0 || bytes.IndexByte(ed.text[v.StartOffset:child], '\n') < 0 {
			continue
		}
		if step, ok := strings.CutPrefix(ed.indentOf(child), ed.indentOf(v.StartOffset)); ok && step != "" {
			return step
		}
	}
	return "  "
}

// lineStart is where the line of an offset begins, after a byte-order mark.
func (ed *editor) lineStart(offset int) int {
	start := bytes.LastIndexByte(ed.text[:offset], '\n') + 1
	if start == 0 && bytes.HasPrefix(ed.text, []byte(byteOrderMark)) {
		start = len(byteOrderMark)
	}
	return start
}

// indentOf is the whitespace that an offset's line begins with.
func (ed *editor) indentOf(offset int) string {
	line := ed.text[ed.lineStart(offset):offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// newFile writes a whole file below what little there is.
func (ed *editor) newFile(members ...newMember) {
	l := layout{lines: true, eol: "\n", unit: "  ", afterMark: " "}
	if i := bytes.IndexByte(ed.text, '\n'); i > 0 && ed.text[i-1] == '\r' {
		l.eol = "\r\n"
	}
	kept := len(bytes.TrimRight(ed.text, " \t\r\n"))
	text := l.print(newMember{nested: members}, "") + l.eol
	if kept > len(byteOrderMark) || kept > 0 && !bytes.HasPrefix(ed.text, []byte(byteOrderMark)) {
		text = l.eol + text
	}
	ed.splice(Span{kept, len(ed.text)}, text)
}

// insert adds members at the end of an object.
func (ed *editor) insert(v *hujson.Value, strict bool, added ...newMember) {
	var last *hujson.Value
	start := 0
	if object := v.Value.(*hujson.Object); len(object.Members) > 0 {
		m := &object.Members[len(object.Members)-1]
		last, start = &m.Value, m.Name.StartOffset
	}
	ed.insertAfter(v, last, start, strict, len(added), func(l layout, i int, indent string) string { return l.member(added[i], indent) })
}

// append adds values at the end of an array.
func (ed *editor) append(v *hujson.Value, strict bool, added ...*hujson.Value) {
	var last *hujson.Value
	start := 0
	if array := v.Value.(*hujson.Array); len(array.Elements) > 0 {
		last = &array.Elements[len(array.Elements)-1]
		start = last.StartOffset
	}
	ed.insertAfter(v, last, start, strict, len(added), func(l layout, i int, indent string) string {
		return l.print(newMember{value: added[i]}, indent)
	})
}

// insertAfter adds n parts at the end of an object or array, whose last part is
// given, with the place where that starts; nil for an empty one.
func (ed *editor) insertAfter(v, last *hujson.Value, start int, strict bool, n int, part func(l layout, i int, indent string) string) {
	l := ed.layoutOf(v)
	closing := v.EndOffset - 1
	gap, indent := v.StartOffset+1, ed.indentOf(v.StartOffset)+l.unit
	comma := ""
	if last != nil {
		gap = last.EndOffset
		if at, ok := ed.commaAfter(last); ok {
			gap = at + 1
			if !strict {
				comma = ","
			}
		} else {
			ed.splice(Span{gap, gap}, ",")
		}
		if len(bytes.TrimSpace(ed.text[ed.lineStart(start):start])) == 0 {
			indent = ed.indentOf(start)
		}
	}
	rest := ed.text[gap:closing]
	kept := bytes.TrimRight(rest, " \t\r\n")
	if blanks := len(rest) - len(kept) - len(bytes.TrimLeft(rest[len(kept):], " \t")); eolLength(rest[len(kept)+blanks:]) > 0 && len(kept) > 0 {
		kept = rest[:len(kept)+blanks] // they may be a line comment's
	}
	if len(kept) > 0 {
		// A line comment would swallow what follows it on its line.
		l.lines = true
	}
	at := Span{gap + len(kept), gap + len(kept)}
	joined := func(separator, indent string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = part(l, i, indent)
		}
		return strings.Join(parts, separator) + comma
	}
	switch {
	case l.lines && bytes.IndexByte(rest[len(kept):], '\n') >= 0:
		ed.splice(at, l.eol+indent+joined(","+l.eol+indent, indent))
	case l.lines:
		at.End = closing
		ed.splice(at, l.eol+indent+joined(","+l.eol+indent, indent)+l.eol+ed.indentOf(v.StartOffset))
	case last != nil:
		ed.splice(at, l.afterMark+joined(","+l.afterMark, ""))
	default:
		ed.splice(at, joined(","+l.afterMark, ""))
	}
}

// commaAfter finds the comma that follows a member's value.
func (ed *editor) commaAfter(v *hujson.Value) (int, bool) {
	at := v.EndOffset + len(v.AfterExtra)
	return at, at < len(ed.text) && ed.text[at] == ','
}

// remove takes the i-th member out, with its comma and, if nothing else is on
// it, its line.
func (ed *editor) remove(object *hujson.Object, i int) {
	m := &object.Members[i]
	var before *hujson.Value
	if i > 0 {
		before = &object.Members[i-1].Value
	}
	ed.removePart(m.Name.StartOffset, &m.Value, before)
}

// removePart takes out what starts at start and ends with value; before is the
// value in front of it, if there is one.
func (ed *editor) removePart(start int, value, before *hujson.Value) {
	end := value.EndOffset
	switch at, ok := ed.commaAfter(value); {
	case ok && len(bytes.TrimSpace(ed.text[end:at])) == 0:
		end = at + 1
	case ok:
		ed.splice(Span{at, at + 1}, "")
	case before != nil:
		if comma, ok := ed.commaAfter(before); ok {
			ed.splice(Span{comma, comma + 1}, "")
		}
	}
	line := ed.lineStart(start)
	left := len(bytes.TrimRight(ed.text[line:start], " \t")) + line // end of what stands before
	right := end + len(ed.text[end:]) - len(bytes.TrimLeft(ed.text[end:], " \t"))
	switch eol := eolLength(ed.text[right:]); {
	case left == line && eol > 0:
		ed.splice(Span{line, right + eol}, "")
	case eol > 0 || ed.text[right] == '}' || ed.text[right] == ']':
		ed.splice(Span{left, end}, "")
	default:
		ed.splice(Span{start, right}, "")
	}
}

func eolLength(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("\r\n")):
		return 2
	case bytes.HasPrefix(text, []byte("\n")):
		return 1
	}
	return 0
}

func (l layout) member(m newMember, indent string) string {
	return string(hujson.String(m.key)) + ":" + l.afterMark + l.print(m, indent)
}

// print writes a value as strict JSON, its digits and escapes as they were.
func (l layout) print(m newMember, indent string) string {
	switch {
	case m.literal != "":
		return m.literal
	case m.value == nil:
		return l.object(m.nested, indent)
	}
	switch v := m.value.Value.(type) {
	case *hujson.Object:
		list := make([]newMember, len(v.Members))
		for i := range v.Members {
			list[i] = newMember{key: decodeString(v.Members[i].Name.Value), value: &v.Members[i].Value}
		}
		return l.object(list, indent)
	case *hujson.Array:
		return l.array(v.Elements, indent)
	default:
		return string(v.(hujson.Literal))
	}
}

func (l layout) object(list []newMember, indent string) string {
	parts := make([]string, len(list))
	for i, m := range list {
		parts[i] = l.member(m, indent+l.unit)
	}
	return l.join("{", parts, "}", indent, l.lines)
}

// array keeps short lists of plain values, such as args, on one line.
func (l layout) array(elements []hujson.Value, indent string) string {
	const width = 100
	parts := make([]string, len(elements))
	length, flat := len(indent), true
	for i := range elements {
		parts[i] = l.print(newMember{value: &elements[i]}, indent+l.unit)
		length += len(parts[i]) + 2
		flat = flat && elements[i].Value.Kind() != '{' && elements[i].Value.Kind() != '['
	}
	return l.join("[", parts, "]", indent, l.lines && (!flat || length > width))
}

func (l layout) join(opening string, parts []string, closing, indent string, lines bool) string {
	if len(parts) == 0 {
		return opening + closing
	}
	if !lines {
		return opening + strings.Join(parts, ","+l.afterMark) + closing
	}
	inner := l.eol + indent + l.unit
	return opening + inner + strings.Join(parts, ","+inner) + l.eol + indent + closing
}
