// Package audit keeps the record of who asked for what, how it was allowed and what came of it.
// It decides nothing, and it keeps no results.
package audit

import (
	"context"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/redact"
	"pillion/mcp/state"
)

// Kinds of records.
const (
	KindCall    = "call"    // a call that ended, whatever way
	KindWritten = "written" // a call is about to be sent to its connector
	KindAsk     = "ask"
	KindAnswer  = "answer"
	KindConsent = "consent"
	KindStart   = "start"
	KindStop    = "stop"
	KindLost    = "lost" // records that could not be kept, Count of them
)

// Record is one line of the log. Redact is applied to Arguments, Message and Asker when it is written.
type Record struct {
	At             time.Time      `json:"at"` // now where zero
	Window         string         `json:"window,omitzero"`
	Kind           string         `json:"kind"`
	CallID         string         `json:"callId,omitzero"`
	AskID          string         `json:"askId,omitzero"`
	SessionID      string         `json:"sessionId,omitzero"`
	Asker          string         `json:"asker,omitzero"`
	Connector      string         `json:"connector,omitzero"`
	Tool           string         `json:"tool,omitzero"`
	Arguments      jsontext.Value `json:"arguments,omitzero"`
	ArgumentsBytes int            `json:"argumentsBytes,omitzero"` // of the whole, where Arguments is the beginning, as a string
	Allowed        string         `json:"allowed,omitzero"`        // readOnly, rule, session, answer
	Rule           string         `json:"rule,omitzero"`
	Status         string         `json:"status,omitzero"`
	Message        string         `json:"message,omitzero"`
	DurationMS     int64          `json:"durationMs,omitzero"`
	MayHaveRun     bool           `json:"mayHaveRun,omitzero"`
	Count          int            `json:"count,omitzero"`

	Redact *redact.Set `json:"-"`
}

// Options of a log.
type Options struct {
	Logger  *slog.Logger
	Window  string // set in records that have none
	MaxSize int64  // of one file in bytes, 16 MiB where zero
	Keep    int    // older files kept, 5 where zero
}

// Log is the audit log of the state folder, shared by all windows. Its methods may be called at once.
type Log struct{}

// New returns the log in the folder; nothing is opened yet.
func New(f *state.Folder, o Options) *Log { panic("not yet") }

// Start begins to write.
func (l *Log) Start() { panic("not yet") }

// Append queues a record and never blocks; what exceeds the queue is counted and the count recorded.
func (l *Log) Append(r Record) { panic("not yet") }

// AppendNow writes a record, and those queued before it, before it returns: for what must be known after a crash.
func (l *Log) AppendNow(r Record) error { panic("not yet") }

// Flush returns when everything queued so far is written.
func (l *Log) Flush(ctx context.Context) error { panic("not yet") }

// Close writes what is queued and ends the log.
func (l *Log) Close() error { panic("not yet") }

// Find returns the records of a call, oldest first, by whichever window.
func (l *Log) Find(callID string) ([]Record, error) { panic("not yet") }

// Each hands every record to yield, oldest first, until it returns false. Lines that can't be read are skipped.
func (l *Log) Each(yield func(Record) bool) error { panic("not yet") }
