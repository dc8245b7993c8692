// Package connector runs one MCP server as a child process, from its first byte to its last: transport, handshake, whole
// generations of its catalogue, calls, diagnosis, end.
// It does not decide whether the server may run or a tool may be called, reads no configuration, and starts nothing again
// by itself: that is the host's.
package connector

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"pillion/mcp/process"
	"pillion/mcp/redact"
)

// The handshakes that [Definition.Era] may ask for.
const (
	EraAuto   = "auto"
	EraModern = "modern" // server/discover, MCP 2026-07-28 and later
	EraLegacy = "legacy" // initialize, MCP 2025-11-25 and earlier
)

// Definition says what to run; everything in it is expanded, checked and allowed already.
type Definition struct {
	ID   string
	Name string
	// Program is the absolute path; Args go without argv[0].
	Program string
	Args    []string
	// Env is the whole environment of the child, as KEY=value.
	Env []string
	Dir string
	// Era is one of EraAuto (also when empty), EraModern, EraLegacy.
	Era string
	// StartTimeout bounds the handshake; zero means 30 s.
	StartTimeout time.Duration
	// CallTimeout bounds a call that does not progress; zero means 5 min.
	CallTimeout time.Duration
	// CallCap bounds a call whatever it progresses; zero means 60 min.
	CallCap time.Duration
	// MaxConcurrent bounds the calls in flight, the rest queue in order; zero means 16.
	MaxConcurrent int
	// Downloads gives a runner that first fetches a package 180 s until it says anything at all.
	Downloads bool
}

// Implementation is how Pillion introduces itself to the server.
type Implementation struct {
	Name    string
	Version string
}

// Options are what a connector needs of its surroundings; the zero value of each field is usable.
type Options struct {
	Logger *slog.Logger
	// Guard returns the process that sweeps up if Pillion is killed; nil means none.
	Guard func() (*process.Guard, error)
	// Marker is the value of [process.MarkerVar] in the child's environment; it must be unique to this connector.
	Marker string
	// LogFile receives what the server writes to stderr, rotated and redacted; empty means it is kept in memory only.
	LogFile string
	// Redact takes secret values out of everything said about the server; results pass untouched.
	Redact *redact.Set
	Client Implementation
	// Timing is how the process is ended.
	Timing process.Timing
	// OnChange is told each change, in order, one at a time. It must not block, and may call Status.
	OnChange func(Change)
	// Eras remembers which handshake a definition answered to; nil means this connector alone remembers.
	Eras EraMemory
}

// EraMemory remembers the handshake that worked for a definition, so that later starts begin with it.
// It must be safe for concurrent use.
type EraMemory interface {
	// Era returns EraModern, EraLegacy, or "" when nothing is known.
	Era(definition string) string
	// Remember stores it; "" forgets.
	Remember(definition, era string)
}

// Connector is one MCP server that can be started, called and stopped.
// All methods may be called at once from several goroutines.
type Connector struct {
	definition Definition
	options    Options

	mu sync.Mutex
}

// New returns a connector that is not running; it does no work.
func New(d Definition, o Options) *Connector {
	return &Connector{definition: d, options: o}
}

// Start runs the server and returns once it is ready: shaken hands with and listed.
// The end of ctx before that aborts the start and clears everything away; later it has no effect, the process outlives
// ctx. A Start beside a running one waits for that one. On failure [Connector.Status] has the Problem, which is also the
// error (*Problem). A connector that failed or was stopped may be started again.
func (c *Connector) Start(ctx context.Context) error { panic("not yet") }

// Stop ends the server and returns when its process, everything that it started and every goroutine have gone. It is
// effective in every state. The end of ctx cuts the patience short, not the work: what is left is killed.
func (c *Connector) Stop(ctx context.Context) { panic("not yet") }

// Status returns the state as it is now; what it points at does not change afterwards.
func (c *Connector) Status() Status { panic("not yet") }

// Call calls one tool and waits for its result.
//
// The error is nil when the server answered, also when it answered with an error (see [CallReply.ProtocolError]).
// Otherwise it is *NotReadyError, *LostError, *TimeoutError, *TooLargeError, *MalformedReplyError or the cause of ctx's
// end; in every case the reply's MayHaveRun and Duration are valid. A call is never sent twice.
func (c *Connector) Call(ctx context.Context, r CallRequest) (CallReply, error) { panic("not yet") }
