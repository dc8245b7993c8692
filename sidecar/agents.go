package sidecar

import (
	"context"
	"io"

	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

// admitAgent lets an agent join whose proof holds, once a person says so (S7). After the answer the connection carries MCP; of
// these methods an agent reaches none, so that no question, consent or permission is within its reach (S6).
func (a *attached) admitAgent(ctx context.Context, params message.AttachParams) (message.AttachResult, func(), error) {
	s := a.session
	if s.options.serveAgent == nil {
		return message.AttachResult{}, nil, a.hangUp(rpc.Errorf(rpc.CodeRequestFailed, "agents are not supported yet"))
	}
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
	a.agent.Store(&client{
		prefix: a.prefix, caller: caller, isTold: func() bool { return false },
		refusal: func() string { return "an agent answers no question" },
	})
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

// serveMCP serves an agent that has joined, until it leaves or the window ends.
func (a *attached) serveMCP(c *client) {
	s := a.session
	stream := a.stream.Raw()
	defer stream.Close()
	defer context.AfterFunc(s.lifetime, func() { _ = stream.Close() })()
	if err := s.options.serveAgent(s.lifetime, s, c, stream); err != nil {
		s.log.Debug("attached agent ended", "error", err)
	}
}

// agentServer serves MCP to one agent on a stream of bytes, until it is over.
type agentServer func(ctx context.Context, s *Session, c *client, stream io.ReadWriteCloser) error
