package connector

import (
	"fmt"
	"github.com/go-json-experiment/json/jsontext"
	"time"
)

// maxFrameBytes bounds one message of the server.
const maxFrameBytes = 64 << 20

// NotReadyError says that the connector was not running, so nothing was sent.
type NotReadyError struct {
	Name    string
	State   State
	Problem *Problem // nil unless State is StateFailed
}

func (e *NotReadyError) Error() string {
	if e.Problem != nil {
		return fmt.Sprintf("connector %q is not running: %s", e.Name, e.Problem.Reason)
	}
	return fmt.Sprintf("connector %q is %s", e.Name, e.State)
}

// LostError says that the server went away while the call was in flight.
type LostError struct {
	Name string
	// Reason is that of Problem: "server exited (3)".
	Reason string
	// Problem is what the connector's status says of it, which may be a moment later; nil where it was stopped.
	Problem *Problem
	// MayHaveRun is false only where the request provably never left.
	MayHaveRun bool
}

func (e *LostError) Error() string { return fmt.Sprintf("connector %q: %s", e.Name, e.Reason) }

// TimeoutError says that the server did not answer in time; it was told to cancel.
type TimeoutError struct {
	After time.Duration
	// IsCap is set when progress kept the call alive until the hard limit.
	IsCap bool
}

func (e *TimeoutError) Error() string {
	if e.IsCap {
		return fmt.Sprintf("no result within %s, the limit whatever the progress", e.After)
	}
	return fmt.Sprintf("no answer within %s", e.After)
}

// TooLargeError says that the reply was over the limit and was read past; the session goes on.
type TooLargeError struct {
	Bytes      int64
	LimitBytes int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("reply of %d bytes exceeds the limit of %d MiB", e.Bytes, e.LimitBytes>>20)
}

// MalformedReplyError says that a reply came which cannot be understood; the session goes on.
type MalformedReplyError struct {
	Reason string
}

func (e *MalformedReplyError) Error() string { return "malformed reply: " + e.Reason }

// ArgumentsError says that the arguments cannot be sent; nothing was.
type ArgumentsError struct {
	Reason string
}

func (e *ArgumentsError) Error() string { return "arguments refused: " + e.Reason }

// ProtocolError is an error that the server answered with, in its own words: data, not Pillion's voice.
type ProtocolError struct {
	// Code is 0 where the server gave none that is an integer.
	Code    int
	Message string
	// Data is what came with it, as received; nil where there was none, or too much.
	Data jsontext.Value
}

func (e *ProtocolError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// TransportError says that a remote server gave an HTTP answer, or the beginning of one, that is no reply; the session goes on.
type TransportError struct {
	// Status is the HTTP status; 0 where the answer broke off or was of no use for another reason.
	Status int
	// Reason is a sentence without a subject: "answered 500 (Internal Server Error)".
	Reason string
	// RetryAfter is how long the server asks to be left alone; 0 where it does not.
	RetryAfter time.Duration
}

func (e *TransportError) Error() string { return e.Reason }

// RenewedError says that the server had lost its session and refused the request for that alone. There is a new session, its
// tools are listed, and the request was not sent again.
type RenewedError struct{}

func (e *RenewedError) Error() string {
	return "the server had lost the session and refused the call; the session was renewed, call again"
}
