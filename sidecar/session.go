// Package sidecar is one editor session: it turns what an editor says into calls of the host and what the host does into
// messages, one file for each family of methods.
// It decides nothing about consent, permission or connectors, and reads no configuration itself.
package sidecar

import (
	"context"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/mcp/process"
	"pillion/rpc"
	"pillion/rpc/message"
	"pillion/sidecar/core"
	"pillion/sidecar/stream"
)

// Options are what a session is made of.
type Options struct {
	// In and Out carry the editor's frames; the session closes both.
	In  io.ReadCloser
	Out io.WriteCloser
	// Version and Executable are those of this Pillion.
	Version, Executable string
	// Refusal, if not nil, returns why this program may not serve at all, or nil. It is asked once, before a terminal finds the window,
	// a file is read or anything is started, and may take its time: initialize is answered by then.
	Refusal func() error
	// Subreaper is that of [core.Options].
	Subreaper *process.Subreaper
	Environ   []string
	// Settings are what this process was started with; the session adds what the editor says. Nil is what Environ says.
	Settings *core.Settings
	Logger   *slog.Logger
	// Trace, if not nil, receives every frame, with the secrets that are known replaced.
	Trace io.Writer
	// OutputLost, if not nil, is closed when nobody reads Out any more.
	OutputLost <-chan struct{}

	// serveAgent, if not nil, serves agents in the place of MCP.
	serveAgent func(context.Context, *joinedAgent, io.ReadWriteCloser) error
}

// The bounds of an ending (protocol.md, Rules).
const (
	shutdownTime = 900 * time.Millisecond  // shutdown is answered within a second
	exitTime     = 1200 * time.Millisecond // the process ends within 1.5 s of exit
	lostTime     = 3 * time.Second         // and within 5 s of losing the editor
)

// Session is one editor's session.
type Session struct {
	options   Options
	log       *slog.Logger
	window    string
	conn      *rpc.Conn
	router    *rpc.Router
	questions *editors.Questions
	editor    editor
	settings  *core.Settings
	pulling   sync.Mutex // keeps the answers of the editor about its settings in order
	documents documents
	renames   renames
	// languageMethods are those that snapshot keeps the documents for.
	languageMethods map[string]bool
	notifier        notifier
	stream          *stream.Stream
	eventFeed       eventFeed
	shown           shownDocuments
	answering       answering
	life            life
	attached        attachments
	// checkPlace refuses a socket that a repository could hold; it looks at the workspace, which may hang.
	checkPlace func(core.Folders, []string) error

	background sync.WaitGroup
	lifetime   context.Context
	end        context.CancelFunc

	// opened is closed once core is set or coreErr says why it is not.
	opened   chan struct{}
	openOnce sync.Once
	// started is closed once the files are read, or there is no core to read them.
	started   chan struct{}
	startOnce sync.Once
	core      *core.Core
	coreErr   error

	clients   clients
	own       *client // the editor's connection
	consents  consentAsks
	storeAsks storeAsks
	widenings widenAsks
	joins     joins
	agents    agents
	foldersMu sync.Mutex
	linesMu   sync.Mutex
	lines     map[string]keptLines
	// browserTelling keeps what is told of browsers in order, and browserTold is that, by session.
	browserTelling sync.Mutex
	browserTold    map[string]message.BrowserState
	publishing     sync.Mutex // keeps what is said of a file in order; nothing is looked at under it
	reports        sync.Map   // *report by token
	progressCount  atomic.Int64
	exitCode       atomic.Int32
}

// Run serves one editor until it ends, and returns the exit code of the process.
// The error is for stderr: a stream that cannot be read any further.
func Run(ctx context.Context, o Options) (int, error) {
	s := newSession(ctx, o)
	err := s.conn.Serve(s.lifetime)
	return s.finish(err)
}

func newSession(ctx context.Context, o Options) *Session {
	s := &Session{
		options: o, log: o.Logger, window: core.NewWindow(), opened: make(chan struct{}), started: make(chan struct{}), checkPlace: checkPlace,
		languageMethods: languageMethods(),
	}
	if s.settings = o.Settings; s.settings == nil {
		s.settings = core.NewSettings(o.Environ, nil)
	}
	s.stream = stream.New(s.window, stream.DefaultEvents)
	s.lifetime, s.end = context.WithCancel(ctx)
	s.questions = editors.NewQuestions(s.asksChanged)
	s.exitCode.Store(exitWithoutShutdown)
	s.router = rpc.NewRouter()
	s.handleLSP(s.router)
	s.handlePillion(s.router)
	s.conn = rpc.NewConn(o.In, o.Out, s.router, rpc.Options{
		Logger: o.Logger, Gate: s.life.gate, Snapshot: s.snapshot, Trace: s.tracer(o.Trace),
	})
	s.own = &client{
		conn: s.conn, caller: host.Caller{Kind: "editor"}, refusal: func() string { return "" },
		isTold: s.isTold,
	}
	s.clients.add(s.own)
	s.notifier.init(s)
	if o.OutputLost != nil {
		s.inBackground(func() {
			select {
			case <-o.OutputLost:
				s.conn.Close()
			case <-s.lifetime.Done():
			}
		})
	}
	return s
}

// tracer writes frames to out, if there is one.
func (s *Session) tracer(out io.Writer) rpc.Tracer {
	if out == nil {
		return nil
	}
	return rpc.NewTracer(out, func(body []byte) []byte { return s.redacted(withoutValues(body)) })
}

// redacted replaces the secrets that are known by now; before the core is there, none are.
func (s *Session) redacted(body []byte) []byte {
	if !s.hasStarted() {
		return body
	}
	return s.core.Redact(body)
}

// finish ends what the session started, within the bounds of how it ended.
func (s *Session) finish(serveErr error) (int, error) {
	bound := lostTime
	if s.life.isExiting() {
		bound = exitTime
	}
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	s.end()
	s.notifier.close()
	s.closeAttach()
	s.closeCore(ctx)
	idle := make(chan struct{})
	go func() {
		s.background.Wait()
		close(idle)
	}()
	isOver(ctx, idle)
	var frame *rpc.FrameError
	if asFrameError(serveErr, &frame) {
		return exitBadFrame, frame
	}
	return int(s.exitCode.Load()), nil
}

// open makes the core, once, in the background of initialize.
func (s *Session) open(roots []string) {
	s.openOnce.Do(func() {
		s.inBackground(func() {
			defer close(s.opened)
			if s.isRefused() {
				return
			}
			s.welcome() // before the files are open: who is answered from them finds the window too
			c, err := core.Open(core.Options{
				Logger: s.log, Version: s.options.Version, Environ: s.options.Environ, Executable: s.options.Executable, Subreaper: s.options.Subreaper,
				Window: s.window, Roots: roots, Settings: s.settings, SettingsChanged: s.tellSettings, Asker: asker{s}, Observe: s.hostChanged, BrowserChanged: s.browserChanged,
			})
			if err != nil {
				s.coreErr = err
				s.log.Error("session cannot work", "error", err)
				return
			}
			s.core = c
		})
	})
}

// isRefused ends the session where this program may not serve.
func (s *Session) isRefused() bool {
	if s.options.Refusal == nil {
		return false
	}
	if s.coreErr = s.options.Refusal(); s.coreErr == nil {
		return false
	}
	s.conn.Close()
	return true
}

// start lets the core read the files and start what may run, once. It follows the editor's initialized, or the first
// request that needs the files; initialize is answered by then.
func (s *Session) start() {
	s.startOnce.Do(func() {
		s.inBackground(func() {
			<-s.opened
			if s.core != nil {
				s.core.Watch(s.log, func(sentence string) { s.editor.showMessage(s, messageWarning, "Pillion: "+editors.Visible(sentence)) })
				s.core.Start()
			}
			close(s.started)
			if s.core == nil {
				s.editor.showMessage(s, messageError, "Pillion: "+s.coreErr.Error())
				return
			}
			if s.core.Notice != "" {
				s.editor.showMessage(s, messageWarning, "Pillion: "+s.core.Notice+".")
			}
			s.tellSettings()
			s.notifier.resume()
			s.askAboutStores()
			s.publishAll()
		})
	})
}

// closeCore ends the core. A folder that hangs while it is opened or started holds up the end no longer than ctx.
func (s *Session) closeCore(ctx context.Context) {
	s.openOnce.Do(func() { close(s.opened) })
	if !isOver(ctx, s.opened) {
		return
	}
	s.startOnce.Do(func() { close(s.started) })
	isOver(ctx, s.started)
	if s.core != nil {
		s.core.Close(ctx)
	}
}

// isOver waits for the channel to be closed, and reports false when ctx ends before that.
func isOver(ctx context.Context, closed <-chan struct{}) bool {
	select {
	case <-closed:
		return true
	case <-ctx.Done():
		return false
	}
}

// host waits until the files are read; the error is one that an editor may be answered.
func (s *Session) host(ctx context.Context) (*core.Core, error) {
	s.start()
	select {
	case <-s.started:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.core == nil {
		reason := "the session is ending"
		if s.coreErr != nil {
			reason = s.coreErr.Error()
		}
		return nil, rpc.Errorf(rpc.CodeRequestFailed, "%s", reason)
	}
	return s.core, nil
}

// hasStarted reports whether the files are read, without waiting.
func (s *Session) hasStarted() bool {
	select {
	case <-s.started:
		return s.core != nil
	default:
		return false
	}
}

// afterAnswer runs f, which shows what a command leads to, in the session's background once the command is answered.
func (s *Session) afterAnswer(f func()) {
	s.inBackground(func() {
		if !s.editor.speaksPillion() {
			s.answering.wait(s.lifetime)
		}
		f()
	})
}

// inBackground runs f in the session's background; finish waits for it.
func (s *Session) inBackground(f func()) {
	s.background.Add(1)
	go func() {
		defer s.background.Done()
		defer s.recovered()
		f()
	}()
}

// recovered keeps a fault of Pillion's own in one piece of work from costing the session.
func (s *Session) recovered() {
	if fault := recover(); fault != nil {
		s.log.Error("internal error", "fault", fault, "stack", string(debug.Stack()))
		s.editor.showMessage(s, messageError, "Pillion: internal error; its log says more.")
	}
}

// isTold reports whether Pillion's own notifications go to the editor: it declared them, and is initialized.
func (s *Session) isTold() bool { return s.notifier.isOpen() && s.editor.speaksPillion() }

// hostChanged is told by the host what changed.
func (s *Session) hostChanged(e host.Event) {
	s.hostHappened(e)
	s.agents.observe(e)
	if e.Call == nil { // how far a call has come changes no list
		s.notifier.changed(e)
	}
}
