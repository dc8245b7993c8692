package devtools

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
)

// ErrClosed is the error of a call whose browser has gone, before or during it.
var ErrClosed = errors.New("the browser has gone")

// Error is what the browser answers to a command that it cannot follow.
type Error struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data,omitzero"`
}

func (e *Error) Error() string {
	if e.Data != "" {
		return e.Message + " (" + e.Data + ")"
	}
	return e.Message
}

// Event is something that the browser tells without being asked.
type Event struct {
	Session target.SessionID // "" is the browser's own
	Method  string
	Params  jsonv2.Value // the receiver's to keep

	flushed chan struct{} // not nil for what is no event, but a place in their order
}

type message struct {
	ID      int64            `json:"id,omitzero"`
	Session target.SessionID `json:"sessionId,omitzero"`
	Method  string           `json:"method,omitzero"`
	Params  jsonv2.Value     `json:"params,omitzero"`
	Result  jsonv2.Value     `json:"result,omitzero"`
	Error   *Error           `json:"error,omitzero"`
}

// Conn is the connection to one browser. Its methods may be called from any goroutine.
type Conn struct {
	in      *bufio.Reader
	ends    []io.Closer
	out     io.Writer
	writing sync.Mutex

	mu      sync.Mutex
	next    int64
	waiting map[int64]chan message
	isOver  bool

	guest  atomic.Pointer[guest]
	queue  queue
	over   chan struct{} // closed when nothing more is read
	events chan struct{} // closed when the last event was handled
}

// Connect speaks over the two ends, which it owns from here on. onEvent is called with one event after the other, in the
// order in which the browser sent them; it may call [Session.Send], and must not wait for [Session.Call].
func Connect(in io.ReadCloser, out io.WriteCloser, onEvent func(Event)) *Conn {
	c := &Conn{
		in: bufio.NewReaderSize(in, 64<<10), out: out, ends: []io.Closer{in, out},
		waiting: map[int64]chan message{},
		over:    make(chan struct{}), events: make(chan struct{}),
	}
	c.queue.wake = make(chan struct{}, 1)
	go c.read()
	go c.dispatch(onEvent)
	return c
}

// Over is closed when the browser has gone or Close was called.
func (c *Conn) Over() <-chan struct{} { return c.over }

// Close ends the connection, on which the browser ends too, and waits until the last event was handled.
func (c *Conn) Close() {
	c.end()
	<-c.over
	<-c.events
}

func (c *Conn) end() {
	for _, end := range c.ends {
		_ = end.Close()
	}
}

// Flush waits until every event that was read so far is handled. An answer comes by a shorter way than an event, and so may
// arrive before what was sent before it. It must not be called by the handler of events.
func (c *Conn) Flush(ctx context.Context) error {
	handled := make(chan struct{})
	c.queue.put(Event{flushed: handled})
	select {
	case <-handled:
		return nil
	case <-c.events:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Browser is the session of the browser itself.
func (c *Conn) Browser() Session { return Session{conn: c} }

// Session is the session with the id, of an attached target.
func (c *Conn) Session(id target.SessionID) Session { return Session{conn: c, ID: id} }

// Session is where commands go to: the browser, or one attached target of it. It satisfies cdp.Session.
type Session struct {
	ID   target.SessionID
	conn *Conn
}

// Call sends the command and decodes the answer into result, unless that is nil. The error is the context's, an [*Error] or
// [ErrClosed], with the method's name around it.
func (s Session) Call(ctx context.Context, method string, params, result any) error {
	answer, err := s.conn.call(ctx, s.ID, method, params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if result == nil {
		return nil
	}
	if err := jsonv2.Unmarshal(answer, result, lenient()); err != nil {
		return fmt.Errorf("%s: read the answer: %w", method, err)
	}
	return nil
}

// Send sends the command and does not wait for an answer. A browser that has gone is no error: nobody is there to be told.
func (s Session) Send(method string, params any) {
	_, _ = s.conn.send(s.ID, method, params, nil)
}

// Subscribe ends at once: the events of all sessions come in one order, to the function that [Connect] was given.
func (s Session) Subscribe(string) (<-chan jsonv2.Value, func()) {
	none := make(chan jsonv2.Value)
	close(none)
	return none, func() {}
}

func (c *Conn) call(ctx context.Context, session target.SessionID, method string, params any) (jsonv2.Value, error) {
	answer := make(chan message, 1)
	id, err := c.send(session, method, params, answer)
	if err != nil {
		return nil, err
	}
	defer c.forget(id)
	select {
	case m := <-answer:
		return result(m)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-c.over:
	}
	select {
	case m := <-answer: // the last one that was read
		return result(m)
	default:
		return nil, ErrClosed
	}
}

func result(m message) (jsonv2.Value, error) {
	if m.Error != nil {
		return nil, m.Error
	}
	return m.Result, nil
}

// send writes the command; a nil answer means that nobody waits for one.
func (c *Conn) send(session target.SessionID, method string, params any, answer chan message) (int64, error) {
	m := message{Session: session, Method: method}
	if params != nil {
		encoded, err := jsonv2.Marshal(params, lenient())
		if err != nil {
			return 0, err
		}
		m.Params = encoded
	}
	c.mu.Lock()
	if c.isOver {
		c.mu.Unlock()
		return 0, ErrClosed
	}
	c.next++
	m.ID = c.next
	if answer != nil {
		c.waiting[m.ID] = answer
	}
	c.mu.Unlock()
	if err := c.write(m); err != nil {
		c.forget(m.ID)
		return 0, ErrClosed
	}
	return m.ID, nil
}

func (c *Conn) write(m message) error {
	encoded, err := jsonv2.Marshal(m, lenient())
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err = c.out.Write(append(encoded, 0))
	return err
}

func (c *Conn) forget(id int64) {
	c.mu.Lock()
	delete(c.waiting, id)
	c.mu.Unlock()
}

func (c *Conn) read() {
	defer close(c.over)
	defer c.queue.end()
	defer func() {
		c.mu.Lock()
		c.isOver = true
		c.mu.Unlock()
	}()
	for {
		text, err := readMessage(c.in, maxMessageBytes)
		if err != nil {
			return
		}
		var m message
		if err := jsonv2.Unmarshal(text, &m, lenient()); err != nil {
			continue // a message that cannot be read concerns nobody
		}
		if g := c.guest.Load(); g != nil && g.takes(m) {
			continue
		}
		if m.ID == 0 {
			c.queue.put(Event{Session: m.Session, Method: m.Method, Params: m.Params})
			continue
		}
		c.mu.Lock()
		answer := c.waiting[m.ID]
		delete(c.waiting, m.ID)
		c.mu.Unlock()
		if answer != nil {
			answer <- m
		}
	}
}

func (c *Conn) dispatch(onEvent func(Event)) {
	defer close(c.events)
	for {
		events, more := c.queue.take()
		for _, event := range events {
			if event.flushed != nil {
				close(event.flushed)
				continue
			}
			onEvent(event)
		}
		if !more {
			return
		}
	}
}

// lenient reads and writes what pages make: text that is no UTF-8.
func lenient() jsonv2.Options {
	return jsonv2.JoinOptions(jsonv2.DefaultOptionsV2(), jsonv2.AllowInvalidUTF8(true))
}

// queue keeps events apart from the reader: a handler that is slow must not hold up the answer that another waits for.
type queue struct {
	mu     sync.Mutex
	events []Event
	ended  bool
	wake   chan struct{}
}

func (q *queue) put(e Event) {
	q.mu.Lock()
	q.events = append(q.events, e)
	q.mu.Unlock()
	q.signal()
}

func (q *queue) end() {
	q.mu.Lock()
	q.ended = true
	q.mu.Unlock()
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take waits for events and reports whether more may come.
func (q *queue) take() ([]Event, bool) {
	for {
		q.mu.Lock()
		events, ended := q.events, q.ended
		q.events = nil
		q.mu.Unlock()
		if len(events) > 0 || ended {
			return events, !ended
		}
		<-q.wake
	}
}
