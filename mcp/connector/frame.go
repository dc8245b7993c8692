package connector

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth is how deep a message may nest; the SDK ends the session above it.
const maxDepth = 1000

var (
	errDuplicateName = errors.New("a name stands twice in one object")
	errNotObject     = errors.New("not a JSON object")
)

// frame is one message of the server. The values are parts of the line that it was decoded from.
type frame struct {
	version jsontext.Value
	id      jsontext.Value // nil when absent
	method  jsontext.Value // nil when absent
	params  jsontext.Value
	result  jsontext.Value
	err     jsontext.Value
	// hasOther is set when there are members that no message has.
	hasOther bool
}

// isMessage reports whether it is a JSON-RPC message. Without the version tag only a reply that has nothing else in it
// passes for one: log lines in JSON have ids and errors too.
func (f *frame) isMessage() bool {
	if string(f.version) == `"2.0"` {
		return f.method != nil || f.isReply()
	}
	return f.isReply() && !f.hasOther && f.id != nil
}

func (f *frame) isReply() bool {
	return f.method == nil && (f.result != nil || f.err != nil || f.id != nil)
}

// frameDecoder decodes lines; it is reused from line to line.
type frameDecoder struct {
	buffer  bytes.Buffer
	decoder jsontext.Decoder
}

// decode decodes the first value of the text, which must be an object, and returns what follows it.
func (d *frameDecoder) decode(text []byte) (f frame, rest []byte, err error) {
	d.buffer = *bytes.NewBuffer(text)
	// Strings were made valid before; names below the top are the business of whoever reads the value.
	d.decoder.Reset(&d.buffer, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	err = members(&d.decoder, text, func(name string, value jsontext.Value) error {
		var member *jsontext.Value
		switch name {
		case "jsonrpc":
			member = &f.version
		case "id":
			member = &f.id
		case "method":
			member = &f.method
		case "params":
			member = &f.params
		case "result":
			member = &f.result
		case "error":
			member = &f.err
		default:
			f.hasOther = true
			return nil
		}
		if *member != nil {
			return errDuplicateName
		}
		*member = value
		return nil
	})
	if err != nil {
		return frame{}, nil, err
	}
	return f, bytes.TrimSpace(text[d.decoder.InputOffset():]), nil
}

// members reads one object from d, which is about to decode text, and visits its members in order. The values are parts of
// text.
func members(d *jsontext.Decoder, text []byte, visit func(name string, value jsontext.Value) error) error {
	return membersAt(d, func(name string, start, end int64) error {
		return visit(name, text[start:end:end])
	})
}

// membersAt is members with the place of each value instead of its bytes.
func membersAt(d *jsontext.Decoder, visit func(name string, start, end int64) error) error {
	if d.PeekKind() != '{' {
		return errNotObject
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		// What the decoder returns is its own until the next read; the same bytes of text stay.
		end := d.InputOffset()
		if err := visit(key, end-int64(len(value)), end); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// object visits the members of one object that is the whole of raw. A name that stands twice in it is an error; objects
// further in are not looked at.
func object(raw []byte, visit func(name string, value jsontext.Value) error) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	seen := map[string]bool{}
	err := members(d, raw, func(name string, value jsontext.Value) error {
		if seen[name] {
			return errDuplicateName
		}
		seen[name] = true
		return visit(name, value)
	})
	if err != nil {
		return err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}

// elements returns the values of one array that is the whole of raw.
func elements(raw []byte, maxCount int) ([]jsontext.Value, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if d.PeekKind() != '[' {
		return nil, errors.New("not a JSON array")
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	var values []jsontext.Value
	for d.PeekKind() != ']' {
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		if len(values) == maxCount {
			return values, fmt.Errorf("more than %d entries", maxCount)
		}
		end := d.InputOffset()
		values = append(values, raw[end-int64(len(value)):end:end])
	}
	_, err := d.ReadToken()
	return values, err
}

// text returns the string that raw is.
func text(raw jsontext.Value) (string, bool) {
	if raw.Kind() != '"' {
		return "", false
	}
	if said := raw[1:max(1, len(raw)-1)]; bytes.IndexByte(said, '\\') < 0 && utf8.Valid(said) {
		return string(said), true
	}
	// What is not valid in it comes out as U+FFFD, and an error.
	unquoted, _ := jsontext.AppendUnquote(nil, raw)
	return strings.ToValidUTF8(string(unquoted), "\ufffd"), true
}

// number returns the finite number that raw is.
func number(raw jsontext.Value) (float64, bool) {
	if raw.Kind() != '0' {
		return 0, false
	}
	value, err := strconv.ParseFloat(string(raw), 64)
	return value, err == nil && !math.IsInf(value, 0)
}

// integer returns the integer that raw is, or spells as a string or as 3.0; isExact is false for these.
func integer(raw jsontext.Value) (value int64, isExact, ok bool) {
	if value, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return value, true, true
	}
	spelt := string(raw)
	if raw.Kind() == '"' {
		spelt, _ = text(raw)
	}
	if value, err := strconv.ParseInt(spelt, 10, 64); err == nil {
		return value, false, true
	}
	float, err := strconv.ParseFloat(spelt, 64)
	if err != nil || float != math.Trunc(float) || math.Abs(float) >= 1<<53 {
		return 0, false, false
	}
	return int64(float), false, true
}

// isTooDeep reports whether the value nests deeper than limit. It need not be valid.
func isTooDeep(raw []byte, limit int) bool {
	if bytes.Count(raw, []byte("{"))+bytes.Count(raw, []byte("[")) <= limit {
		return false
	}
	s := scanner{}
	s.depth = 1 // an array at the top is as good as an object here
	s.scan(raw)
	return s.maxDepth-1 > limit
}

// valid returns the text with U+FFFD for what is not UTF-8 and for lone surrogates, in place where possible.
func valid(raw []byte) []byte {
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\ufffd"))
	}
	if bytes.Contains(raw, []byte(`\ud`)) || bytes.Contains(raw, []byte(`\uD`)) {
		replaceLoneSurrogates(raw)
	}
	return raw
}

// replaceLoneSurrogates overwrites the escapes of surrogates that are not one of a pair. A backslash in JSON always begins
// an escape, so no other state is needed.
func replaceLoneSurrogates(raw []byte) {
	for i := 0; ; {
		next := bytes.IndexByte(raw[i:], '\\')
		if next < 0 {
			return
		}
		i += next
		switch first := surrogate(raw[i:]); {
		case first == 0:
			i += 2
		case first < 0xdc00 && surrogate(raw[i+6:]) >= 0xdc00:
			i += 12
		default:
			copy(raw[i:], `\ufffd`)
			i += 6
		}
		if i >= len(raw) {
			return
		}
	}
}

// surrogate returns the surrogate whose escape the text begins with, or 0.
func surrogate(raw []byte) uint64 {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0
	}
	value, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
	if err != nil || value < 0xd800 || value > 0xdfff {
		return 0
	}
	return value
}
