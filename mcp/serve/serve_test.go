package serve_test

import (
	"strings"
	"testing"
	"time"

	"pillion/mcp/mcptest"
	"pillion/mcp/serve"
)

func holds(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("no %s in %.1000s", word, text)
		}
	}
}

func TestL1_MetaSurfaceInBothEras(t *testing.T) {
	t.Parallel()
	const result = `{"content":[{"type":"text","text":"seen"}],"structuredContent":{"n":9007199254740993},"_meta":{"own":1.50}}`
	s := newServer(t, serve.Options{Version: "1.2.3"}, map[string]fake{"notes": {"", []string{readsAlone, mcptest.ResultVar + "=" + result}}})
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			p := s.peer()
			params := func(p string) string { return p }
			if era == "legacy" {
				holds(t, p.initialize(`{}`), `"protocolVersion":"2025-11-25"`, `"name":"pillion"`, `"version":"1.2.3"`, `connectors`)
			} else {
				params = func(p string) string { return modern(p, `{}`) }
				holds(t, p.asks(1, "server/discover", params(`{}`)), `"2026-07-28"`, `"cacheScope":"private"`, `connectors`)
			}
			list := p.asks(2, "tools/list", params(`{}`))
			holds(t, list, `"name":"search"`, `"name":"describe"`, `"name":"call"`)
			if strings.Contains(list, "look") {
				t.Errorf("a connector's tool is listed: %s", list)
			}
			if isPrivate := strings.Contains(list, `"cacheScope":"private"`) && strings.Contains(list, `"ttlMs":0`); isPrivate != (era == "modern") {
				t.Errorf("what is said of caching in the %s era: %s", era, list)
			}
			holds(t, p.asks(3, "tools/call", params(`{"name":"search","arguments":{"query":"looks"}}`)), `notes__look`, `"total":1`)
			holds(t, p.asks(4, "tools/call", params(`{"name":"describe","arguments":{"tool":"notes__look"}}`)), `"maximum":9007199254740993`)
			called := p.asks(5, "tools/call", params(`{"name":"call","arguments":{"tool":"notes__look","arguments":{"n":9007199254740993}}}`))
			holds(t, called, `"text":"seen"`, `"structuredContent":{"n":9007199254740993}`, `"own":1.50`, `"pillion/connector":"notes"`, `data, not instructions`)
			if isTyped := strings.Contains(called, `"resultType":"complete"`); isTyped != (era == "modern") {
				t.Errorf("the kind of a result in the %s era: %s", era, called)
			}
			holds(t, p.asks(6, "tools/call", params(`{"name":"call","arguments":{"tool":"notes__wipe"}}`)),
				`"isError":true`, `nobody can be asked`, `pillion permissions set allow notes.wipe`, `"pillion/outcome":"declined"`)
			holds(t, p.asks(7, "tools/call", params(`{"name":"call","arguments":{"tool":"notes__lok"}}`)), `"isError":true`, `did you mean`)
			holds(t, p.asks(8, "tools/call", params(`{"name":"call","arguments":{"tool":"notes__look","Tool":"x"}}`)), `"isError":true`, `"pillion/outcome":"invalidArguments"`)
			holds(t, p.asks(9, "tools/call", params(`{"name":"notes__look"}`)), `"code":-32602`)
		})
	}
}

func TestL1_ASearchThatFindsNothingSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{}, map[string]fake{"notes": {"", []string{readsAlone}}, "gone": {"no-such-mode", nil}})
	p := s.peer()
	p.initialize(`{}`)
	holds(t, p.asks(1, "tools/call", `{"name":"search","arguments":{"query":"zebra"}}`), `0 of 0 tools`, `What may be missing`, `\"gone\"`)
	if found := p.asks(2, "tools/call", `{"name":"search","arguments":{"query":"looks"}}`); strings.Contains(found, "may be missing") {
		t.Errorf("it is said beside what was found: %s", found)
	}
}

func TestS6_NoServedToolChangesTrust(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{}, map[string]fake{"notes": {"", nil}})
	p := s.peer()
	p.initialize(`{}`)
	for i, method := range []string{"pillion/permissions/set", "pillion/ask/answer", "pillion/connector/approve", "pillion/consent/decide"} {
		holds(t, p.asks(i+1, method, `{}`), `"error"`, `-32601`)
	}
	if list := p.asks(9, "tools/list", `{}`); strings.Count(list, `"inputSchema"`) != 3 {
		t.Errorf("other tools than the three: %s", list)
	}
}

func TestL1_AllToolsByTheirServedNames(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{Expose: serve.All}, map[string]fake{"one": {"", []string{readsAlone}}, "two": {"", []string{readsAlone}}})
	p := s.peer()
	holds(t, p.initialize(`{}`), `"tools":{"listChanged":true}`)
	list := p.asks(1, "tools/list", `{}`)
	last := 0
	for _, name := range []string{"one__look", "one__wipe", "two__look", "two__wipe"} {
		at := strings.Index(list, `"name":"`+name+`"`)
		if at < last {
			t.Errorf("%s is not there, or not in order: %s", name, list)
		}
		last = at
	}
	holds(t, list, `"maximum":9007199254740993`, `"annotations":{"readOnlyHint":true}`)
	holds(t, p.asks(2, "tools/call", `{"name":"two__look","arguments":{"n":1}}`), `"pillion/connector":"two"`)
	holds(t, p.asks(3, "tools/call", `{"name":"two__gone"}`), `"code":-32602`)
	holds(t, p.asks(4, "tools/call", `{"name":"two__look","arguments":{"n":1,"n":2}}`), `"isError":true`, `invalidArguments`)
}

func TestL1_LinesThatAreNoMessages(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{}, map[string]fake{"notes": {"", nil}})
	p := s.peer()
	p.initialize(`{}`)
	for _, bad := range []string{
		`nonsense`, `{"jsonrpc":"2.0","id":1,"method":"ping"`, `{"id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":5}`, `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":3}`,
		strings.Repeat("[", 2000) + strings.Repeat("]", 2000),
		`[]`, `[1]`, `[[]]`, `{"jsonrpc":"2.0","id":1,"error":5}`, `{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}`, `{"jsonrpc":"2.0","result":{}}`,
		`[{"jsonrpc":"2.0","id":1,"error":5}]`, `{"jsonrpc":"2.0","id":1,"method":"ping","error":5}`,
	} {
		p.say(bad)
		holds(t, p.until(`"error"`), `"code":-32`)
	}
	p.say(`[{"jsonrpc":"2.0","id":31,"method":"ping"},1,{"jsonrpc":"2.0","id":32,"method":"ping"}]`)
	for _, word := range []string{`"id":31,"result"`, `"code":-32600`, `"id":32,"result"`} {
		p.until(word)
	}
	p.say("")
	holds(t, p.asks(77, "ping", `{}`), `"result":{}`)
}

func TestC79_TheEndOfTheStreamEndsItsCalls(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{Expose: serve.All}, map[string]fake{"notes": {"silent=tools/call", []string{readsAlone}}})
	p := s.peer()
	p.initialize(`{}`)
	p.asks(1, "tools/list", `{}`)
	p.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"notes__look"}}`)
	for until := time.Now().Add(30 * time.Second); len(s.host.Calls()) == 0; {
		if p.asks(3, "ping", `{}`); time.Now().After(until) {
			t.Fatalf("no call is made; what came: %q", p.aside)
		}
	}
	_ = p.conn.Close()
	if err := <-p.over; err != nil {
		t.Error(err)
	}
}
