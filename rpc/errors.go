package rpc

import (
	"errors"
	"fmt"

	"go.lsp.dev/jsonrpc2"
)

// Error is the error object of JSON-RPC: a code, a sentence and optional data. A
// handler that returns one, wrapped or not, has it sent to the peer.
type Error = jsonrpc2.Error

// The error codes of JSON-RPC 2.0 and LSP 3.17 that this side sends.
const (
	CodeParse                = -32700
	CodeInvalidRequest       = -32600
	CodeMethodNotFound       = -32601
	CodeInvalidParams        = -32602
	CodeInternal             = -32603
	CodeServerNotInitialized = -32002
	CodeRequestCancelled     = -32800
	CodeContentModified      = -32801
	CodeRequestFailed        = -32803
)

// ErrClosed is returned for what is sent on a connection that has ended.
var ErrClosed = errors.New("connection closed")

// Errorf returns an [*Error] with the code and the formatted sentence.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: jsonrpc2.Code(code), Message: fmt.Sprintf(format, args...)}
}

// FrameError says that the stream of the peer cannot be read any further: a
// header without a usable length leaves no way to find the next message. The
// process ends with its text on stderr and exit code 2.
type FrameError struct {
	Reason string // what is wrong, with the offending text quoted and shortened
}

// Error implements error.
func (e *FrameError) Error() string { return "unreadable message header: " + e.Reason }
