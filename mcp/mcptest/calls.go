package mcptest

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Meta      struct {
		ProgressToken json.RawMessage `json:"progressToken"`
	} `json:"_meta"`
}

// call answers tools/call.
func (f *fake) call(r request) {
	var params callParams
	_ = json.Unmarshal(r.Params, &params)
	if f.mode().has("late") {
		f.answerLate(r)
		return
	}
	if f.pageFirst(r) || f.becomesTask(r) {
		return
	}
	if !f.before(r, params) {
		return
	}
	if f.mode().has("reverse") && !f.release(r) {
		return
	}
	f.answerCall(r, params)
}

// before does what comes before the answer and reports whether there is to be one.
func (f *fake) before(r request, params callParams) bool {
	o := f.mode()
	if value, ok := o["progress"]; ok {
		if !f.progress(value, string(params.Meta.ProgressToken)) {
			return false
		}
	}
	if value, ok := o["foreignprogress"]; ok {
		if !f.progress(value, `"nobody's"`) {
			return false
		}
	}
	for range o.number("burst") {
		f.notify("notifications/tools/list_changed", `{}`)
	}
	if o.has("waitlist") {
		for len(f.listSeen) > 0 {
			<-f.listSeen
		}
		f.notify("notifications/tools/list_changed", `{}`)
		select {
		case <-f.listSeen:
		case <-f.over:
		}
	}
	if o.has("collide") {
		f.ask(string(r.ID), "ping", `{}`)
	}
	return true
}

// progress reports progress as "EVERY:FOR" says and reports whether it ends.
func (f *fake) progress(value, token string) bool {
	every, total, _ := strings.Cut(value, ":")
	end := time.Now().Add(duration(total))
	for i := 1; total == "forever" || time.Now().Before(end); i++ {
		if !f.sleep(duration(every)) {
			return false
		}
		if token != "" {
			f.notify("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":100,"message":"step %d"}`, token, i, i))
		}
	}
	return true
}

// release holds the first of two calls back; with the second it answers it after that one.
func (f *fake) release(r request) bool {
	f.mu.Lock()
	f.held = append(f.held, r)
	if len(f.held) < 2 {
		f.mu.Unlock()
		return false
	}
	held := f.held
	f.held = nil
	f.mu.Unlock()
	for i := len(held) - 1; i >= 0; i-- {
		var params callParams
		_ = json.Unmarshal(held[i].Params, &params)
		f.answerCall(held[i], params)
	}
	return false
}

// answerLate waits for the cancellation of the call and then answers it all the same.
func (f *fake) answerLate(r request) {
	select {
	case <-f.cancelled(r.ID):
	case <-f.over:
		return
	}
	f.result(r.ID, textResult("late"))
	f.result(json.RawMessage("999999"), textResult("never asked for"))
}

func (f *fake) answerCall(r request, params callParams) {
	if shape, ok := f.mode()["errorobject"]; ok {
		f.malformedError(r.ID, shape)
		return
	}
	result := f.obey(params.Arguments)
	if result == "" {
		result = f.callResult(r.ID, params)
	}
	id := string(r.ID)
	f.outMu.Lock()
	isFirst := !f.isCall
	f.isCall = true
	f.outMu.Unlock()
	switch o := f.mode(); {
	case o.has("noresult"):
		f.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s}`, id), true)
	case o.has("nullresult"):
		f.result(r.ID, "null")
	case o.has("both"):
		f.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s,"error":{"code":-32603,"message":"both"}}`, id, result), true)
	case o.has("badjson"):
		f.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"content":[}}`, id), true)
	case o.has("glue") && isFirst:
		f.write(fmt.Appendf(nil, `[debug] done {"jsonrpc":"2.0","id":%s,"result":%s}`, id, result), true)
	case o.has("idlast"):
		f.write(fmt.Appendf(nil, `{"result":%s,"jsonrpc":"2.0","id":%s}`, result, id), true)
	case o.has("ids"):
		f.spoiltID(id, result)
	default:
		f.result(r.ID, result)
	}
}

// spoiltID answers with an id that is not the one of the request.
func (f *fake) spoiltID(id, result string) {
	switch f.mode()["ids"] {
	case "string":
		f.result(json.RawMessage(`"`+id+`"`), result)
	case "float":
		f.result(json.RawMessage(id+".0"), result)
	case "other":
		f.result(json.RawMessage(`"some-other-id"`), result)
	case "missing":
		f.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","result":%s}`, result), true)
	default:
		f.fail(json.RawMessage("null"), "-32600", "invalid request")
	}
}

func (f *fake) malformedError(id json.RawMessage, shape string) {
	object := map[string]string{
		"string": `"it broke"`,
		"float":  `{"code":1.5,"message":"it broke"}`,
		"nocode": `{"message":"it broke"}`,
		"empty":  `{}`,
	}[shape]
	f.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, id, object), true)
}

// callResult is the result object of a call.
func (f *fake) callResult(id json.RawMessage, params callParams) string {
	if text := f.getenv(ResultVar); text != "" {
		return text
	}
	var arguments struct {
		Bytes int `json:"bytes"`
	}
	_ = json.Unmarshal(params.Arguments, &arguments)
	switch o := f.mode(); {
	case o.has("echo"):
		return textResult(string(params.Arguments))
	case o.has("dump"):
		return textResult(dump())
	case arguments.Bytes > 0:
		return sized(id, arguments.Bytes)
	case o.has("reply"):
		return sized(id, o.number("reply"))
	case o.has("deep"):
		n := o.number("deep")
		return fmt.Sprintf(`{"content":[],"structuredContent":%s%s}`, strings.Repeat("[", n), strings.Repeat("]", n))
	case o.has("surrogate"):
		return `{"content":[{"type":"text","text":"lone \ud83d and caf` + "\xe9" + `"}]}`
	case o.has("resulttype"):
		return fmt.Sprintf(`{"resultType":%q,"taskId":"t-1","ttlMs":60000}`, o["resulttype"])
	case o.has("ask"):
		return f.asking()
	}
	return textResult("ok")
}

func (f *fake) asking() string {
	params := f.getenv(AskParamsVar)
	if params == "" {
		params = `{}`
	}
	id := fmt.Sprintf(`"ask-%d"`, f.nextID.Add(1))
	return textResult(string(f.ask(id, f.mode()["ask"], params)))
}

func textResult(text string) string {
	return fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, quote(text))
}

// sized is a result whose answer is a line of that many bytes, without the newline.
func sized(id json.RawMessage, bytes int) string {
	const frame = `{"jsonrpc":"2.0","id":,"result":{"content":[{"type":"text","text":""}]}}`
	return fmt.Sprintf(`{"content":[{"type":"text","text":"%s"}]}`, strings.Repeat("x", max(bytes-len(frame)-len(id), 0)))
}

// dump describes the fake's own process.
func dump() string {
	folder, _ := os.Getwd()
	text, _ := json.Marshal(map[string]any{"pid": os.Getpid(), "args": os.Args[1:], "env": os.Environ(), "cwd": folder})
	return string(text)
}
