// Package bridge relays one MCP client to a server that may go away and come back, as the window of an editor does: the client
// keeps its connection, and hears of a change of lists (U8).
// It serves nothing itself, decides nothing, and looks at no more of a message than whose it is.
package bridge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// StateMethod is the notification by which a window tells a bridge of a call that a person is asked about, and that he has been:
// {"request": …, "state": "asking"}, then "running". The request is what the bridge calls it in its _meta, as "pillion/request". It goes no further.
const StateMethod = "notifications/pillion/state"

// stateAsking says that a person is asked about a call, and that nothing runs yet.
const stateAsking = "asking"

const (
	// replayTime bounds how long a server may take to be told what one before was told.
	replayTime = 30 * time.Second
	// lobbyTime is how long a server may take to be found before what all servers answer alike is answered.
	lobbyTime = 500 * time.Millisecond
	// maxWaitingBytes bounds what waits for a server.
	maxWaitingBytes = 64 << 20
	// refusalTime is how long a refusal to be joined counts: a client that asks on does not have a person asked on.
	refusalTime = time.Minute
)

// Upstream is a server that speaks MCP as lines of JSON.
type Upstream struct {
	Stream io.ReadWriteCloser
	// IsTelling says that it sends [StateMethod]. A call that is lost may have run unless a person was just asked about it.
	IsTelling bool
	// Better is closed when another server would be the better one; the bridge leaves this one at a quiet moment. Nil is for never.
	Better <-chan struct{}
}

// Options say where the servers are.
type Options struct {
	// Logger receives what is of interest; nil discards it.
	Logger *slog.Logger
	// Dial finds the next server and waits for it as long as that takes; client is what the client calls itself, or empty. It is
	// first called when the client wants something. Its error is for the client, which is told of it for a minute; then it is tried
	// again when the client wants something.
	Dial func(ctx context.Context, client string) (Upstream, error)
	// Lobby opens a server that knows nothing, and answers what every server answers alike while Dial waits; nil is for none.
	Lobby func(context.Context) (io.ReadWriteCloser, error)
}

// Bridge is the state of one client.
type Bridge struct {
	options Options
	log     *slog.Logger

	writing sync.Mutex
	out     io.Writer

	wanted  chan struct{} // capacity 1: the client waits for something
	settled chan struct{} // capacity 1: something was answered

	mu      sync.Mutex
	now     *link // that all goes to; nil while there is none
	next    *link // that is there, and may still be told what came before
	flights map[string]*flight
	waiting []*flight
	bytes   int // of what waits
	spoken  spoken
	lists   map[string]jsontext.Value // the last answers of lists, by what was asked for
	isEarly bool                      // the lobby has answered lists, and the client was not told yet that they are others
	refused error                     // nil, or why no server takes the client
	until   time.Time                 // of the refusal
	count   int                       // of requests of the bridge's own
}

// flight is a request of the client that is not answered.
type flight struct {
	method string
	id     jsontext.Value
	list   string // the key in lists, empty for what is no list
	line   []byte // kept while it waits, and of what is sent again
	link   *link  // nil while it waits
	state  string // as it was told last
	// isModern is set of a call of MCP 2026-07-28, whose results say what they are.
	isModern bool
	// isReplayed is set of a subscription that was sent again: the client has had its acknowledgement.
	isReplayed bool
	// isLate is set of a subscription that waited while the lobby answered lists.
	isLate bool
}

// New returns a bridge that does nothing until [Bridge.Run].
func New(o Options) *Bridge {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Bridge{
		options: o, log: o.Logger, wanted: make(chan struct{}, 1), settled: make(chan struct{}, 1),
		flights: map[string]*flight{}, lists: map[string]jsontext.Value{}, spoken: spoken{subscriptions: map[string][]byte{}},
	}
}

// Run relays the client until it ends its stream or ctx ends, and closes both. It is called once.
func (b *Bridge) Run(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b.out = out
	var workers sync.WaitGroup
	workers.Go(func() { b.keepServed(ctx) })
	stop := context.AfterFunc(ctx, func() { _ = in.Close() })
	err := b.readClient(in)
	isOver := ctx.Err() != nil
	stop()
	cancel()
	workers.Wait()
	_ = in.Close()
	_ = out.Close()
	if isOver || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (b *Bridge) readClient(in io.Reader) error {
	reader := bufio.NewReaderSize(in, 64<<10)
	var kept []byte
	for {
		line, err := readLine(reader, kept)
		if errors.Is(err, errTooLong) {
			b.tell(errorOf(jsontext.Value("null"), -32600, err.Error()))
			continue
		}
		if err != nil {
			return err
		}
		kept = line
		b.fromClient(line)
	}
}

// fromClient takes one message of the client.
func (b *Bridge) fromClient(line []byte) {
	e := open(line)
	switch e.kind {
	case request:
		b.requested(e, line)
	case notification:
		b.notified(e, line)
	case response:
		if l := b.awaiting(e.id); l != nil {
			l.send(line)
		}
	default:
		b.unclear(line)
	}
}

// unclear is for what is no message: the server says what is wrong with it.
func (b *Bridge) unclear(line []byte) {
	if elements, isBatch := batch(line); isBatch { // MCP 2025-03-26; answers may come one by one
		for _, element := range elements {
			b.fromClient(element)
		}
		return
	}
	b.mu.Lock()
	l := b.now
	b.mu.Unlock()
	if l == nil {
		b.tell(errorOf(jsontext.Value("null"), -32600, "this is no message of JSON-RPC 2.0"))
		return
	}
	l.send(line)
}

func batch(line []byte) (elements [][]byte, isBatch bool) {
	if line[0] != '[' {
		return nil, false
	}
	d := jsontext.NewDecoder(bytes.NewReader(line), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := d.ReadToken(); err != nil {
		return nil, false
	}
	for d.PeekKind() == '{' {
		value, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		elements = append(elements, bytes.Clone(value))
	}
	return elements, len(elements) > 0
}

// requested sends a request on, answers it out of what was seen last, or lets it wait.
func (b *Bridge) requested(e envelope, line []byte) {
	f := newFlight(e, line)
	b.mu.Lock()
	b.spoken.heard(e, line)
	if l := b.now; l != nil && l.serves(f.method) {
		f.link = l
		b.flights[keyOf(f.id)] = f
		b.mu.Unlock()
		l.send(l.named(e, line))
		return
	}
	answer := b.answerAlone(f)
	if answer == nil {
		f.line = bytes.Clone(line)
		b.wait(f)
	}
	b.mu.Unlock()
	b.tell(answer)
	select {
	case b.wanted <- struct{}{}:
	default:
	}
}

func newFlight(e envelope, line []byte) *flight {
	f := &flight{method: e.method, id: bytes.Clone(e.id)}
	switch {
	case isList(e.method):
		f.list = listKey(e)
	case e.method == methodCall:
		f.isModern = isModern(e.params)
	}
	if f.isSentAgain() {
		f.line = bytes.Clone(line)
	}
	return f
}

// answerAlone is the answer to a request that no server is there for, or nil; b.mu is held.
func (b *Bridge) answerAlone(f *flight) []byte {
	if answer := b.seen(f); answer != nil {
		return answer
	}
	if b.refused != nil && time.Now().Before(b.until) {
		return f.failed(b.refused.Error())
	}
	if b.bytes > maxWaitingBytes {
		return f.failed("too much waits for the editor already")
	}
	return nil
}

// seen is the answer to a request out of what was seen last, or nil; b.mu is held.
func (b *Bridge) seen(f *flight) []byte {
	if f.method == methodPing {
		return resultOf(f.id, []byte(`{}`))
	}
	if result, isKnown := b.lists[f.list]; isKnown && f.list != "" {
		return resultOf(f.id, result)
	}
	return nil
}

// wait keeps a request for the next server; b.mu is held.
func (b *Bridge) wait(f *flight) {
	f.link = nil
	b.flights[keyOf(f.id)] = f
	b.waiting = append(b.waiting, f)
	b.bytes += len(f.line)
}

func (b *Bridge) notified(e envelope, line []byte) {
	b.mu.Lock()
	b.spoken.heard(e, line)
	l := b.now
	switch e.method {
	case methodInitialized:
		if l != nil {
			l.isToBegin = false
		}
	case methodCancelled:
		key := keyOf(member(e.params, "requestId"))
		if f := b.flights[key]; f != nil {
			if l = f.link; l == nil {
				// One that waits is not answered (MCP 2025-11-25 cancellation), and no server has heard of it.
				delete(b.flights, key)
				b.dropWaiting(f)
			}
		}
	}
	b.mu.Unlock()
	if l != nil {
		l.send(line)
	}
}

func (b *Bridge) dropWaiting(f *flight) {
	for i, one := range b.waiting {
		if one == f {
			b.waiting = append(b.waiting[:i:i], b.waiting[i+1:]...)
			b.bytes -= len(f.line)
			return
		}
	}
}

// awaiting is the server that waits for an answer of the client under that id, if it is still there.
func (b *Bridge) awaiting(id jsontext.Value) *link {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.next
	if l == nil || !l.asked[keyOf(id)] {
		return nil
	}
	delete(l.asked, keyOf(id))
	return l
}

// tell writes one message to the client; nil is none.
func (b *Bridge) tell(line []byte) {
	if line == nil {
		return
	}
	b.writing.Lock()
	defer b.writing.Unlock()
	if _, err := b.out.Write(append(line, '\n')); err != nil {
		b.log.Debug("the client does not read", "error", err)
	}
}

// nextID is an id that no client uses; b.mu is held.
func (b *Bridge) nextID() jsontext.Value {
	b.count++
	return quoted("pillion-bridge-" + strconv.Itoa(b.count))
}
