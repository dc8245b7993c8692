package connector

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"pillion/mcp/mcptest"
)

// overHTTP is a connector over a fake that is reached by HTTP.
type overHTTP struct {
	*fixture
	peer *mcptest.HTTP
}

// remoteFake makes a connector over an HTTP fake; it is stopped when the test ends.
func remoteFake(t *testing.T, peer *mcptest.HTTP, settings ...setting) *overHTTP {
	t.Helper()
	f := &fixture{t: t, seen: make(chan struct{}, 1)}
	d := Definition{ID: "id", Name: "fake", URL: peer.URL()}
	o := Options{
		Client: Implementation{Name: "pillion", Version: "0"}, Logger: slog.New(slog.DiscardHandler),
		OnChange: func(c Change) {
			f.mu.Lock()
			f.changes = append(f.changes, c)
			f.mu.Unlock()
			select {
			case f.seen <- struct{}{}:
			default:
			}
		},
	}
	times := defaultTuning()
	times.farewell, times.busy, times.relisten, times.settle = 300*time.Millisecond, 10*time.Millisecond, 50*time.Millisecond, 50*time.Millisecond
	for _, set := range settings {
		set(&d, &o, &times)
	}
	f.Connector = New(d, o)
	f.tuning = times
	t.Cleanup(func() { f.Stop(context.Background()) })
	return &overHTTP{f, peer}
}

func remoteStarted(t *testing.T, mode string, settings ...setting) *overHTTP {
	t.Helper()
	f := remoteFake(t, mcptest.NewHTTP(t, mode), settings...)
	if err := f.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return f
}

// remoteProblem starts a connector that must not start and returns why not.
func remoteProblem(t *testing.T, peer *mcptest.HTTP, settings ...setting) *Problem {
	t.Helper()
	f := remoteFake(t, peer, settings...)
	err := f.Start(t.Context())
	var p *Problem
	if !errors.As(err, &p) {
		t.Fatalf("Start: %v", err)
	}
	return p
}

// call calls tool a.
func (f *overHTTP) call(r CallRequest) (CallReply, error) {
	f.t.Helper()
	r.Tool = "a"
	return f.Call(f.t.Context(), r)
}

func TestC52_EventStreams(t *testing.T) {
	for _, style := range []string{"", "crlf", "cr", "bom", "comments", "twolines", "split", "bare", "charset"} {
		t.Run(style, func(t *testing.T) {
			t.Parallel()
			f := remoteStarted(t, "echo,sse,progress=1ms:5ms,style="+style)
			if got := f.say(`{"a":1}`); got != `{"a":1}` {
				t.Errorf("said %q", got)
			}
		})
	}
	t.Run("unended", func(t *testing.T) {
		t.Parallel()
		f := remoteStarted(t, "sse")
		f.peer.Change("sse,style=unended")
		reply, err := f.call(CallRequest{})
		var broken *TransportError
		if !errors.As(err, &broken) || !strings.Contains(err.Error(), "stream ended") || !reply.MayHaveRun {
			t.Errorf("%+v, %v", reply, err)
		}
		f.peer.Change("sse")
		f.say(`{}`)
	})
}

func TestC53_LargeAnswers(t *testing.T) {
	if got := defaultTuning().maxBytes; got != 64<<20 {
		t.Errorf("the limit of a message is %d bytes", got)
	}
	for _, kind := range []string{"", "sse"} {
		t.Run("as "+kind, func(t *testing.T) {
			t.Parallel()
			f := remoteStarted(t, kind, tune(func(t *tuning) { t.maxBytes = 18 << 20 }))
			for _, bytes := range []int{900 << 10, 1<<20 + 1, 17 << 20} {
				reply, err := f.call(CallRequest{Arguments: fmt.Appendf(nil, `{"bytes":%d}`, bytes)})
				if err != nil || len(reply.Result) < bytes-100 {
					t.Errorf("%d bytes: %d, %v", bytes, len(reply.Result), err)
				}
			}
			reply, err := f.call(CallRequest{Arguments: fmt.Appendf(nil, `{"bytes":%d}`, 18<<20+1000)})
			var large *TooLargeError
			if !errors.As(err, &large) || !reply.MayHaveRun {
				t.Errorf("over the limit: %v", err)
			}
			f.say(`{}`)
		})
	}
}

// A fault of one answer costs that call, and the session goes on.
func TestRemote_AFaultCostsOneCall(t *testing.T) {
	for mode, want := range map[string]string{
		"drop=tools/call":               "closed the connection",
		"half=tools/call":               "broke off",
		"html=tools/call":               "text/html in place of MCP",
		"empty=tools/call":              "no reply",
		"status=tools/call:500,say=boo": "500 (Internal Server Error): boo",
		"status=tools/call:400":         "400 (Bad Request)",
		"status=tools/call:403":         "403 (Forbidden)",
		"status=tools/call:429":         "429",
		"noresult":                      "neither a result nor an error",
		"badjson":                       "",
		"ids=other":                     "came with the id",
		"hang=tools/call":               "no answer within",
		"loris=tools/call":              "no answer within",
		"endless=tools/call":            "no answer within",
		"redirectloop=307":              "more than 5 times",
		"redirect=tools/call:302:/mcp/": "/mcp/",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := remoteStarted(t, "")
			f.peer.Change(mode)
			reply, err := f.call(CallRequest{Timeout: 500 * time.Millisecond})
			if err == nil || !strings.Contains(err.Error(), want) || !reply.MayHaveRun {
				t.Errorf("%+v, %v", reply, err)
			}
			if got := len(f.peer.Received("tools/call")); got != 1 && !strings.HasPrefix(mode, "redirectloop") {
				t.Errorf("it was called %d times", got)
			}
			f.peer.Change("")
			f.say(`{}`)
			if got := f.states(); got != "starting ready" {
				t.Errorf("states %s", got)
			}
		})
	}
}

func TestRemote_AnErrorWithAStatusIsTheServersOwn(t *testing.T) {
	f := remoteStarted(t, "")
	f.peer.Change("rpcstatus=tools/call:500")
	reply, err := f.call(CallRequest{})
	if err != nil || reply.ProtocolError == nil || reply.ProtocolError.Message != "told to fail" {
		t.Errorf("%+v, %v", reply, err)
	}
}

// Whatever becomes of the stream of a GET, the session lives (libraries: six closed streams ended it).
func TestRemote_TheStreamOfAGetIsOfNoConsequence(t *testing.T) {
	for _, mode := range []string{"get=400", "get=401", "get=404", "get=406", "get=500", "getdrop", "gethang", "getstream"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := remoteStarted(t, "session,strictversion,"+mode, tune(func(t *tuning) { t.sync, t.maxPause = time.Millisecond, 10*time.Millisecond }))
			want := 1
			if mode == "getdrop" || mode == "get=500" {
				want = 8
			}
			f.eventually("the stream is asked for", func() bool { return len(f.peer.Received(http.MethodGet)) >= want })
			f.say(`{}`)
			if got := f.states(); got != "starting ready" {
				t.Errorf("states %s", got)
			}
			for _, request := range f.peer.Received(http.MethodGet) {
				if request.Header.Get("Mcp-Session-Id") == "" || request.Header.Get("Mcp-Protocol-Version") != "2025-06-18" {
					t.Errorf("asked with %v", request.Header)
				}
			}
		})
	}
}

func TestC31_ChangesAreHeardOfByTheStreamOfAGet(t *testing.T) {
	f := remoteStarted(t, "sse,getstream,grow", tune(func(t *tuning) { t.sync = time.Millisecond }))
	f.eventually("the stream is open", func() bool { return len(f.peer.Received(http.MethodGet)) == 1 })
	f.peer.Change("sse,getstream,grow,burst=3")
	f.eventually("another tool", func() bool { f.say(`{}`); return strings.Contains(f.names(), "t1") })
}

func TestC54_ALostSessionIsRenewed(t *testing.T) {
	for _, mode := range []string{"session,strictversion", "session400,strictversion", "session,strictversion,sse,getstream"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := remoteStarted(t, mode)
			f.peer.Forget()
			reply, err := f.call(CallRequest{})
			var renewed *RenewedError
			if !errors.As(err, &renewed) || reply.MayHaveRun {
				t.Errorf("%+v, %v", reply, err)
			}
			if calls, lists := len(f.peer.Received("tools/call")), len(f.peer.Received("tools/list")); calls != 1 || lists != 2 {
				t.Errorf("%d calls, %d lists", calls, lists)
			}
			initialize := f.peer.Received("initialize")
			if len(initialize) != 2 || initialize[1].Header.Get("Mcp-Session-Id") != "" || initialize[1].Header.Get("Mcp-Protocol-Version") != "" {
				t.Errorf("handshakes: %+v", initialize)
			}
			f.say(`{}`)
		})
	}
}

func TestC54_ASessionThatIsLostAtOnceEndsIt(t *testing.T) {
	f := remoteStarted(t, "session")
	f.peer.Change("session,status=tools/call:404+tools/list:404")
	f.peer.Forget()
	for range 3 {
		if _, err := f.call(CallRequest{}); err == nil {
			t.Error("a call was answered")
		}
	}
	f.eventually("it is given up", func() bool { return f.Status().State == StateFailed })
	if got := len(f.peer.Received("initialize")); got > 3 {
		t.Errorf("%d handshakes", got)
	}
}

func TestC54_A404WithoutASessionIsAnError(t *testing.T) {
	f := remoteStarted(t, "")
	f.peer.Change("status=tools/call:404")
	var refused *TransportError
	if _, err := f.call(CallRequest{}); !errors.As(err, &refused) || refused.Status != 404 {
		t.Errorf("%v", err)
	}
	if got := len(f.peer.Received("initialize")); got != 1 {
		t.Errorf("%d handshakes", got)
	}
}

func TestC55_AStreamIsResumed(t *testing.T) {
	f := remoteStarted(t, "resume=3,echo")
	begun := time.Now()
	if got := f.say(`{"n":1}`); got != `{"n":1}` {
		t.Errorf("said %q", got)
	}
	var resumed int
	for _, request := range f.peer.Received(http.MethodGet) {
		if id := request.Header.Get("Last-Event-Id"); id != "" {
			resumed++
			if id != "e1" {
				t.Errorf("resumed from %q", id)
			}
		}
	}
	if resumed != 3 || len(f.peer.Received("tools/call")) != 1 || time.Since(begun) < 600*time.Millisecond {
		t.Errorf("%d resumptions, %d calls, after %s", resumed, len(f.peer.Received("tools/call")), time.Since(begun))
	}
}

func TestC56_OnlyThreeStatusesLeadToTheOlderTransport(t *testing.T) {
	for status, isTried := range map[int]bool{400: true, 404: true, 405: true, 401: false, 403: false, 500: false, 415: false, 503: false} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			peer := mcptest.NewHTTP(t, fmt.Sprintf("status=*:%d", status))
			p := remoteProblem(t, peer)
			if got := len(peer.Received(http.MethodGet)) > 0; got != isTried {
				t.Errorf("the older transport was tried: %t", got)
			}
			if !strings.Contains(p.Reason, fmt.Sprint(status)) {
				t.Errorf("the reason is %q", p.Reason)
			}
		})
	}
}

func TestC57_TheVersionIsTheOneAgreedOn(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-03-26", "2025-11-25"} {
		f := remoteStarted(t, "session,strictversion,version="+version)
		f.say(`{}`)
		f.peer.Change("session,strictversion,version=2025-11-25")
		f.peer.Forget()
		_, _ = f.call(CallRequest{})
		f.say(`{}`)
		f.Stop(t.Context())
		last := f.peer.Received(http.MethodDelete)
		if len(last) != 1 || last[0].Header.Get("Mcp-Protocol-Version") != "2025-11-25" || last[0].Header.Get("Mcp-Session-Id") != "session-2" {
			t.Errorf("%s: ended with %+v", version, last)
		}
	}
}

func TestC58_RedirectsWithinTheOrigin(t *testing.T) {
	for _, status := range []int{307, 308} {
		f := remoteStarted(t, fmt.Sprintf("echo,session,strictversion,redirect=*:%d:/mcp/docs/1", status), define(func(d *Definition) { d.Headers = map[string]string{"X-Key": "canary"} }))
		if got := f.say(`{"n":1}`); got != `{"n":1}` {
			t.Errorf("said %q", got)
		}
		calls := f.peer.Received("tools/call")
		if len(calls) != 2 || calls[0].Body != calls[1].Body || calls[1].Path != "/mcp/docs/1" || calls[1].Method != http.MethodPost {
			t.Fatalf("%+v", calls)
		}
		for _, name := range []string{"Mcp-Session-Id", "Mcp-Protocol-Version", "X-Key", "Accept", "Content-Type"} {
			if calls[0].Header.Get(name) == "" || calls[0].Header.Get(name) != calls[1].Header.Get(name) {
				t.Errorf("header %s: %q, then %q", name, calls[0].Header.Get(name), calls[1].Header.Get(name))
			}
		}
	}
	for _, status := range []int{301, 302, 303} {
		p := remoteProblem(t, mcptest.NewHTTP(t, fmt.Sprintf("redirect=*:%d:/mcp/", status)))
		if p.Kind != ProblemConfig || !strings.Contains(strings.Join(p.Steps, " "), "/mcp/\"") {
			t.Errorf("%+v", p)
		}
	}
}

func TestS25_NothingReachesAnotherOrigin(t *testing.T) {
	other := mcptest.NewHTTP(t, "")
	key := define(func(d *Definition) { d.Headers = map[string]string{"Authorization": "Bearer canary"} })
	for _, status := range []int{301, 302, 303, 307, 308} {
		p := remoteProblem(t, mcptest.NewHTTP(t, fmt.Sprintf("redirect=*:%d:%s", status, other.URL())), key)
		if p.Kind != ProblemConfig || !strings.Contains(p.Reason, other.Origin()) {
			t.Errorf("%d: %+v", status, p)
		}
		f := remoteStarted(t, "", key)
		f.peer.Change(fmt.Sprintf("redirect=*:%d:%s", status, other.URL()))
		if _, err := f.call(CallRequest{}); err == nil || !strings.Contains(err.Error(), "another origin") {
			t.Errorf("%d: %v", status, err)
		}
	}
	p := remoteProblem(t, mcptest.NewHTTP(t, "oldsse="+other.Origin()), key)
	if p.Kind != ProblemConfig || !strings.Contains(p.Reason, other.Origin()) {
		t.Errorf("endpoint: %+v", p)
	}
	secure := mcptest.NewTLS(t, "redirect=*:308:"+other.URL())
	p = remoteProblem(t, secure, key, func(_ *Definition, o *Options, _ *tuning) { o.CAFiles = []string{secure.CAFile()} })
	if !strings.Contains(p.Reason, "away from https") {
		t.Errorf("downgrade: %+v", p)
	}
	if got := other.Requests(); len(got) > 0 {
		t.Errorf("the other origin got %+v", got)
	}
}

func TestC19_AFarewellThatHangsIsGivenUp(t *testing.T) {
	f := remoteStarted(t, "session,deletehang")
	begun := time.Now()
	f.Stop(t.Context())
	if len(f.peer.Received(http.MethodDelete)) != 1 || time.Since(begun) > 5*time.Second {
		t.Errorf("%d farewells in %s", len(f.peer.Received(http.MethodDelete)), time.Since(begun))
	}
}

func TestC29_ARefusedCredentialIsNotTriedAgain(t *testing.T) {
	for _, mode := range []string{"auth=Bearer right", "status=*:403"} {
		peer := mcptest.NewHTTP(t, mode)
		p := remoteProblem(t, peer, define(func(d *Definition) { d.Headers = map[string]string{"Authorization": "Bearer wrong"} }))
		if p.Kind != ProblemLogin || len(p.Steps) < 2 || len(peer.Requests()) > 2 {
			t.Errorf("%d requests, %+v", len(peer.Requests()), p)
		}
	}
	f := remoteStarted(t, "")
	f.peer.Change("auth=Bearer right")
	_, err := f.call(CallRequest{})
	var lost *LostError
	if !errors.As(err, &lost) || lost.Problem == nil || lost.Problem.Kind != ProblemLogin {
		t.Errorf("%+v", err)
	}
}

func TestC29_ABusyServerIsAskedAgain(t *testing.T) {
	for _, status := range []int{429, 503} {
		f := remoteStarted(t, fmt.Sprintf("statusonce=initialize:%d+tools/list:%d,retryafter=0", status, status))
		if got := len(f.peer.Received("tools/list")); got != 2 {
			t.Errorf("listed %d times", got)
		}
		peer := mcptest.NewHTTP(t, fmt.Sprintf("status=*:%d,retryafter=3600", status))
		if p := remoteProblem(t, peer); p.Kind != ProblemUnreachable || !strings.Contains(p.Reason, "1h0m0s") || len(peer.Requests()) > 2 {
			t.Errorf("%d requests, %+v", len(peer.Requests()), p)
		}
	}
}

func TestD1_WhyARemoteServerCannotBeHad(t *testing.T) {
	gone := mcptest.NewHTTP(t, "")
	gone.Close()
	for name, test := range map[string]struct {
		peer  *mcptest.HTTP
		url   string
		kind  string
		words []string
	}{
		"refused":    {peer: gone, kind: ProblemUnreachable, words: []string{"nothing listens", "refused"}},
		"no host":    {url: "http://no-such-host.invalid/mcp", kind: ProblemUnreachable, words: []string{"no-such-host.invalid", "DNS"}},
		"web page":   {peer: mcptest.NewHTTP(t, "html=*"), kind: ProblemProtocol, words: []string{"speaks no MCP", "text/html", "web page"}},
		"silent":     {peer: mcptest.NewHTTP(t, "hang=*"), kind: ProblemTimeout, words: []string{"no answer within 400ms"}},
		"not found":  {peer: mcptest.NewHTTP(t, "status=*:404"), kind: ProblemProtocol, words: []string{"404"}},
		"broken":     {peer: mcptest.NewHTTP(t, "status=*:502"), kind: ProblemUnreachable, words: []string{"502"}},
		"drops":      {peer: mcptest.NewHTTP(t, "drop=*"), kind: ProblemProtocol, words: []string{"closed the connection"}},
		"nonsense":   {peer: mcptest.NewHTTP(t, "empty=*"), kind: ProblemProtocol, words: []string{"202"}},
		"no TLS":     {url: "https://" + mcptest.NewHTTP(t, "").Address() + "/mcp", kind: ProblemUnreachable, words: []string{"does not speak TLS"}},
		"TLS":        {url: "http://" + mcptest.NewTLS(t, "").Address() + "/mcp", kind: ProblemProtocol, words: []string{"400"}},
		"not an RPC": {peer: mcptest.NewHTTP(t, "type=*:text/plain,noresult,fail=initialize:-32000"), kind: ProblemProtocol, words: []string{"refused the handshake"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			peer := test.peer
			if peer == nil {
				peer = mcptest.NewHTTP(t, "")
			}
			p := remoteProblem(t, peer, define(func(d *Definition) {
				d.StartTimeout = 400 * time.Millisecond
				if name != "silent" {
					d.StartTimeout = 20 * time.Second
				}
				if test.url != "" {
					d.URL = test.url
				}
			}))
			if p.Kind != test.kind || len(p.Steps) < 2 {
				t.Errorf("%+v", p)
			}
			for _, word := range test.words {
				if !strings.Contains(p.Reason, word) {
					t.Errorf("the reason %q lacks %q", p.Reason, word)
				}
			}
		})
	}
}
