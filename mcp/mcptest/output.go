package mcptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// send writes one line to stdout.
func (f *fake) send(line string) { f.write([]byte(line), false) }

func (f *fake) write(line []byte, isAnswer bool) {
	f.outMu.Lock()
	defer f.outMu.Unlock()
	var buffer bytes.Buffer
	buffer.Grow(len(line) + 1)
	if !f.isOut && f.mode().has("bom") {
		buffer.WriteString("\ufeff")
	}
	if isAnswer {
		f.disturb(&buffer)
	}
	f.isOut = f.isOut || isAnswer
	buffer.Write(line)
	if f.mode().has("crlf") {
		buffer.WriteByte('\r')
	}
	buffer.WriteByte('\n')
	f.out.Write(buffer.Bytes())
}

// disturb puts what the mode wants in front of an answer.
func (f *fake) disturb(buffer *bytes.Buffer) {
	o := f.mode()
	if n := o.number("flood"); n > 0 && !f.isOut {
		buffer.WriteString(strings.Repeat("x", n) + "\n")
	}
	for _, noise := range []struct{ mode, text string }{
		{"lines", "[info] answering\n"},
		{"bracenoise", "{not json at all}\n"},
		{"jsonlog", `{"level":"info","msg":"answering","id":1}` + "\n"},
		{"blank", "\n"},
		{"latin1", "caf\xe9\n"},
		{"twin", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"twin"}}`}, // last: no newline
	} {
		if o.has(noise.mode) {
			buffer.WriteString(noise.text)
		}
	}
	if n := o.number("stderrflood"); n > 0 {
		f.floodStderr(n)
	}
	if n := o.number("stderrraw"); n > 0 {
		fmt.Fprint(f.stderr, strings.Repeat("y", n))
	}
}

// floodStderr writes that many bytes in lines.
func (f *fake) floodStderr(total int) {
	chunk := []byte(strings.Repeat(strings.Repeat("z", 127)+"\n", 512))
	for total > 0 {
		n := min(total, len(chunk))
		f.stderr.Write(chunk[:n])
		total -= n
	}
}

// spinStderr writes progress without end.
func (f *fake) spinStderr() {
	for i := 0; ; i++ {
		if _, err := fmt.Fprintf(f.stderr, "\rworking %d", i); err != nil {
			return
		}
		if i%1000 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

// result answers with a result that is JSON text.
func (f *fake) result(id json.RawMessage, result string) {
	f.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result), true)
}

// fail answers with an error.
func (f *fake) fail(id json.RawMessage, code, message string) {
	f.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":%q}}`, id, code, message), true)
}

func (f *fake) notify(method, params string) {
	f.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// quote returns the text as a JSON string.
func quote(text string) string {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text)
	return strings.TrimRight(buffer.String(), "\n")
}
