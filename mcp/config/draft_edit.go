package config

import "github.com/tailscale/hujson"

// Without are the edits that take out the member whose key stands at a span,
// with its comma and its line, and nothing else; nil where there is none, or
// where the text must be corrected first.
func (d *Draft) Without(key Span) []Edit {
	if d.tree == nil || len(d.edits) > 0 {
		return nil
	}
	for v := range d.tree.root.All() {
		object, ok := v.Value.(*hujson.Object)
		if !ok || v.StartOffset > key.Start || v.EndOffset < key.End {
			continue
		}
		for i := range object.Members {
			if spanOf(&object.Members[i].Name) == key {
				ed := &editor{text: d.Document.Text, root: &d.tree.root}
				ed.remove(object, i)
				return ed.changes
			}
		}
	}
	return nil
}

// Renamed are the edits that give the entry of a name another one, here and
// where the file refers to it: aliases and profiles. An error says why it cannot
// be called so.
func (d *Draft) Renamed(name, to string) ([]Edit, error) {
	e := d.Document.Entry(name)
	if e == nil {
		return nil, ErrNotFound
	}
	if f := checkName(to); f != nil && f.Severity == Error {
		return nil, &UneditableError{*f}
	}
	if to != name && d.Document.Entry(to) != nil {
		return nil, ErrExists
	}
	literal := quoteJSON(to)
	edits := []Edit{{e.KeySpan, literal}}
	for _, other := range d.Document.Entries {
		if other.alias == name {
			edits = append(edits, Edit{other.aliasAt, literal})
		}
	}
	for _, profile := range d.profileNames() {
		if profile.Text == name && profile.Kind == '"' {
			edits = append(edits, Edit{profile.Span, literal})
		}
	}
	return edits, nil
}

// profileNames are the values that name a connector in the file's profiles.
func (d *Draft) profileNames() []*Node {
	var list []*Node
	profiles := d.Outline().Member("pillion").Member("profiles")
	if profiles == nil {
		return nil
	}
	for _, profile := range profiles.Children {
		if connectors := profile.Member("connectors"); connectors != nil {
			profile = connectors
		}
		if profile.Kind == '[' {
			list = append(list, profile.Children...)
		}
	}
	return list
}

// AliasAt is the entry that a place names as what another is an alias of, or nil.
func (d *Draft) AliasAt(offset int) *Entry {
	for _, e := range d.Document.Entries {
		if e.alias != "" && e.aliasAt.Start <= offset && offset <= e.aliasAt.End {
			return d.Document.Entry(e.alias)
		}
	}
	for _, profile := range d.profileNames() {
		if profile.Span.Start <= offset && offset <= profile.Span.End {
			return d.Document.Entry(profile.Text)
		}
	}
	return nil
}
