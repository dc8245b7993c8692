package sidecar

import (
	"context"
	"strings"
	"sync"

	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

// client is one connection that speaks Pillion's own messages: the editor's, or an attached terminal's.
type client struct {
	conn   *rpc.Conn
	caller host.Caller
	// prefix keeps the session ids of attached callers apart from each other's (S7); empty for the editor.
	prefix string
	// refusal says why this caller may answer no question, or is empty.
	refusal func() string
	// isTold reports whether pillion/… notifications go to it.
	isTold func() bool

	mu     sync.Mutex
	seen   map[message.AskID]bool
	joined map[string]bool // sessions whose processes it uses, and whether it drives them
	isGone bool
	// unfollow ends the telling of events; nil where none are told.
	unfollow context.CancelFunc
}

// beginFollowing is the context in which events are told from now on; whoever told them before is ended. False is for a client
// that has gone.
func (c *client) beginFollowing(lifetime context.Context) (context.Context, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isGone {
		return nil, false
	}
	if c.unfollow != nil {
		c.unfollow()
	}
	ctx, cancel := context.WithCancel(lifetime)
	c.unfollow = cancel
	return ctx, true
}

// leave ends what is told to a client that has gone.
func (c *client) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isGone = true; c.unfollow != nil {
		c.unfollow()
	}
}

// clients are the connections of the session.
type clients struct {
	mu  sync.Mutex
	all map[*client]bool
}

// callerAgent is the kind of a caller that no person is at.
const callerAgent = "agent"

type clientKey struct{}

// with gives the requests of a connection their caller.
func (c *client) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, clientKey{}, c)
}

// callerOf is the connection that a request came from.
func callerOf(ctx context.Context) *client {
	c, _ := ctx.Value(clientKey{}).(*client)
	if c == nil {
		// Every connection is made with its client; without one nothing may be answered.
		return &client{caller: host.Caller{Kind: callerAgent}, refusal: func() string { return "the caller is unknown" }, isTold: func() bool { return false }}
	}
	return c
}

// session is a session id as the host knows it.
func (c *client) session(id string) string {
	if c.prefix == "" {
		return id
	}
	return c.prefix + "/" + id
}

// parent is the id of the session that one was started by, as the host knows it; empty where nobody says.
func (c *client) parent(id string) string {
	if id == "" {
		return ""
	}
	return c.session(id)
}

// owns reports whether a session, as the host knows it, is one of this connection.
func (c *client) owns(session string) bool {
	return c.prefix != "" && strings.HasPrefix(session, c.prefix+"/")
}

// saw remembers that questions were shown on this connection.
func (c *client) saw(asks []message.Ask) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = map[message.AskID]bool{}
	}
	for _, ask := range asks {
		c.seen[ask.AskID] = true
	}
}

// mayAnswer says why this connection may not answer a question, or is empty.
func (c *client) mayAnswer(id message.AskID) string {
	if refusal := c.refusal(); refusal != "" {
		return refusal
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.seen[id] {
		return "the question was not shown on this connection; list the questions first"
	}
	return ""
}

func (c *clients) add(one *client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all = map[*client]bool{}
	}
	c.all[one] = true
}

func (c *clients) remove(one *client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.all, one)
}

// each calls f for every connection that is told of changes.
func (c *clients) each(f func(*client)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for one := range c.all {
		if one.isTold() {
			f(one)
		}
	}
}
