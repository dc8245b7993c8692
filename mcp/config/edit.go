package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// ErrExists and ErrNotFound say that the name is, or is not, in the file.
var (
	ErrExists   = errors.New("exists already")
	ErrNotFound = errors.New("is not in the file")
)

// UneditableError is returned for a text that cannot be edited safely: it does
// not parse, or the place to edit is ambiguous. The text is to be left as it is.
type UneditableError struct{ Finding Finding }

func (e *UneditableError) Error() string { return "edit configuration: " + e.Finding.Text() }

// Insert adds an entry at the end of mcpServers, which is created when absent;
// an empty text becomes a new file. Comments, order, indentation, line ends and
// byte-order mark stay. The definition may be JSON with comments and is written
// as strict JSON. strict also keeps the new entry from following a file's
// trailing-comma style.
func Insert(text []byte, name string, definition []byte, strict bool) ([]byte, error) {
	edited, there, err := Batch{Entries: []NewEntry{{Name: name, Definition: definition}}}.Write(text, strict)
	if err == nil && len(there) > 0 {
		err = fmt.Errorf("insert %s: %w", quoted(name), ErrExists)
	}
	if err != nil {
		return nil, err
	}
	return edited, nil
}

// Replace puts a new definition in an entry's place.
func Replace(text []byte, name string, definition []byte) ([]byte, error) {
	definition = bytes.TrimPrefix(definition, []byte(byteOrderMark))
	value, err := parseDefinition(definition)
	if err != nil {
		return nil, err
	}
	ed, err := newEditor(text)
	if err != nil {
		return nil, err
	}
	i, err := ed.only(name)
	if err != nil {
		return nil, fmt.Errorf("replace %s: %w", quoted(name), err)
	}
	want := ed.entries()
	want[i].value = canonicalText(definition)
	m := members(ed.servers)[i]
	l := ed.layoutOf(ed.servers)
	ed.splice(m.span(), l.print(newMember{value: value}, ed.indentOf(m.keySpan.Start)))
	return ed.apply(want)
}

// Remove takes an entry out, with its own comma and its line. Comments stay.
func Remove(text []byte, name string) ([]byte, error) {
	ed, err := newEditor(text)
	if err != nil {
		return nil, err
	}
	i, err := ed.only(name)
	if err != nil {
		return nil, fmt.Errorf("remove %s: %w", quoted(name), err)
	}
	ed.remove(ed.servers.Value.(*hujson.Object), i)
	return ed.apply(slices.Delete(ed.entries(), i, i+1))
}

// SetDisabled switches an entry off or on by its "disabled" (or "enabled") key,
// which is added only when needed.
func SetDisabled(text []byte, name string, disabled bool) ([]byte, error) {
	ed, err := newEditor(text)
	if err != nil {
		return nil, err
	}
	i, err := ed.only(name)
	if err != nil {
		return nil, fmt.Errorf("switch %s: %w", quoted(name), err)
	}
	entry := members(ed.servers)[i].value
	if !isObject(entry) {
		return nil, uneditable(CodeType, spanOf(entry), "the entry is "+kindName(entry))
	}
	if d := duplicates(entry); len(d) > 0 {
		return nil, &UneditableError{duplicateFinding(d[0])}
	}
	found := false
	for _, m := range members(entry) {
		if m.key == "disabled" || m.key == "enabled" {
			found = true
			ed.splice(m.span(), fmt.Sprint(disabled == (m.key == "disabled")))
		}
	}
	if !found && disabled {
		ed.insert(entry, false, newMember{key: "disabled", literal: "true"})
	}
	return ed.applySwitch(i, disabled)
}

// Difference returns the smallest single edit that turns one text into
// another, on rune boundaries.
func Difference(before, after []byte) Edit {
	start := 0
	for start < len(before) && start < len(after) && before[start] == after[start] {
		start++
	}
	for start > 0 && (start < len(before) && !utf8.RuneStart(before[start]) || start < len(after) && !utf8.RuneStart(after[start])) {
		start--
	}
	end, last := len(before), len(after)
	for end > start && last > start && before[end-1] == after[last-1] {
		end--
		last--
	}
	for end < len(before) && !utf8.RuneStart(before[end]) {
		end++
		last++
	}
	return Edit{Span{start, end}, string(after[start:last])}
}

// editor collects changes to one text and checks what they make of it.
type editor struct {
	text    []byte
	blank   bool // nothing but whitespace and comments
	root    *hujson.Value
	servers *hujson.Value // nil when absent
	changes []Edit
}

func uneditable(code string, at Span, message string) *UneditableError {
	return &UneditableError{Finding{Code: code, Severity: Error, Span: at, Message: message, Fix: "correct it by hand first"}}
}

func newEditor(text []byte) (*editor, error) {
	ed := &editor{text: text}
	t, fault := parseTree(text)
	switch {
	case fault != nil && fault.code == CodeEmpty:
		ed.blank = true
		return ed, nil
	case fault != nil:
		return nil, &UneditableError{fault.finding()}
	}
	ed.root = &t.root
	if !isObject(ed.root) {
		return nil, uneditable(CodeRoot, spanOf(ed.root), "the file holds "+kindName(ed.root))
	}
	for _, m := range members(ed.root) {
		if m.key != serversKey {
			continue
		}
		if ed.servers != nil {
			return nil, uneditable(CodeDuplicateKey, m.keySpan, "the key "+quoted(serversKey)+" stands twice in the file")
		}
		if !isObject(m.value) {
			return nil, uneditable(CodeServers, m.span(), "mcpServers is "+kindName(m.value))
		}
		ed.servers = m.value
	}
	return ed, nil
}

// find lists the places of a name.
func (ed *editor) find(name string) []int {
	var places []int
	if ed.servers != nil {
		for i, m := range members(ed.servers) {
			if m.key == name {
				places = append(places, i)
			}
		}
	}
	return places
}

// only is the one place of a name.
func (ed *editor) only(name string) (int, error) {
	places := ed.find(name)
	switch len(places) {
	case 0:
		return 0, ErrNotFound
	case 1:
		return places[0], nil
	}
	at := members(ed.servers)[places[1]].keySpan
	return 0, uneditable(CodeDuplicateName, at, "the connector "+quoted(name)+" stands twice in the file")
}

func (ed *editor) splice(at Span, text string) {
	ed.changes = append(ed.changes, Edit{at, text})
}

// pair is an entry's name with the canonical form of its value.
type pair struct{ name, value string }

// pairsOf lists an object's members for comparison.
func (ed *editor) pairsOf(v *hujson.Value) []pair {
	var list []pair
	for _, m := range members(v) {
		list = append(list, pair{m.key, canonicalText(ed.text[m.value.StartOffset:m.value.EndOffset])})
	}
	return list
}

func (ed *editor) entries() []pair {
	if ed.servers == nil {
		return nil
	}
	return ed.pairsOf(ed.servers)
}

// others are the root's members beside mcpServers.
func (ed *editor) others() []pair {
	if ed.root == nil {
		return nil
	}
	return slices.DeleteFunc(ed.pairsOf(ed.root), func(p pair) bool { return p.name == serversKey })
}

func canonicalText(raw []byte) string { return string(canonicalValue(raw)) }

// result puts the changes into the text.
func (ed *editor) result() []byte {
	slices.SortStableFunc(ed.changes, func(a, b Edit) int { return a.Span.Start - b.Span.Start })
	var out bytes.Buffer
	at := 0
	for _, c := range ed.changes {
		out.Write(ed.text[at:c.Span.Start])
		out.WriteString(c.Text)
		at = c.Span.End
	}
	out.Write(ed.text[at:])
	return out.Bytes()
}

// apply returns the changed text once it has been read back and says what was
// meant: these entries, and everything else as before.
func (ed *editor) apply(want []pair) ([]byte, error) {
	after, err := ed.reread()
	if err != nil {
		return nil, err
	}
	if !slices.Equal(after.entries(), want) || !slices.Equal(after.others(), ed.others()) {
		return nil, errNotMeant()
	}
	return after.text, nil
}

// applySwitch is apply for one entry's off switch.
func (ed *editor) applySwitch(i int, disabled bool) ([]byte, error) {
	after, err := ed.reread()
	if err != nil {
		return nil, err
	}
	list := members(after.servers)
	if i >= len(list) {
		return nil, errors.New("edit configuration: the entry is gone from the result, nothing was changed")
	}
	e := readEntry(File{}, after.text, list[i], maxEntryFindings)
	if e.Disabled != disabled {
		return nil, errNotMeant()
	}
	want, got := ed.entries(), after.entries()
	want[i].value, got[i].value = withoutSwitch(want[i].value), withoutSwitch(got[i].value)
	if !slices.Equal(want, got) || !slices.Equal(after.others(), ed.others()) {
		return nil, errNotMeant()
	}
	return after.text, nil
}

// withoutSwitch is an entry's canonical form without its off switch.
func withoutSwitch(canonical string) string {
	return withoutMember(withoutMember(canonical, []string{"disabled"}), []string{"enabled"})
}

func (ed *editor) reread() (*editor, error) {
	after, err := newEditor(ed.result())
	if err != nil {
		return nil, fmt.Errorf("edit configuration: the result cannot be read, nothing was changed: %w", err)
	}
	return after, nil
}

// parseDefinition reads the definition of a new entry.
func parseDefinition(definition []byte) (*hujson.Value, error) {
	value, err := parseValue(definition)
	if err == nil && !isObject(value) {
		err = uneditable(CodeType, spanOf(value), "the definition is "+kindName(value))
	}
	return value, err
}
