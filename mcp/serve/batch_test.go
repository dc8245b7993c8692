package serve_test

import (
	"path/filepath"
	"strings"
	"testing"

	"pillion/mcp/mcptest"
	"pillion/mcp/serve"
)

// A batch of MCP 2025-03-26 over HTTP reaches connectors digit by digit, and so does what they answer.
func TestL1_ABatchOverHTTPKeepsItsDigits(t *testing.T) {
	t.Parallel()
	const result = mcptest.ResultVar + `={"content":[],"structuredContent":{"n":9007199254740993,"r":1.50}}`
	log := filepath.Join(t.TempDir(), "log")
	s := newServer(t, serve.Options{Expose: serve.All}, map[string]fake{"notes": {"", []string{readsAlone, result, mcptest.LogVar + "=" + log}}})
	url := s.overHTTP().URL + serve.Path
	_, _, h := posts(t, url, strings.Replace(initialize, "2025-11-25", "2025-03-26", 1))
	session := "Mcp-Session-Id: " + h.Get("Mcp-Session-Id")
	posts(t, url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session)
	posts(t, url, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, session)
	status, answer, _ := posts(t, url, `[{"jsonrpc":"2.0","id":9007199254740992,"method":"tools/call","params":{"name":"notes__look","arguments":{"n":9007199254740993,"r":2.50}}},{"jsonrpc":"2.0","id":4,"method":"ping"}]`, session)
	if status != 200 {
		t.Fatalf("%d %s", status, answer)
	}
	holds(t, answer, `"n":9007199254740993,"r":1.50`, `"id":9007199254740992`, `"id":4`)
	received := strings.Join(mcptest.Received(t, log), "\n")
	holds(t, received, `{"n":9007199254740993,"r":2.50}`)
}

// What is refused on a stream is refused over HTTP, alone and in a batch, and answers nobody's request.
func TestL1_WhatIsNoMessageIsRefusedOverHTTP(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{}, map[string]fake{"notes": {"", nil}})
	url := s.overHTTP().URL + serve.Path
	_, _, h := posts(t, url, strings.Replace(initialize, "2025-11-25", "2025-03-26", 1))
	session := "Mcp-Session-Id: " + h.Get("Mcp-Session-Id")
	posts(t, url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session)
	for body, want := range map[string]string{
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`:                                            `"id":9007199254740993,"error":{"code":-32600`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}]`: `"id":9007199254740993,"error":{"code":-32600`,
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`:                                                         `"code":-32600`,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`:                                                    `"code":-32600`,
		`[1,{"jsonrpc":"2.0","id":3,"method":"ping"}]`:                                                       `"code":-32600`,
		`[]`:                      `"code":-32600`,
		`{"jsonrpc":"2.0","id":1`: `"code":-32700`,
		``:                        `"code":-32700`,
		`[{`:                      `"code":-32700`,
	} {
		status, answer, _ := posts(t, url, body, session)
		if status != 400 || strings.Contains(answer, `"result"`) {
			t.Errorf("%s: %d %s", body, status, answer)
		}
		holds(t, answer, want)
	}
	if status, answer, _ := posts(t, url, `{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}`, session); status != 200 {
		t.Errorf("%d %s", status, answer)
	} else {
		holds(t, answer, `"id":9007199254740992,"result"`)
	}
}
