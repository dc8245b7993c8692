//go:build !windows

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/rpc/message"
)

// rawAgent speaks MCP of the legacy era by hand, as one would that means no good.
type rawAgent struct {
	t   testing.TB
	in  io.WriteCloser
	out *bufio.Scanner
}

// startRaw starts one; joined is called while it waits to be let in.
func (w *world) startRaw(name string, joined func(), arguments ...string) *rawAgent {
	w.t.Helper()
	in, out := w.piped(arguments...)
	a := &rawAgent{w.t, in, bufio.NewScanner(out)}
	a.out.Buffer(nil, 8<<20)
	a.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{}},"clientInfo":{"name":%q,"version":"1"}}}`, name))
	joined()
	a.answer("hello")
	a.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return a
}

func (a *rawAgent) say(line string) {
	a.t.Helper()
	if _, err := io.WriteString(a.in, line+"\n"); err != nil {
		a.t.Fatal(err)
	}
}

// rawAnswer is an answer, with the notices before it.
type rawAnswer struct {
	ID     any
	Result json.RawMessage
	Error  *struct{ Code int }
	before []string
}

// answer waits for the answer to a request.
func (a *rawAgent) answer(id any) (found rawAnswer) {
	a.t.Helper()
	var before []string
	for a.out.Scan() {
		line := a.out.Text()
		found = rawAnswer{}
		if err := json.Unmarshal([]byte(line), &found); err != nil {
			a.t.Fatalf("%q: %v", line, err)
		}
		if found.ID == id && (found.Error != nil || found.Result != nil) {
			found.before = before
			return found
		}
		before = append(before, line)
	}
	a.t.Fatalf("no answer to %v: %v", id, a.out.Err())
	return found
}

// hear waits for a line in which a text stands.
func (a *rawAgent) hear(part string) {
	a.t.Helper()
	for a.out.Scan() {
		if strings.Contains(a.out.Text(), part) {
			return
		}
	}
	a.t.Fatalf("%q was not heard: %v", part, a.out.Err())
}

// asks sends a request and waits for its answer.
func (a *rawAgent) asks(id int, method, params string) rawAnswer {
	a.t.Helper()
	a.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	return a.answer(float64(id))
}

// trusted is all that an agent could want to change.
func (w *world) trusted(e *editortest.Editor) string {
	return jsonText(w.t, []any{
		editortest.Request(e, message.Consents, message.Empty{}), editortest.Request(e, message.Permissions, message.Empty{}),
		editortest.Request(e, message.ModeCurrent, message.Empty{}), editortest.Request(e, message.Secrets, message.Empty{}),
		editortest.Request(e, message.Asks, message.Empty{}), w.read(w.projectFile()), w.read(w.userFile()),
	})
}

// TestS6_AnAgentTriesEveryDoor has an agent ask for every operation that is declared: as a method, as a tool, and by the tool that calls
// all others.
func TestS6_AnAgentTriesEveryDoor(t *testing.T) {
	t.Parallel()
	for name, arguments := range map[string][]string{"in a window": {"--attach"}, "alone": nil, "alone, with every tool": {"--expose", "all"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).with(t)
			w.user(w.fake("mine", "echo", nil))
			w.project(w.entry("theirs", "fakestdio"))
			e := w.edit()
			theirs := e.Connector("theirs", message.ConnectorWaiting)
			editortest.Request(e, message.AskShow, message.AskShowParams{})
			asked := e.Ask(message.AskConsent)
			agent := w.startRaw("agent", func() {
				if len(arguments) > 0 && arguments[0] == "--attach" {
					letJoin(e, message.JoinSession)
				}
			}, arguments...)
			before := w.trusted(e)
			params := jsonText(t, map[string]any{
				"askId": asked.AskID, "answer": map[string]any{"decisions": map[string]any{string(theirs.ID): "allow"}},
				"connector": "theirs", "tool": "mine__a", "decision": "allow", "scope": "user", "mode": "ask", "name": "more", "enabled": true,
			})
			doors := 0
			for _, d := range append(message.All(), message.Commands()...) {
				for _, door := range []struct{ method, params string }{
					{d.Method, params},
					{"tools/call", jsonText(t, map[string]any{"name": d.Method, "arguments": json.RawMessage(params)})},
					{"tools/call", jsonText(t, map[string]any{"name": "call", "arguments": map[string]any{"tool": d.Method, "arguments": json.RawMessage(params)}})},
				} {
					doors++
					got := agent.asks(doors, door.method, door.params)
					if got.Error == nil && !strings.Contains(string(got.Result), `"isError":true`) {
						t.Errorf("%s %s: %s", door.method, door.params, got.Result)
					}
				}
			}
			if doors < 100 {
				t.Errorf("%d doors were tried", doors)
			}
			if after := w.trusted(e); after != before {
				t.Errorf("it was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

// TestS7_AnAgentUsesAnothersIDs has one agent take whatever names another's call: the number of its request, its token of progress,
// the id of its question and of the call itself.
func TestS7_AnAgentUsesAnothersIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.fake("mine", "echo", nil))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	const made = `{"name":"call","arguments":{"tool":"mine__a","arguments":{"of":"first"}},"_meta":{"progressToken":"p"}}`
	first := w.startRaw("first", func() { letJoin(e, message.JoinSession) }, "--attach")
	second := w.startRaw("second", func() {}, "--attach")
	first.say(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` + made + `}`)
	asked := e.Ask(message.AskApproval)
	for _, stolen := range []string{
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`,
		`{"jsonrpc":"2.0","id":7,"result":{"action":"accept","content":{"decision":"once"}}}`,
		fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"decision":"once"}}`, asked.AskID),
	} {
		second.say(stolen)
	}
	for i, method := range []string{"tasks/get", "tasks/result", "tasks/cancel", message.CallDetail.Method, message.CallCancel.Method, message.AskAnswer.Method} {
		params := jsonText(t, map[string]any{"taskId": asked.CallID, "callId": asked.CallID, "askId": asked.AskID, "answer": map[string]any{"decision": "once"}})
		if got := second.asks(i+1, method, params); got.Error == nil {
			t.Errorf("%s: %s", method, got.Result)
		}
	}
	second.say(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` + strings.ReplaceAll(made, "first", "second") + `}`)
	eventually(t, "both calls are asked about", func() bool { return len(editortest.Request(e, message.Asks, message.Empty{}).Asks) == 2 })
	e.Answer(asked.AskID, `{"decision":"once"}`)
	if got := first.answer(float64(7)); !strings.Contains(string(got.Result), `\"of\":\"first\"`) {
		t.Errorf("the first got %s", got.Result)
	}
	e.Approve(message.ApproveDecline)
	if got := second.answer(float64(7)); !strings.Contains(string(got.Result), "declined") || strings.Contains(strings.Join(got.before, ""), "first") {
		t.Errorf("the second got %s after %q", got.Result, got.before)
	}
}
