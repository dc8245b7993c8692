package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLineBytes bounds a message of a client.
const maxLineBytes = 64 << 20

// maxDepth is how deep a message may nest; what reads it next ends the stream at 1,000.
const maxDepth = 500

// lines is a client's stream of messages, a line each. What is none is answered here, and what comes after it is read. Each is looked
// through once: the SDK's own stream does it some five times, and gives up over what is no message.
type lines struct {
	stream io.ReadWriteCloser
	in     *bufio.Reader
	batch  []jsontext.Value // messages of the line that was read last, to be read out yet
	gone   context.CancelCauseFunc

	writing sync.Mutex
	closed  sync.Once
	ended   atomic.Bool
}

// newLines returns the messages of a stream; gone is told when nothing more is read.
func newLines(stream io.ReadWriteCloser, gone context.CancelCauseFunc) *lines {
	return &lines{stream: stream, in: bufio.NewReaderSize(stream, 64<<10), gone: gone}
}

// Connect implements [mcp.Transport]. It is called once.
func (l *lines) Connect(context.Context) (mcp.Connection, error) { return l, nil }

// SessionID implements [mcp.Connection].
func (*lines) SessionID() string { return "" }

// Read returns the next message.
func (l *lines) Read(context.Context) (jsonrpc.Message, error) {
	for {
		one, fault, err := l.next()
		if err != nil {
			l.ended.Store(errors.Is(err, io.EOF))
			l.gone(errGone)
			return nil, err
		}
		var message jsonrpc.Message
		if fault == "" {
			message, fault = messageOf(one)
		}
		if fault == "" {
			return message, nil
		}
		if err := l.write([]byte(fault)); err != nil {
			return nil, err
		}
	}
}

// next is one value of the stream; the fault says why it is none.
func (l *lines) next() (one jsontext.Value, fault string, err error) {
	if len(l.batch) > 0 {
		one, l.batch = l.batch[0], l.batch[1:]
		return one, "", nil
	}
	for {
		line, fault, err := l.line()
		if err != nil || fault != "" {
			return nil, fault, err
		}
		if len(line) == 0 {
			continue
		}
		if depth(line) > maxDepth {
			return nil, noJSON, nil
		}
		if line[0] != '[' {
			return line, "", nil
		}
		// A batch (MCP 2025-03-26), whose messages are answered one by one.
		if err := decode(line, &l.batch); err != nil {
			return nil, noJSON, nil
		}
		if len(l.batch) == 0 {
			return nil, fmt.Sprintf(noMessage, "null"), nil
		}
		return l.next()
	}
}

// line reads one line. One without its end is none.
func (l *lines) line() (line []byte, fault string, err error) {
	size := 0
	for {
		part, err := l.in.ReadSlice('\n')
		size += len(part)
		if size <= maxLineBytes {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		break
	}
	if size > maxLineBytes {
		return nil, fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message has more than %d MiB"}}`, maxLineBytes>>20), nil
	}
	return bytes.TrimSpace(line), "", nil
}

const (
	noJSON    = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"this is not JSON, or nests too deep"}}`
	noMessage = `{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"this is no message of JSON-RPC 2.0"}}`
	twice     = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a name stands twice in the message"}}`
)

// messageOf is a message as the SDK takes it; the fault is the answer to what is none.
func messageOf(text jsontext.Value) (_ jsonrpc.Message, fault string) {
	w, fault := openWire(text)
	if fault != "" {
		return nil, fault
	}
	id, isID := idOf(w.id)
	if !isID || string(w.version) != `"2.0"` || (w.method == nil) == (w.result == nil && w.fault == nil) || w.method == nil && w.id == nil {
		if !isID || w.id == nil {
			w.id = jsontext.Value("null")
		}
		return nil, fmt.Sprintf(noMessage, w.id)
	}
	if w.method == nil {
		answer := &jsonrpc.Response{ID: id, Result: json.RawMessage(w.result)}
		if w.fault != nil {
			e := &jsonrpc.Error{}
			if json.Unmarshal(w.fault, e) != nil {
				return nil, fmt.Sprintf(noMessage, w.id)
			}
			answer.Error = e
		}
		return answer, ""
	}
	var method string
	if w.method.Kind() != '"' || decode(w.method, &method) != nil {
		if w.id == nil {
			w.id = jsontext.Value("null")
		}
		return nil, fmt.Sprintf(noMessage, w.id)
	}
	return &jsonrpc.Request{ID: id, Method: method, Params: json.RawMessage(w.params)}, ""
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
		return w, fmt.Sprintf(noMessage, "null")
	}
	_, _ = d.ReadToken()
	known := map[string]*jsontext.Value{"jsonrpc": &w.version, "id": &w.id, "method": &w.method, "params": &w.params, "result": &w.result, "error": &w.fault}
	var others []string
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
		case member != nil, slices.Contains(others, name):
			isTwice = true
		default:
			others = append(others, name)
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

// Write writes one message. A result goes out as it was made.
func (l *lines) Write(_ context.Context, message jsonrpc.Message) error {
	if answer, isAnswer := message.(*jsonrpc.Response); isAnswer && answer.Error == nil && len(answer.Result) > 0 {
		if id, err := json.Marshal(answer.ID.Raw()); err == nil {
			return l.write(slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":`), answer.Result, []byte{'}'}))
		}
	}
	text, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	return l.write(text)
}

func (l *lines) write(text []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	_, err := l.stream.Write(append(text, '\n'))
	return err
}

// Close closes the stream, once.
func (l *lines) Close() (err error) {
	l.closed.Do(func() { err = l.stream.Close() })
	return err
}

// isOver reports whether the client has ended the stream.
func (l *lines) isOver() bool { return l.ended.Load() }
