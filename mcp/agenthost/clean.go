package agenthost

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth is how deep values are looked into; those below stay as they are written.
const maxDepth = 64

// Clean makes the arguments of a call out of what a model wrote: JSON in a fence, JSON in a string, nothing or null for no
// arguments, null for an optional member that takes none, and a string that holds the number, truth value, array or object which
// the schema wants. Each change is said, in a few words with its JSON pointer. Nothing else is changed: digits and order stay, no
// member is invented, and what the schema does not take is left for the check before a call to name.
//
// The error says what is no JSON object, a member that stands twice included (S10).
func Clean(written string, schema []byte) (arguments jsontext.Value, changes []string, err error) {
	m := mending{}
	text := m.unwrapped(strings.TrimSpace(written))
	value, err := readValue(text)
	if err != nil {
		return nil, nil, fmt.Errorf("read what the model wrote: %w", err)
	}
	for range 2 { // some write a string that holds a string
		inner, isJSON := jsonInString(value)
		if value.Kind() != '"' || !isJSON {
			break
		}
		value = inner
		m.changed("", "JSON in a string taken out of it")
	}
	if value.Kind() == 'n' {
		m.changed("", "null made {}")
		value = jsontext.Value("{}")
	}
	if value.Kind() != '{' {
		return nil, nil, fmt.Errorf("read what the model wrote: arguments are an object, and this is %s", kindOf(value.Kind()))
	}
	return m.value("", value, schema, 0), m.changes, nil
}

type mending struct{ changes []string }

func (m *mending) changed(pointer, what string) {
	if pointer != "" {
		what = pointer + ": " + what
	}
	m.changes = append(m.changes, what)
}

// unwrapped is what stands in a fence of Markdown, where nothing but the fence is written.
func (m *mending) unwrapped(text string) string {
	if text == "" {
		m.changed("", "nothing made {}")
		return "{}"
	}
	first, rest, isLonger := strings.Cut(text, "\n")
	mark := strings.TrimRight(first, "abcdefghijklmnopqrstuvwxyzJSON0123456789 \r")
	if isLonger && len(mark) >= 3 && strings.Trim(mark, "`") == "" {
		if inner, isClosed := strings.CutSuffix(rest, mark); isClosed {
			m.changed("", "taken out of a fence")
			return strings.TrimSpace(inner)
		}
	}
	return text
}

// readValue reads one JSON value and nothing after it.
func readValue(text string) (jsontext.Value, error) {
	in := jsontext.NewDecoder(strings.NewReader(text))
	value, err := in.ReadValue()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.New("it ends before the JSON does")
	}
	if syntax := (*jsontext.SyntacticError)(nil); errors.As(err, &syntax) {
		return nil, fmt.Errorf("%w at byte %d", syntax.Err, syntax.ByteOffset)
	}
	if err != nil {
		return nil, err
	}
	value = value.Clone()
	if _, err := in.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("something follows the JSON at byte %d", in.InputOffset())
	}
	return value, nil
}

// jsonInString is the value that a JSON string holds as text.
func jsonInString(value jsontext.Value) (jsontext.Value, bool) {
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		return nil, false
	}
	inner, err := readValue(string(bytes.TrimSpace(text)))
	return inner, err == nil
}

// value mends one value by its schema; what cannot be read of the schema mends nothing.
func (m *mending) value(pointer string, value jsontext.Value, text []byte, depth int) jsontext.Value {
	if len(text) == 0 || depth > maxDepth {
		return value
	}
	s, err := readSchema(text)
	if err != nil {
		return value
	}
	if value.Kind() == '"' && s.isPlain() {
		value = m.typed(pointer, value, s.Type[0])
	}
	switch value.Kind() {
	case '{':
		return m.object(pointer, value, s, depth)
	case '[':
		return m.array(pointer, value, s, depth)
	}
	return value
}

// typed is the value that a string holds where the schema wants another kind of value, and exactly such a one stands in it.
func (m *mending) typed(pointer string, value jsontext.Value, want string) jsontext.Value {
	kinds := map[string]string{"number": "0", "integer": "0", "boolean": "tf", "array": "[", "object": "{"}
	inner, isJSON := jsonInString(value)
	if !isJSON || !strings.ContainsRune(kinds[want], rune(inner.Kind())) || want == "integer" && bytes.ContainsAny(inner, ".eE") {
		return value
	}
	m.changed(pointer, kindOf(inner.Kind())+" in a string taken out of it")
	return inner
}

func (m *mending) object(pointer string, object jsontext.Value, s schema, depth int) jsontext.Value {
	mended, err := rewrite(object, func(name string, value jsontext.Value) (jsontext.Value, bool) {
		at := pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		of, isDescribed := s.Properties[name]
		if !isDescribed {
			return value, true
		}
		if value.Kind() == 'n' && !slices.Contains(s.Required, name) {
			if member, err := readSchema(of); err == nil && !member.takesNull() {
				m.changed(at, "null left out")
				return nil, false
			}
		}
		return m.value(at, value, of, depth+1), true
	})
	if err != nil { // it was read before, so it is an object
		return object
	}
	return mended
}

func (m *mending) array(pointer string, array jsontext.Value, s schema, depth int) jsontext.Value {
	if len(s.Items) == 0 {
		return array
	}
	in := jsontext.NewDecoder(bytes.NewReader(array))
	if _, err := in.ReadToken(); err != nil {
		return array
	}
	out := []byte{'['}
	for at := 0; in.PeekKind() != ']'; at++ {
		value, err := in.ReadValue()
		if err != nil {
			return array
		}
		if at > 0 {
			out = append(out, ',')
		}
		out = append(out, m.value(pointer+"/"+strconv.Itoa(at), value.Clone(), s.Items, depth+1)...)
	}
	return append(out, ']')
}
