package serve

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// member is a member of an object; the bytes of its value are those that it was received with.
type member struct {
	name  string
	value jsontext.Value
}

// membersOf are those of an object, in its order. Connectors are not held to names that stand once: what they say goes on as it is.
func membersOf(object []byte) ([]member, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(object), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if open, err := decoder.ReadToken(); err != nil || open.Kind() != '{' {
		return nil, fmt.Errorf("it is not an object")
	}
	var all []member
	for decoder.PeekKind() != '}' {
		name, err := decoder.ReadToken()
		if err != nil {
			return nil, err
		}
		spelt := name.String()
		value, err := decoder.ReadValue()
		if err != nil {
			return nil, err
		}
		all = append(all, member{spelt, value.Clone()})
	}
	return all, nil
}

// objectOf is an object of the members.
func objectOf(members ...member) []byte {
	object := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			object = append(object, ',')
		}
		object, _ = jsontext.AppendQuote(object, m.name)
		object = append(append(object, ':'), m.value...)
	}
	return append(object, '}')
}

// arrayOf is an array of the values.
func arrayOf(values [][]byte) jsontext.Value {
	return jsontext.Value("[" + string(bytes.Join(values, []byte{','})) + "]")
}

// text is a text as a value; what is no UTF-8 in it is replaced.
func text(said string) jsontext.Value {
	quoted, _ := jsontext.AppendQuote(nil, said)
	return quoted
}

// texts are the members that have a text.
func texts(namesAndTexts ...string) (members []member) {
	for i := 0; i < len(namesAndTexts); i += 2 {
		if namesAndTexts[i+1] != "" {
			members = append(members, member{namesAndTexts[i], text(namesAndTexts[i+1])})
		}
	}
	return members
}

// values are the members that have a value.
func values(members ...member) (present []member) {
	for _, m := range members {
		if len(m.value) > 0 {
			present = append(present, m)
		}
	}
	return present
}
