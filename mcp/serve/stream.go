package serve

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
)

// maxLineBytes bounds a message of a client.
const maxLineBytes = 64 << 20

// maxDepth is how deep a message may nest; what reads it next ends the stream at 1,000.
const maxDepth = 500

// lines is a client's stream with those lines taken out that are no messages: each is answered here, and what comes after it is
// read, where the SDK would give the stream up.
type lines struct {
	stream io.ReadWriteCloser
	in     *bufio.Reader
	left   []byte // of the line that is being read out

	writing sync.Mutex
	closed  sync.Once
	ended   atomic.Bool
	over    sync.Once
	gone    chan struct{} // closed when nothing more is read
}

func newLines(stream io.ReadWriteCloser) *lines {
	return &lines{stream: stream, in: bufio.NewReaderSize(stream, 64<<10), gone: make(chan struct{})}
}

// Read returns lines that are messages.
func (l *lines) Read(to []byte) (int, error) {
	for len(l.left) == 0 {
		line, fault, err := l.next()
		if err != nil {
			l.ended.Store(errors.Is(err, io.EOF))
			l.over.Do(func() { close(l.gone) })
			return 0, err
		}
		if fault != "" {
			if err := l.refuse(fault); err != nil {
				return 0, err
			}
			continue
		}
		l.left = line
	}
	n := copy(to, l.left)
	l.left = l.left[n:]
	return n, nil
}

// next reads one line; the fault says why it is no message. A line without its end is none either.
func (l *lines) next() (line []byte, fault string, err error) {
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
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil, "", nil
	}
	return append(line, '\n'), faultOf(line), nil
}

// faultOf is the answer to a line that is no message; empty for one.
func faultOf(line []byte) string {
	value := jsontext.Value(line)
	if !value.IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) || depth(line) > maxDepth {
		return `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"this is not JSON, or nests too deep"}}`
	}
	all, err := membersOf(line)
	if value.Kind() == '[' {
		return "" // a batch (MCP 2025-03-26)
	}
	has := map[string]jsontext.Value{}
	for _, m := range all {
		if has[m.name] != nil {
			return `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a name stands twice in the message"}}`
		}
		has[m.name] = m.value
	}
	id := has["id"]
	isID := id == nil || id.Kind() == '"' || id.Kind() == '0' && !bytes.ContainsAny(id, ".eE")
	if err != nil || string(has["jsonrpc"]) != `"2.0"` || !isID || (has["method"] == nil) == (has["result"] == nil && has["error"] == nil) ||
		has["method"] != nil && has["method"].Kind() != '"' {
		if id == nil || !isID {
			id = jsontext.Value("null")
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"this is no message of JSON-RPC 2.0"}}`, id)
	}
	return ""
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

func (l *lines) refuse(answer string) error {
	_, err := l.Write([]byte(answer + "\n"))
	return err
}

// Write writes one message.
func (l *lines) Write(message []byte) (int, error) {
	l.writing.Lock()
	defer l.writing.Unlock()
	return l.stream.Write(message)
}

// Close closes the stream, once.
func (l *lines) Close() (err error) {
	l.closed.Do(func() { err = l.stream.Close() })
	return err
}

// isOver reports whether the client has ended the stream.
func (l *lines) isOver() bool { return l.ended.Load() }
