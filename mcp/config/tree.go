package config

import (
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

// member is one key of an object with its value.
type member struct {
	key     string
	keySpan Span
	value   *hujson.Value
}

func (m member) span() Span { return spanOf(m.value) }

func spanOf(v *hujson.Value) Span { return Span{v.StartOffset, v.EndOffset} }

// members lists an object's members in order, duplicates included; nil when v
// is not an object.
func members(v *hujson.Value) []member {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	list := make([]member, len(object.Members))
	for i := range object.Members {
		m := &object.Members[i]
		list[i] = member{key: decodeString(m.Name.Value), keySpan: spanOf(&m.Name), value: &m.Value}
	}
	return list
}

func isObject(v *hujson.Value) bool { return v.Value.Kind() == '{' }

// decodeString is the value of a string literal, which the scanner has found
// to be a good one.
func decodeString(v hujson.ValueTrimmed) string {
	literal, _ := v.(hujson.Literal)
	text, err := jsontext.AppendUnquote(nil, []byte(literal))
	if err != nil {
		return string(literal)
	}
	return string(text)
}

// kindName is how a message calls a JSON value.
func kindName(v *hujson.Value) string {
	switch v.Value.Kind() {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'n':
		return "null"
	}
	return "a boolean"
}

// duplicate is a key that stands twice in one object.
type duplicate struct {
	key           string
	first, second Span
}

// duplicates lists the keys that an object or anything below it has twice.
func duplicates(v *hujson.Value) []duplicate {
	var found []duplicate
	switch composite := v.Value.(type) {
	case *hujson.Object:
		first := make(map[string]Span, len(composite.Members))
		for _, m := range members(v) {
			if at, ok := first[m.key]; ok {
				found = append(found, duplicate{m.key, at, m.keySpan})
			} else {
				first[m.key] = m.keySpan
			}
			found = append(found, duplicates(m.value)...)
		}
	case *hujson.Array:
		for i := range composite.Elements {
			found = append(found, duplicates(&composite.Elements[i])...)
		}
	}
	return found
}

// rawOffset maps an offset into a decoded string to one into the text, given
// where the string's literal starts. Offsets inside a character give its start.
func rawOffset(text []byte, literal Span, decoded int) int {
	at := literal.Start + 1
	for decoded > 0 && at < literal.End-1 {
		n, width := 1, 1
		if text[at] == '\\' {
			n = escapeLength(text[at : literal.End-1])
			if n == 0 {
				return at
			}
			width = len(decodeString(hujson.Literal(`"` + string(text[at:at+n]) + `"`)))
		}
		if width > decoded {
			return at
		}
		at += n
		decoded -= width
	}
	return at
}
