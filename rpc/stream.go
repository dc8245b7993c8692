package rpc

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// stream is the library's view of the connection. Reading, it answers what cannot
// be served and reads on, so that one bad message never ends the connection; what
// can be served it leaves in taken and announces as a notification. Writing, it
// queues. Neither Write nor Close blocks: the library holds locks there.
type stream struct {
	frames    *frameReader
	envelopes envelopeReader
	trace     Tracer
	answer    func(id []byte, problem *Error) // queues an error answer; nil id is null
	dropped   func(method string, problem *Error)
	deliver   func(id int64, r reply)
	push      func(jsonrpc2.Message) error

	// taken is the message that the last Read announced. The library runs its
	// handler on the goroutine that reads, before it reads again.
	taken  message
	closed atomic.Bool
	err    error         // why reading ended; set before ended is closed
	ended  chan struct{} // closed by the first failing Read
}

var _ jsonrpc2.Stream = (*stream)(nil)

// Read implements [jsonrpc2.Stream].
func (s *stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	for {
		m, err := s.next()
		if err != nil {
			s.end(err)
			return nil, 0, err
		}
		if m != nil {
			return m, 0, nil
		}
	}
}

// next reads one frame. It returns nil for a message that has been dealt with.
func (s *stream) next() (jsonrpc2.Message, error) {
	f, err := s.frames.next()
	if s.closed.Load() {
		return nil, io.EOF
	}
	var oversized *oversizedError
	if errors.As(err, &oversized) {
		s.answer(nil, Errorf(CodeInvalidRequest, "invalid request: %s", oversized))
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if s.trace != nil {
		s.trace.Frame('>', f.body)
	}
	m, problem := s.envelopes.read(f)
	switch {
	case m.kind == response:
		s.respond(m, problem)
	case problem == nil:
		s.taken = m
		return announcement, nil
	case m.kind == notification:
		s.dropped(m.method, problem)
	default:
		s.answer(m.id, problem)
	}
	return nil, nil
}

// announcement tells the library to run its handler, which finds the message in
// taken.
var announcement = jsonrpc2.NewNotification("", nil)

// respond hands m to the call it answers; an id that is none of ours is ignored.
// Peers that turn our number into a string are understood.
func (s *stream) respond(m message, problem *Error) {
	id, err := strconv.ParseInt(strings.Trim(string(m.id), `"`), 10, 64)
	if err != nil {
		return
	}
	if problem == nil && m.fault != nil {
		problem = decodeFault(m.fault)
	}
	s.deliver(id, reply{params{m.result, m.params.borrowed}.owned(), problem})
}

// end records why reading ended.
func (s *stream) end(err error) {
	select {
	case <-s.ended:
	default:
		s.err = err
		close(s.ended)
	}
}

// Write implements [jsonrpc2.Stream].
func (s *stream) Write(_ context.Context, m jsonrpc2.Message) (int64, error) {
	return 0, s.push(m)
}

// Close implements [jsonrpc2.Stream]. Serve closes what the stream reads and
// writes.
func (s *stream) Close() error { return nil }

// decodeFault returns the error object of a peer; one that is out of shape is
// still an error.
func decodeFault(text []byte) *Error {
	var fault struct {
		Code    jsonrpc2.Code  `json:"code"`
		Message string         `json:"message"`
		Data    jsontext.Value `json:"data"`
	}
	if err := decode(text, &fault); err != nil {
		return Errorf(CodeInternal, "answered with a malformed error object: %s", decodeText(err))
	}
	return &Error{Code: fault.Code, Message: fault.Message, Data: jsonrpc2.RawMessage(fault.Data)}
}
