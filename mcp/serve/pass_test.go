package serve_test

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pillion/mcp/host"
	"pillion/mcp/mcptest"
	"pillion/mcp/serve"
)

func TestV16_ProgressGoesToWhoWantsIt(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{Expose: serve.All}, map[string]fake{"slow": {"progress=5ms:40ms", []string{readsAlone}}})
	p := s.peer()
	p.initialize(`{}`)
	p.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow__look","_meta":{"progressToken":"mine"}}}`)
	holds(t, p.until(`notifications/progress`), `"progressToken":"mine"`)
	p.until(`"id":1`)
	told := len(p.aside)
	holds(t, p.asks(2, "tools/call", `{"name":"slow__look"}`), `"result"`)
	for _, line := range p.aside[told:] {
		if strings.Contains(line, "progress") {
			t.Errorf("progress that nobody wanted: %s", line)
		}
	}
}

func TestV17_CancellingReachesTheConnector(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	s := newServer(t, serve.Options{Expose: serve.All}, map[string]fake{"mute": {"silent=tools/call", []string{readsAlone, mcptest.LogVar + "=" + log}}})
	received := func(words ...string) int {
		n := 0
		for _, line := range mcptest.Received(t, log) {
			isIt := true
			for _, word := range words {
				isIt = isIt && strings.Contains(line, word)
			}
			if isIt {
				n++
			}
		}
		return n
	}
	eventually := func(what string, is func() bool) {
		t.Helper()
		for until := time.Now().Add(30 * time.Second); !is(); time.Sleep(5 * time.Millisecond) { // another process writes it
			if time.Now().After(until) {
				t.Fatalf("it did not come about that %s", what)
			}
		}
	}
	p := s.peer()
	p.initialize(`{}`)
	p.asks(1, "tools/list", `{}`)
	p.say(`{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"mute__look"}}`)
	eventually("the call came", func() bool { return received("tools/call") == 1 })
	p.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"long"}}`)
	eventually("it was cancelled", func() bool { return received("notifications/cancelled") == 1 })

	// Over HTTP, in the modern era, the end of the request is the cancelling.
	url := s.overHTTP().URL + serve.Path
	ctx, hangUp := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+modern(`{"name":"mute__look"}`, `{}`)+`}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token,
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "mute__look",
	} {
		request.Header.Set(name, value)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close()
		}
	}()
	eventually("the second call came", func() bool { return received("tools/call") == 2 })
	hangUp()
	<-done
	eventually("that was cancelled, too", func() bool { return received("notifications/cancelled") == 2 })
}

func TestF1_WhoFollowsAResourceIsToldInBothEras(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{}, map[string]fake{"notes": {"", []string{tellsAll}}})
	old, current := s.peer(), s.peer()
	old.initialize(`{}`)
	list := old.asks(1, "resources/list", `{}`)
	_, rest, _ := strings.Cut(list, `"uri":"`)
	uri, _, _ := strings.Cut(rest, `"`)
	holds(t, old.asks(2, "resources/subscribe", `{"uri":"`+uri+`"}`), `"result":{}`)
	holds(t, old.asks(3, "resources/subscribe", `{"uri":"other://unlisted"}`), `"error"`)
	current.say(`{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":` + modern(`{"notifications":{"resourceSubscriptions":["`+uri+`","other://unlisted"],"promptsListChanged":true}}`, `{}`) + `}`)
	acknowledged := current.until(`subscriptions/acknowledged`)
	holds(t, acknowledged, uri, `"promptsListChanged":true`)
	if strings.Contains(acknowledged, "unlisted") {
		t.Errorf("what is not followed is acknowledged: %s", acknowledged)
	}
	s.Observe(host.Event{Updates: []host.Update{{Connector: s.id("notes"), URI: uri}}})
	holds(t, old.until(`notifications/resources/updated`), uri)
	holds(t, current.until(`notifications/resources/updated`), uri, `subscriptionId`)
	holds(t, old.asks(4, "resources/unsubscribe", `{"uri":"`+uri+`"}`), `"result":{}`)
}

func TestV10_ListsThatAreSaidToChangeAreToldOf(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{Expose: serve.All}, map[string]fake{"notes": {"burst=3", []string{readsAlone}}})
	p := s.peer()
	p.initialize(`{}`)
	p.asks(1, "tools/list", `{}`)
	p.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"notes__look"}}`)
	p.until(`notifications/tools/list_changed`)
	p.until(`"id":2`)
}
