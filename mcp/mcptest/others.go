package mcptest

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

func otherModes() []Mode {
	return []Mode{
		{"refuse", "FILE", "refuses to let the addresses be subscribed to that stand in FILE, a line each, once it is there"},
		{"askafter", "METHOD", "sends that request once it has answered tools/list, outside of any call"},
		{"pagefirst", "", "answers the first call with the error that wants a page visited, and says when that is done"},
		{"task", "POLLS", "answers calls with a task that is done after that many looks, and asks for something half-way if told to by \"taskask\""},
		{"taskask", "", "has its tasks ask for a name; their result is what they got"},
		{"taskend", "STATUS", "ends its tasks with that status"},
		{"endlisten", "", "ends subscriptions as soon as they have begun"},
		{"deaf", "", "agrees to tell of nothing that a subscription asks for"},
		{"ttl", "MS", "says of its lists that they hold for so long"},
		{"tasktell", "", "wants its tasks looked at once a minute, and tells of them at once"},
		{"twice", "", "names each resource and prompt twice, and an entry that is none"},
	}
}

// readResource answers resources/read: with the address as text, unless a variable says otherwise.
func (f *fake) readResource(r request) {
	if text := f.getenv(ContentsVar); text != "" {
		f.result(r.ID, text)
		return
	}
	var params struct {
		URI string `json:"uri"`
	}
	_ = json.Unmarshal(r.Params, &params)
	text := "what stands at " + params.URI
	if f.mode().has("dump") {
		text = strconv.Itoa(os.Getpid())
	}
	f.result(r.ID, fmt.Sprintf(`{"contents":[{"uri":%s,"mimeType":"text/plain","text":%s}]}`, quote(params.URI), quote(text)))
}

func (f *fake) subscribe(r request) {
	var params struct {
		URI string `json:"uri"`
	}
	_ = json.Unmarshal(r.Params, &params)
	refused, _ := os.ReadFile(f.mode()["refuse"])
	if r.Method == "resources/subscribe" && slices.Contains(strings.Fields(string(refused)), params.URI) {
		f.fail(r.ID, "-32602", "no such resource")
		return
	}
	f.result(r.ID, `{}`)
}

// listen answers subscriptions/listen, which goes on until it is cancelled: it tells of all that is asked for.
func (f *fake) listen(r request) {
	var params struct {
		Notifications json.RawMessage `json:"notifications"`
	}
	_ = json.Unmarshal(r.Params, &params)
	granted := string(params.Notifications)
	if f.mode().has("deaf") || granted == "" {
		granted = `{}`
	}
	f.notify("notifications/subscriptions/acknowledged",
		fmt.Sprintf(`{"notifications":%s,"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}`, granted, r.ID))
	if f.mode().has("tasktell") && strings.Contains(granted, `"taskIds"`) {
		f.notify("notifications/tasks", f.taskAs("working", ""))
	}
	if f.mode().has("endlisten") {
		f.result(r.ID, `{}`)
	}
}

// prompt answers prompts/get: with the params as text, unless a variable says otherwise.
func (f *fake) prompt(r request) {
	if text := f.getenv(PromptVar); text != "" {
		f.result(r.ID, text)
		return
	}
	var params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal(r.Params, &params)
	if f.mode().has("dump") {
		params.Name, params.Arguments = strconv.Itoa(os.Getpid()), nil
	}
	f.result(r.ID, fmt.Sprintf(`{"description":"about %s","messages":[{"role":"user","content":{"type":"text","text":%s}}]}`,
		params.Name, quote(params.Name+" "+string(params.Arguments))))
}

// complete answers completion/complete: with what was typed, and more.
func (f *fake) complete(r request) {
	var params struct {
		Argument struct {
			Value string `json:"value"`
		} `json:"argument"`
	}
	_ = json.Unmarshal(r.Params, &params)
	value := params.Argument.Value
	if f.mode().has("dump") {
		value = strconv.Itoa(os.Getpid()) + " "
	}
	f.result(r.ID, fmt.Sprintf(`{"completion":{"values":[%s,%s],"total":3,"hasMore":true}}`, quote(value+"a"), quote(value+"b")))
}

// askOutside sends the request of mode askafter.
func (f *fake) askOutside() {
	method, has := f.mode()["askafter"]
	if !has || f.count("tools/list") != 1 {
		return
	}
	params := f.getenv(AskParamsVar)
	f.working.Go(func() { f.ask(`"outside"`, method, orEmpty(json.RawMessage(params))) })
}

// pageFirst answers the first call of mode pagefirst and reports whether it did.
func (f *fake) pageFirst(r request) bool {
	if !f.mode().has("pagefirst") || f.count("tools/call") != 1 {
		return false
	}
	f.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32042,"message":"a page first","data":{"elicitations":[`+
		`{"mode":"url","elicitationId":"p-1","url":"https://x.example/sign-in","message":"Sign in."}]}}}`, r.ID), true)
	// It is done before anybody can have opened it, as far as the other side knows.
	f.working.Go(func() {
		for range 200 {
			f.notify("notifications/elicitation/complete", `{"elicitationId":"p-1"}`)
			if f.count("tools/call") > 1 {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	return true
}

// told is what the arguments of a call make a fake do before it answers.
type told struct {
	// Notify are notifications that it sends.
	Notify []struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		Times  int             `json:"times"` // once where zero
	} `json:"notify"`
	// Ask are requests that it sends one after the other; it answers with their answers, as a JSON array in text.
	Ask []struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	} `json:"ask"`
}

// obey does what the arguments of a call say and returns the result, or "" where they ask for nothing.
func (f *fake) obey(arguments json.RawMessage) string {
	var t told
	_ = json.Unmarshal(arguments, &t)
	for _, n := range t.Notify {
		for range max(n.Times, 1) {
			f.notify(n.Method, orEmpty(n.Params))
		}
	}
	if t.Ask == nil {
		return ""
	}
	answers := make([]json.RawMessage, len(t.Ask))
	for i, a := range t.Ask {
		answers[i] = f.ask(fmt.Sprintf(`"ask-%d"`, f.nextID.Add(1)), a.Method, orEmpty(a.Params))
	}
	text, _ := json.Marshal(answers)
	return textResult(string(text))
}

func orEmpty(params json.RawMessage) string {
	if len(params) == 0 {
		return `{}`
	}
	return string(params)
}
