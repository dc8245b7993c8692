package connector

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"
)

// session is one life of the server: the link to it, and the SDK's session over the filter.
type session struct {
	connector *Connector
	link      link
	filter    *filter
	journal   *journal
	slots     *semaphore.Weighted
	lastToken atomic.Int64
	inFlight  atomic.Int64 // requests that somebody waits for
	begun     atomic.Int64 // those that there ever were

	// ctx ends, with the reason as its cause, when no more calls can be answered.
	ctx    context.Context
	cancel context.CancelCauseFunc

	answer    *answer            // to the handshake
	client    *mcp.ClientSession // nil before the handshake
	connected chan struct{}      // closed once client is set

	talked     chan struct{} // the server has said something
	talkedOnce sync.Once
	changed    chan struct{} // capacity 1: a list is to be fetched again
	hurry      chan struct{} // capacity 1: somebody waits for it
	dirtyMu    sync.Mutex
	dirty      lists
	saidAt     map[lists]time.Time // when it was told that the server says so
	tools      relisting
	fresh      freshness

	subscriptions *subscriptions
	listening     listening
	level         logLevel
	inquiries     *inquiries
	followed      *followed

	workers   sync.WaitGroup
	finishing sync.Once
	gone      chan struct{} // nothing of it is left
}

// newSession makes a session whose link is yet to come; what the server says is read from in, where a link has one stream.
func newSession(c *Connector, j *journal, in io.Reader) *session {
	s := &session{
		connector: c, journal: j, filter: newFilter(c.log, in),
		slots:     semaphore.NewWeighted(int64(c.definition.MaxConcurrent)),
		connected: make(chan struct{}), talked: make(chan struct{}),
		changed: make(chan struct{}, 1), hurry: make(chan struct{}, 1), gone: make(chan struct{}),
		saidAt:        map[lists]time.Time{},
		tools:         relisting{ended: make(chan struct{})},
		subscriptions: newSubscriptions(), inquiries: newInquiries(), followed: newFollowed(),
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	f := s.filter
	f.onList = s.sayChanged
	f.onUpdate = s.subscriptions.update
	f.onListenEnd, f.onAcknowledged = s.listenAgain, s.agreed
	f.onTask = s.followed.told
	f.onInquiry, f.onWithdraw, f.onPageDone = s.serve, s.inquiries.withdraw, s.inquiries.pageDone
	f.onLog = s.logged
	f.onWarning = c.warn
	f.onNoise = func(sample string) { j.note("stdout: " + sample) }
	f.onTalk = s.talk
	return s
}

// begin makes the session the connector's, and lets its link move messages.
func (c *Connector) begin(s *session, l link) {
	s.link, s.filter.wire = l, l
	c.mu.Lock()
	c.session = s
	c.noise = &s.filter.noise
	c.mu.Unlock()
	l.begin()
}

// openJournal opens what the session keeps of the server's words.
func (c *Connector) openJournal() *journal {
	journal, err := newJournal(c.options.LogFile, c.options.Redact, c.options.OnStderr)
	if err != nil {
		// A log that cannot be kept is no reason not to run.
		c.warn("log", fmt.Sprintf("has no log file: %v", err))
	}
	return journal
}

func (s *session) talk() { s.talkedOnce.Do(func() { close(s.talked) }) }

// lose says why calls cannot be answered any longer.
func (s *session) lose(problem *Problem) {
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
	s.link.agree(s.answer)
	ignore := mcp.ClientOptions{
		Logger: c.log,
		// What a server may ask for is answered without the SDK, and results that ask for something are handed up.
		Capabilities:   c.offers().modern(),
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
		// The filter acts on these; a handler makes the SDK subscribe to them in the modern era.
		ToolListChangedHandler:     func(context.Context, *mcp.ToolListChangedRequest) {},
		PromptListChangedHandler:   func(context.Context, *mcp.PromptListChangedRequest) {},
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) {},
	}
	client := mcp.NewClient(&mcp.Implementation{Name: c.options.Client.Name, Version: c.options.Client.Version}, &ignore)
	if err := addTaskMethods(client); err != nil {
		return fmt.Errorf("begin the session: %w", err)
	}
	version := s.answer.version
	if s.answer.era == EraLegacy {
		version = legacyVersion
	}
	session, err := client.Connect(s.ctx, s.filter, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return fmt.Errorf("begin the session: %w", err)
	}
	s.client = session
	close(s.connected)
	return nil
}
