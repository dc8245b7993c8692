package rpctest

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// value is a JSON value that keeps digits and the order of members: nil, bool,
// string, number, []value or object.
type value any

// number is a JSON number as written.
type number string

// object is the members of a JSON object as written.
type object []member

type member struct {
	name  string
	value value
}

// member returns the value of a member, and whether it is there.
func (o object) member(name string) (value, bool) {
	i := slices.IndexFunc(o, func(m member) bool { return m.name == name })
	if i < 0 {
		return nil, false
	}
	return o[i].value, true
}

// parseValue reads the one JSON value in text.
func parseValue(text []byte) (value, error) {
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowInvalidUTF8(true))
	v, err := readValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, fmt.Errorf("more than one JSON value")
	}
	return v, nil
}

func readValue(d *jsontext.Decoder) (value, error) {
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case jsontext.KindTrue, jsontext.KindFalse:
		return token.Bool(), nil
	case jsontext.KindString:
		return token.String(), nil
	case jsontext.KindNumber:
		return number(token.String()), nil
	case jsontext.KindBeginArray:
		elements := []value{}
		for d.PeekKind() != jsontext.KindEndArray {
			v, err := readValue(d)
			if err != nil {
				return nil, err
			}
			elements = append(elements, v)
		}
		_, err := d.ReadToken()
		return elements, err
	case jsontext.KindBeginObject:
		return readObject(d)
	}
	return nil, nil
}

func readObject(d *jsontext.Decoder) (value, error) {
	members := object{}
	for d.PeekKind() != jsontext.KindEndObject {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		m := member{name: name.String()}
		if m.value, err = readValue(d); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	_, err := d.ReadToken()
	return members, err
}

// appendValue appends v as compact JSON.
func appendValue(text []byte, v value) []byte {
	switch v := v.(type) {
	case bool:
		return fmt.Appendf(text, "%t", v)
	case string:
		text, _ = jsontext.AppendQuote(text, v)
		return text
	case number:
		return append(text, v...)
	case []value:
		text = append(text, '[')
		for i, element := range v {
			if i > 0 {
				text = append(text, ',')
			}
			text = appendValue(text, element)
		}
		return append(text, ']')
	case object:
		text = append(text, '{')
		for i, m := range v {
			if i > 0 {
				text = append(text, ',')
			}
			text, _ = jsontext.AppendQuote(text, m.name)
			text = append(text, ':')
			text = appendValue(text, m.value)
		}
		return append(text, '}')
	}
	return append(text, "null"...)
}

// without returns o without a member.
func (o object) without(name string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return m.name == name })
}

// with returns o with a member set, in its place or at the end.
func (o object) with(name string, v value) object {
	o = slices.Clone(o)
	for i := range o {
		if o[i].name == name {
			o[i].value = v
			return o
		}
	}
	return append(o, member{name, v})
}
