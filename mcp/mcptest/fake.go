package mcptest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// fake is one life of a fake connector.
type fake struct {
	current atomic.Pointer[options]
	in      *bufio.Reader
	stderr  io.Writer
	log     io.Writer

	getenv func(string) string
	over   chan struct{} // closed when the fake ends before the process that it is in

	outMu  sync.Mutex
	out    io.WriteCloser // takes a line at a time
	isOut  bool           // something was written to stdout
	isCall bool           // a tools/call was answered

	mu       sync.Mutex
	counts   map[string]int // requests by method
	failed   map[string]bool
	asked    map[string]chan json.RawMessage // answers to requests of the fake, by id
	cancels  map[string]chan struct{}        // by the id of the call
	held     []request                       // calls kept back by mode reverse
	listSeen chan struct{}                   // a tools/list came
	nextID   atomic.Int64
	working  sync.WaitGroup
	helper   *exec.Cmd
	running  *task // the one that its last call became
}

type request struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// Run is the life of a fake connector; it returns the exit code.
func Run(mode string, in io.Reader, out *os.File, stderr io.Writer) int {
	o, err := parseMode(mode)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	f := newFake(o, out, os.Getenv)
	f.in, f.stderr = bufio.NewReaderSize(in, 64<<10), stderr
	if path := os.Getenv(LogVar); path != "" {
		log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			fmt.Fprintln(stderr, err)
			return 2
		}
		defer log.Close()
		f.log = log
	}
	return f.live()
}

func newFake(o options, out io.WriteCloser, getenv func(string) string) *fake {
	f := &fake{
		out: out, stderr: io.Discard, getenv: getenv, over: make(chan struct{}),
		counts: map[string]int{}, failed: map[string]bool{}, asked: map[string]chan json.RawMessage{},
		cancels: map[string]chan struct{}{}, listSeen: make(chan struct{}, 1000),
	}
	f.current.Store(&o)
	return f
}

// mode is what the fake was told last.
func (f *fake) mode() options { return *f.current.Load() }

// sleep waits and reports whether the fake still lives.
func (f *fake) sleep(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-f.over:
		return false
	}
}

// live runs from the first to the last moment.
func (f *fake) live() int {
	if code, isOver := f.begin(); isOver {
		return code
	}
	isFirst := true
	for {
		line, err := f.in.ReadBytes('\n')
		line = bytes.TrimRight(line, "\r\n")
		if len(line) > 0 {
			f.note(line)
			if isFirst && f.mode().has("strict") && methodOf(line) != "initialize" {
				fmt.Fprintln(f.stderr, "the first message must be initialize")
				return 1
			}
			isFirst = false
			if code, isOver := f.receive(line); isOver {
				return code
			}
		}
		if err != nil {
			return f.atEOF()
		}
	}
}

// note keeps the line in the log.
func (f *fake) note(line []byte) {
	if f.log != nil {
		f.log.Write(append(bytes.Clone(line), '\n'))
	}
}

func methodOf(line []byte) string {
	var r request
	_ = json.Unmarshal(line, &r)
	return r.Method
}

// receive handles one line; isOver means that the fake ends with the code.
func (f *fake) receive(line []byte) (code int, isOver bool) {
	if f.mode().has("mute") {
		return 0, false
	}
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		f.send(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`)
		return 0, false
	}
	if r.Method == "" {
		f.answered(r)
		return 0, false
	}
	f.mu.Lock()
	f.counts[r.Method]++
	f.mu.Unlock()
	if code, ok := f.mode().pair("exiton", r.Method); ok {
		n, _ := strconv.Atoi(code)
		return n, true
	}
	if f.mode()["closeon"] == r.Method && f.mode().has("closeon") {
		f.out.Close()
	}
	if r.ID == nil {
		f.notified(r)
	} else {
		f.requested(r)
	}
	if code, ok := f.mode().pair("exitafter", r.Method); ok {
		f.working.Wait()
		n, _ := strconv.Atoi(code)
		return n, true
	}
	if f.mode().has("stopreading") && r.Method == "tools/list" {
		time.Sleep(time.Hour)
	}
	return 0, false
}

// requested answers a request, or not.
func (f *fake) requested(r request) {
	if r.Method == "tools/list" {
		select {
		case f.listSeen <- struct{}{}:
		default:
		}
	}
	if f.mode().lists("silent", r.Method) || f.mode().lists("silentafter", r.Method) && f.count(r.Method) > 1 {
		return
	}
	if code, ok := f.fails(r.Method); ok {
		f.fail(r.ID, code, "told to fail")
		return
	}
	if d, ok := f.mode().pair("delay", r.Method); ok {
		f.working.Go(func() {
			if f.sleep(duration(d)) {
				f.answer(r)
			}
		})
		return
	}
	if address, ok := f.mode().pair("gate", r.Method); ok {
		f.working.Go(func() {
			if f.passed(address) {
				f.answer(r)
			}
		})
		return
	}
	if r.Method == "tools/call" {
		f.working.Go(func() { f.answer(r) })
		return
	}
	f.answer(r)
}

// passed waits until a connection to address was closed at the other end: a test decides when, and no clock.
func (f *fake) passed(address string) bool {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return true
	}
	defer conn.Close()
	go func() {
		<-f.over
		_ = conn.SetReadDeadline(time.Now())
	}()
	_, _ = io.Copy(io.Discard, conn)
	select {
	case <-f.over:
		return false
	default:
		return true
	}
}

// fails returns the error code that the request is to be answered with.
func (f *fake) fails(method string) (string, bool) {
	if code, ok := f.mode().pair("fail", method); ok {
		return code, true
	}
	if code, ok := f.mode().pair("failafter", method); ok && f.count(method) > 1 {
		return code, true
	}
	code, ok := f.mode().pair("failonce", method)
	f.mu.Lock()
	defer f.mu.Unlock()
	if !ok || f.failed[method] {
		return "", false
	}
	f.failed[method] = true
	return code, true
}

// notified handles a notification of the client.
func (f *fake) notified(r request) {
	if r.Method != "notifications/cancelled" {
		return
	}
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	_ = json.Unmarshal(r.Params, &params)
	select {
	case f.cancelled(params.RequestID) <- struct{}{}:
	default:
	}
}

// cancelled returns the channel that is told when the call is cancelled.
func (f *fake) cancelled(id json.RawMessage) chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	channel, ok := f.cancels[string(id)]
	if !ok {
		channel = make(chan struct{}, 1)
		f.cancels[string(id)] = channel
	}
	return channel
}

// answered takes the client's answer to a request of the fake.
func (f *fake) answered(r request) {
	f.mu.Lock()
	waiting := f.asked[string(r.ID)]
	delete(f.asked, string(r.ID))
	f.mu.Unlock()
	if waiting == nil {
		return
	}
	if r.Error != nil {
		waiting <- r.Error
		return
	}
	waiting <- r.Result
}

// ask sends a request and waits for the answer: the result, or the error object.
func (f *fake) ask(id, method, params string) json.RawMessage {
	waiting := make(chan json.RawMessage, 1)
	f.mu.Lock()
	f.asked[id] = waiting
	f.mu.Unlock()
	f.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	select {
	case answer := <-waiting:
		return answer
	case <-f.over:
		return nil
	}
}
