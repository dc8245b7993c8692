package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// SetAt gives a member of any JSON file a value, as [Set] does for one of an
// entry: for files of other programs. An empty text becomes a new file.
func SetAt(text []byte, path []string, value []byte) ([]byte, error) {
	added, err := parseValue(value)
	if err != nil {
		return nil, err
	}
	ed, at, err := rootMember(text, path)
	if err != nil {
		return nil, fmt.Errorf("set %s: %w", shownPath(path), err)
	}
	made := path
	switch {
	case at.isThere && canonicalText(text[at.member.span().Start:at.member.span().End]) == canonicalText(value):
		return bytes.Clone(text), nil
	case at.isThere:
		ed.splice(at.member.span(), ed.layoutOf(at.object).print(newMember{value: added}, ed.indentOf(at.member.keySpan.Start)))
	default:
		m := newMember{key: path[len(path)-1], value: added}
		for i := len(path) - 2; i >= at.depth; i-- {
			m = newMember{key: path[i], nested: []newMember{m}}
		}
		made = path[:at.depth+1]
		if at.object == nil {
			ed.newFile(m)
		} else {
			ed.insert(at.object, true, m)
		}
	}
	return ed.applyAt(path, made, canonicalText(value))
}

// UnsetAt takes a member out of any JSON file. One that is not there is
// ErrNotFound.
func UnsetAt(text []byte, path []string) ([]byte, error) {
	ed, at, err := rootMember(text, path)
	if err == nil && !at.isThere {
		err = ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("unset %s: %w", shownPath(path), err)
	}
	ed.remove(at.object.Value.(*hujson.Object), at.index)
	return ed.applyAt(path, path, "")
}

// AppendAt adds a string to the array at a path of any JSON file, which is made
// where it is absent. One that is there already is ErrExists.
func AppendAt(text []byte, path []string, element string) ([]byte, error) {
	ed, at, err := rootMember(text, path)
	if err != nil {
		return nil, fmt.Errorf("add to %s: %w", shownPath(path), err)
	}
	quotedElement := []byte(hujson.String(element))
	if !at.isThere {
		return SetAt(text, path, slices.Concat([]byte("["), quotedElement, []byte("]")))
	}
	if at.member.value.Value.Kind() != '[' {
		return nil, fmt.Errorf("add to %s: %w", shownPath(path), uneditable(CodeType, at.member.span(), "it is "+kindName(at.member.value)))
	}
	if slices.Contains(stringsOf(at.member.value), element) {
		return nil, fmt.Errorf("add to %s: %w", shownPath(path), ErrExists)
	}
	value, err := parseValue(quotedElement)
	if err != nil {
		return nil, err
	}
	want := []byte(canonicalText(ed.text[at.member.value.StartOffset:at.member.value.EndOffset]))
	want = bytes.TrimSuffix(want, []byte("]"))
	if len(want) > 1 {
		want = append(want, ',')
	}
	want = append(append(want, quotedElement...), ']')
	ed.append(at.member.value, true, value)
	return ed.applyAt(path, path, canonicalText(want))
}

// RemoveAt takes a string out of the array at a path. One that is not there is
// ErrNotFound.
func RemoveAt(text []byte, path []string, element string) ([]byte, error) {
	ed, at, err := rootMember(text, path)
	if err == nil && !at.isThere {
		err = ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("take out of %s: %w", shownPath(path), err)
	}
	i := slices.Index(stringsOf(at.member.value), element)
	if i < 0 {
		return nil, fmt.Errorf("take out of %s: %w", shownPath(path), ErrNotFound)
	}
	elements := at.member.value.Value.(*hujson.Array).Elements
	var before *hujson.Value
	if i > 0 {
		before = &elements[i-1]
	}
	ed.removePart(elements[i].StartOffset, &elements[i], before)
	want, err := hujson.Parse([]byte(canonicalText(ed.text[at.member.value.StartOffset:at.member.value.EndOffset])))
	if err != nil {
		return nil, err
	}
	array := want.Value.(*hujson.Array)
	array.Elements = slices.Delete(array.Elements, i, i+1)
	return ed.applyAt(path, path, canonicalText(want.Pack()))
}

// stringsOf are the elements of an array, "" for what is no string.
func stringsOf(v *hujson.Value) []string {
	array, isArray := v.Value.(*hujson.Array)
	if !isArray {
		return nil
	}
	list := make([]string, len(array.Elements))
	for i, e := range array.Elements {
		if e.Value.Kind() == '"' {
			list[i] = decodeString(e.Value)
		}
	}
	return list
}

// rootMember finds a member of the file; the object is nil in a file that holds
// nothing yet.
func rootMember(text []byte, path []string) (*editor, memberPlace, error) {
	if len(path) == 0 {
		return nil, memberPlace{}, errors.New("no key is named")
	}
	ed := &editor{text: text}
	t, fault := parseTree(text)
	switch {
	case fault != nil && fault.code == CodeEmpty:
		return ed, memberPlace{}, nil
	case fault != nil:
		return nil, memberPlace{}, &UneditableError{fault.finding()}
	}
	ed.root = &t.root
	at := memberPlace{object: ed.root}
	err := at.descend(path)
	return ed, at, err
}

// applyAt returns the changed text once it has been read back and says what was
// meant: this value at the path, and without what was made what was there.
func (ed *editor) applyAt(path, made []string, value string) ([]byte, error) {
	text := ed.result()
	t, fault := parseTree(text)
	if fault != nil {
		return nil, errNotMeant()
	}
	if len(duplicates(&t.root)) > 0 && ed.root != nil && len(duplicates(ed.root)) == 0 {
		return nil, errNotMeant()
	}
	before, after := "{}", canonicalText(text)
	if ed.root != nil {
		before = canonicalText(ed.text)
	}
	if valueAt(after, path) != value || withoutMember(after, made) != withoutMember(before, made) {
		return nil, errNotMeant()
	}
	return text, nil
}
