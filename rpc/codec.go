package rpc

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// marshalOptions: maps in a stable order; strings of raw JSON as they are; what a
// connector or a document holds in broken UTF-8 becomes U+FFFD instead of costing
// the whole message.
var marshalOptions = json.JoinOptions(
	json.Deterministic(true),
	jsontext.PreserveRawStrings(true),
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
)

// Marshal encodes v as it is sent: nil slices are [], nil maps are {}, the keys
// of maps are sorted, and the types of go.lsp.dev/protocol take their LSP form.
// Raw JSON is returned as it is, without a copy or a check.
func Marshal(v any) ([]byte, error) {
	if text, isRaw := rawText(v); isRaw {
		return text, nil
	}
	return json.Marshal(v, marshalOptions)
}

// Unmarshal decodes data into v. Keys match exactly, a duplicate key anywhere is
// an error, and unknown fields are ignored.
func Unmarshal(data []byte, v any) error {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowInvalidUTF8(true))
	if _, err := decoder.ReadValue(); err != nil {
		return err
	}
	return decode(data, v)
}

// encode appends v to the body of f.
func encode(f *outFrame, v any) error {
	if text, isRaw := rawText(v); isRaw {
		f.raw(text)
		return nil
	}
	return json.MarshalWrite(&f.buffer, v, marshalOptions)
}

// decode decodes text, which has been validated, into v.
func decode(text []byte, v any) error {
	return protocol.Unmarshal(text, v)
}

// rawText returns the bytes of a value that is JSON already; nil is null.
func rawText(v any) (text []byte, isRaw bool) {
	switch raw := v.(type) {
	case jsontext.Value:
		text, isRaw = raw, true
	case *jsontext.Value:
		text, isRaw = *raw, true
	case jsonrpc2.RawMessage:
		text, isRaw = raw, true
	case *jsonrpc2.RawMessage:
		text, isRaw = *raw, true
	case Null, *Null, nil:
		isRaw = true
	default:
		// Not cases: with GOEXPERIMENT=jsonv2 this type is jsontext.Value.
		if raw, is := v.(stdjson.RawMessage); is {
			text, isRaw = raw, true
		} else if raw, is := v.(*stdjson.RawMessage); is {
			text, isRaw = *raw, true
		}
	}
	if isRaw && len(text) == 0 {
		text = []byte("null")
	}
	return text, isRaw
}

// setRaw gives the raw value that v points to the text, which it may keep.
func setRaw(v any, text func() []byte) (isRaw bool) {
	switch raw := v.(type) {
	case *jsontext.Value:
		*raw = text()
	case *jsonrpc2.RawMessage:
		*raw = text()
	case *Null:
	default:
		raw2, is := v.(*stdjson.RawMessage)
		if is {
			*raw2 = text()
		}
		return is
	}
	return true
}

// emptyParams is what missing parameters decode as.
var emptyParams = []byte("{}")

// decodeParams decodes the parameters of a message. An empty array means none:
// several JSON libraries write an empty table that way.
func decodeParams[P any](p params) (value P, err error) {
	if len(p.text) == 0 {
		p = params{text: emptyParams}
	}
	if setRaw(&value, p.owned) {
		return value, nil
	}
	if string(p.text) == "[]" && reflect.TypeFor[P]().Kind() != reflect.Slice {
		p.text = emptyParams
	}
	err = decode(p.text, &value)
	return value, err
}

// decodeText says what is wrong in the peer's terms: where, and what was expected.
func decodeText(err error) string {
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) {
		return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "json: "), "jsontext: ")
	}
	where := string(semantic.JSONPointer)
	if where == "" {
		where = "the whole"
	}
	text := fmt.Sprintf("%s is not valid", where)
	if expected := expectedKind(semantic.GoType); expected != "" && semantic.JSONKind != 0 {
		text = fmt.Sprintf("%s is %s, expected %s", where, kindText(semantic.JSONKind), expected)
	}
	if semantic.Err != nil {
		text += ": " + semantic.Err.Error()
	}
	return text
}

// expectedKind names the JSON form of a Go type.
func expectedKind(t reflect.Type) string {
	if t == nil {
		return ""
	}
	switch t.Kind() {
	case reflect.Pointer:
		return expectedKind(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "an integer"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a non-negative integer"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return ""
}

// kindText names the kind of a JSON value.
func kindText(k jsontext.Kind) string {
	switch k {
	case jsontext.KindNull:
		return "null"
	case jsontext.KindTrue, jsontext.KindFalse:
		return "a boolean"
	case jsontext.KindString:
		return "a string"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindBeginObject:
		return "an object"
	case jsontext.KindBeginArray:
		return "an array"
	}
	return k.String()
}
