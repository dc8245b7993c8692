package cases

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"pillion/editors/editortest"
	"pillion/rpc/message"
)

// puppetVar names the log of the connector that this test binary then is.
const puppetVar = "PILLION_CASES_PUPPET"

// puppetTools are what a puppet lists: one tool that a user's connector need not ask for, and one that it must.
const puppetTools = `[{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"write","inputSchema":{"type":"object"}}]`

// orders are what a call's arguments make a puppet do, in this order.
type orders struct {
	Progress int    `json:"progress"` // reports so many steps of four
	Stderr   string `json:"stderr"`
	Stdout   string `json:"stdout"` // a line that is no message
	Gate     string `json:"gate"`   // goes on once the file is there
	Error    string `json:"error"`  // is answered as a protocol error
	Text     string `json:"text"`
	Times    int    `json:"times"`    // repeats the text
	End      string `json:"end"`      // stands behind it
	Variable string `json:"variable"` // one of its environment, whose value stands behind that, and the value's sum in hexadecimal
}

// puppet is a connector whose calls do what their arguments say, and end when the test wants them to.
type puppet struct {
	mu  sync.Mutex
	log *os.File
	// held are the calls that are told to stop: their answers come all the same, and too late.
	held map[string]chan struct{}
}

func runPuppet(log string) int {
	file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 1
	}
	p := &puppet{log: file, held: map[string]chan struct{}{}}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return 0
		}
		_, _ = p.log.Write(line)
		p.hear(line)
	}
}

func (p *puppet) hear(line []byte) {
	var request struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			RequestID json.RawMessage `json:"requestId"`
			Arguments orders          `json:"arguments"`
			Meta      struct {
				Token json.RawMessage `json:"progressToken"`
			} `json:"_meta"`
		} `json:"params"`
	}
	if json.Unmarshal(line, &request) != nil {
		return
	}
	switch request.Method {
	case "initialize":
		p.answer(request.ID, `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"puppet","version":"1"}}`)
	case "tools/list":
		p.answer(request.ID, `{"tools":`+puppetTools+`}`)
	case "tools/call":
		p.mu.Lock()
		stop := make(chan struct{})
		p.held[string(request.ID)] = stop
		p.mu.Unlock()
		go p.call(request.ID, request.Params.Meta.Token, request.Params.Arguments, stop)
	case "notifications/cancelled":
		p.mu.Lock()
		if stop := p.held[string(request.Params.RequestID)]; stop != nil {
			close(stop)
			delete(p.held, string(request.Params.RequestID))
		}
		p.mu.Unlock()
	default:
		if request.ID != nil {
			p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, request.ID))
		}
	}
}

func (p *puppet) call(id, token json.RawMessage, o orders, stop <-chan struct{}) {
	for i := 1; i <= o.Progress; i++ {
		p.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":4,"message":"step %d"}}`, token, i, i))
	}
	if o.Stderr != "" {
		fmt.Fprintln(os.Stderr, o.Stderr)
	}
	if o.Stdout != "" {
		p.say(o.Stdout)
	}
	for o.Gate != "" && !exists(o.Gate) {
		select {
		case <-stop:
			p.answer(json.RawMessage("999999"), `{"content":[{"type":"text","text":"never asked for"}]}`)
			o.Gate, o.Text = "", "too late"
		case <-time.After(5 * time.Millisecond):
		}
	}
	if o.Error != "" {
		text, _ := json.Marshal(o.Error)
		p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":%s}}`, id, text))
		return
	}
	if o.Variable != "" {
		value := os.Getenv(o.Variable)
		o.End += value + " " + sumOf(value)
	}
	text, _ := json.Marshal(strings.Repeat(o.Text, max(o.Times, 1)) + o.End)
	p.answer(id, fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, text))
}

// sumOf tells a value without saying it.
func sumOf(value string) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:])
}

func (p *puppet) answer(id json.RawMessage, result string) {
	p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result))
}

func (p *puppet) say(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Println(line)
}

// puppet is an entry that starts one; its log is w.log(name).
func (w *world) puppet(name string) entry {
	w.t.Helper()
	program, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	return entry{"command": program, "env": map[string]string{puppetVar: w.log(name), "GORACE": "atexit_sleep_ms=0"}}
}

// gate is a file that a puppet's call waits for, and what makes it.
func (w *world) gate(name string) (path string, open func()) {
	path = w.file(name)
	return path, func() { w.t.Helper(); w.write(path, "") }
}

// told makes the arguments of a puppet's call.
func told(t testing.TB, o map[string]any) string {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// hold begins a call that a gate keeps, and waits until the puppet has it.
func hold(t testing.TB, e *editortest.Editor, log string, params message.ToolCallParams) <-chan editortest.Outcome[message.CallResult] {
	t.Helper()
	before := len(argumentsOf(t, log))
	answer := begin(t, e, params)
	eventually(t, "the connector has the call", func() bool { return len(argumentsOf(t, log)) > before })
	return answer
}
