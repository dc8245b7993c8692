package config

import (
	"cmp"
	"slices"
	"sort"
	"sync"
)

// Draft is a text that somebody is writing, understood as far as it goes. It is
// for those who say what is wrong with it and help on: what runs is what [Parse]
// makes of a saved text. It is immutable, and may be asked by several at once.
type Draft struct {
	// Document is the text as it was understood. Of one that is not JSON with
	// comments it has a finding for every fault, and beside Parsed, which is
	// false then, the entries that can be read nevertheless.
	Document *Document

	tree    *tree
	edits   []Edit
	outline func() *Node
}

// ParseDraft reads a text that may be half written. It never panics, whatever
// the text, and keeps no reference to anything but text, which must not change.
func ParseDraft(f File, text []byte) *Draft {
	t, fault := parseTree(text)
	draft := &Draft{tree: t, Document: read(f, text, t, fault)}
	if fault != nil && fault.code == CodeSyntax {
		draft.repair()
	}
	draft.outline = sync.OnceValue(draft.newOutline)
	return draft
}

// repair reads what is left of a broken text.
func (d *Draft) repair() {
	f, text := d.Document.File, d.Document.Text
	made := repairText(text)
	repaired := applyEdits(text, made.edits)
	t, fault := parseTree(repaired)
	var findings []Finding
	for _, one := range made.faults {
		findings = append(findings, one.finding())
	}
	if len(findings) > 0 {
		d.Document.Findings = findings
	}
	if fault != nil {
		return
	}
	t.trailingComma = nil // it may stand before what was taken out
	d.tree, d.edits = t, made.edits
	document := read(f, repaired, t, nil)
	document.Text, document.Parsed = text, false
	document.move(made.edits)
	document.Findings = append(document.besideFaults(made), findings...)
	slices.SortStableFunc(document.Findings, func(a, b Finding) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	d.Document = document
}

func applyEdits(text []byte, edits []Edit) []byte {
	ed := editor{text: text, changes: slices.Clone(edits)}
	return ed.result()
}

// besideFaults are the findings that do not come of a fault of the syntax.
func (d *Document) besideFaults(made repair) []Finding {
	isNear := func(at Span) bool {
		return slices.ContainsFunc(made.faults, func(f *syntaxFault) bool { return f.span.Start <= at.End && at.Start <= f.span.End }) ||
			slices.ContainsFunc(made.edits, func(e Edit) bool { return e.Span.Start <= at.End && at.Start <= e.Span.End })
	}
	var list []Finding
	for _, f := range d.Findings {
		isWhole := f.Code == CodeServers || f.Code == CodeIncomplete || f.Code == CodeRootKey && f.Edit == nil
		if e := d.byName[f.Entry]; isWhole && (e == nil || isNear(e.Span)) || isNear(f.Span) {
			continue
		}
		list = append(list, f)
	}
	return list
}

// move turns the spans of a repaired text into those of the text before.
func (d *Document) move(edits []Edit) {
	m := newMapping(edits)
	for i := range d.Findings {
		m.finding(&d.Findings[i])
	}
	for i := range d.Profiles {
		d.Profiles[i].Span = m.span(d.Profiles[i].Span)
	}
	for _, e := range d.Entries {
		e.KeySpan, e.Span, e.aliasAt = m.span(e.KeySpan), m.span(e.Span), m.span(e.aliasAt)
		e.Text = string(d.Text[e.Span.Start:e.Span.End])
		for i := range e.fields {
			e.fields[i].span = m.span(e.fields[i].span)
		}
		e.Findings = slices.Clone(e.Findings)
		for i := range e.Findings {
			m.finding(&e.Findings[i])
		}
		if e.Fault != nil {
			fault := *e.Fault
			m.finding(&fault)
			e.Fault = &fault
		}
	}
}

// mapping leads from the offsets of an edited text to those of the text before.
type mapping struct {
	edits  []Edit
	starts []int // of the edits, in the edited text
}

func newMapping(edits []Edit) mapping {
	m := mapping{edits: edits}
	delta := 0
	for _, e := range edits {
		m.starts = append(m.starts, e.Span.Start+delta)
		delta += len(e.Text) - (e.Span.End - e.Span.Start)
	}
	return m
}

func (m mapping) span(at Span) Span {
	start, end := m.offset(at.Start, true), m.offset(at.End, false)
	return Span{start, max(start, end)}
}

// offset leads back. Where something was taken out, isStart says on which side.
func (m mapping) offset(offset int, isStart bool) int {
	// The last edit that begins before the offset, or at it for a start.
	i := sort.Search(len(m.starts), func(i int) bool { return m.starts[i] > offset || !isStart && m.starts[i] == offset }) - 1
	if i < 0 {
		return offset
	}
	e, past := m.edits[i], offset-m.starts[i]
	if past >= len(e.Text) {
		return e.Span.End + past - len(e.Text)
	}
	return min(e.Span.Start+past, e.Span.End)
}

func (m mapping) finding(f *Finding) {
	f.Span = m.span(f.Span)
	f.Related = slices.Clone(f.Related)
	for i := range f.Related {
		f.Related[i] = m.span(f.Related[i])
	}
	if f.Edit != nil {
		f.Edit = &Edit{m.span(f.Edit.Span), f.Edit.Text}
	}
}

// Outline is the text as a tree, with the outermost value as its root; nil where
// nothing can be read.
func (d *Draft) Outline() *Node { return d.outline() }

// Node is one value of a text, with its key where it is an object's.
type Node struct {
	// Kind is one of '{', '[', '"', '0', 't', 'f' and 'n', as in JSON.
	Kind byte
	// Key and KeySpan, with its quotes, are empty for what is no member.
	Key     string
	KeySpan Span
	// Span is the value's.
	Span Span
	// Text is the value of a string.
	Text     string
	Parent   *Node
	Children []*Node
}

func (d *Draft) newOutline() *Node {
	if d.tree == nil {
		return nil
	}
	m := newMapping(d.edits)
	return newNode(&d.tree.root, m)
}

// Member is the first child of a key, or nil.
func (n *Node) Member(key string) *Node {
	if n == nil {
		return nil
	}
	for _, child := range n.Children {
		if child.Key == key && n.Kind == '{' {
			return child
		}
	}
	return nil
}

// At is the innermost node whose key or value holds an offset, and whether that
// is the key.
func (n *Node) At(offset int) (node *Node, isKey bool) {
	for n != nil {
		i := slices.IndexFunc(n.Children, func(child *Node) bool {
			start := child.Span.Start
			if child.Parent.Kind == '{' {
				start = child.KeySpan.Start
			}
			return start <= offset && offset <= child.Span.End
		})
		if i < 0 {
			return n, false
		}
		if n = n.Children[i]; n.Parent.Kind == '{' && offset <= n.KeySpan.End {
			return n, true
		}
		if offset < n.Span.Start {
			return n.Parent, false
		}
	}
	return nil, false
}

// Path are the keys that lead to a node; an element of a list has its index in
// the place of one.
func (n *Node) Path() []string {
	var path []string
	for ; n.Parent != nil; n = n.Parent {
		key := n.Key
		if n.Parent.Kind == '[' {
			key = "#"
		}
		path = append(path, key)
	}
	slices.Reverse(path)
	return path
}
