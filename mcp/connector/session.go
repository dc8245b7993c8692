package connector

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"pillion/mcp/process"
)

// session is one life of the program: its process, the pipes, and the SDK's session over them.
type session struct {
	connector *Connector
	process   *process.Process
	filter    *filter
	journal   *journal
	slots     *semaphore.Weighted
	lastToken atomic.Int64
	isWedged  atomic.Bool // it was killed because it did not read

	// ctx ends, with the reason as its cause, when no more calls can be answered.
	ctx    context.Context
	cancel context.CancelCauseFunc

	answer *answer            // to the handshake
	client *mcp.ClientSession // nil before the handshake

	talked     chan struct{} // the program has printed something
	talkedOnce sync.Once
	quiet      chan struct{} // stderr has ended
	changed    chan struct{} // capacity 1: a list is to be fetched again
	dirtyMu    sync.Mutex
	dirty      lists

	workers   sync.WaitGroup
	finishing sync.Once
	gone      chan struct{} // nothing of it is left
}

func newSession(c *Connector, p *process.Process, j *journal) *session {
	s := &session{
		connector: c, process: p, journal: j, filter: newFilter(c.log, p.Stdout),
		slots:  semaphore.NewWeighted(int64(c.definition.MaxConcurrent)),
		talked: make(chan struct{}), quiet: make(chan struct{}), changed: make(chan struct{}, 1), gone: make(chan struct{}),
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	f := s.filter
	f.writer = newWriter(p.Stdin, &f.alive, c.tuning.stall, s.stalled)
	f.onList = s.markChanged
	f.onWarning = c.warn
	f.onNoise = func(sample string) { j.note("stdout: " + sample) }
	f.onTalk = s.talk
	return s
}

// begin starts what moves the bytes.
func (s *session) begin() {
	f := s.filter
	s.workers.Go(f.read)
	s.workers.Go(f.writer.run)
	s.workers.Go(func() {
		defer close(s.quiet)
		s.journal.copyFrom(s.process.Stderr, func(n int) {
			s.talk()
			f.alive.Add(int64(n))
		})
	})
	s.workers.Go(s.watch)
}

func (s *session) talk() { s.talkedOnce.Do(func() { close(s.talked) }) }

// stalled ends a server that has stopped reading while somebody waits for it to, and that says nothing either.
func (s *session) stalled() {
	s.journal.note("has not read its stdin for too long, killing it")
	s.isWedged.Store(true)
	s.process.Kill()
}

// watch waits for the program's end, or the end of its stdout, and says why calls cannot be answered any longer.
func (s *session) watch() {
	select {
	case <-s.filter.ended:
	case <-s.process.Exited():
		// What it printed last may hold answers.
		wait(s.filter.ended, s.connector.tuning.settle)
	case <-s.ctx.Done():
		return
	}
	problem := s.obituary()
	s.cancel(problem)
	s.connector.lose(s, problem)
}

// wait waits for the channel to be closed, but not for ever, and reports whether it was.
func wait(closed <-chan struct{}, atMost time.Duration) bool {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-closed:
		return true
	case <-timer.C:
		return false
	}
}

// hasEnded reports whether the program, or its stdout, has.
func (s *session) hasEnded() bool {
	select {
	case <-s.filter.ended:
		return true
	case <-s.process.Exited():
		return true
	default:
		return false
	}
}

// lose makes the connector fail, if the session was serving.
func (c *Connector) lose(s *session, problem *Problem) {
	c.mu.Lock()
	isServing := c.session == s && c.state == StateReady
	if isServing {
		c.problem = problem
		c.enter(StateFailed)
		go s.finish(context.Background()) // s.gone tells when it is done
	}
	c.mu.Unlock()
	c.changes.flush()
	if isServing {
		c.log.Warn("connector is lost", "kind", problem.Kind, "reason", problem.Reason)
	}
}

// connect makes the SDK's session over the filter, which answers its handshake from the one already made.
func (s *session) connect() error {
	c := s.connector
	s.filter.setAnswer(s.answer)
	ignore := mcp.ClientOptions{
		Logger: c.log,
		// Nothing is offered to servers, and results that ask for something are handed up.
		Capabilities:   &mcp.ClientCapabilities{},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
		// The filter acts on these; a handler makes the SDK subscribe to them in the modern era.
		ToolListChangedHandler:     func(context.Context, *mcp.ToolListChangedRequest) {},
		PromptListChangedHandler:   func(context.Context, *mcp.PromptListChangedRequest) {},
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) {},
	}
	client := mcp.NewClient(&mcp.Implementation{Name: c.options.Client.Name, Version: c.options.Client.Version}, &ignore)
	version := s.answer.version
	if s.answer.era == EraLegacy {
		version = legacyVersion
	}
	session, err := client.Connect(s.ctx, s.filter, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return fmt.Errorf("begin the session: %w", err)
	}
	s.client = session
	return nil
}

// finish ends the session and returns when nothing of it is left; the end of ctx cuts the patience short.
func (s *session) finish(ctx context.Context) {
	s.finishing.Do(func() { go s.cleanUp() })
	select {
	case <-s.gone:
	case <-ctx.Done():
		s.process.Kill()
		<-s.gone
	}
}

// cleanUp ends the program first: what it prints on its way out is still read, so that it can flush (C19).
func (s *session) cleanUp() {
	s.cancel(errStopped)
	s.filter.close()
	s.process.Stop(context.Background(), s.connector.options.Timing)
	<-s.process.Gone()
	code, signal := s.process.ExitCode()
	s.journal.note("ended: " + exitPhrase(code, signal))
	<-s.filter.ended
	if s.client != nil {
		// All calls were cancelled and the stream has ended, so it has nothing to wait for.
		_ = s.client.Close()
	}
	s.workers.Wait()
	s.journal.close()
	c := s.connector
	c.mu.Lock()
	if c.session == s {
		c.session = nil
	}
	c.mu.Unlock()
	close(s.gone)
}
