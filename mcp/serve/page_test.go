package serve_test

import (
	"testing"

	"pillion/mcp/serve"
)

func TestL1_ACursorThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{Expose: serve.All}, map[string]fake{"notes": {"", []string{readsAlone}}})
	p := s.peer()
	p.initialize(`{}`)
	// What decodes base64 passes over line ends: some of these decode to nothing.
	for i, cursor := range []string{`\n`, `\r\n`, `=`, `AA`, `Pg`, `!`} {
		for j, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
			answer := p.asks(10+10*i+j, method, `{"cursor":"`+cursor+`"}`)
			if cursor != "Pg" {
				holds(t, answer, `"code":-32602`)
			}
		}
	}
	holds(t, p.asks(99, "ping", `{}`), `"result":{}`)
}
