package connector

import "time"

// CallRequest is one call of one tool.
type CallRequest struct {
	// Tool is the raw name, as listed.
	Tool string
	// Arguments are the bytes of one JSON object; exactly these are sent (S10). Empty means {}.
	Arguments []byte
	// Timeout without progress; zero means the definition's CallTimeout. The definition's CallCap bounds it.
	Timeout time.Duration
	// OnProgress is called in the order of the server's notifications, all before Call returns. It must not block.
	OnProgress func(Progress)
	// OnWritten is called once, just before the request leaves, from the goroutine of Call.
	OnWritten func()
	// Clock lets the caller halt the timeouts while a question of this call is open (E8); nil means it never is.
	Clock *Clock
}

// Progress is one notification of a call's progress.
type Progress struct {
	Progress float64
	Total    float64 // 0 when unknown
	Message  string
}

// The kinds of result that are not simply the tool's result.
const (
	ResultComplete      = "complete"
	ResultInputRequired = "input_required" // the server asks for something first (MCP 2026-07-28)
	ResultTask          = "task"           // the server goes on in the background
)

// CallReply is what came of a call.
type CallReply struct {
	// Result is the raw result object as received; invalid UTF-8 and lone surrogates are replaced by U+FFFD.
	Result []byte
	// ResultType is ResultComplete, or what the server says the result is instead; anything but ResultComplete has not the
	// shape of a tool's result.
	ResultType string
	// ProtocolError is set when the server answered with an error; Result is then empty.
	ProtocolError *ProtocolError
	// MayHaveRun is false only where the request provably never left.
	MayHaveRun bool
	Duration   time.Duration
}
