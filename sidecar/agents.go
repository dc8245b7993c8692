package sidecar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"pillion/mcp/host"
	"pillion/mcp/serve"
	"pillion/rpc"
	"pillion/rpc/message"
	"pillion/sidecar/attach/bridge"
)

// admitAgent lets an agent join whose proof holds, once a person says so (S7). After the answer the connection carries MCP; of
// these methods an agent reaches none, so that no question, consent or permission is within its reach (S6).
func (a *attached) admitAgent(ctx context.Context, params message.AttachParams) (message.AttachResult, func(), error) {
	s := a.session
	a.stream.Hurry(0)
	pid := a.stream.Peer.PID
	program := programAt(pid)
	caller := host.Caller{Kind: callerAgent, Name: params.Name, Program: program.Path, PID: pid}
	if err := s.mayJoin(ctx, program, caller); err != nil {
		a.part() // also where the program has taken its wish back: it joins by another connection
		return message.AttachResult{}, nil, err
	}
	if refusal := refusalOf(pid); refusal != "" { // time has passed
		return message.AttachResult{}, nil, a.hangUp(rpc.Errorf(rpc.CodeRequestFailed, "%s", refusal))
	}
	s.log.Info("an agent joined", "program", caller.Program, "pid", caller.PID)
	a.agent.Store(&joinedAgent{prefix: a.prefix, caller: caller, expose: params.Expose, isUnprefixed: params.Unprefixed})
	a.stream.HandOver() // nothing of what follows the answer is read as a frame
	return s.joined(), a.conn.Close, nil
}

// joined is what a program is told that has joined.
func (s *Session) joined() message.AttachResult {
	result := message.AttachResult{Protocol: message.ProtocolVersion, Version: s.options.Version, Window: s.window, Roots: []message.URI{}}
	if listener := s.attached.socket(); listener != nil {
		result.Roots = listener.Descriptor().Roots
	}
	return result
}

// joinedAgent is a program that has joined and speaks MCP.
type joinedAgent struct {
	// prefix keeps the ids of its sessions apart from all others' (S7).
	prefix       string
	caller       host.Caller
	expose       message.AttachExpose
	isUnprefixed bool
}

// owns reports whether a session, as the host knows it, is one of this agent.
func (a *joinedAgent) owns(session string) bool { return (&client{prefix: a.prefix}).owns(session) }

// serveMCP serves an agent that has joined, until it leaves or the window ends.
func (a *attached) serveMCP(joined *joinedAgent) {
	s := a.session
	stream := a.stream.Raw()
	defer stream.Close()
	defer context.AfterFunc(s.lifetime, func() { _ = stream.Close() })()
	serve := s.options.serveAgent
	if serve == nil {
		serve = s.serveAgent
	}
	if err := serve(s.lifetime, joined, stream); err != nil {
		s.log.Debug("attached agent ended", "error", err)
	}
	s.forget(joined.prefix, joined.owns)
}

// serveAgent serves the window's connectors on a stream, until it is over.
func (s *Session) serveAgent(ctx context.Context, joined *joinedAgent, stream io.ReadWriteCloser) error {
	options := serve.Options{
		Logger: s.log, Version: s.options.Version, Caller: joined.caller, SessionID: joined.prefix + "/", Unprefixed: joined.isUnprefixed,
	}
	if joined.expose == message.AttachAll {
		options.Expose = serve.All
	}
	lines := &sharedStream{ReadWriteCloser: stream, most: unreadTime, log: s.log}
	options.OnState = lines.tell
	server := serve.New(s.core.Host, options)
	defer server.Close()
	defer s.agents.add(server)()
	return server.Serve(ctx, lines)
}

// sharedStream is a stream of lines that a second one writes to: how far calls have come that a person is asked about, for a bridge
// that may have to say so when this window is gone (U9). Of all others it holds that they may have run, and they cost nothing.
type sharedStream struct {
	io.ReadWriteCloser
	most    time.Duration // that a write may take
	log     *slog.Logger
	writing sync.Mutex
	asked   sync.Map // the calls that somebody was asked about
}

// unreadTime is how long an agent may leave what it is told unread: a call waits until it is told of.
const unreadTime = 30 * time.Second

func (s *sharedStream) Write(line []byte) (int, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if bounded, is := s.ReadWriteCloser.(interface{ SetWriteDeadline(time.Time) error }); is {
		_ = bounded.SetWriteDeadline(time.Now().Add(s.most))
	}
	written, err := s.ReadWriteCloser.Write(line)
	if errors.Is(err, os.ErrDeadlineExceeded) { // a part of a line is of no use
		s.log.Warn("an agent does not read what it is told, and is let go", "within", s.most)
		_ = s.Close()
	}
	return written, err
}

// tell says how far a call has come. It is on its way before the call goes on. What is declined is not told of again: the answer
// says it.
func (s *sharedStream) tell(request string, state host.CallState) {
	if state == host.CallAsking {
		s.asked.Store(request, true)
	} else if _, wasAsked := s.asked.LoadAndDelete(request); !wasAsked {
		return
	}
	name, err := rpc.Marshal(request)
	if err != nil {
		return
	}
	_, _ = fmt.Fprintf(s, `{"jsonrpc":"2.0","method":%q,"params":{"request":%s,"state":%q}}`+"\n", bridge.StateMethod, name, state)
}

// agents are the servers of the agents that have joined.
type agents struct {
	mu  sync.Mutex
	all map[*serve.Server]bool
}

// add has a server told what changes in the host, until it is removed.
func (a *agents) add(one *serve.Server) (remove func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil {
		a.all = map[*serve.Server]bool{}
	}
	a.all[one] = true
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.all, one)
	}
}

// observe tells all of them.
func (a *agents) observe(e host.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for one := range a.all {
		one.Observe(e)
	}
}
