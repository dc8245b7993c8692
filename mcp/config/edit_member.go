package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Set gives a member of an entry a value; path are the keys that lead to it,
// such as "pillion", "start". Objects on the way are made where they are absent;
// a member that is there keeps its place and the comments around it, and all of
// its text if it has that value already. The value
// may be JSON with comments and is written as strict JSON; strict also keeps it
// from following a file's trailing-comma style.
func Set(text []byte, name string, path []string, value []byte, strict bool) ([]byte, error) {
	value = bytes.TrimPrefix(value, []byte(byteOrderMark))
	added, err := parseValue(value)
	if err != nil {
		return nil, err
	}
	ed, at, err := memberOf(text, name, path)
	if err != nil {
		return nil, fmt.Errorf("set %s of %s: %w", shownPath(path), quoted(name), err)
	}
	if at.isThere {
		if canonicalText(text[at.member.span().Start:at.member.span().End]) == canonicalText(value) {
			return bytes.Clone(text), nil
		}
		ed.splice(at.member.span(), ed.layoutOf(at.object).print(newMember{value: added}, ed.indentOf(at.member.keySpan.Start)))
		return ed.applyMember(at, path, path, canonicalText(value))
	}
	m := newMember{key: path[len(path)-1], value: added}
	for i := len(path) - 2; i >= at.depth; i-- {
		m = newMember{key: path[i], nested: []newMember{m}}
	}
	ed.insert(at.object, strict, m)
	return ed.applyMember(at, path, path[:at.depth+1], canonicalText(value))
}

// Unset takes a member out of an entry, with its own comma and its line.
// Comments stay, and so does an object that is empty then. A member that is not
// there is ErrNotFound.
func Unset(text []byte, name string, path []string) ([]byte, error) {
	ed, at, err := memberOf(text, name, path)
	if err == nil && !at.isThere {
		err = ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("unset %s of %s: %w", shownPath(path), quoted(name), err)
	}
	ed.remove(at.object.Value.(*hujson.Object), at.index)
	return ed.applyMember(at, path, path, "")
}

func shownPath(path []string) string { return quoted(strings.Join(path, ".")) }

// memberPlace is where a member of an entry is, or would be put.
type memberPlace struct {
	entry   int           // among the entries
	object  *hujson.Value // the innermost one on the way that is there
	depth   int           // of the object: how many keys lead to it
	isThere bool
	member  member // if it is there
	index   int    // among the object's members
}

func memberOf(text []byte, name string, path []string) (*editor, memberPlace, error) {
	if len(path) == 0 {
		return nil, memberPlace{}, errors.New("no key is named")
	}
	ed, err := newEditor(text)
	if err != nil {
		return nil, memberPlace{}, err
	}
	i, err := ed.only(name)
	if err != nil {
		return nil, memberPlace{}, err
	}
	at := memberPlace{entry: i, object: members(ed.servers)[i].value}
	err = at.descend(path)
	return ed, at, err
}

// descend goes along the keys as far as there are objects.
func (at *memberPlace) descend(path []string) error {
	for {
		if !isObject(at.object) {
			return uneditable(CodeType, spanOf(at.object), "what should hold "+quoted(path[at.depth])+" is "+kindName(at.object))
		}
		at.isThere = false
		for index, m := range members(at.object) {
			if m.key != path[at.depth] {
				continue
			}
			if at.isThere {
				return uneditable(CodeDuplicateKey, m.keySpan, "the key "+quoted(m.key)+" stands twice in one object")
			}
			at.isThere, at.member, at.index = true, m, index
		}
		if !at.isThere || at.depth == len(path)-1 {
			return nil
		}
		at.object = at.member.value
		at.depth++
	}
}

// applyMember is apply for one member of one entry: it has this value, or is
// gone if that is empty; without what was made, the entry is what it was.
func (ed *editor) applyMember(at memberPlace, path, made []string, value string) ([]byte, error) {
	after, err := ed.reread()
	if err != nil {
		return nil, err
	}
	want, got := ed.entries(), after.entries()
	if len(want) != len(got) || valueAt(got[at.entry].value, path) != value {
		return nil, errNotMeant()
	}
	want[at.entry].value, got[at.entry].value = withoutMember(want[at.entry].value, made), withoutMember(got[at.entry].value, made)
	if !slices.Equal(want, got) || !slices.Equal(after.others(), ed.others()) {
		return nil, errNotMeant()
	}
	return after.text, nil
}

// valueAt is the canonical form of a member of a canonical form, or "".
func valueAt(canonical string, path []string) string {
	value, err := hujson.Parse([]byte(canonical))
	if err != nil {
		return ""
	}
	at := &value
	for _, key := range path {
		object, isObject := at.Value.(*hujson.Object)
		if !isObject {
			return ""
		}
		i := memberIndex(object, key)
		if i < 0 {
			return ""
		}
		at = &object.Members[i].Value
	}
	return string(at.Pack())
}

// withoutMember is a canonical form without one of its members.
func withoutMember(canonical string, path []string) string {
	value, err := hujson.Parse([]byte(canonical))
	if err != nil {
		return canonical
	}
	at := &value
	for i, key := range path {
		object, isObject := at.Value.(*hujson.Object)
		if !isObject {
			break
		}
		index := memberIndex(object, key)
		if index < 0 {
			break
		}
		if i == len(path)-1 {
			object.Members = slices.Delete(object.Members, index, index+1)
			break
		}
		at = &object.Members[index].Value
	}
	return string(value.Pack())
}

func memberIndex(object *hujson.Object, key string) int {
	return slices.IndexFunc(object.Members, func(m hujson.ObjectMember) bool { return decodeString(m.Name.Value) == key })
}

// parseValue reads a value that is to be written.
func parseValue(text []byte) (*hujson.Value, error) {
	t, fault := parseTree(text)
	if fault != nil {
		return nil, &UneditableError{fault.finding()}
	}
	if d := duplicates(&t.root); len(d) > 0 {
		return nil, &UneditableError{duplicateFinding(d[0])}
	}
	return &t.root, nil
}
