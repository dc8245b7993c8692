package rpc

import (
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Tracer is told of every frame. Frame is called from several goroutines; '>'
// marks what the editor sent and '<' what Pillion sent. The body may not be kept
// or changed.
type Tracer interface {
	Frame(direction byte, body []byte)
}

// traceWriter writes frames as lines.
type traceWriter struct {
	redact func([]byte) []byte

	mu  sync.Mutex
	out io.Writer
}

// NewTracer returns a tracer that writes each frame to out as a transcript that
// package rpctest replays: the time as a comment, then the direction and the body
// on one line. redact, if not nil, is given a body that it may not change and
// returns what to write. Errors of out are ignored: a full disk must not cost the
// session.
func NewTracer(out io.Writer, redact func(body []byte) []byte) Tracer {
	return &traceWriter{out: out, redact: redact}
}

// Frame implements [Tracer].
func (t *traceWriter) Frame(direction byte, body []byte) {
	if t.redact != nil {
		body = t.redact(body)
	}
	line := append(make([]byte, 0, len(body)+64), "# "...)
	// Taken outside the lock a time could stand before an earlier one.
	t.mu.Lock()
	defer t.mu.Unlock()
	line = time.Now().UTC().AppendFormat(line, "15:04:05.000000")
	line = append(line, '\n', direction)
	if text := jsontext.Value(body).Clone(); text.Compact(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) == nil {
		line = append(line, ' ')
		line = append(line, text...)
	} else {
		line = append(line, "body "...)
		line = strconv.AppendQuote(line, string(body))
	}
	line = append(line, '\n')
	_, _ = t.out.Write(line)
}
