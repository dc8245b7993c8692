package bridge

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// maxLineBytes bounds a message in either direction.
const maxLineBytes = 64 << 20

// errTooLong says that a line has no end within bounds.
var errTooLong = fmt.Errorf("a message has more than %d MiB", maxLineBytes>>20)

// readLine returns the next line that is not empty, without its end; it holds until the next call. A line that nothing ends is
// none. After errTooLong that line has been read, and the next one can be.
func readLine(in *bufio.Reader, kept []byte) ([]byte, error) {
	for {
		kept = kept[:0]
		size := 0
		for {
			part, err := in.ReadSlice('\n')
			if size += len(part); size <= maxLineBytes {
				kept = append(kept, part...)
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if err != nil {
				return nil, err
			}
			break
		}
		if size > maxLineBytes {
			return nil, errTooLong
		}
		if line := bytes.TrimSpace(kept); len(line) > 0 {
			return line, nil
		}
	}
}

// kind is what a message is.
type kind int

const (
	unclear kind = iota // no message, or a batch: whoever is at the other end says what is wrong with it
	request
	notification
	response
)

// envelope is what is looked at of a message. Its values lie in the message.
type envelope struct {
	kind   kind
	method string
	id     jsontext.Value
	params jsontext.Value
	result jsontext.Value // of a response that is no error
}

// open looks at a message without reading what it carries.
func open(line []byte) envelope {
	var e envelope
	isError := false
	err := members(line, func(name string, value jsontext.Value) {
		switch name {
		case "method":
			e.method = unquoted(value)
		case "id":
			e.id = value
		case "params":
			e.params = value
		case "result":
			e.result = value
		case "error":
			isError = true
		}
	})
	switch {
	case err != nil:
		return envelope{}
	case e.method != "" && e.id != nil:
		e.kind = request
	case e.method != "":
		e.kind = notification
	case e.id != nil && (e.result != nil || isError):
		e.kind = response
	}
	return e
}

var errNoObject = errors.New("it is no object, or a name stands twice in it")

// members calls each for every member of an object, once. A value is a part of the object, with all of it behind it as capacity.
func members(object []byte, each func(name string, value jsontext.Value)) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(object), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if token, err := d.ReadToken(); err != nil || token.Kind() != '{' {
		return errNoObject
	}
	seen := make([]string, 0, 8)
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		for _, before := range seen {
			if before == name {
				return errNoObject
			}
		}
		seen = append(seen, name)
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		end := int(d.InputOffset()) // what the decoder returned holds until it reads on
		each(name, object[end-len(value):end])
	}
	_, err := d.ReadToken()
	return err
}

// member is one member of an object, or nil.
func member(object jsontext.Value, wanted string) jsontext.Value {
	return bytes.Clone(memberIn(object, wanted))
}

// memberIn is a member as a part of the object.
func memberIn(object jsontext.Value, wanted string) (found jsontext.Value) {
	if object.Kind() != '{' {
		return nil
	}
	if members(object, func(name string, value jsontext.Value) {
		if name == wanted {
			found = value
		}
	}) != nil {
		return nil
	}
	return found
}

func unquoted(value jsontext.Value) string {
	if value.Kind() != '"' {
		return ""
	}
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		return ""
	}
	return string(text)
}

func quoted(text string) jsontext.Value {
	value, _ := jsontext.AppendQuote(nil, text) // invalid UTF-8 is replaced
	return value
}

// keyOf is an id as it is compared: a string may be written in several ways.
func keyOf(id jsontext.Value) string {
	if id.Kind() == '"' {
		return `"` + unquoted(id)
	}
	return string(id)
}

// withRequest is a message whose params say in their _meta what its request is called. Anything but an object is left as it is.
func withRequest(line []byte, e envelope) []byte {
	name := concat(`"`, metaRequest, `":`, quoted(string(e.id)))
	into, added := e.params, concat(`"_meta":{`, name, `}`)
	if meta := memberIn(e.params, "_meta"); meta.Kind() == '{' {
		into, added = meta, name
	}
	if into.Kind() != '{' {
		return line
	}
	at := cap(line) - cap(into) + 1 // a member is a part of the line, to its end
	out := make([]byte, 0, len(line)+len(added)+1)
	out = append(append(out, line[:at]...), added...)
	if rest := bytes.TrimLeft(line[at:], " \t\r\n"); rest[0] != '}' {
		out = append(out, ',')
	}
	return append(out, line[at:]...)
}

// withID is a message under another id.
func withID(line []byte, id jsontext.Value) []byte {
	out := []byte(`{"id":`)
	out = append(out, id...)
	_ = members(line, func(name string, value jsontext.Value) {
		if name != "id" {
			out = append(append(append(append(out, ','), quoted(name)...), ':'), value...)
		}
	})
	return append(out, '}')
}

func resultOf(id jsontext.Value, result []byte) []byte {
	return concat(`{"jsonrpc":"2.0","id":`, id, `,"result":`, result, `}`)
}

func errorOf(id jsontext.Value, code int, message string) []byte {
	return concat(`{"jsonrpc":"2.0","id":`, id, fmt.Sprintf(`,"error":{"code":%d,"message":`, code), quoted(message), `}}`)
}

func concat(parts ...any) []byte {
	var out []byte
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			out = append(out, part...)
		case jsontext.Value:
			out = append(out, part...)
		case []byte:
			out = append(out, part...)
		}
	}
	return out
}
