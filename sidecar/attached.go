package sidecar

import (
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"pillion/mcp/host"
	"pillion/mcp/process"
	"pillion/rpc"
	"pillion/rpc/message"
	"pillion/sidecar/attach"
	"pillion/sidecar/core"
)

const (
	// proofTime is how long a connection may take to prove itself.
	proofTime = 10 * time.Second
	// maxAttached bounds how many programs are joined at once.
	maxAttached = 64
	// partingTime bounds how long a connection may take to end with the session.
	partingTime = 300 * time.Millisecond
	// listenTime bounds how long the answer to initialize waits for the socket.
	listenTime = 2 * time.Second
)

// attachments are the programs that have joined the window through its socket.
type attachments struct {
	mu       sync.Mutex
	listener *attach.Listener
	open     map[*attached]bool
	joined   int
	isClosed bool
	// isWelcoming is set once terminals may join.
	isWelcoming bool

	workers sync.WaitGroup
}

// attached is one connection to the window's socket.
type attached struct {
	session   *Session
	stream    *attach.Stream
	handshake *attach.Handshake
	conn      *rpc.Conn
	prefix    string
	// client is set once the program has proved itself; nothing else is served before.
	client atomic.Pointer[client]
	// agent is set once an agent has joined, whose connection carries MCP from then on.
	agent atomic.Pointer[joinedAgent]
	// refusal says why this program may not join at all, or is empty.
	refusal string
	parting sync.Once
}

// listen opens the window's socket and returns its address, or empty where it must not be opened, or is not open soon: a
// workspace that hangs must not hold up the answer that the editor waits for. Nobody is served there before [Session.welcome].
func (s *Session) listen(roots []string) string {
	done := make(chan struct{})
	s.inBackground(func() {
		defer close(done)
		listener, err := s.openSocket(roots)
		if err != nil {
			s.log.Warn("no terminal can join this window", "error", err)
			return
		}
		s.take(listener)
	})
	patience := time.NewTimer(listenTime)
	defer patience.Stop()
	select {
	case <-done:
	case <-patience.C:
		s.log.Warn("the window's socket opens later: a folder of the workspace does not answer")
	}
	if listener := s.attached.socket(); listener != nil {
		return listener.Socket()
	}
	return ""
}

// take keeps the window's socket, and serves it at once where the editor has its answer already.
func (s *Session) take(listener *attach.Listener) {
	a := &s.attached
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.isClosed || a.listener != nil {
		_ = listener.Close()
		return
	}
	a.listener, a.open = listener, map[*attached]bool{}
	if !a.isWelcoming {
		return
	}
	if s.hasStarted() {
		s.describe(listener, s.core.Roots())
	}
	s.admit(listener)
}

// welcome lets terminals find the window's socket, if it has one, and join.
func (s *Session) welcome() {
	a := &s.attached
	a.mu.Lock()
	defer a.mu.Unlock()
	a.isWelcoming = true
	if a.listener != nil {
		s.admit(a.listener)
	}
}

// admit begins to serve the socket; attached.mu is held.
func (s *Session) admit(listener *attach.Listener) {
	a := &s.attached
	if a.isClosed {
		return
	}
	if err := listener.Publish(); err != nil {
		s.log.Warn("no terminal finds this window by itself", "error", err)
	}
	a.workers.Add(1)
	go func() {
		defer a.workers.Done()
		s.acceptAttached(listener)
	}()
}

func (s *Session) openSocket(roots []string) (*attach.Listener, error) {
	folders, err := core.FindFolders(s.options.Environ)
	if err != nil {
		return nil, err
	}
	if err := s.checkPlace(folders, roots); err != nil {
		return nil, err
	}
	return attach.Listen(folders.Runtime, message.WindowDescriptor{
		Window: s.window, Roots: rootURIs(roots), PID: os.Getpid(), Editor: s.editor.clientName(), FocusedAt: time.Now().UTC(),
	})
}

// checkPlace refuses a socket where a repository could hold Pillion's own files.
func checkPlace(folders core.Folders, roots []string) error {
	return errors.Join(folders.CheckOutside(roots), folders.CheckRuntime(roots))
}

// describeRoots tells who looks for a window which folders it has now.
func (s *Session) describeRoots(roots []string) {
	s.attached.mu.Lock()
	listener := s.attached.listener
	s.attached.mu.Unlock()
	if listener != nil {
		s.describe(listener, roots)
	}
}

// focused tells who looks for a window that this one has the focus.
func (s *Session) focused(context.Context, message.Empty) {
	at := time.Now().UTC()
	listener := s.attached.socket()
	if listener == nil {
		return
	}
	s.inBackground(func() { // the folder may be slow, and whoever reads the editor's messages does not wait for it
		err := listener.Describe(func(d *message.WindowDescriptor) {
			if at.After(d.FocusedAt) {
				d.FocusedAt = at
			}
		})
		if err != nil {
			s.log.Warn("it is not told to terminals that the window has the focus", "error", err)
		}
	})
}

func (s *Session) describe(listener *attach.Listener, roots []string) {
	err := listener.Describe(func(d *message.WindowDescriptor) { d.Roots = rootURIs(roots) })
	if err != nil {
		s.log.Warn("the window's folders are not told to terminals", "error", err)
	}
}

func rootURIs(roots []string) []message.URI {
	uris := make([]message.URI, len(roots))
	for i, root := range roots {
		uris[i] = fileURI(root)
	}
	return uris
}

func (s *Session) acceptAttached(listener *attach.Listener) {
	for {
		stream, err := listener.Accept()
		if err != nil {
			if !errors.Is(err, net.ErrClosed) {
				s.log.Warn("no more terminals can join this window", "error", err)
			}
			return
		}
		if !s.attached.serve(s, stream, listener.Handshake()) {
			_ = stream.Close()
		}
	}
}

// serve begins to serve a connection; it reports false when there are too many, or the session is ending.
func (a *attachments) serve(s *Session, stream *attach.Stream, handshake *attach.Handshake) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.isClosed || len(a.open) >= maxAttached {
		return false
	}
	a.joined++
	one := newAttached(s, stream, handshake, "attached-"+strconv.Itoa(a.joined))
	a.open[one] = true
	a.workers.Add(1)
	go func() {
		defer a.workers.Done()
		one.serve()
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.open, one)
	}()
	return true
}

func newAttached(s *Session, stream *attach.Stream, handshake *attach.Handshake, prefix string) *attached {
	a := &attached{session: s, stream: stream, handshake: handshake, prefix: prefix, refusal: refusalOf(stream.Peer.PID)}
	router := rpc.NewRouter()
	s.handleShared(router)
	rpc.Handle(router, message.AttachChallenge, a.challenge)
	rpc.HandleThen(router, message.Attach, a.attach)
	a.conn = rpc.NewConn(stream.In(), stream.Out(), router, rpc.Options{
		Logger: s.log, Gate: a.gate, Snapshot: a.snapshot, Grace: partingTime,
	})
	return a
}

// refusalOf says why a program may neither join nor answer, or is empty: what a connector started would be judging its own
// calls (S6, S7). It is known by the kernel's word alone: by its descent from this process, which has no other children, or
// from another that hosts connectors, and by the mark that every connector's environment carries.
func refusalOf(pid int) string {
	if process.StartedByConnector(pid) || pid != os.Getpid() && process.IsDescendantOf(pid, os.Getpid()) {
		return "a program that a connector started may not join or answer"
	}
	return ""
}

func (a *attached) serve() {
	a.stream.Hurry(proofTime)
	if err := a.conn.Serve(a.session.lifetime); err != nil {
		a.session.log.Debug("attached connection ended", "error", err)
	}
	if c := a.client.Load(); c != nil {
		c.leave()
		a.session.clients.remove(c)
		a.session.forget(c.prefix, c.owns)
	}
	if joined := a.agent.Load(); joined != nil {
		a.serveMCP(joined)
	}
}

// forget ends what a program had here that has gone.
func (s *Session) forget(prefix string, owns func(session string) bool) {
	if s.hasStarted() {
		s.core.EndSessions(owns)
		s.core.EndSubscriptions(s.lifetime, prefix)
	}
}

// gate lets nothing through before the proof but the proof.
func (a *attached) gate(method string, _ bool) *rpc.Error {
	if method == message.AttachChallenge.Method || method == message.Attach.Method || a.client.Load() != nil {
		return nil
	}
	return rpc.Errorf(rpc.CodeServerNotInitialized, "%s comes before %s", message.Attach.Method, method)
}

func (a *attached) snapshot(ctx context.Context, _ string) context.Context {
	if c := a.client.Load(); c != nil {
		return c.with(ctx)
	}
	return ctx
}

func (a *attached) challenge(_ context.Context, params message.AttachChallengeParams) (message.AttachChallengeResult, error) {
	if a.refusal != "" {
		return message.AttachChallengeResult{}, a.hangUp(rpc.Errorf(rpc.CodeRequestFailed, "%s", a.refusal))
	}
	result, err := a.handshake.Challenge(params)
	return result, a.hangUp(err)
}

func (a *attached) attach(ctx context.Context, params message.AttachParams) (message.AttachResult, func(), error) {
	if a.refusal != "" {
		return message.AttachResult{}, nil, a.hangUp(rpc.Errorf(rpc.CodeRequestFailed, "%s", a.refusal))
	}
	if err := a.handshake.Join(params); err != nil {
		return message.AttachResult{}, nil, a.hangUp(err)
	}
	if params.Role == message.AttachAgent {
		return a.admitAgent(ctx, params)
	}
	a.stream.Hurry(0)
	s := a.session
	joined := a.join(params.Name)
	s.clients.add(joined)
	a.client.Store(joined)
	s.log.Info("a terminal joined", "program", joined.caller.Program, "pid", joined.caller.PID)
	return s.joined(), nil, nil
}

// join is the program as the rest of the session knows it: what it calls itself, and what the kernel knows it to be.
func (a *attached) join(name string) *client {
	pid := a.stream.Peer.PID
	return &client{
		conn: a.conn, prefix: a.prefix,
		caller: host.Caller{Kind: string(message.AskerCLI), Name: name, Program: process.ExecutablePath(pid), PID: pid},
		// It is looked at again for every answer: a program may have become a connector's since it joined.
		refusal: func() string { return refusalOf(pid) },
		isTold:  func() bool { return true },
	}
}

// hangUp ends the connection after an answer that says that its proof has failed; other errors, and nil, leave it open.
// The other side has a moment to read the answer: one that is overtaken by the end would not be told.
func (a *attached) hangUp(err error) error {
	var fault *rpc.Error
	if errors.As(err, &fault) && fault.Code == rpc.CodeRequestFailed {
		a.part()
	}
	return err
}

func (a *attached) part() { a.parting.Do(func() { a.stream.Hurry(partingTime) }) }

func (a *attachments) socket() *attach.Listener {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.listener
}

// closeAttach removes the window's socket, ends every connection and waits until all of it has gone.
func (s *Session) closeAttach() {
	a := &s.attached
	a.mu.Lock()
	a.isClosed = true
	listener := a.listener
	for one := range a.open {
		one.conn.Close()
	}
	a.mu.Unlock()
	if listener != nil {
		if err := listener.Close(); err != nil {
			s.log.Debug("socket not closed", "error", err)
		}
	}
	a.workers.Wait()
}
