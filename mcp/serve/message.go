package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxDepth is how deep a message may nest; what reads it next ends the stream at 1,000.
const maxDepth = 500

const (
	noJSON    = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"this is not JSON, or nests too deep"}}`
	noMessage = `{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"this is no message of JSON-RPC 2.0"}}`
	rounded   = `{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"the id is a number that JSON's readers round: use a smaller one, or a text"}}`
	twice     = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a name stands twice in the message"}}`
)

// messageOf is a message as the SDK takes it; the fault is the answer to what is none.
func messageOf(line jsontext.Value) (_ jsonrpc.Message, fault string) {
	w, fault := openWire(line)
	if fault != "" {
		return nil, fault
	}
	id, isID := idOf(w.id)
	switch {
	case !isID && isWhole(w.id):
		return nil, fmt.Sprintf(rounded, w.id)
	case !isID:
		return nil, noMessageUnder(nil)
	case string(w.version) != `"2.0"`, (w.method == nil) == (w.result == nil && w.fault == nil), w.method == nil && w.id == nil:
		return nil, noMessageUnder(w.id)
	case w.method == nil:
		return answerOf(id, w)
	}
	var method string
	if w.method.Kind() != '"' || decode(w.method, &method) != nil {
		return nil, noMessageUnder(w.id)
	}
	return &jsonrpc.Request{ID: id, Method: method, Params: json.RawMessage(carryingAll(w.params))}, ""
}

// answerOf is an answer of a client.
func answerOf(id jsonrpc.ID, w wire) (_ jsonrpc.Message, fault string) {
	answer := &jsonrpc.Response{ID: id, Result: json.RawMessage(carrying(w.result))}
	if w.fault != nil {
		e := &jsonrpc.Error{}
		if json.Unmarshal(w.fault, e) != nil {
			return nil, noMessageUnder(w.id)
		}
		answer.Error = e
	}
	return answer, ""
}

// noMessageUnder is the answer to what is no message, under its id as far as it has one.
func noMessageUnder(id jsontext.Value) string {
	if id == nil {
		id = jsontext.Value("null")
	}
	return fmt.Sprintf(noMessage, id)
}

// batchOf are the messages of a batch (MCP 2025-03-26), which are answered one by one.
func batchOf(text jsontext.Value) (batch []jsontext.Value, fault string) {
	switch err := decode(text, &batch); {
	case err != nil:
		return nil, noJSON
	case len(batch) == 0:
		return nil, noMessageUnder(nil)
	}
	return batch, ""
}

// wire are the members of a message, nil where it has none of that name.
type wire struct{ version, id, method, params, result, fault jsontext.Value }

// openWire looks through a message; its members are parts of it.
func openWire(text jsontext.Value) (w wire, fault string) {
	d := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if d.PeekKind() != '{' {
		if !text.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
			return w, noJSON
		}
		return w, noMessageUnder(nil)
	}
	_, _ = d.ReadToken()
	known := map[string]*jsontext.Value{"jsonrpc": &w.version, "id": &w.id, "method": &w.method, "params": &w.params, "result": &w.result, "error": &w.fault}
	others := map[string]bool{}
	isTwice := false
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return w, noJSON
		}
		name := token.String()
		value, err := d.ReadValue()
		if err != nil {
			return w, noJSON
		}
		end := int(d.InputOffset()) // what the decoder returned holds until it reads on
		switch member := known[name]; {
		case member != nil && *member == nil:
			*member = text[end-len(value) : end : end]
		case member != nil, others[name]:
			isTwice = true
		default:
			others[name] = true
		}
	}
	_, _ = d.ReadToken()
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return w, noJSON
	}
	if isTwice {
		return w, twice
	}
	return w, ""
}

// isWhole reports whether a value is a number without a fraction.
func isWhole(v jsontext.Value) bool { return v.Kind() == '0' && !bytes.ContainsAny(v, ".eE") }

// idOf is an id as the SDK has it, where it is one, or there is none. One that it would answer under another number is none.
func idOf(text jsontext.Value) (id jsonrpc.ID, isID bool) {
	var value any
	switch text.Kind() {
	case '"':
		var name string
		if decode(text, &name) != nil {
			return id, false
		}
		value = name
	case '0':
		number, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil || int64(float64(number)) != number {
			return id, false
		}
		value = float64(number)
	default:
		return id, text == nil
	}
	id, err := jsonrpc.MakeID(value)
	return id, err == nil
}

// depth is how deep valid JSON nests.
func depth(text []byte) (deepest int) {
	at, isText := 0, false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case isText && b == '\\':
			i++
		case b == '"':
			isText = !isText
		case isText:
		case b == '{', b == '[':
			at++
			deepest = max(deepest, at)
		case b == '}', b == ']':
			at--
		}
	}
	return deepest
}
