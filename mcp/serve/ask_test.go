package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pillion/mcp/host"
	"pillion/mcp/mcptest"
	"pillion/mcp/serve"
)

const asksParams = mcptest.AskParamsVar + `={"message":"Your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}`

// asking is a connector of the legacy era that asks in the middle of each call and answers with what it was told.
func asking() map[string]fake {
	return map[string]fake{"nosy": {"ask=elicitation/create", []string{asksParams, readsAlone}}}
}

func requestState(t *testing.T, answer string) string {
	t.Helper()
	var said struct {
		Result struct{ RequestState string }
	}
	if err := json.Unmarshal([]byte(answer), &said); err != nil || said.Result.RequestState == "" {
		t.Fatalf("no state in %s (%v)", answer, err)
	}
	return said.Result.RequestState
}

func TestV6_AQuestionIsTheResultInTheModernEra(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{Expose: serve.All, AsksClient: true}, asking())
	s.allow("nosy")
	p := s.peer()
	const can = `{"elicitation":{}}`
	call := func(id int, more string) string {
		return p.asks(id, "tools/call", modern(`{"name":"nosy__wipe","arguments":{"n":1}`+more+`}`, can))
	}
	asked := call(1, "")
	holds(t, asked, `"resultType":"input_required"`, `elicitation/create`, `The connector \"nosy\" asks: Your name?`)
	state := requestState(t, asked)
	answer := func(state string) string {
		return fmt.Sprintf(`,"requestState":%q,"inputResponses":{"question":{"action":"accept","content":{"name":"Ada"}}}`, state)
	}
	holds(t, call(2, answer(state+"x")), `"code":-32602`)
	holds(t, call(3, answer("AAAA")), `"code":-32602`)
	holds(t, p.asks(4, "tools/call", modern(`{"name":"nosy__wipe","arguments":{"n":2}`+answer(state)+`}`, can)), `"code":-32602`)
	holds(t, p.asks(5, "tools/call", modern(`{"name":"nosy__look","arguments":{"n":1}`+answer(state)+`}`, can)), `"code":-32602`)
	holds(t, call(6, answer(state)), `"resultType":"complete"`, `Ada`)
	holds(t, call(7, answer(state)), `"code":-32602`) // once
	if state == requestState(t, call(8, "")) {
		t.Error("two requests have one state")
	}
}

func TestV6_AQuestionComesOnTheStreamInTheLegacyEra(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{Expose: serve.All, AsksClient: true}, asking())
	s.allow("nosy")
	p := s.peer()
	p.initialize(`{"elicitation":{}}`)
	p.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nosy__wipe"}}`)
	question := p.until(`"elicitation/create"`)
	holds(t, question, `The connector \"nosy\" asks: Your name?`, `"requestedSchema"`)
	var asked struct{ ID json.RawMessage }
	if err := json.Unmarshal([]byte(question), &asked); err != nil {
		t.Fatal(err)
	}
	p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"name":"Ada"}}}`, asked.ID))
	holds(t, p.until(`"id":1`), `Ada`)
}

func TestV6_AnAnswerKeepsItsDigits(t *testing.T) {
	t.Parallel()
	const form = mcptest.AskParamsVar + `={"message":"How many?","requestedSchema":{"type":"object","properties":{"n":{"type":"integer"},"x":{"type":"number"}}}}`
	const given = `{"n":9007199254740993,"x":1.50}`
	nosy := asking()["nosy"]
	s := newServer(t, serve.Options{Expose: serve.All, AsksClient: true}, map[string]fake{"nosy": {nosy.mode, []string{readsAlone, form}}})
	s.allow("nosy")
	p := s.peer()
	p.initialize(`{"elicitation":{}}`)
	p.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nosy__wipe"}}`)
	question := p.until(`"elicitation/create"`)
	var asked struct{ ID json.RawMessage }
	if err := json.Unmarshal([]byte(question), &asked); err != nil {
		t.Fatal(err)
	}
	p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":%s}}`, asked.ID, given))
	want := strings.ReplaceAll(given, `"`, `\"`)
	holds(t, p.until(`"id":1`), want)

	const can = `{"elicitation":{}}`
	state := requestState(t, p.asks(2, "tools/call", modern(`{"name":"nosy__wipe"}`, can)))
	more := fmt.Sprintf(`{"name":"nosy__wipe","requestState":%q,"inputResponses":{"question":{"action":"accept","content":%s}}}`, state, given)
	holds(t, p.asks(3, "tools/call", modern(more, can)), want)

	url := s.overHTTP().URL + serve.Path
	headers := []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: nosy__wipe"}
	call := func(params string) string {
		_, answer, _ := posts(t, url, `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":`+modern(params, can)+`}`, headers...)
		_, answer, _ = strings.Cut(answer, "data: ")
		return answer
	}
	state = requestState(t, call(`{"name":"nosy__wipe"}`))
	own := `{"action":"accept","_meta":{"pillion/answer":"{}"},"content":` + given + `}` // which Pillion alone says
	holds(t, call(fmt.Sprintf(`{"name":"nosy__wipe","requestState":%q,"inputResponses":{"question":%s}}`, state, own)), want)
}

func TestC47_WhatAClientCannotAnswerIsNotAskedOfIt(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{Expose: serve.All, AsksClient: true}, asking())
	s.allow("nosy")
	p := s.peer()
	p.initialize(`{"sampling":{}}`)
	holds(t, p.asks(1, "tools/call", `{"name":"nosy__wipe"}`), `-32601`)
	holds(t, p.asks(2, "tools/call", modern(`{"name":"nosy__wipe"}`, `{"roots":{}}`)), `-32601`)
}

// recordingAsker is the editor of a window.
type recordingAsker struct {
	host.Asker
	elicited chan host.Elicitation
}

func (a recordingAsker) Abilities() host.Abilities { return host.Abilities{Forms: true} }

func (a recordingAsker) Elicit(_ context.Context, q host.Elicitation) (host.ElicitationAnswer, error) {
	a.elicited <- q
	return host.ElicitationAnswer{Action: "accept", Content: []byte(`{"name":"the editor"}`), By: "editor"}, nil
}

// What a connector asks in a call of whoever has joined a window goes to the window's editor, whatever the client says that it can.
func TestS15_AnAttachedClientIsNeverAsked(t *testing.T) {
	t.Parallel()
	asker := recordingAsker{elicited: make(chan host.Elicitation, 2)}
	s := newServerAsking(t, serve.Options{Expose: serve.All}, asker, asking())
	s.allow("nosy")
	p := s.peer()
	p.initialize(`{"elicitation":{}}`)
	holds(t, p.asks(1, "tools/call", `{"name":"nosy__wipe"}`), `the editor`)
	holds(t, p.asks(2, "tools/call", modern(`{"name":"nosy__wipe"}`, `{"elicitation":{}}`)), `the editor`, `"resultType":"complete"`)
	for _, line := range p.aside {
		if strings.Contains(line, "elicitation") {
			t.Errorf("the client was asked: %s", line)
		}
	}
	if len(asker.elicited) != 2 {
		t.Errorf("the editor was asked %d times", len(asker.elicited))
	}
}

func TestS15_PromptsAndCompletionsOfAClientAskLikeCalls(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{Expose: serve.All}, map[string]fake{"notes": {"", []string{tellsAll, readsAlone}}})
	p := s.peer()
	p.initialize(`{}`)
	list := p.asks(1, "prompts/list", `{}`)
	name := "notes__"
	if at := strings.Index(list, `"name":"notes__`); at >= 0 {
		name, _, _ = strings.Cut(list[at+len(`"name":"`):], `"`)
	} else {
		t.Fatalf("no prompt in %s", list)
	}
	get := fmt.Sprintf(`{"name":%q}`, name)
	complete := fmt.Sprintf(`{"ref":{"type":"ref/prompt","name":%q},"argument":{"name":"a","value":"b"}}`, name)
	for i, c := range []struct{ method, params string }{
		{"prompts/get", get}, {"completion/complete", complete}, {"resources/read", `{"uri":"other://unlisted"}`},
	} {
		holds(t, p.asks(10+i, c.method, c.params), `"error"`, `pillion permissions set allow notes`, `"pillion/outcome":"declined"`)
	}
	s.allow("notes")
	for i, c := range []struct{ method, params, want string }{
		{"prompts/get", get, `"messages"`}, {"completion/complete", complete, `"values"`}, {"resources/read", `{"uri":"other://unlisted"}`, `what stands at other://unlisted`},
	} {
		holds(t, p.asks(20+i, c.method, c.params), c.want)
	}
}
