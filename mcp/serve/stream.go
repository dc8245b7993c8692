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
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxLineBytes bounds a message of a client.
const maxLineBytes = 64 << 20

// maxDepth is how deep a message may nest; what reads it next ends the stream at 1,000.
const maxDepth = 500

// lines is a client's stream with what is no message taken out: each is answered here, and what comes after it is
// read, where the SDK would give the stream up.
type lines struct {
	stream io.ReadWriteCloser
	in     *bufio.Reader
	left   []byte   // of the message that is being read out
	batch  [][]byte // messages of the line that was read last, to be read out yet

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

// next is one message; the fault says why it is none.
func (l *lines) next() (message []byte, fault string, err error) {
	for len(l.batch) == 0 {
		line, fault, err := l.line()
		if err == nil && fault == "" {
			l.batch, fault = messagesOf(line)
		}
		if err != nil || fault != "" {
			return nil, fault, err
		}
	}
	message, l.batch = l.batch[0], l.batch[1:]
	return append(message, '\n'), faultOf(message), nil
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
)

// messagesOf are the messages of a line: one, or those of a batch (MCP 2025-03-26), which are answered one by one. The SDK gives the
// stream up over a batch in every other version, and over one that holds anything that is no message.
func messagesOf(line []byte) (messages [][]byte, fault string) {
	if len(line) == 0 {
		return nil, ""
	}
	if !jsontext.Value(line).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) || depth(line) > maxDepth {
		return nil, noJSON
	}
	if line[0] != '[' {
		return [][]byte{line}, ""
	}
	var all []jsontext.Value
	if err := decode(line, &all); err != nil || len(all) == 0 {
		return nil, fmt.Sprintf(noMessage, "null")
	}
	for _, one := range all {
		messages = append(messages, one)
	}
	return messages, ""
}

// faultOf is the answer to valid JSON that is no message; empty for one. What the SDK cannot read is none, too.
func faultOf(message []byte) string {
	all, err := membersOf(message)
	has := map[string]jsontext.Value{}
	for _, m := range all {
		if has[m.name] != nil {
			return `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a name stands twice in the message"}}`
		}
		has[m.name] = m.value
	}
	id := has["id"]
	isID := id == nil || id.Kind() == '"' || id.Kind() == '0' && !bytes.ContainsAny(id, ".eE")
	if err == nil {
		_, err = jsonrpc.DecodeMessage(message)
	}
	if err != nil || string(has["jsonrpc"]) != `"2.0"` || !isID || (has["method"] == nil) == (has["result"] == nil && has["error"] == nil) ||
		has["method"] != nil && has["method"].Kind() != '"' {
		if id == nil || !isID {
			id = jsontext.Value("null")
		}
		return fmt.Sprintf(noMessage, id)
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
