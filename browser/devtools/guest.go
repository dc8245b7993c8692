package devtools

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
)

// Command is what a guest wants the browser to do.
type Command struct {
	Target target.ID // that it is for; "" is the browser itself
	Method string
	Params jsonv2.Value
}

// Reply is what a guest gets in place of what the browser would have answered.
type Reply struct {
	Result jsonv2.Value // "" is an empty object
	Fault  string       // what is refused and why; "" is no refusal
}

// Host decides about what a guest does. Neither function may wait for [Session.Call].
type Host struct {
	// Judge returns nil for a command that is passed on.
	Judge func(Command) *Reply
	// Answered is told what the browser answered to a command that was passed on, before the guest is.
	Answered func(c Command, result jsonv2.Value)
}

// guest is another program that speaks with the browser over this connection, in sessions of its own.
type guest struct {
	conn    *Conn
	host    Host
	root    target.SessionID // stands for the browser
	out     io.Writer
	writing sync.Mutex

	mu       sync.Mutex
	sessions map[target.SessionID]target.ID // all of its own
	waiting  map[int64]asked                // by the id on this connection
}

type asked struct {
	id      int64 // the guest's own
	command Command
}

// Invite has another program speak with the browser over the two ends, in messages as the browser's own pipes carry them, until
// in ends, the browser goes or ctx ends; it closes neither. The guest sees and ends no session but its own. There is one at a time.
func (c *Conn) Invite(ctx context.Context, in io.Reader, out io.Writer, host Host) error {
	made, err := cdp.Call(ctx, c.Browser(), target.AttachToBrowserTarget, cdp.Empty{})
	if err != nil {
		return fmt.Errorf("invite a guest: %w", err)
	}
	g := &guest{
		conn: c, host: host, root: made.SessionID, out: out,
		sessions: map[target.SessionID]target.ID{made.SessionID: ""}, waiting: map[int64]asked{},
	}
	if !c.guest.CompareAndSwap(nil, g) {
		return fmt.Errorf("invite a guest: there is one already")
	}
	defer c.guest.Store(nil)
	read := make(chan error, 1)
	go func() { read <- g.read(in) }()
	select {
	case err = <-read:
	case <-c.over:
	case <-ctx.Done():
	}
	return err
}

func (g *guest) read(in io.Reader) error {
	buffered := bufio.NewReaderSize(in, 64<<10)
	for {
		text, err := readMessage(buffered, maxMessageBytes)
		if err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		var m message
		if err := jsonv2.Unmarshal(text, &m, lenient()); err != nil {
			return fmt.Errorf("a guest's message: %w", err)
		}
		if err := g.command(m); err != nil {
			return err
		}
	}
}

// command passes a command on, or answers it.
func (g *guest) command(m message) error {
	answer := message{ID: m.ID, Session: m.Session}
	g.mu.Lock()
	of, isTheirs := g.sessions[m.Session]
	g.mu.Unlock()
	command := Command{Target: of, Method: m.Method, Params: m.Params}
	if !isTheirs && m.Session != "" {
		answer.Error = &Error{Code: -32001, Message: "Session with given id not found."}
		return g.write(answer)
	}
	if reply := g.host.Judge(command); reply != nil {
		answer.Result = reply.Result
		if len(answer.Result) == 0 {
			answer.Result = jsonv2.Value("{}")
		}
		if reply.Fault != "" {
			answer.Result, answer.Error = nil, &Error{Code: -32000, Message: reply.Fault}
		}
		return g.write(answer)
	}
	if m.Session == "" {
		m.Session = g.root
	}
	return g.conn.forward(g, m, asked{id: m.ID, command: command})
}

// forward sends a guest's command under an id of this connection.
func (c *Conn) forward(g *guest, m message, as asked) error {
	c.mu.Lock()
	c.next++
	m.ID = c.next
	c.mu.Unlock()
	g.mu.Lock()
	g.waiting[m.ID] = as
	g.mu.Unlock()
	return c.write(m)
}

// takes passes on what is for the guest, and reports whether it was.
func (g *guest) takes(m message) bool {
	if m.ID != 0 {
		g.mu.Lock()
		as, isTheirs := g.waiting[m.ID]
		delete(g.waiting, m.ID)
		g.mu.Unlock()
		if !isTheirs {
			return false
		}
		m.ID = as.id
		if m.Error == nil && g.host.Answered != nil {
			g.host.Answered(as.command, m.Result)
		}
	} else if !g.takesEvent(m) {
		return false
	}
	if m.Session == g.root {
		m.Session = ""
	}
	_ = g.write(m) // its reader ends where it has gone
	return true
}

// takesEvent reports whether an event is of one of the guest's sessions, and follows which those are.
func (g *guest) takesEvent(m message) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, isTheirs := g.sessions[m.Session]; !isTheirs {
		return false
	}
	var of struct {
		Session target.SessionID `json:"sessionId"`
		Target  struct {
			ID target.ID `json:"targetId"`
		} `json:"targetInfo"`
	}
	switch m.Method {
	case target.AttachedToTarget.Method:
		if jsonv2.Unmarshal(m.Params, &of, lenient()) == nil {
			g.sessions[of.Session] = of.Target.ID
		}
	case target.DetachedFromTarget.Method:
		if jsonv2.Unmarshal(m.Params, &of, lenient()) == nil {
			delete(g.sessions, of.Session)
		}
	}
	return true
}

func (g *guest) write(m message) error {
	encoded, err := jsonv2.Marshal(m, lenient())
	if err != nil {
		return err
	}
	g.writing.Lock()
	defer g.writing.Unlock()
	_, err = g.out.Write(append(encoded, 0))
	return err
}
