package serve_test

import (
	"strings"
	"testing"

	"pillion/mcp/host"
	"pillion/mcp/serve"
)

func TestL2_AFaultInOneRequestIsItsAnswer(t *testing.T) {
	t.Parallel()
	fault := func(string, host.CallState) { panic("a fault") }
	for _, asks := range []bool{false, true} {
		s := newServer(t, serve.Options{Expose: serve.All, AsksClient: asks, OnState: fault}, map[string]fake{"notes": {"", []string{readsAlone}}})
		p := s.peer()
		named := `{"name":"notes__look","_meta":{"` + serve.RequestKey + `":"mine"}}`
		if asks { // in the modern era: it runs on beside its request
			named = strings.Replace(modern(`{"name":"notes__look"}`, `{}`), `{"_meta":{`, `{"_meta":{"`+serve.RequestKey+`":"mine",`, 1)
			p.asks(1, "tools/list", modern(`{}`, `{}`))
		} else {
			p.initialize(`{}`)
			p.asks(1, "tools/list", `{}`)
		}
		holds(t, p.asks(2, "tools/call", named), `"code":-32603`)
		if asks {
			holds(t, p.asks(3, "tools/list", modern(`{}`, `{}`)), `notes__look`)
		} else {
			holds(t, p.asks(3, "ping", `{}`), `"result":{}`)
		}
	}
}
