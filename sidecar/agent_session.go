package sidecar

import (
	"context"

	"pillion/rpc"
	"pillion/rpc/message"
)

// agentSessions lists the sessions of callers that have processes to themselves.
func (s *Session) agentSessions(ctx context.Context, _ message.Empty) (message.SessionsResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.SessionsResult{}, err
	}
	result := message.SessionsResult{Sessions: []message.AgentSession{}}
	for _, p := range c.SessionProcesses() {
		last := len(result.Sessions) - 1
		if last < 0 || result.Sessions[last].SessionID != message.SessionID(p.Session) {
			result.Sessions = append(result.Sessions, message.AgentSession{
				SessionID: message.SessionID(p.Session), Name: p.Session, Holders: s.clients.holders(p.Session),
			})
			last++
		}
		one := &result.Sessions[last]
		one.Processes = append(one.Processes, message.SessionProcess{Connector: message.ConnectorID(p.Connector), ConnectorName: p.Name, PID: p.PID})
	}
	return result, nil
}

// agentSessionJoin lets a person's connection use the processes of a session that is not its own (C11).
func (s *Session) agentSessionJoin(ctx context.Context, params message.SessionJoinParams) (message.Empty, error) {
	if err := params.Check(); err != nil {
		return message.Empty{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.Empty{}, err
	}
	caller, id := callerOf(ctx), string(params.SessionID)
	if caller.caller.Kind == callerAgent {
		return message.Empty{}, rpc.Errorf(rpc.CodeRequestFailed, "an agent joins no session of another's")
	}
	for _, p := range c.SessionProcesses() {
		if p.Session == id {
			caller.join(id, params.Mode == message.JoinDriving)
			return message.Empty{}, nil
		}
	}
	return message.Empty{}, unknownSession(id)
}

func (s *Session) agentSessionRestart(ctx context.Context, params message.SessionParams) (message.Empty, error) {
	return s.endAgentSession(ctx, params, false)
}

func (s *Session) agentSessionEnd(ctx context.Context, params message.SessionParams) (message.Empty, error) {
	return s.endAgentSession(ctx, params, true)
}

func (s *Session) endAgentSession(ctx context.Context, params message.SessionParams, isOver bool) (message.Empty, error) {
	if err := params.Check(); err != nil {
		return message.Empty{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.Empty{}, err
	}
	caller, id := callerOf(ctx), string(params.SessionID)
	if _, isDriving := caller.joinedTo(id); !isDriving && caller.prefix != "" && !caller.owns(id) {
		return message.Empty{}, rpc.Errorf(rpc.CodeRequestFailed, "the session %q is another caller's", id)
	}
	if !c.RestartSession(id) {
		return message.Empty{}, unknownSession(id)
	}
	if isOver {
		c.EndSessions(func(session string) bool { return session == id })
		s.clients.part(id)
	}
	return message.Empty{}, nil
}

func unknownSession(id string) error {
	return rpc.Errorf(rpc.CodeInvalidParams, "no session %q has a process to itself", id)
}

// join remembers that the connection uses the processes of a session.
func (c *client) join(session string, isDriving bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.joined == nil {
		c.joined = map[string]bool{}
	}
	c.joined[session] = isDriving
}

// joinedTo reports whether the connection has joined a session, and drives it.
func (c *client) joinedTo(session string) (isJoined, isDriving bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	isDriving, isJoined = c.joined[session]
	return isJoined, isDriving
}

// holders are the connections that have joined a session.
func (c *clients) holders(session string) []message.SessionHolder {
	c.mu.Lock()
	defer c.mu.Unlock()
	holders := []message.SessionHolder{}
	for one := range c.all {
		isJoined, isDriving := one.joinedTo(session)
		if !isJoined {
			continue
		}
		holder := message.SessionHolder{Name: one.caller.Name, Mode: message.JoinReadOnly}
		if isDriving {
			holder.Mode = message.JoinDriving
		}
		holders = append(holders, holder)
	}
	return holders
}

// part ends what was joined of a session.
func (c *clients) part(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for one := range c.all {
		one.mu.Lock()
		delete(one.joined, session)
		one.mu.Unlock()
	}
}
