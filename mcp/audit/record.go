// Package audit keeps the record of who asked for what, how it was allowed and what came of it (E9).
// It decides nothing, and it keeps no results.
package audit

import (
	"bytes"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/redact"
)

// Kinds of records.
const (
	KindCall    = "call"    // a call that ended, whatever way
	KindWritten = "written" // a call is about to be sent to its connector
	KindAsk     = "ask"
	KindAnswer  = "answer"
	KindConsent = "consent"
	KindRule    = "rule" // a standing permission or refusal, a mode or a store that a person changed
	KindLost    = "lost" // Count records could not be kept
)

// maxArgumentsBytes bounds the arguments in a record; of longer ones the beginning is kept.
const maxArgumentsBytes = 32 << 10

// Record is one line of the log.
type Record struct {
	At             time.Time      `json:"at"`              // now where zero
	Window         string         `json:"window,omitzero"` // that of the log where ""
	Kind           string         `json:"kind"`
	CallID         string         `json:"callId,omitzero"`
	AskID          string         `json:"askId,omitzero"`
	SessionID      string         `json:"sessionId,omitzero"`
	Asker          string         `json:"asker,omitzero"`
	Connector      string         `json:"connector,omitzero"`
	Tool           string         `json:"tool,omitzero"`
	Arguments      jsontext.Value `json:"arguments,omitzero"`      // must not be modified afterwards
	ArgumentsBytes int            `json:"argumentsBytes,omitzero"` // of the whole, where Arguments is its beginning, as a string
	Allowed        string         `json:"allowed,omitzero"`        // readOnly, rule, session, answer
	Rule           string         `json:"rule,omitzero"`
	Status         string         `json:"status,omitzero"`
	Message        string         `json:"message,omitzero"`
	DurationMS     int64          `json:"durationMs,omitzero"`
	MayHaveRun     bool           `json:"mayHaveRun,omitzero"`
	Count          int            `json:"count,omitzero"`

	// Redact is applied to Arguments, Message and Asker when the record is written (E7).
	Redact *redact.Set `json:"-"`
}

// appendLine appends the record as one line.
func (r Record) appendLine(to []byte) []byte {
	if len(r.Arguments) > 0 {
		r.Arguments, _ = r.Redact.Bytes(r.Arguments)
		r = r.bounded()
	}
	r.Message, _ = r.Redact.Text(r.Message)
	r.Asker, _ = r.Redact.Text(r.Asker)
	line, err := json.Marshal(r, jsontext.AllowInvalidUTF8(true))
	if err != nil { // only the arguments can be at fault
		r.Arguments = quote(r.Arguments)
		line, _ = json.Marshal(r, jsontext.AllowInvalidUTF8(true))
	}
	return append(append(to, line...), '\n')
}

func (r Record) bounded() Record {
	if n := len(r.Arguments); n > maxArgumentsBytes {
		end := maxArgumentsBytes
		for end > 0 && !utf8.RuneStart(r.Arguments[end]) {
			end--
		}
		r.Arguments, r.ArgumentsBytes = quote(r.Arguments[:end]), n
	}
	return r
}

func quote(text []byte) jsontext.Value {
	quoted, _ := jsontext.AppendQuote(nil, bytes.ToValidUTF8(text, []byte("\uFFFD")))
	return quoted
}

// lineStart is how every line begins.
var lineStart = []byte(`{"at":"`)

// parseLine reads one line. What a writer that died has left in front of it is skipped.
func parseLine(line []byte) (Record, bool) {
	for {
		var r Record
		if json.Unmarshal(line, &r) == nil && r.Kind != "" {
			return r, true
		}
		// The sequence stands in no string, where its quotes would be escaped.
		i := bytes.LastIndex(line, lineStart)
		if i <= 0 {
			return Record{}, false
		}
		line = line[i:]
	}
}
