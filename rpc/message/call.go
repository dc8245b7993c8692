package message

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/rpc"
)

//pillion:section 40 Calls
//
// Every call passes one gate, whoever makes it: it runs at once, or asks, or is
// refused. Whatever comes of it is a result with a status.

// CallID names a call: chosen by the caller, else made by Pillion.
type CallID string

// CallStatus is what came of a call. One that is not known reads as a failure
// that must not be repeated unasked.
type CallStatus string

const (
	CallOK               CallStatus = "ok"               // the tool answered
	CallToolError        CallStatus = "toolError"        // the tool answered that it failed
	CallConnectorError   CallStatus = "connectorError"   // the connector answered with a protocol error
	CallDeclined         CallStatus = "declined"         // a person declined it
	CallDenied           CallStatus = "denied"           // a standing rule or the mode refuses it
	CallNeedsConsent     CallStatus = "needsConsent"     // the connector waits for permission; the question is open
	CallNeedsLogin       CallStatus = "needsLogin"       // the connector waits for a sign-in
	CallCancelled        CallStatus = "cancelled"        // it was cancelled
	CallRepeat           CallStatus = "repeat"           // the same call of this turn was answered already
	CallInvalidArguments CallStatus = "invalidArguments" // the arguments are not what the tool takes
	CallConnectorDown    CallStatus = "connectorDown"    // the connector does not run
	CallTimeout          CallStatus = "timeout"          // no answer in time
	CallTask             CallStatus = "task"             // it goes on as a task
)

// AllowedBy is what let a call run. One that is not known has no meaning beyond
// its name.
type AllowedBy string

const (
	AllowedByReadOnly AllowedBy = "readOnly" // a read-only tool of a trusted connector
	AllowedByRule     AllowedBy = "rule"     // a standing rule
	AllowedBySession  AllowedBy = "session"  // a rule of this session
	AllowedByAnswer   AllowedBy = "answer"   // a person's answer to this call
)

// CallPart is a form of the result that a caller wants. One that is not known
// is left out.
type CallPart string

const (
	CallPartText       CallPart = "text"       // bounded text, and attachments
	CallPartContent    CallPart = "content"    // the content blocks as JSON text
	CallPartStructured CallPart = "structured" // the structured content as JSON text
)

// ToolCallParams says what to call, with what.
type ToolCallParams struct {
	Tool            ToolRef        `json:"tool"`
	ArgumentsText   string         `json:"argumentsText,omitzero"`           // exact JSON text of the arguments: what is shown and sent
	Arguments       jsontext.Value `json:"arguments,omitzero" wire:"object"` // the arguments as an object, for callers whose values allow it; an empty list is an empty object
	CallID          CallID         `json:"callId,omitzero"`
	SessionID       SessionID      `json:"sessionId,omitzero"`
	ParentSessionID SessionID      `json:"parentSessionId,omitzero"` // session that the caller's session belongs to
	TurnID          string         `json:"turnId,omitzero"`          // turn of an agent; within one a repeated call is not made twice
	TimeoutMS       int            `json:"timeoutMs,omitzero"`       // milliseconds without progress until it is given up; 0 takes the connector's
	Include         []CallPart     `json:"include,omitzero"`         // forms of the result that are wanted; absent: text
	WorkDoneToken   ProgressToken  `json:"workDoneToken,omitzero"`
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p ToolCallParams) Check() error {
	switch {
	case p.Tool == "":
		return errors.New("tool is missing")
	case p.ArgumentsText != "" && !saysNothing(p.Arguments):
		return errors.New("argumentsText and arguments are both there: send one")
	case p.TimeoutMS < 0:
		return fmt.Errorf("timeoutMs is %d: it must not be negative", p.TimeoutMS)
	}
	return checkArguments(p.Arguments)
}

func checkArguments(v jsontext.Value) error {
	if !saysNothing(v) && v.Kind() != jsontext.KindBeginObject {
		return errors.New("arguments is not an object")
	}
	return nil
}

func argumentBytes(v jsontext.Value) []byte {
	if saysNothing(v) {
		return []byte("{}")
	}
	return v
}

// saysNothing reports whether a value that should be an object is absent, null
// or the empty list that Lua writes for an empty table.
func saysNothing(v jsontext.Value) bool {
	switch v.Kind() {
	case jsontext.KindInvalid, jsontext.KindNull:
		return true
	case jsontext.KindBeginArray:
		inner := bytes.TrimSpace(bytes.TrimSpace(v)[1:])
		return len(inner) > 0 && inner[0] == ']'
	}
	return false
}

// ArgumentBytes returns the arguments as they were sent, digits and order kept,
// and an empty object where there are none. It does not say that they are
// valid.
func (p ToolCallParams) ArgumentBytes() []byte {
	if p.ArgumentsText != "" {
		return []byte(p.ArgumentsText)
	}
	return argumentBytes(p.Arguments)
}

// Includes reports whether the caller wants the given form of the result.
func (p ToolCallParams) Includes(part CallPart) bool {
	if p.Include == nil {
		return part == CallPartText
	}
	for _, wanted := range p.Include {
		if wanted == part {
			return true
		}
	}
	return false
}

// CallResult is what came of a call.
type CallResult struct {
	CallID         CallID          `json:"callId"`
	Tool           string          `json:"tool"` // id of the tool, or what the caller named where that is no tool that is known
	Status         CallStatus      `json:"status"`
	Text           string          `json:"text,omitzero"`           // the result as bounded text; the connector's own words
	Truncated      bool            `json:"truncated,omitzero"`      // whether the text was cut
	FullTextURI    URI             `json:"fullTextUri,omitzero"`    // file with the whole text
	Redacted       bool            `json:"redacted,omitzero"`       // whether secret values were replaced
	ContentText    string          `json:"contentText,omitzero"`    // content blocks as canonical JSON text, digits kept; blobs above 256 KiB as { type, uri, bytes }
	StructuredText string          `json:"structuredText,omitzero"` // structured content as canonical JSON text, digits kept
	Attachments    []Attachment    `json:"attachments"`             // images, audio and blobs, saved as files
	Error          *CallError      `json:"error,omitzero"`          // protocol error of the connector
	Errors         []ArgumentFault `json:"errors,omitzero"`         // what is wrong with the arguments
	Message        string          `json:"message,omitzero"`        // a sentence about the outcome, in Pillion's own words
	Steps          []string        `json:"steps,omitzero"`          // what a person can do about it, in order
	Advice         string          `json:"advice,omitzero"`         // where the connector is down: what an agent that called is to do and to tell its user, steps included; data, with words of the connector in it
	MayHaveRun     bool            `json:"mayHaveRun"`              // whether the tool may have done something
	TaskID         string          `json:"taskId,omitzero"`         // task that the call became
	Allowed        *Allowance      `json:"allowed,omitzero"`        // what let it run
	DurationMS     int             `json:"durationMs"`              // how long the tool took, in milliseconds, questions not counted
}

// Attachment is a file that a result came with.
type Attachment struct {
	URI      URI    `json:"uri"`           // the file
	MIMEType string `json:"mimeType"`      // what its bytes show it to be
	Bytes    int    `json:"bytes"`         // its size in bytes
	Name     string `json:"name,omitzero"` // what the connector calls it
}

// CallError is a protocol error that a connector answered.
type CallError struct {
	Code    int    `json:"code"`    // JSON-RPC error code
	Message string `json:"message"` // the connector's own words
}

// ArgumentFault is one thing that is wrong with the arguments of a call.
type ArgumentFault struct {
	Path    string `json:"path"`    // where, as a JSON pointer
	Message string `json:"message"` // what is wrong there
}

// Allowance is what let a call run.
type Allowance struct {
	By   AllowedBy `json:"by"`
	Rule string    `json:"rule,omitzero"` // id of the rule
}

// CallState is where a call is in its life. One that is not known reads as
// unknown.
type CallState string

const (
	CallAsking     CallState = "asking"     // a question about it is open
	CallRunning    CallState = "running"    // the connector has it
	CallFinished   CallState = "finished"   // there is a result
	CallMayHaveRun CallState = "mayHaveRun" // it was sent, and the answer was lost
	CallUnknown    CallState = "unknown"    // nothing is known of it
)

// CallSummary is one call that is open or has lately finished.
type CallSummary struct {
	CallID CallID    `json:"callId"`
	Tool   string    `json:"tool"` // id of the tool, or what the caller named where that is no tool that is known
	State  CallState `json:"state"`
	At     time.Time `json:"at"` // when it was made
}

// CallsResult lists calls, the newest first.
type CallsResult struct {
	Calls []CallSummary `json:"calls"`
}

// CallParams names a call.
type CallParams struct {
	CallID CallID `json:"callId"`
}

// CallDetailResult is where a call is, and its result where there is one.
type CallDetailResult struct {
	State  CallState   `json:"state"`
	Result *CallResult `json:"result,omitzero"`
}

// ResultReadParams says which part of a call's whole text to read.
type ResultReadParams struct {
	CallID CallID `json:"callId"`
	Offset int    `json:"offset"` // bytes of the UTF-8 text to skip: 0, or the last answer's nextOffset
	Limit  int    `json:"limit"`  // bytes to read at most, but one character at least; 0 leaves it to Pillion
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p ResultReadParams) Check() error {
	if p.Offset < 0 || p.Limit < 0 {
		return errors.New("offset and limit must not be negative")
	}
	return nil
}

// ResultReadResult is a part of a call's whole text, cut between characters.
type ResultReadResult struct {
	Text       string `json:"text"`                // the part
	NextOffset *int   `json:"nextOffset,omitzero"` // where the next part begins, if there is one
}

// ToolCall calls one tool of one connector and returns what it produced. A call
// that must ask stays open until it is answered or withdrawn; a call on a
// connector that waits for permission opens that question and answers
// needsConsent at once.
var ToolCall = rpc.Request[ToolCallParams, CallResult]{Method: "pillion/tool/call"}

// Calls lists the calls that are open or have lately finished.
var Calls = rpc.Request[Empty, CallsResult]{Method: "pillion/calls"}

// CallDetail tells where a call is, after a crash as far as the audit log
// knows.
var CallDetail = rpc.Request[CallParams, CallDetailResult]{Method: "pillion/call"}

// CallCancel cancels a call. It answers when the cancel is on its way; the call
// itself answers with the status cancelled.
var CallCancel = rpc.Request[CallParams, Empty]{Method: "pillion/call/cancel"}

// ResultRead reads on in a text that a result holds only the beginning of.
var ResultRead = rpc.Request[ResultReadParams, ResultReadResult]{Method: "pillion/result/read"}
