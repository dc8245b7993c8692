package rpc

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// kind is what a message is.
type kind int

const (
	request kind = iota + 1
	notification
	response
)

// message is the envelope of one body, found but not decoded.
type message struct {
	kind   kind
	method string
	id     []byte // exact text of a request's or response's id, owned; nil for none
	params params
	result []byte // of a response, borrowed from the body; nil when absent
	fault  []byte // the error object of a response, likewise
}

// params are the bytes of a message's parameters, nil when missing or null, and
// whether the reader is going to overwrite them.
type params struct {
	text     []byte
	borrowed bool
}

// owned returns the bytes for keeping.
func (p params) owned() []byte {
	if p.borrowed {
		return bytes.Clone(p.text)
	}
	return p.text
}

// envelopeReader finds the envelope of bodies. Every body is validated whole here,
// once, so that everything behind it may decode without checking again.
type envelopeReader struct {
	decoder jsontext.Decoder
	source  bytes.Buffer
}

// read returns the message in f. With an error the message is not to be served:
// the error is the answer that is due, the kind is set if it could be made out, and
// so is the id.
func (r *envelopeReader) read(f frame) (message, *Error) {
	if !f.borrowed {
		defer r.release()
	}
	if !utf8.Valid(f.body) {
		return message{}, Errorf(CodeParse, "parse error: the message is not UTF-8")
	}
	m, err := r.scan(f, false)
	if err == nil {
		return m.classify()
	}
	if !errors.Is(err, jsontext.ErrDuplicateName) {
		return message{}, Errorf(CodeParse, "parse error: %s", syntaxText(err))
	}
	return r.readDuplicate(f, err)
}

// readDuplicate answers a body that is JSON but repeats a key: which of the two
// was meant is not for us to guess. Only a repeated key below params leaves the
// rest of the envelope trustworthy.
func (r *envelopeReader) readDuplicate(f frame, duplicate error) (message, *Error) {
	m, err := r.scan(f, true)
	if err != nil {
		return message{}, Errorf(CodeParse, "parse error: %s", syntaxText(err))
	}
	where := pointerOf(duplicate)
	if strings.Count(where, "/") < 2 {
		return message{}, Errorf(CodeInvalidRequest, "invalid request: duplicate key at %s", where)
	}
	known, problem := m.classify()
	if problem != nil {
		return known, problem
	}
	if inParams, found := strings.CutPrefix(where, "/params"); found {
		return known, Errorf(CodeInvalidParams, "invalid params: duplicate key at %s", inParams)
	}
	return known, Errorf(CodeInvalidRequest, "invalid request: duplicate key at %s", where)
}

// envelope is the members of a body as they stand.
type envelope struct {
	version, id, method, params, result, fault []byte
	borrowed, isObject                         bool
}

// scan walks over the body once. It returns the library's error for what is not
// JSON, and an envelope that is no object for a batch or a scalar.
func (r *envelopeReader) scan(f frame, allowDuplicates bool) (envelope, error) {
	r.source = *bytes.NewBuffer(f.body)
	r.decoder.Reset(&r.source, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(allowDuplicates))
	e := envelope{borrowed: f.borrowed}
	if r.decoder.PeekKind() != jsontext.KindBeginObject {
		_, err := r.decoder.ReadValue()
		if err == nil {
			err = r.end()
		}
		return e, err
	}
	e.isObject = true
	if _, err := r.decoder.ReadToken(); err != nil {
		return e, err
	}
	for r.decoder.PeekKind() != jsontext.KindEndObject {
		name, err := r.value(f.body)
		if err != nil {
			return e, err
		}
		value, err := r.value(f.body)
		if err != nil {
			return e, err
		}
		e.set(name, value)
	}
	if _, err := r.decoder.ReadToken(); err != nil {
		return e, err
	}
	return e, r.end()
}

// value reads the next value and returns its bytes within body.
func (r *envelopeReader) value(body []byte) ([]byte, error) {
	v, err := r.decoder.ReadValue()
	if err != nil {
		return nil, err
	}
	end := int(r.decoder.InputOffset())
	return body[end-len(v) : end : end], nil
}

// end checks that nothing follows.
func (r *envelopeReader) end() error {
	if _, err := r.decoder.ReadToken(); err != io.EOF {
		if err == nil {
			err = errors.New("more than one value")
		}
		return err
	}
	return nil
}

// release lets go of a body that has memory of its own.
func (r *envelopeReader) release() {
	r.source = bytes.Buffer{}
	r.decoder.Reset(&r.source)
}

// set keeps the member if it is one of the envelope's.
func (e *envelope) set(name, value []byte) {
	if bytes.IndexByte(name, '\\') >= 0 {
		name = append(append([]byte{'"'}, unquoted(name)...), '"')
	}
	switch string(name) {
	case `"jsonrpc"`:
		e.version = value
	case `"id"`:
		e.id = value
	case `"method"`:
		e.method = value
	case `"params"`:
		e.params = value
	case `"result"`:
		e.result = value
	case `"error"`:
		e.fault = value
	}
}

// classify applies JSON-RPC 2.0 sections 4 to 6 to the members. A request with a
// null id is refused, as LSP wants a string or an integer and an answer to null
// could not be told from the answer to an unreadable message; any number is
// accepted and repeated digit by digit.
func (e *envelope) classify() (message, *Error) {
	if !e.isObject {
		return message{}, Errorf(CodeInvalidRequest, "invalid request: a message is one object (batches are not served)")
	}
	m := message{params: params{e.params, e.borrowed}}
	if string(e.params) == "null" {
		m.params.text = nil
	}
	legal := len(e.id) > 0 && (e.id[0] == '"' || e.id[0] == '-' || e.id[0] >= '0' && e.id[0] <= '9')
	if legal {
		m.id = bytes.Clone(e.id)
	}
	if e.method == nil && (e.result != nil || e.fault != nil) {
		m.kind, m.result, m.fault = response, e.result, e.fault
		if string(e.fault) == "null" {
			m.fault = nil
		}
		return m, nil
	}
	switch {
	case len(e.method) == 0:
		return m, Errorf(CodeInvalidRequest, "invalid request: no method")
	case e.method[0] != '"':
		return m, Errorf(CodeInvalidRequest, "invalid request: the method is not a string")
	case string(e.version) != `"2.0"`:
		return m, Errorf(CodeInvalidRequest, "invalid request: \"jsonrpc\" is not \"2.0\"")
	case e.result != nil || e.fault != nil:
		return m, Errorf(CodeInvalidRequest, "invalid request: a method together with a result or an error")
	case e.id != nil && !legal:
		return m, Errorf(CodeInvalidRequest, "invalid request: the id is neither a string nor a number")
	}
	m.method, m.kind = unquoted(e.method), notification
	if legal {
		m.kind = request
	}
	if p := m.params.text; p != nil && p[0] != '{' && p[0] != '[' {
		return m, Errorf(CodeInvalidParams, "invalid params: neither an object nor an array")
	}
	return m, nil
}

// unquoted decodes a valid JSON string.
func unquoted(text []byte) string {
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text[1 : len(text)-1])
	}
	// The text has been validated; what is left to complain about is a lone
	// surrogate, which becomes U+FFFD.
	plain, _ := jsontext.AppendUnquote(nil, text)
	return string(plain)
}

// pointerOf returns the JSON pointer an error of the decoder names.
func pointerOf(err error) string {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return string(syntax.JSONPointer)
	}
	return ""
}

// syntaxText says what is wrong without the decoder's own prefix.
func syntaxText(err error) string {
	if errors.Is(err, io.EOF) {
		return "the message is empty"
	}
	return strings.TrimPrefix(err.Error(), "jsontext: ")
}
