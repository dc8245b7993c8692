package connector

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pillion/mcp/mcptest"
)

// surroundings set what the connector has of its environment.
func surroundings(change func(*Options)) setting {
	return func(_ *Definition, o *Options, _ *tuning) { change(o) }
}

func address(url string) setting { return define(func(d *Definition) { d.URL = url }) }

func TestC59_CertificatesAreTrustedByName(t *testing.T) {
	peer := mcptest.NewTLS(t, "")
	p := remoteProblem(t, peer)
	if p.Kind != ProblemUnreachable || !strings.Contains(p.Reason, "Acme Co") || !strings.Contains(strings.Join(p.Steps, " "), "SSL_CERT_FILE") {
		t.Errorf("%+v", p)
	}
	if len(peer.Requests()) != 0 {
		t.Error("something was sent to a server that is not trusted")
	}
	for name, set := range map[string]setting{
		"setting":  surroundings(func(o *Options) { o.CAFiles = []string{peer.CAFile()} }),
		"variable": surroundings(func(o *Options) { o.Environ = []string{"SSL_CERT_FILE=" + peer.CAFile()} }),
	} {
		f := remoteFake(t, peer, set)
		if err := f.Start(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f.say(`{}`)
	}
	other := remoteProblem(t, peer, address("https://"+strings.Replace(peer.Address(), "127.0.0.1", "localhost", 1)+"/mcp"),
		surroundings(func(o *Options) { o.CAFiles = []string{peer.CAFile()} }))
	if other.Kind != ProblemUnreachable || !strings.Contains(other.Reason, "another host") {
		t.Errorf("%+v", other)
	}
}

func TestC59_CertificateFilesThatCannotBeRead(t *testing.T) {
	peer := mcptest.NewTLS(t, "")
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{empty, empty + ".absent"} {
		p := remoteProblem(t, peer, surroundings(func(o *Options) { o.CAFiles = []string{path} }))
		if p.Kind != ProblemConfig || !strings.Contains(p.Reason, path) {
			t.Errorf("%+v", p)
		}
	}
}

func TestC59_ProxiesLeadElsewhereAlone(t *testing.T) {
	peer := mcptest.NewTLS(t, "")
	proxy := mcptest.NewProxy(t, peer.Address())
	for _, test := range []struct {
		url      string
		environ  []string
		isAsked  bool
		isServed bool
	}{
		{"https://example.com/mcp", []string{"HTTPS_PROXY=" + proxy.URL()}, true, true},
		{"https://example.com/mcp", []string{"https_proxy=" + proxy.URL()}, true, true},
		{peer.URL(), []string{"HTTPS_PROXY=" + proxy.URL(), "HTTP_PROXY=" + proxy.URL(), "NO_PROXY="}, false, true},
		{"https://no-such-host.invalid/mcp", []string{"HTTPS_PROXY=" + proxy.URL(), "NO_PROXY=.invalid"}, false, false},
	} {
		before := len(proxy.Asked())
		f := remoteFake(t, peer, address(test.url), surroundings(func(o *Options) { o.Environ, o.CAFiles = test.environ, []string{peer.CAFile()} }))
		err := f.Start(t.Context())
		if isAsked := len(proxy.Asked()) > before; (err == nil) != test.isServed || isAsked != test.isAsked {
			t.Errorf("%s with %q: asked %t, %v", test.url, test.environ, isAsked, err)
		}
	}
	gone := mcptest.NewHTTP(t, "")
	gone.Close()
	p := remoteProblem(t, peer, address("https://example.com/mcp"), surroundings(func(o *Options) { o.Environ = []string{"HTTPS_PROXY=" + gone.Origin()} }))
	if p.Kind != ProblemUnreachable || !strings.Contains(p.Reason, "proxy "+gone.Address()) {
		t.Errorf("%+v", p)
	}
}

func TestC02_NoHeaderThatReadsAsTwo(t *testing.T) {
	peer := mcptest.NewHTTP(t, "")
	for name, value := range map[string]string{"X-A": "a\r\nX-B: b", "X-B": "a\nb", "X-C": "a\x00", "X\r\nY": "a", "": "a"} {
		p := remoteProblem(t, peer, define(func(d *Definition) { d.Headers = map[string]string{name: value} }))
		if p.Kind != ProblemConfig {
			t.Errorf("%q: %+v", name, p)
		}
	}
	if got := len(peer.Requests()); got != 0 {
		t.Errorf("%d requests", got)
	}
}

func TestRemote_HeadersGoWithEveryRequest(t *testing.T) {
	f := remoteStarted(t, "sse,session,getstream", define(func(d *Definition) {
		d.Headers = map[string]string{"authorization": "Bearer canary", "Accept": "text/html", "Mcp-Session-Id": "mine", "Host": "other.example"}
	}))
	f.say(`{}`)
	f.eventually("the stream is open", func() bool { return len(f.peer.Received("GET")) == 1 })
	f.Stop(t.Context())
	for _, request := range f.peer.Requests() {
		h := request.Header
		if h.Get("Authorization") != "Bearer canary" || h.Get("Accept") == "text/html" || h.Get("Mcp-Session-Id") == "mine" || request.Host != "other.example" {
			t.Errorf("%s %s: %s %v", request.Method, request.RPC, request.Host, h)
		}
	}
}

func TestC26_CancelReachesARemoteServer(t *testing.T) {
	for _, isModern := range []bool{false, true} {
		mode := "late"
		if isModern {
			mode = "hang=tools/call,modern"
		}
		f := remoteStarted(t, mode)
		reply, err := f.call(CallRequest{Timeout: 50 * time.Millisecond})
		var timeout *TimeoutError
		if !errors.As(err, &timeout) || !reply.MayHaveRun {
			t.Errorf("%+v, %v", reply, err)
		}
		if isModern { // the stream is closed, and that is all
			continue
		}
		f.eventually("it was told", func() bool { return len(f.peer.Received("notifications/cancelled")) == 1 })
		var call, notice struct {
			ID     json.Number `json:"id"`
			Params struct {
				RequestID json.Number `json:"requestId"`
			} `json:"params"`
		}
		if err := errors.Join(json.Unmarshal([]byte(f.peer.Received("tools/call")[0].Body), &call), json.Unmarshal([]byte(f.peer.Received("notifications/cancelled")[0].Body), &notice)); err != nil || call.ID != notice.Params.RequestID {
			t.Errorf("%+v, %+v, %v", call, notice, err)
		}
	}
}

func TestC49_RequestsOfTheServerAreAnsweredDuringACall(t *testing.T) {
	for _, kind := range []string{"", ",getstream", ",oldsse"} {
		for _, method := range []string{"ping", "roots/list", "elicitation/create", "sampling/createMessage"} {
			f := remoteStarted(t, "ask="+method+kind)
			if kind == ",getstream" {
				f.eventually("the stream is open", func() bool { return len(f.peer.Received("GET")) == 1 })
			}
			if got := f.say(`{}`); (method == "ping") != (got == "{}") || method != "ping" && !strings.Contains(got, "-32601") {
				t.Errorf("%s by %q: %s", method, kind, got)
			}
		}
	}
}

func TestC25_CallsOfALostServerEnd(t *testing.T) {
	f := remoteStarted(t, "")
	f.peer.Close()
	begun := time.Now()
	var lost *LostError
	var down *NotReadyError
	// What is sent by a connection from before may have arrived, and there may be several of them; nobody takes a new one.
	const connections = 5
	var err error
	for range connections {
		var reply CallReply
		if reply, err = f.call(CallRequest{}); err == nil {
			t.Fatalf("%+v", reply)
		}
		if errors.As(err, &lost) || errors.As(err, &down) {
			break
		}
	}
	if lost == nil && down == nil || time.Since(begun) > 10*time.Second {
		t.Errorf("%v after %s", err, time.Since(begun))
	}
	f.eventually("it says why", func() bool {
		problem := f.Status().Problem
		return problem != nil && problem.Kind == ProblemUnreachable
	})
}

func TestRemote_TheEraIsProbedAndRemembered(t *testing.T) {
	for mode, want := range map[string]string{
		"": "2025-06-18", "modern": "2026-07-28", "modernonly": "2026-07-28", "status=server/discover:400": "2025-06-18",
		"status=server/discover:500": "2025-06-18", "html=server/discover": "2025-06-18", "empty=server/discover": "2025-06-18",
		"drop=server/discover": "2025-06-18", "hang=server/discover": "2025-06-18", "rpcstatus=server/discover:400": "2025-06-18",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := remoteStarted(t, mode, tune(func(t *tuning) { t.probe = 200 * time.Millisecond }))
			if got := f.Status().Server.ProtocolVersion; got != want {
				t.Errorf("version %s", got)
			}
			f.Stop(t.Context())
			if err := f.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := len(f.peer.Received("server/discover")); got != 1 && want != "2026-07-28" {
				t.Errorf("probed %d times", got)
			}
		})
	}
}

func TestRemote_ModernRequestsSayWhatTheyAre(t *testing.T) {
	f := remoteStarted(t, "modern")
	f.say(`{}`)
	for _, request := range f.peer.Requests() {
		h := request.Header
		if request.Method != "POST" || h.Get("Mcp-Method") != request.RPC || h.Get("Mcp-Protocol-Version") != "2026-07-28" || h.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s %s: %v", request.Method, request.RPC, h)
		}
		if want := map[string]string{"tools/call": "a"}[request.RPC]; h.Get("Mcp-Name") != want {
			t.Errorf("%s: name %q", request.RPC, h.Get("Mcp-Name"))
		}
	}
}

func TestHeaderValue(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "a b": "a b", "": "", "ü": "=?base64?w7w=?=", " a": "=?base64?IGE=?=", "a\nb": "=?base64?YQpi?=",
		"=?base64?YQ==?=": "=?base64?PT9iYXNlNjQ/WVE9PT89?=",
	} {
		if got := headerValue(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for in, want := range map[string]time.Duration{
		"": 0, "5": 5 * time.Second, "-5": 0, "soon": 0, "99999999999": 0,
		"Mon, 30 Nov 2026 12:00:30 GMT": 30 * time.Second, "Mon, 30 Nov 2026 11:00:30 GMT": 0,
	} {
		if got := retryAfter(in, now); got != want {
			t.Errorf("%q: %s", in, got)
		}
	}
}
