package serve_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pillion/mcp/serve"
)

const token = "the-token-of-this-start"

// overHTTP serves over HTTP until the test ends.
func (s *server) overHTTP() *httptest.Server {
	s.t.Helper()
	web := httptest.NewServer(s.Handler(token))
	s.t.Cleanup(func() {
		s.Close()
		web.CloseClientConnections()
		web.Close()
	})
	return web
}

// posts sends a body with headers, "name: value" each, on top of those that a client sends.
func posts(t *testing.T, url, body string, headers ...string) (status int, answer string, h http.Header) {
	t.Helper()
	return sends(t, http.MethodPost, url, body, headers...)
}

func sends(t *testing.T, method, url, body string, headers ...string) (status int, answer string, h http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Authorization", "Bearer "+token)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		switch {
		case name == "Host":
			request.Host = value
		case value == "":
			request.Header.Del(name)
		default:
			request.Header.Set(name, value)
		}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text), response.Header
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}}`

// Every request that somebody else could send is refused, and none of them reaches a session.
func TestS21_RefusedOverHTTP(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{}, map[string]fake{"notes": {"", nil}})
	web := s.overHTTP()
	address := strings.TrimPrefix(web.URL, "http://")
	_, port, _ := strings.Cut(address, ":")
	for name, c := range map[string]struct {
		headers []string
		status  int
	}{
		"no token":                              {[]string{"Authorization: "}, 401},
		"another token":                         {[]string{"Authorization: Bearer the-token-of-another-one"}, 401},
		"the beginning of the token":            {[]string{"Authorization: Bearer the-token"}, 401},
		"more than the token":                   {[]string{"Authorization: Bearer " + token + "x"}, 401},
		"the token as a password":               {[]string{"Authorization: Basic " + token}, 401},
		"the token in another header":           {[]string{"Authorization: ", "X-Api-Key: " + token}, 401},
		"a name that was bent to lead here":     {[]string{"Host: evil.example:" + port}, 403},
		"a name that looks like this machine":   {[]string{"Host: localhost.evil.example:" + port}, 403},
		"an address of another machine":         {[]string{"Host: 192.168.1.2:" + port}, 403},
		"no host":                               {[]string{"Host: :" + port}, 403},
		"a page of elsewhere":                   {[]string{"Origin: http://evil.example"}, 403},
		"a page of this machine":                {[]string{"Origin: http://localhost:3000"}, 403},
		"a page of this address over TLS":       {[]string{"Origin: https://" + address}, 403},
		"a page of nowhere":                     {[]string{"Origin: null"}, 403},
		"a page and the token":                  {[]string{"Origin: http://evil.example", "Authorization: Bearer " + token}, 403},
		"a page whose name was bent":            {[]string{"Host: evil.example:" + port, "Origin: http://evil.example:" + port}, 403},
		"a session that was never given":        {[]string{"Mcp-Session-Id: ABCDEFGHIJKLMNOPQRSTUVWXYZ"}, 404},
		"a session that was never given, later": {[]string{"Mcp-Session-Id: ABCDEFGHIJKLMNOPQRSTUVWXYZ", "MCP-Protocol-Version: 2025-11-25"}, 404},
	} {
		t.Run(name, func(t *testing.T) {
			status, answer, h := posts(t, web.URL+serve.Path, initialize, c.headers...)
			if status != c.status || h.Get("Mcp-Session-Id") != "" {
				t.Errorf("HTTP %d (%s), session %q; want %d", status, answer, h.Get("Mcp-Session-Id"), c.status)
			}
			if status == 401 && h.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("asked for %q", h.Get("WWW-Authenticate"))
			}
			if strings.Contains(answer, token) {
				t.Errorf("the token is told: %s", answer)
			}
		})
	}
	if status, _, _ := posts(t, web.URL+"/other", initialize); status != 404 {
		t.Errorf("another path: HTTP %d", status)
	}
}

func TestV1_AllowedOverHTTP(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{}, map[string]fake{"notes": {"", nil}})
	web := s.overHTTP()
	address := strings.TrimPrefix(web.URL, "http://")
	_, port, _ := strings.Cut(address, ":")
	for _, headers := range [][]string{nil, {"Origin: http://" + address}, {"Host: localhost:" + port}, {"Host: [::1]:" + port}, {"Authorization: bearer " + token}} {
		if status, answer, h := posts(t, web.URL+serve.Path, initialize, headers...); status != 200 || h.Get("Mcp-Session-Id") == "" || h.Get("X-Accel-Buffering") != "no" {
			t.Errorf("%q: HTTP %d (%s)", headers, status, answer)
		}
	}
}

// What ended a session cannot be played again, nor by another who heard its id.
func TestS21_ASessionThatIsOverIsNotThereAgain(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{}, map[string]fake{"notes": {"", nil}})
	url := s.overHTTP().URL + serve.Path
	_, _, h := posts(t, url, initialize)
	session := "Mcp-Session-Id: " + h.Get("Mcp-Session-Id")
	const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	if status, answer, _ := posts(t, url, ping, session); status != 200 {
		t.Fatalf("HTTP %d (%s)", status, answer)
	}
	if status, _, _ := posts(t, url, ping, session, "Authorization: Bearer other"); status != 401 {
		t.Errorf("a session without its token: HTTP %d", status)
	}
	if status, _, _ := sends(t, http.MethodDelete, url, "", session); status/100 != 2 {
		t.Errorf("the end of a session: HTTP %d", status)
	}
	if status, answer, _ := posts(t, url, ping, session); status != 404 {
		t.Errorf("a session that is over: HTTP %d (%s)", status, answer)
	}
}

func TestV3_TheModernEraOnTheSameAddress(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{}, map[string]fake{"notes": {"", []string{readsAlone}}})
	url := s.overHTTP().URL + serve.Path
	body := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + modern(params, `{}`) + `}`
	}
	version := "MCP-Protocol-Version: 2026-07-28"
	status, answer, h := posts(t, url, body("server/discover", `{}`), version, "Mcp-Method: server/discover")
	if status != 200 || h.Get("Mcp-Session-Id") != "" {
		t.Errorf("HTTP %d, session %q: %s", status, h.Get("Mcp-Session-Id"), answer)
	}
	holds(t, answer, `"2026-07-28"`, `"cacheScope":"private"`, `"name":"pillion"`)
	status, answer, _ = posts(t, url, body("tools/call", `{"name":"call","arguments":{"tool":"notes__look"}}`), version, "Mcp-Method: tools/call", "Mcp-Name: call")
	if status != 200 {
		t.Errorf("HTTP %d", status)
	}
	holds(t, answer, `"pillion/connector":"notes"`, `"resultType":"complete"`)
	for name, c := range map[string]struct {
		body    string
		headers []string
		status  int
		code    string
	}{
		"a version that does not match": {body("tools/list", `{}`), []string{"MCP-Protocol-Version: 2099-01-01", "Mcp-Method: tools/list"}, 400, `-320`},
		"a method that does not match":  {body("tools/list", `{}`), []string{version, "Mcp-Method: tools/call"}, 400, `-32020`},
		"no version":                    {body("tools/list", `{}`), []string{"Mcp-Method: tools/list"}, 400, `-32020`},
		"a method that there is none":   {body("tools/none", `{}`), []string{version, "Mcp-Method: tools/none"}, 404, `-32601`},
	} {
		if status, answer, _ := posts(t, url, c.body, c.headers...); status != c.status || !strings.Contains(answer, c.code) {
			t.Errorf("%s: HTTP %d (%s), want %d with %s", name, status, answer, c.status, c.code)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		if status, _, _ := sends(t, method, url, "", version); status != http.StatusMethodNotAllowed {
			t.Errorf("%s: HTTP %d", method, status)
		}
	}
}
