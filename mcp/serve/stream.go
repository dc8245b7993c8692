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
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLineBytes bounds a message of a client.
const maxLineBytes = 64 << 20

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
		if l.batch, fault = batchOf(line); fault != "" {
			return nil, fault, nil
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
