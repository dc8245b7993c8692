package connector

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// The filter shakes hands itself and so needs ids before the SDK does, whose n becomes n+idOffset on the wire. The SDK's
	// first request is its own handshake, which is answered here and never sent.
	discoverID      = 1
	initializeID    = 2
	discoverAgainID = 3
	idOffset        = 2

	sampleBytes = 200

	initializedNotification = "notifications/initialized"
)

// The notifications that are acted on.
const (
	progressNotification  = "notifications/progress"
	cancelledNotification = "notifications/cancelled"
	toolsChanged          = "notifications/tools/list_changed"
	resourcesChanged      = "notifications/resources/list_changed"
	promptsChanged        = "notifications/prompts/list_changed"

	acknowledgedNotification = "notifications/subscriptions/acknowledged"
	taskNotification         = "notifications/tasks"        // of the extension
	taskStatusNotification   = "notifications/tasks/status" // of MCP 2025-11-25
)

// filter stands between the SDK's session and the pipes of the process. It is an mcp.Connection that survives whatever the
// server prints: of what comes it passes on replies to the SDK's own requests alone, and of those a stub, the raw one going
// to the exchange. Notifications and requests of the server end here.
type filter struct {
	log  *slog.Logger
	in   io.Reader
	wire wire
	// onList is told which lists the server says changed.
	onList func(lists)
	// onUpdate is told the address of a resource that the server says changed.
	onUpdate func(uri string)
	// onListenEnd is told what a subscription was about that the server has ended; it must not block.
	onListenEnd func(topic)
	// onAcknowledged is told what a subscription asked to be told of, and what of it the server will tell: nil for nothing. It is
	// told again, with nil, when that has ended.
	onAcknowledged func(asked, granted jsontext.Value)
	// onTask is given the params of a notice of a task.
	onTask func(params jsontext.Value)
	// onInquiry is given a request of the server other than ping, which it answers, with the request of ours whose stream it came
	// by, where it has one; it must not block. onWithdraw is told the
	// id of one that the server does not wait for any more.
	onInquiry  func(of *exchange, method string, id, params jsontext.Value)
	onWithdraw func(id string)
	// onPageDone and onLog are given the params of notifications.
	onPageDone func(params jsontext.Value)
	// onLog is given the params of a log message, with the request of ours whose stream it came by, where it has one.
	onLog func(of *exchange, params jsontext.Value)
	// onWarning is told of something wrong that was survived; the key tells kinds apart.
	onWarning func(key, sentence string)
	// onNoise is given what the server printed that is no message.
	onNoise func(sample string)
	// onTalk is called when something comes.
	onTalk func()

	incoming chan jsonrpc.Message // to the SDK
	detached chan struct{}        // the SDK reads no more
	detach   sync.Once
	ended    chan struct{} // stdout has ended
	alive    atomic.Int64  // bytes that the server has printed
	messages atomic.Int64
	noise    noise

	mu       sync.Mutex
	isModern bool
	answer   *answer // to the handshake; set before the SDK connects
	pending  map[int64]*exchange
	tokens   map[int64]*exchange
	lastID   int64 // the highest that was sent
	isClosed bool

	taking sync.Mutex   // for links that read from several streams
	frames frameDecoder // of whoever takes
}

func newFilter(log *slog.Logger, in io.Reader) *filter {
	return &filter{
		log: log, in: in,
		onList: func(lists) {}, onUpdate: func(string) {}, onListenEnd: func(topic) {},
		onAcknowledged: func(jsontext.Value, jsontext.Value) {}, onTask: func(jsontext.Value) {},
		onInquiry: func(*exchange, string, jsontext.Value, jsontext.Value) {}, onWithdraw: func(string) {},
		onPageDone: func(jsontext.Value) {}, onLog: func(*exchange, jsontext.Value) {},
		onWarning: func(string, string) {}, onNoise: func(string) {}, onTalk: func() {},
		incoming: make(chan jsonrpc.Message, 64),
		detached: make(chan struct{}), ended: make(chan struct{}),
		pending: map[int64]*exchange{}, tokens: map[int64]*exchange{},
	}
}

// Connect implements mcp.Transport.
func (f *filter) Connect(context.Context) (mcp.Connection, error) { return filterConnection{f}, nil }

// read reads the server's stdout until it ends.
func (f *filter) read() {
	defer close(f.ended)
	reader := newLineReader(&counted{in: f.in, filter: f}, maxFrameBytes)
	for {
		line, err := reader.next()
		if err != nil {
			return
		}
		f.take(line)
	}
}

// counted notes that the server is alive.
type counted struct {
	in     io.Reader
	filter *filter
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	if n > 0 {
		c.filter.alive.Add(int64(n))
		c.filter.onTalk()
	}
	return n, err
}

// takeAll is take for links with several streams. What comes by one of them is handled before what comes after it.
func (f *filter) takeAll(l line) {
	f.taking.Lock()
	defer f.taking.Unlock()
	f.take(l)
}

// take handles one line.
func (f *filter) take(l line) {
	if l.over != nil {
		f.tooLong(l)
		return
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(l.text), []byte("\ufeff")))
	if len(text) == 0 {
		return
	}
	if int64(len(l.text)) < l.bytes-1 { // cut, hence no message
		f.skip(text, l.bytes)
		return
	}
	text = valid(text)
	for len(text) > 0 {
		text = f.first(text, l)
	}
}

// first handles the first message of the text and returns the rest.
func (f *filter) first(text []byte, l line) (rest []byte) {
	switch text[0] {
	case '{':
		message, rest, err := f.frames.decode(text)
		switch {
		case err != nil:
			f.malformed(text, err)
			return nil
		case !message.isMessage():
			f.skip(text, int64(len(text)))
			return nil
		}
		f.dispatch(message, l)
		return rest
	case '[':
		f.batch(text, l)
	default:
		f.stray(text)
	}
	return nil
}

// stray handles a line that does not begin with a message.
func (f *filter) stray(text []byte) {
	f.glued(text)
	f.skip(text, int64(len(text)))
}

// batch handles the messages of an array (MCP 2025-03-26), or skips it.
func (f *filter) batch(text []byte, l line) {
	values, err := elements(text, 10_000)
	var frames []frame
	for _, value := range values {
		message, _, failed := f.frames.decode(value)
		if failed != nil || !message.isMessage() {
			err = errNotObject
			break
		}
		frames = append(frames, message)
	}
	if err != nil || len(frames) == 0 {
		f.stray(text)
		return
	}
	for _, message := range frames {
		f.dispatch(message, l)
	}
}

func (f *filter) dispatch(message frame, l line) {
	f.messages.Add(1)
	method, isText := text(message.method)
	switch {
	case message.method != nil && !isText:
		f.skip([]byte("a message whose method is not a string"), 0)
	case message.method == nil:
		f.reply(message, l.isOwned)
	case message.id == nil || message.id.Kind() == 'n':
		f.notified(l.of, method, message.params)
	default:
		f.requested(l.of, method, message.id, message.params)
	}
}

// forward hands a message to the SDK, if it still reads.
func (f *filter) forward(message jsonrpc.Message) {
	select {
	case f.incoming <- message:
	case <-f.detached:
	}
}

// request writes a request of the SDK, or answers it from the handshake.
func (f *filter) request(ctx context.Context, r *jsonrpc.Request) error {
	sdkID, _ := r.ID.Raw().(int64)
	if r.Method == "initialize" || r.Method == "server/discover" {
		f.mu.Lock()
		result := f.answer.forSDK(r.Method)
		f.mu.Unlock()
		f.forward(&jsonrpc.Response{ID: r.ID, Result: result})
		return nil
	}
	x := exchangeOf(ctx)
	if x == nil || x.method != r.Method {
		// A request of the SDK's own making, such as subscriptions/listen: nobody waits for it.
		x = newExchange(r.Method)
		if r.Method == listenMethod {
			f.listens(x, jsontext.Value(r.Params))
		}
	}
	x.sdkID = sdkID
	return f.send(x, sdkID+idOffset, r.Params)
}

// send registers the exchange under the id and queues its request.
func (f *filter) send(x *exchange, id int64, params []byte) error {
	frame, err := x.frame(id, params)
	if err != nil {
		return err
	}
	if !f.register(x, id) {
		return errWriterClosed
	}
	if x.onWritten != nil {
		x.onWritten()
	}
	return f.wire.send(outgoing{frame: frame, position: &x.position, exchange: x})
}

// frame is the request as it is sent.
func (x *exchange) frame(id int64, params []byte) ([]byte, error) {
	frame := make([]byte, 0, len(params)+sizeOf(x.members)+128)
	frame = append(strconv.AppendInt(append(frame, `{"jsonrpc":"2.0","id":`...), id, 10), `,"method":`...)
	frame, _ = jsontext.AppendQuote(frame, x.method)
	frame = append(frame, `,"params":`...)
	frame, err := splice(frame, params, x.members)
	return append(frame, "}\n"...), err
}

// register makes the exchange wait for the reply of the id; false says that none can come any longer.
func (f *filter) register(x *exchange, id int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.isClosed {
		return false
	}
	x.wireID = id
	f.pending[id] = x
	f.lastID = max(f.lastID, id)
	if x.token != 0 {
		f.tokens[x.token] = x
	}
	return true
}

func sizeOf(members []member) int {
	total := 0
	for _, m := range members {
		total += len(m.name) + len(m.value) + 4
	}
	return total
}

// forget drops the exchange, whose reply is no longer wanted.
func (f *filter) forget(x *exchange) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if x.wireID != 0 {
		delete(f.pending, x.wireID)
	}
	delete(f.tokens, x.token)
}

// notify writes a notification of the SDK.
func (f *filter) notify(r *jsonrpc.Request) error {
	if r.Method == cancelledNotification {
		f.cancel(r.Params)
		return nil
	}
	frame, _ := jsontext.AppendQuote([]byte(`{"jsonrpc":"2.0","method":`), r.Method)
	frame = append(frame, `,"params":`...)
	frame, err := splice(frame, r.Params, nil)
	if err != nil {
		return err
	}
	return f.wire.send(outgoing{frame: append(frame, "}\n"...), method: r.Method})
}

// cancel tells the server that a reply is no longer wanted. The SDK asks for it once a call's context has ended; it is sent
// only where the request left and was not answered, so at most once, and never for the handshake.
func (f *filter) cancel(params []byte) {
	var id int64
	err := object(params, func(name string, value jsontext.Value) error {
		if name == "requestId" {
			id, _, _ = integer(value)
		}
		return nil
	})
	f.mu.Lock()
	x := f.pending[id+idOffset]
	f.mu.Unlock()
	if err != nil || x == nil || x.sdkID != id {
		return
	}
	isUnsent := x.withdraw() || !x.mayHaveRun()
	f.forget(x)
	if isUnsent || x.isSettled() {
		return
	}
	f.wire.cancel(x, outgoing{frame: fmt.Appendf(nil,
		`{"jsonrpc":"2.0","method":%q,"params":{"requestId":%d,"reason":"the result is no longer wanted"}}`+"\n", cancelledNotification, x.wireID)})
}

// setAnswer gives the filter what to answer the SDK's own handshake with.
func (f *filter) setAnswer(a *answer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer, f.isModern = a, a.era == EraModern
}

// close ends the traffic towards the server.
func (f *filter) close() {
	f.mu.Lock()
	f.isClosed = true
	f.mu.Unlock()
	f.wire.close()
}

// filterConnection is the face of the filter towards the SDK, an mcp.Connection.
type filterConnection struct{ *filter }

// Read implements mcp.Connection.
func (c filterConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case message := <-c.incoming:
		return message, nil
	default:
	}
	select {
	case message := <-c.incoming:
		return message, nil
	case <-c.ended:
		// What came before the end is still to be delivered.
		select {
		case message := <-c.incoming:
			return message, nil
		default:
			return nil, io.EOF
		}
	case <-c.detached:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements mcp.Connection. It does not wait for the server to read.
func (c filterConnection) Write(ctx context.Context, message jsonrpc.Message) error {
	request, ok := message.(*jsonrpc.Request)
	switch {
	case !ok:
		// The SDK sees no requests of the server, so it has nothing to answer.
		return nil
	case request.ID.IsValid():
		return c.request(ctx, request)
	}
	return c.notify(request)
}

// Close implements mcp.Connection. The process is not the SDK's to end.
func (c filterConnection) Close() error {
	c.detach.Do(func() { close(c.detached) })
	return nil
}

// SessionID implements mcp.Connection.
func (c filterConnection) SessionID() string { return "" }
