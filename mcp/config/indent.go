package config

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Indented are the edits after which every line is indented as the brackets
// around it say, in the text's own step, with no blanks at its end. Comments,
// line ends, and what stands on a line stay; there are none for a text that must
// be corrected first.
func (d *Draft) Indented() []Edit {
	if d.tree == nil || len(d.edits) > 0 {
		return nil
	}
	ed := &editor{text: d.Document.Text, root: &d.tree.root}
	comments := &scanner{text: maskMark(ed.text), isCollecting: true}
	if comments.scan() != nil {
		return nil
	}
	l := lineIndenter{text: ed.text, unit: ed.unit(), starts: NewLines(ed.text).starts, comments: comments.comments}
	l.depths(&d.tree.root)
	return l.edits()
}

// lineIndenter knows where each bracket opens and closes, and where comments
// stand.
type lineIndenter struct {
	text     []byte
	unit     string
	starts   []int
	comments []Span
	open     []Span // of objects and lists, brackets included, in the order they open
}

func (l *lineIndenter) depths(root *hujson.Value) {
	for v := range root.All() {
		if kind := v.Value.Kind(); kind == '{' || kind == '[' {
			l.open = append(l.open, spanOf(v))
		}
	}
}

func (l *lineIndenter) edits() []Edit {
	var edits []Edit
	next, around := 0, []Span(nil)
	for _, start := range l.starts {
		end := start + bytes.IndexAny(append(l.text[start:len(l.text):len(l.text)], '\n'), "\r\n")
		line := l.text[start:end]
		first := start + len(line) - len(bytes.TrimLeft(line, " \t"))
		for next < len(l.open) && l.open[next].Start < first {
			around = append(around, l.open[next])
			next++
		}
		live := around[:0]
		for _, span := range around {
			if span.End > first {
				live = append(live, span)
			}
		}
		around = live
		if l.isInComment(start) {
			continue
		}
		depth := l.depth(around, first)
		want := strings.Repeat(l.unit, depth)
		if first == end {
			want = ""
		}
		if string(l.text[start:first]) != want {
			edits = append(edits, Edit{Span{start, first}, want})
		}
		if kept := start + len(bytes.TrimRight(line, " \t")); kept < end && kept > first {
			edits = append(edits, Edit{Span{kept, end}, ""})
		}
	}
	return edits
}

// depth counts the lines that opened the brackets around an offset. One whose
// innermost bracket closes first on the offset's line is none.
func (l *lineIndenter) depth(around []Span, first int) int {
	closed := first + len(l.text[first:]) - len(bytes.TrimLeft(l.text[first:], " \t,]}"))
	depth := 0
	for i, span := range around {
		isLastOfLine := i+1 == len(around) || bytes.IndexByte(l.text[span.Start:around[i+1].Start], '\n') >= 0
		if isLastOfLine && span.End > closed {
			depth++
		}
	}
	return depth
}

// isInComment reports whether a line begins inside a comment of several.
func (l *lineIndenter) isInComment(start int) bool {
	i, _ := slices.BinarySearchFunc(l.comments, start, func(at Span, start int) int { return cmp.Compare(at.End, start) })
	return i < len(l.comments) && l.comments[i].Start < start && start < l.comments[i].End
}
