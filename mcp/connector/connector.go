// Package connector runs one MCP server, a child process or one reached over HTTP, from its first byte to its last: transport,
// handshake, whole generations of its catalogue, calls, diagnosis, end.
// It does not decide whether the server may run or a tool may be called, reads no configuration, and starts nothing again
// by itself: that is the host's.
package connector

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
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
	// Dir is absolute.
	Dir string
	// URL is the address of a remote server; then there is no program. Headers go with every request, to its origin alone.
	URL     string
	Headers map[string]string
	// IsSSE is set for a remote server that speaks HTTP with server-sent events (MCP 2024-11-05) alone.
	IsSSE bool
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
	// PingInterval is how often a server of the legacy era that nobody calls is asked whether it is there; zero means a
	// minute, negative never.
	PingInterval time.Duration
	// LogLevel is the least of MCP's levels of log messages that are asked for and kept in the log: "debug", "info" …
	// "emergency". Empty asks for none, and keeps those that come all the same from "warning" on.
	LogLevel string
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
	// LogFile receives what the server writes to stderr, rotated and redacted; empty means it is kept in memory only.
	LogFile string
	// OnStderr is told each line of stderr, secrets taken out, bounded and made visible; nil for nobody. It must not block.
	OnStderr func(line string)
	// Redact takes secret values out of everything said about the server; results pass untouched.
	Redact *redact.Set
	Client Implementation
	// Offers are what the server may ask of Pillion.
	Offers Offers
	// Environ is the environment that names proxies and SSL_CERT_FILE, as KEY=value; CAFiles are certificates in PEM form
	// that are trusted besides the system's. Both are for remote servers.
	Environ []string
	CAFiles []string
	// Timing is how the process is ended.
	Timing process.Timing
	// OnChange is told each change, in order, one at a time. It must not block, and may call Status.
	OnChange func(Change)
	// Eras remembers which handshake a definition answered to; nil means this connector alone remembers.
	Eras EraMemory
}

// tuning are the times that no setting changes.
type tuning struct {
	probe      time.Duration // before initialize follows an unanswered server/discover (C12)
	download   time.Duration // until the first output of a runner that downloads
	notice     time.Duration // for a remote server to take note that the handshake is over
	farewell   time.Duration // for a remote server to end its session
	busy       time.Duration // before a remote server that is busy is asked again, at the least
	maxPause   time.Duration // between two tries to open a stream again
	relisten   time.Duration // before a subscription is made again
	maxBytes   int           // of a message from a remote server
	resumes    int           // tries to resume a stream that come to nothing, in a row
	stall      time.Duration // of a write to a server that neither reads nor talks, before it is killed
	settle     time.Duration // for an exit to follow the end of stdout, or the other way round
	sync       time.Duration // between two listings that the server asked for
	maxSync    time.Duration // the same, when they bring nothing new
	unwatched  time.Duration // that a list of the modern era is relied on whose changes nobody tells of
	updates    time.Duration // between two notices of resources that changed
	poll       time.Duration // between two looks at a task, where its server says nothing
	page       time.Duration // for a server to be done with a page that a person opened
	sideList   time.Duration // for the lists other than tools to be in the first catalogue
	listRetry  time.Duration // before tools are asked for again in a start
	listTries  int           // in a start
	pong       time.Duration // for the answer to a ping; zero means the time between two, and 20 s at most
	pings      int           // without an answer, in a row, before a list decides whether it is lost
	maxWarning int
}

func defaultTuning() tuning {
	return tuning{
		probe: 3 * time.Second, download: 180 * time.Second, stall: 60 * time.Second, settle: 500 * time.Millisecond,
		sync: time.Second, maxSync: 30 * time.Second, unwatched: time.Minute, updates: 100 * time.Millisecond, poll: time.Second, page: 10 * time.Minute, sideList: 2 * time.Second,
		pings:     3,
		listRetry: 500 * time.Millisecond, listTries: 3, maxWarning: 20,
		notice: 10 * time.Second, farewell: 2 * time.Second, busy: time.Second, maxPause: time.Minute, relisten: 2 * time.Second, resumes: 5, maxBytes: maxFrameBytes,
	}
}

// errStopped is the cause of what ends because Stop was called.
var errStopped = errors.New("the connector was stopped")

// Connector is one MCP server that can be started, called and stopped.
// All methods may be called at once from several goroutines.
type Connector struct {
	definition Definition
	options    Options
	tuning     tuning
	log        *slog.Logger
	eras       EraMemory
	changes    notifier

	mu           sync.Mutex
	state        State
	phase        string
	problem      *Problem
	server       Server
	instructions string
	catalogue    *Catalogue
	warnings     []warning
	noise        *noise   // of the last session
	attempt      *attempt // a start under way
	session      *session // until nothing of it is left
}

// New returns a connector that is not running; it does no work.
func New(d Definition, o Options) *Connector {
	if d.StartTimeout <= 0 {
		d.StartTimeout = 30 * time.Second
	}
	if d.CallTimeout <= 0 {
		d.CallTimeout = 5 * time.Minute
	}
	if d.CallCap <= 0 {
		d.CallCap = 60 * time.Minute
	}
	if d.MaxConcurrent <= 0 {
		d.MaxConcurrent = 16
	}
	if d.PingInterval == 0 {
		d.PingInterval = time.Minute
	}
	if d.Era == "" {
		d.Era = EraAuto
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Eras == nil {
		o.Eras = &ownEras{}
	}
	return &Connector{
		definition: d, options: o, tuning: defaultTuning(), eras: o.Eras, state: StateIdle,
		log:     o.Logger.With("connector", d.Name),
		changes: notifier{to: o.OnChange},
	}
}

// Start runs the server and returns once it is ready: shaken hands with and listed.
// The end of ctx before that aborts the start and clears everything away; later it has no effect, the process outlives
// ctx. A Start beside a running one waits for that one. The error wraps the *Problem that [Connector.Status] has, or is the
// cause of ctx's end. A connector that failed or was stopped may be started again.
func (c *Connector) Start(ctx context.Context) error {
	for {
		c.mu.Lock()
		switch {
		case c.state == StateReady:
			c.mu.Unlock()
			return nil
		case c.attempt != nil:
			a, isOver := c.attempt, c.state != StateStarting
			c.mu.Unlock()
			if err := await(ctx, a.done); err != nil {
				return err
			}
			if !isOver {
				return a.err
			}
		case c.session != nil:
			// Never two processes of one connector: the last one is on its way out.
			gone := c.session.gone
			c.mu.Unlock()
			if err := await(ctx, gone); err != nil {
				return err
			}
		default:
			a := newAttempt(ctx)
			c.attempt = a
			c.problem, c.warnings, c.noise = nil, nil, nil
			c.enter(StateStarting)
			c.mu.Unlock()
			c.changes.flush()
			c.start(a)
			return a.err
		}
	}
}

// await waits for the channel to be closed, or returns the cause of ctx's end.
func await(ctx context.Context, closed <-chan struct{}) error {
	select {
	case <-closed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Stop ends the server and returns when its process, everything that it started and every goroutine have gone. It is
// effective in every state; a Start that is called meanwhile begins afterwards. The end of ctx cuts the patience short, not
// the work: what is left is killed.
func (c *Connector) Stop(ctx context.Context) {
	c.mu.Lock()
	a, s := c.attempt, c.session
	if (a != nil || s != nil) && c.state != StateStopping {
		c.enter(StateStopping)
	}
	c.mu.Unlock()
	c.changes.flush()
	switch {
	case a != nil:
		a.abort(ctx)
	case s != nil:
		s.finish(ctx)
	}
	c.mu.Lock()
	if c.attempt == nil && c.session == nil && c.state != StateIdle && c.state != StateStopped {
		c.problem = nil
		c.enter(StateStopped)
	}
	c.mu.Unlock()
	c.changes.flush()
}

// Status returns the state as it is now; what it points at does not change afterwards.
func (c *Connector) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	status := Status{
		State: c.state, Problem: c.problem, Server: c.server, Instructions: c.instructions,
		Catalogue: c.catalogue, LogFile: c.options.LogFile, Phase: c.phase,
	}
	if c.catalogue != nil {
		status.Generation = c.catalogue.Generation
	}
	if c.session != nil {
		c.session.link.describe(&status)
	}
	if c.noise != nil {
		if sentence := c.noise.sentence(); sentence != "" {
			status.Warnings = append(status.Warnings, c.redacted(sentence))
		}
	}
	for _, w := range c.warnings {
		if w.key != noiseWarning {
			status.Warnings = append(status.Warnings, w.sentence)
		}
	}
	return status
}

// HasVariable reports whether the program is given a variable that says something.
func (c *Connector) HasVariable(name string) bool {
	return slices.ContainsFunc(c.definition.Env, func(variable string) bool {
		key, value, _ := strings.Cut(variable, "=")
		return key == name && value != ""
	})
}

func (c *Connector) redacted(text string) string {
	text, _ = c.options.Redact.Text(text)
	return text
}
