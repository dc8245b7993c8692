package imports

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pelletier/go-toml/v2"
	"github.com/tidwall/jsonc"
)

// kind is what a value is, named as a sentence names it.
type kind string

const (
	anObject  kind = "an object"
	anArray   kind = "an array"
	aString   kind = "a string"
	aNumber   kind = "a number"
	aBoolean  kind = "a boolean"
	aNull     kind = "null"
	something kind = "" // nothing at all
)

// value is a part of a file, whatever the file is written in.
type value struct {
	kind kind
	// text is a string's value, and what stands in the file for a number or a
	// boolean.
	text    string
	members []member // in the order of the file, each key once
	items   []value
}

type member struct {
	key   string
	value value
}

// get is the value under a key, case and all; of kind something where there is
// none.
func (v value) get(key string) value {
	for _, m := range v.members {
		if m.key == key {
			return m.value
		}
	}
	return value{}
}

// strings are the strings of an array; others are left out.
func (v value) strings() []string {
	var list []string
	for _, item := range v.items {
		if item.kind == aString {
			list = append(list, item.text)
		}
	}
	return list
}

// The bounds of a file.
const (
	maxDepth   = 64
	maxEntries = 10_000
	maxItems   = 1_000
)

var (
	errTooDeep  = fmt.Errorf("is nested deeper than %d levels", maxDepth)
	errComments = errors.New("has comments or trailing commas, which its own program does not read")
)

// parseJSON reads a text, of its outermost object only the wanted keys. A key
// that stands twice anywhere, and what is not UTF-8, is refused.
func parseJSON(text []byte, hasComments bool, wanted ...string) (value, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) {
		return value{}, errors.New("is not UTF-8")
	}
	plain := jsonc.ToJSON(text)
	if !hasComments && !bytes.Equal(plain, text) {
		return value{}, errComments
	}
	if len(bytes.TrimSpace(plain)) == 0 {
		return value{kind: anObject}, nil // a new file
	}
	d := jsonReader{jsontext.NewDecoder(bytes.NewReader(plain)), plain}
	root, err := d.root(wanted)
	if err != nil {
		return value{}, err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return value{}, errors.New("holds more than one value")
	}
	return root, nil
}

type jsonReader struct {
	*jsontext.Decoder
	text []byte
}

func (d jsonReader) root(wanted []string) (value, error) {
	if d.PeekKind() != '{' {
		return d.value(0)
	}
	_, _ = d.ReadToken()
	root := value{kind: anObject}
	for d.PeekKind() != '}' {
		key, err := d.ReadToken()
		if err != nil {
			return value{}, d.fault(err)
		}
		name := key.String()
		if !slices.Contains(wanted, name) {
			if err := d.SkipValue(); err != nil {
				return value{}, d.fault(err)
			}
			root.members = append(root.members, member{name, value{}})
			continue
		}
		v, err := d.value(1)
		if err != nil {
			return value{}, err
		}
		root.members = append(root.members, member{name, v})
	}
	_, err := d.ReadToken()
	return root, d.fault(err)
}

func (d jsonReader) value(depth int) (value, error) {
	if depth > maxDepth {
		return value{}, errTooDeep
	}
	token, err := d.ReadToken()
	if err != nil {
		return value{}, d.fault(err)
	}
	switch token.Kind() {
	case '{':
		v := value{kind: anObject}
		for d.PeekKind() != '}' {
			key, err := d.ReadToken()
			if err != nil {
				return value{}, d.fault(err)
			}
			name := key.String()
			item, err := d.value(depth + 1)
			if err != nil {
				return value{}, err
			}
			v.members = append(v.members, member{name, item})
		}
		_, err := d.ReadToken()
		return v, d.fault(err)
	case '[':
		v := value{kind: anArray}
		for d.PeekKind() != ']' {
			item, err := d.value(depth + 1)
			if err != nil {
				return value{}, err
			}
			v.items = append(v.items, item)
		}
		_, err := d.ReadToken()
		return v, d.fault(err)
	case '"':
		return value{kind: aString, text: token.String()}, nil
	case '0':
		return value{kind: aNumber, text: token.String()}, nil
	case 'n':
		return value{kind: aNull, text: "null"}, nil
	}
	return value{kind: aBoolean, text: token.String()}, nil
}

// fault says where a text stops being JSON, and nothing of what it holds.
func (d jsonReader) fault(err error) error {
	if err == nil {
		return nil
	}
	at := min(max(d.InputOffset(), 0), int64(len(d.text)))
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		at = min(max(at, syntactic.ByteOffset), int64(len(d.text)))
	}
	line := 1 + bytes.Count(d.text[:at], []byte("\n"))
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return fmt.Errorf("has a key twice in one object, at line %d", line)
	}
	return fmt.Errorf("is not JSON at line %d", line)
}

// parseTOML reads a text. The order of keys is lost; they are sorted.
func parseTOML(text []byte) (value, error) {
	if !utf8.Valid(text) {
		return value{}, errors.New("is not UTF-8")
	}
	var root map[string]any
	if err := toml.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &root); err != nil {
		var fault *toml.DecodeError
		if errors.As(err, &fault) {
			line, _ := fault.Position()
			return value{}, fmt.Errorf("is not TOML at line %d", line)
		}
		return value{}, errors.New("is not TOML")
	}
	return fromTOML(root, 0)
}

func fromTOML(v any, depth int) (value, error) {
	if depth > maxDepth {
		return value{}, errTooDeep
	}
	switch v := v.(type) {
	case map[string]any:
		object := value{kind: anObject}
		for key, item := range v {
			converted, err := fromTOML(item, depth+1)
			if err != nil {
				return value{}, err
			}
			object.members = append(object.members, member{key, converted})
		}
		slices.SortFunc(object.members, func(a, b member) int { return cmp.Compare(a.key, b.key) })
		return object, nil
	case []any:
		array := value{kind: anArray}
		for _, item := range v {
			converted, err := fromTOML(item, depth+1)
			if err != nil {
				return value{}, err
			}
			array.items = append(array.items, converted)
		}
		return array, nil
	case string:
		return value{kind: aString, text: v}, nil
	case int64:
		return value{kind: aNumber, text: strconv.FormatInt(v, 10)}, nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return value{kind: aString, text: strconv.FormatFloat(v, 'g', -1, 64)}, nil
		}
		return value{kind: aNumber, text: strconv.FormatFloat(v, 'f', -1, 64)}, nil
	case bool:
		return value{kind: aBoolean, text: strconv.FormatBool(v)}, nil
	}
	return value{kind: aString, text: strings.TrimSpace(fmt.Sprint(v))}, nil // a date or a time
}
