package message

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/rpc"
)

//pillion:section 69 What happened
//
// Every call, question, answer and decision is recorded, of all windows and
// agents of this user, arguments with secrets replaced. Results are not kept.
// Times given as since and until are bounds: at or after since, before until.

// LogFilter chooses records; what is absent chooses all.
type LogFilter struct {
	Since     *time.Time `json:"since,omitzero"`     // at or after
	Until     *time.Time `json:"until,omitzero"`     // before
	Connector string     `json:"connector,omitzero"` // its name
	Tool      string     `json:"tool,omitzero"`      // the connector's own name for it
	Asker     string     `json:"asker,omitzero"`     // part of who asked for it
	Status    string     `json:"status,omitzero"`    // how it ended; of a call a CallStatus
	Window    string     `json:"window,omitzero"`    // the window it was recorded in
}

// LogParams choose records.
type LogParams struct {
	Filter LogFilter `json:"filter,omitzero"`
	Kinds  []string  `json:"kinds,omitzero"`  // call, written, ask, answer, consent, rule, lost
	CallID CallID    `json:"callId,omitzero"` // every record of one call
	Limit  int       `json:"limit,omitzero"`  // the newest of them, 100 if absent
}

// LogRecord is one line of the record.
type LogRecord struct {
	At             time.Time      `json:"at"`              // when it was recorded
	Window         string         `json:"window,omitzero"` // window that recorded it
	Kind           string         `json:"kind"`            // call: it ended; written: it is about to be sent; ask, answer: of a question; consent; rule; lost: count records could not be kept
	CallID         CallID         `json:"callId,omitzero"`
	AskID          AskID          `json:"askId,omitzero"`
	SessionID      string         `json:"sessionId,omitzero"`      // session of the agent that asked
	Asker          string         `json:"asker,omitzero"`          // who asked for it, or answered
	Connector      string         `json:"connector,omitzero"`      // its name
	Tool           string         `json:"tool,omitzero"`           // the connector's own name for it
	Arguments      jsontext.Value `json:"arguments,omitzero"`      // arguments of the call, secrets replaced
	ArgumentsBytes int            `json:"argumentsBytes,omitzero"` // of the whole, where arguments is its beginning, as a string
	Allowed        string         `json:"allowed,omitzero"`        // readOnly, rule, session, answer
	Rule           string         `json:"rule,omitzero"`           // the rule that allowed or refused it
	Status         string         `json:"status,omitzero"`         // how it ended, or what was answered
	Message        string         `json:"message,omitzero"`        // what was said about it
	DurationMS     int            `json:"durationMs,omitzero"`     // of the call, in milliseconds
	MayHaveRun     bool           `json:"mayHaveRun,omitzero"`     // whether its connector may have acted on it
	Count          int            `json:"count,omitzero"`          // how many records were lost
}

// LogResult holds them, oldest first.
type LogResult struct {
	Rows []LogRecord `json:"rows"`
}

// ActivityParams choose calls.
type ActivityParams struct {
	Filter LogFilter `json:"filter,omitzero"`
	Limit  int       `json:"limit,omitzero"` // the newest of them, 50 if absent
}

// ActivityRow is one call, put together from its records.
type ActivityRow struct {
	CallID     CallID         `json:"callId"`
	At         time.Time      `json:"at"`                  // of its first record
	Window     string         `json:"window,omitzero"`     // window that recorded it
	SessionID  string         `json:"sessionId,omitzero"`  // session of the agent that asked
	Asker      string         `json:"asker"`               // who asked for it
	Connector  string         `json:"connector"`           // its name
	Tool       string         `json:"tool"`                // the connector's own name for it
	Arguments  jsontext.Value `json:"arguments,omitzero"`  // as they were sent, secrets replaced
	Allowed    string         `json:"allowed,omitzero"`    // readOnly, rule, session, answer
	Rule       string         `json:"rule,omitzero"`       // the rule that allowed or refused it
	AnsweredBy string         `json:"answeredBy,omitzero"` // who answered the question about it
	Status     string         `json:"status"`              // a CallStatus; open: no end is recorded
	Message    string         `json:"message,omitzero"`    // what was said about its end
	DurationMS int            `json:"durationMs"`          // in milliseconds
	MayHaveRun bool           `json:"mayHaveRun"`          // whether its connector may have acted on it
}

// ActivityResult holds them, newest first.
type ActivityResult struct {
	Rows []ActivityRow `json:"rows"`
}

// StatsParams choose the calls that are counted.
type StatsParams struct {
	Filter LogFilter `json:"filter,omitzero"`
	Limit  int       `json:"limit,omitzero"` // of the slowest calls, of errors and of tools, 10 if absent
}

// Durations are how long calls took that reached their connector, in
// milliseconds: exact, each is the duration of one of them.
type Durations struct {
	Calls int `json:"calls"` // how many
	P50   int `json:"p50"`   // half of them took no longer
	P95   int `json:"p95"`   // 95 of 100 took no longer
	P99   int `json:"p99"`   // 99 of 100 took no longer
	Most  int `json:"most"`  // the longest
}

// StatusCount is how many calls ended one way.
type StatusCount struct {
	Status string `json:"status"` // a CallStatus
	Calls  int    `json:"calls"`  // how many ended so
}

// CallStats count the calls of one connector or tool.
type CallStats struct {
	Connector string    `json:"connector"`     // its name; empty for calls of which it is not recorded
	Tool      string    `json:"tool,omitzero"` // of the whole connector where absent
	Calls     int       `json:"calls"`         // how many ended
	Failed    int       `json:"failed"`        // the tool, the connector or the way to it failed
	Refused   int       `json:"refused"`       // a person, a rule or a missing permission kept it from running
	Durations Durations `json:"durations"`
	Last      time.Time `json:"last"` // when the last of them ended
}

// ErrorStats count errors that say the same but for names, numbers and paths.
type ErrorStats struct {
	Template string    `json:"template"` // the error, with signs for what differs
	Status   string    `json:"status"`   // a CallStatus
	Calls    int       `json:"calls"`    // how many ended with it
	Last     time.Time `json:"last"`     // when the last of them ended
	CallID   CallID    `json:"callId"`   // of the last one
}

// DayStats are what was recorded on one day, in UTC.
type DayStats struct {
	Day           string `json:"day"`           // 2006-01-02
	Calls         int    `json:"calls"`         // how many ended
	Failed        int    `json:"failed"`        // how many of them failed
	ArgumentBytes int    `json:"argumentBytes"` // of their arguments
}

// StatsResult counts.
type StatsResult struct {
	First      *time.Time    `json:"first,omitzero"` // of the calls that are counted
	Last       *time.Time    `json:"last,omitzero"`  // the same of the last of them
	Calls      int           `json:"calls"`          // how many ended
	Statuses   []StatusCount `json:"statuses"`       // the commonest first
	Durations  Durations     `json:"durations"`
	Connectors []CallStats   `json:"connectors"` // the busiest first
	Tools      []CallStats   `json:"tools"`      // the busiest first
	Slowest    []ActivityRow `json:"slowest"`
	Errors     []ErrorStats  `json:"errors"`   // the commonest first
	Days       []DayStats    `json:"days"`     // the oldest first; days without calls are left out
	Lost       int           `json:"lost"`     // records that could not be kept
	LogBytes   int           `json:"logBytes"` // size of the record on disk
}

// Log lists what was recorded.
var Log = rpc.Request[LogParams, LogResult]{Method: "pillion/log"}

// Activity lists calls: who asked for what, how it was allowed, and what came
// of it.
var Activity = rpc.Request[ActivityParams, ActivityResult]{Method: "pillion/activity"}

// Stats counts calls: how many, how long they took, which failed.
var Stats = rpc.Request[StatsParams, StatsResult]{Method: "pillion/stats"}
