package cases

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// over is an entry that reaches a fake by HTTP.
func over(h *mcptest.HTTP) entry { return entry{"type": "http", "url": h.URL()} }

// overModes are entries that reach a fake of each mode, by name.
func overModes(t *testing.T, modes map[string]string) (entries map[string]entry, peers map[string]*mcptest.HTTP) {
	t.Helper()
	entries, peers = map[string]entry{}, map[string]*mcptest.HTTP{}
	for name, mode := range modes {
		peers[name] = mcptest.NewHTTP(t, mode)
		entries[name] = over(peers[name])
	}
	return entries, peers
}

// down holds that a connector is in a state for a reason with the words, and that there are steps back; a call says so too.
func down(t *testing.T, e *editortest.Editor, name string, state message.ConnectorState, kind message.ProblemKind, words ...string) {
	t.Helper()
	problem := e.Connector(name, state).Problem
	if problem == nil || problem.Kind != kind || len(problem.Steps) < 2 {
		t.Errorf("%s: %+v", name, problem)
		return
	}
	for _, word := range words {
		if !strings.Contains(problem.Reason, word) {
			t.Errorf("the reason of %s lacks %q: %s", name, word, problem.Reason)
		}
	}
	result := call(t, e, name+".a", "{}")
	want := message.CallConnectorDown
	if state == message.ConnectorLogin {
		want = message.CallNeedsLogin
	}
	if result.Status != want || result.MayHaveRun || len(result.Steps) < 2 || !strings.Contains(result.Message, problem.Reason) {
		t.Errorf("a call of %s: %+v", name, result)
	}
}

func TestC2_ARemoteConnectorIsListedAndCalled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	entries, peers := overModes(t, map[string]string{
		"json": "echo", "sse": "echo,sse,session,strictversion,getstream", "modern": "echo,modern", "old": "echo,oldsse", "only old": "echo,oldsse",
	})
	entries["only old"] = entries["only old"].with("type", "sse")
	w.user(servers(entries))
	e := w.edit()
	for name, peer := range peers {
		e.Connector(name, message.ConnectorReady)
		const arguments = `{"n":9007199254740993,"x":1.0}`
		result := approved(t, e, name+".a", arguments, message.ApproveOnce)
		if result.Status != message.CallOK || result.Text != arguments {
			t.Errorf("%s: %+v", name, result)
		}
		if got := len(peer.Received("tools/call")); got != 1 {
			t.Errorf("%s was called %d times", name, got)
		}
	}
	if got := len(peers["only old"].Received("server/discover")); got != 0 {
		t.Errorf("a connector of type sse was probed")
	}
	if c := e.Connector("json"); c.Transport != message.TransportHTTP || len(c.Processes) != 0 || c.Server == nil || c.Server.ProtocolVersion != "2025-06-18" {
		t.Errorf("%+v", c)
	}
}

func TestC70_ARemoteConnectorOfTheProjectWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	peer := mcptest.NewHTTP(t, "")
	path := w.project(servers(map[string]entry{"remote": over(peer).with("pillion", map[string]any{"start": "eager"})}))
	e := w.edit()
	e.Connector("remote", message.ConnectorWaiting)
	askAboutEverything(t, e, path, string(read(t, path)))
	saved(e, path)
	if result := call(t, e, "remote.a", "{}"); result.Status != message.CallNeedsConsent || result.MayHaveRun {
		t.Errorf("%+v", result)
	}
	after := editortest.Request(e, message.ConnectorStart, message.ConnectorParams{Connector: "remote"}).Connector
	if after.State != message.ConnectorWaiting {
		t.Errorf("%+v", after)
	}
	if got := peer.Requests(); len(got) != 0 {
		t.Fatalf("%d requests before anybody allowed it, the first: %+v", len(got), got[0])
	}
	e.Allow("remote")
	e.Connector("remote", message.ConnectorReady)
	for _, request := range peer.Received("initialize") {
		if strings.Contains(request.Body, "roots") {
			t.Errorf("roots are offered: %s", request.Body) // S30
		}
	}
	ok(t, e, "remote")
}

// Another address, header or transport is another definition (C71); so is what a variable in them comes to.
func TestC71_ARemoteConnectorThatChangedWaitsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	peer, other := mcptest.NewHTTP(t, ""), mcptest.NewHTTP(t, "")
	base := over(peer)
	w.project(servers(map[string]entry{"remote": base}))
	e := w.edit()
	e.Allow("remote")
	e.Connector("remote", message.ConnectorReady)
	for _, changed := range []entry{
		over(other), base.with("type", "sse"), base.with("headers", map[string]string{"X-A": "b"}), base.with("url", other.Origin()+"/other"),
	} {
		saved(e, w.project(servers(map[string]entry{"remote": changed})))
		e.Connector("remote", message.ConnectorWaiting)
		saved(e, w.project(servers(map[string]entry{"remote": base})))
		e.Connector("remote", message.ConnectorReady, message.ConnectorIdle)
	}
	if got := other.Requests(); len(got) != 0 {
		t.Errorf("the other address got %+v", got)
	}
}

func TestS2_WhatTheAddressComesToIsPartOfTheYes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	peer, other := mcptest.NewHTTP(t, ""), mcptest.NewHTTP(t, "")
	w.project(servers(map[string]entry{"remote": {"type": "http", "url": "${WHERE}/mcp"}}))
	environ := w.environ
	w.environ = append(environ[:len(environ):len(environ)], "WHERE="+peer.Origin())
	e := w.edit()
	e.Allow("remote")
	e.Connector("remote", message.ConnectorReady)
	e.End()
	w.environ = append(environ[:len(environ):len(environ)], "WHERE="+other.Origin())
	e = w.edit()
	e.Connector("remote", message.ConnectorWaiting)
	if got := other.Requests(); len(got) != 0 {
		t.Errorf("the other address got %+v", got)
	}
}

func TestC19_ARemoteFarewellIsShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	entries, peers := overModes(t, map[string]string{"polite": "session", "hangs": "session,deletehang"})
	w.user(servers(entries))
	e := w.edit()
	for name, peer := range peers {
		e.Connector(name, message.ConnectorReady)
		begun := time.Now()
		editortest.Request(e, message.ConnectorStop, message.ConnectorParams{Connector: message.ConnectorRef(name)})
		farewell := peer.Received(http.MethodDelete)
		if len(farewell) != 1 || farewell[0].Header.Get("Mcp-Session-Id") != "session-1" || time.Since(begun) > 20*time.Second {
			t.Errorf("%s: %+v after %s", name, farewell, time.Since(begun))
		}
	}
}

func TestC25_TheCallOfALostRemoteConnectorEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	peer := mcptest.NewHTTP(t, "exiton=tools/call:3")
	w.user(servers(map[string]entry{"dies": over(peer).with("pillion", map[string]any{"reconnect": map[string]any{"attempts": 0}})}))
	e := w.edit()
	e.Connector("dies", message.ConnectorReady)
	first := approved(t, e, "dies.a", "{}", message.ApproveSession)
	if first.Status == message.CallOK || !first.MayHaveRun {
		t.Errorf("%+v", first)
	}
	second := call(t, e, "dies.a", "{}")
	if second.Status != message.CallConnectorDown || len(second.Steps) == 0 {
		t.Errorf("%+v", second)
	}
	down(t, e, "dies", message.ConnectorFailed, message.ProblemUnreachable, "nothing listens")
}

func TestC26_ARemoteConnectorIsToldToStop(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	peer := mcptest.NewHTTP(t, "late")
	w.user(servers(map[string]entry{"late": over(peer)}))
	e := w.edit()
	e.Connector("late", message.ConnectorReady)
	answer := begin(t, e, message.ToolCallParams{Tool: "late.a", ArgumentsText: "{}", CallID: "by-user"})
	e.Approve(message.ApproveSession)
	eventually(t, "the call is sent", func() bool { return len(peer.Received("tools/call")) == 1 })
	editortest.Request(e, message.CallCancel, message.CallParams{CallID: "by-user"})
	if result := ended(t, e, answer); result.Status != message.CallCancelled || !result.MayHaveRun {
		t.Errorf("%+v", result)
	}
	timed := begin(t, e, message.ToolCallParams{Tool: "late.a", ArgumentsText: "{}", TimeoutMS: 200})
	if result := ended(t, e, timed); result.Status != message.CallTimeout || !result.MayHaveRun {
		t.Errorf("%+v", result)
	}
	eventually(t, "each was told once", func() bool { return len(peer.Received("notifications/cancelled")) == 2 })
}

func TestC29_ARefusedCredentialWantsASignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	entries, peers := overModes(t, map[string]string{"locked": "auth=Bearer right", "forbidden": "status=*:403", "busy": "statusonce=initialize:503+tools/list:429,retryafter=0"})
	w.user(servers(entries))
	e := w.edit()
	for _, name := range []string{"locked", "forbidden"} {
		before := len(peers[name].Requests())
		e.Connector(name, message.ConnectorLogin)
		if got := len(peers[name].Requests()); got > 2 || before > 2 {
			t.Errorf("%s was asked %d times", name, got)
		}
		down(t, e, name, message.ConnectorLogin, message.ProblemLogin, "sign-in")
	}
	e.Connector("busy", message.ConnectorReady)
	entries["locked"] = entries["locked"].with("headers", map[string]string{"Authorization": "Bearer right"})
	saved(e, w.user(servers(entries)))
	e.Connector("locked", message.ConnectorReady)
	ok(t, e, "locked")
	// A sign-in that ends while it runs is one that is wanted, and the call was not made.
	peers["locked"].Change("auth=Bearer another")
	lost := approved(t, e, "locked.a", "{}", message.ApproveOnce)
	if lost.Status != message.CallNeedsLogin || lost.MayHaveRun || len(lost.Steps) < 2 {
		t.Errorf("%+v", lost)
	}
	e.Connector("locked", message.ConnectorLogin)
}

func TestC52_EventStreamsOfEveryShape(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	modes := map[string]string{}
	for _, style := range []string{"crlf", "cr", "bom", "comments", "twolines", "split", "bare", "charset"} {
		modes[style] = "sse,style=" + style
	}
	entries, _ := overModes(t, modes)
	unended := mcptest.NewHTTP(t, "sse")
	entries["unended"] = over(unended)
	w.user(servers(entries))
	e := w.edit()
	for style := range modes {
		e.Connector(style, message.ConnectorReady)
		ok(t, e, style)
	}
	e.Connector("unended", message.ConnectorReady)
	unended.Change("sse,style=unended")
	result := approved(t, e, "unended.a", "{}", message.ApproveOnce)
	if result.Status == message.CallOK || !result.MayHaveRun || !strings.Contains(result.Message, "stream ended") {
		t.Errorf("%+v", result)
	}
	unended.Change("sse")
	ok(t, e, "unended")
}

func TestC53_LargeAnswersByBothEncodings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	entries, _ := overModes(t, map[string]string{"json": "", "sse": "sse"})
	w.user(servers(entries))
	e := w.edit()
	for _, name := range []string{"json", "sse"} {
		e.Connector(name, message.ConnectorReady)
		for _, bytes := range []int{900 << 10, 1<<20 + 100, 4 << 20} {
			if result := approved(t, e, name+".a", fmt.Sprintf(`{"bytes":%d}`, bytes), message.ApproveOnce); result.Status != message.CallOK {
				t.Errorf("%s, %d bytes: %s %s", name, bytes, result.Status, result.Message)
			}
		}
	}
}

func TestC54_ALostSessionIsRenewedAndNothingIsRepeatedUnasked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const tools = mcptest.ToolsVar + `=[{"name":"a","inputSchema":{"type":"object"}},{"name":"r","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]`
	modes := []string{"session,strictversion", "session400,strictversion"}
	entries, peers := map[string]entry{}, map[string]*mcptest.HTTP{}
	for i, mode := range modes {
		name := fmt.Sprint("s", i)
		peers[name] = mcptest.NewHTTP(t, mode, tools)
		entries[name] = over(peers[name])
	}
	w.user(servers(entries))
	e := w.edit()
	for name, peer := range peers {
		e.Connector(name, message.ConnectorReady)
		peer.Forget()
		writes := approved(t, e, name+".a", "{}", message.ApproveSession)
		if writes.Status == message.CallOK || writes.MayHaveRun || !strings.Contains(writes.Message, "session was renewed") || len(peer.Received("tools/call")) != 1 {
			t.Errorf("%s: %+v, %d calls", name, writes, len(peer.Received("tools/call")))
		}
		if again := call(t, e, name+".a", "{}"); again.Status != message.CallOK {
			t.Errorf("%s: %+v", name, again)
		}
		peer.Forget()
		if reads := call(t, e, name+".r", "{}"); reads.Status != message.CallOK || len(peer.Received("tools/call")) != 4 {
			t.Errorf("%s: %+v, %d calls", name, reads, len(peer.Received("tools/call")))
		}
		for i, request := range peer.Received("initialize") {
			if request.Header.Get("Mcp-Session-Id") != "" || i > 2 {
				t.Errorf("%s: handshake %d with %v", name, i, request.Header)
			}
		}
		if got := len(peer.Received("tools/list")); got != 3 {
			t.Errorf("%s was listed %d times", name, got)
		}
	}
}

func TestC55_AStreamIsResumedToItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	entries, peers := overModes(t, map[string]string{"drops": "resume=3"})
	w.user(servers(entries))
	e := w.edit()
	e.Connector("drops", message.ConnectorReady)
	ok(t, e, "drops")
	resumed := 0
	for _, request := range peers["drops"].Received(http.MethodGet) {
		if request.Header.Get("Last-Event-Id") == "e1" {
			resumed++
		}
	}
	if got := len(peers["drops"].Received("tools/call")); resumed != 3 || got != 1 {
		t.Errorf("%d resumptions, %d calls", resumed, got)
	}
}

func TestC56_TheOlderTransportIsTriedForThreeStatusesAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	statuses := map[string]bool{"400": true, "404": true, "405": true, "401": false, "403": false, "500": false}
	modes := map[string]string{"get404": "get=404", "get406": "get=406"}
	for status := range statuses {
		modes[status] = "status=*:" + status
	}
	entries, peers := overModes(t, modes)
	w.user(servers(entries))
	e := w.edit()
	for status, isTried := range statuses {
		c := e.Connector(status, message.ConnectorFailed, message.ConnectorLogin)
		if c.Problem == nil || !strings.Contains(c.Problem.Reason, status) {
			t.Errorf("%s: %+v", status, c.Problem)
		}
		if got := len(peers[status].Received(http.MethodGet)) > 0; got != isTried {
			t.Errorf("%s: the older transport was tried: %t", status, got)
		}
	}
	for _, name := range []string{"get404", "get406"} {
		e.Connector(name, message.ConnectorReady)
		ok(t, e, name)
	}
}

func TestC57_VersionHeadersAreExact(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	entries, peers := overModes(t, map[string]string{"strict": "session,strictversion,getstream,version=2025-03-26"})
	w.user(servers(entries))
	e := w.edit()
	e.Connector("strict", message.ConnectorReady)
	ok(t, e, "strict")
	peer := peers["strict"]
	peer.Change("session,strictversion,getstream,version=2025-11-25")
	peer.Forget()
	approved(t, e, "strict.a", "{}", message.ApproveOnce)
	ok(t, e, "strict")
	editortest.Request(e, message.ConnectorStop, message.ConnectorParams{Connector: "strict"})
	version := ""
	for _, request := range peer.Requests() {
		got := strings.Join(request.Header.Values("Mcp-Protocol-Version"), " ")
		switch {
		case request.RPC == "initialize":
			version = map[bool]string{true: "2025-03-26", false: "2025-11-25"}[version == ""]
			if got != "" {
				t.Errorf("initialize with %q", got)
			}
		case request.RPC != "server/discover" && got != version && request.Header.Get("Mcp-Session-Id") != "session-1":
			t.Errorf("%s %s with %q, want %q", request.Method, request.RPC, got, version)
		}
	}
	if got := len(peer.Received(http.MethodDelete)); got != 1 {
		t.Errorf("%d farewells", got)
	}
}

func TestC58_RedirectsAreFollowedWithinTheOriginAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := mcptest.NewHTTP(t, "")
	secret := map[string]string{"Authorization": "Bearer canary-of-the-header"}
	entries, peers := overModes(t, map[string]string{
		"308": "redirect=*:308:/mcp/docs/1", "307": "redirect=*:307:/mcp/docs/1", "loop": "redirectloop=308", "301": "redirect=*:301:/mcp/",
		"leaks": "redirect=*:308:" + other.URL(), "endpoint": "oldsse=" + other.Origin(),
	})
	for name := range entries {
		entries[name] = entries[name].with("headers", secret)
	}
	w.user(servers(entries))
	e := w.edit()
	for _, name := range []string{"307", "308"} {
		e.Connector(name, message.ConnectorReady)
		ok(t, e, name)
		calls := peers[name].Received("tools/call")
		if len(calls) != 2 || calls[0].Body != calls[1].Body || calls[1].Header.Get("Authorization") != secret["Authorization"] {
			t.Errorf("%s: %+v", name, calls)
		}
	}
	down(t, e, "loop", message.ConnectorFailed, message.ProblemConfig, "redirects more than")
	down(t, e, "301", message.ConnectorFailed, message.ProblemConfig, "301", peers["301"].Origin()+"/mcp/")
	// S25
	down(t, e, "leaks", message.ConnectorFailed, message.ProblemConfig, other.Origin())
	down(t, e, "endpoint", message.ConnectorFailed, message.ProblemConfig, other.Origin())
	if got := other.Requests(); len(got) != 0 {
		t.Errorf("the other origin got %+v", got)
	}
	if got := len(peers["loop"].Requests()); got > 40 {
		t.Errorf("the loop was followed %d times", got)
	}
}

func TestC59_CertificatesAndProxies(t *testing.T) {
	t.Parallel()
	peer := mcptest.NewTLS(t, "")
	proxy := mcptest.NewProxy(t, peer.Address())
	entries := map[string]entry{"direct": over(peer), "far": {"type": "http", "url": "https://example.com/mcp"}}
	through := []string{"HTTPS_PROXY=" + proxy.URL(), "HTTP_PROXY=" + proxy.URL(), "NO_PROXY="}

	t.Run("none", func(t *testing.T) {
		w := newWorld(t)
		w.user(servers(map[string]entry{"direct": over(peer)}))
		down(t, w.edit(), "direct", message.ConnectorFailed, message.ProblemUnreachable, "Acme Co", "not trusted")
		if got := len(peer.Requests()); got != 0 {
			t.Errorf("%d requests went to a server that is not trusted", got)
		}
	})
	t.Run("setting", func(t *testing.T) {
		w := newWorld(t)
		w.environ = append(w.environ, through...)
		w.write(filepath.Join(w.home, "config", "settings.json"), fmt.Sprintf(`{"caFile": %q}`, peer.CAFile()))
		w.user(servers(entries))
		e := w.edit()
		e.Connector("direct", message.ConnectorReady)
		e.Connector("far", message.ConnectorReady)
		ok(t, e, "far")
	})
	t.Run("variable", func(t *testing.T) {
		w := newWorld(t)
		w.environ = append(append(w.environ, through...), "SSL_CERT_FILE="+peer.CAFile())
		w.user(servers(entries))
		e := w.edit()
		e.Connector("direct", message.ConnectorReady)
		e.Connector("far", message.ConnectorReady)
		ok(t, e, "far")
	})
	for _, host := range proxy.Asked() {
		if host != "example.com:443" {
			t.Errorf("the proxy was asked for %s", host)
		}
	}
	if len(proxy.Asked()) == 0 {
		t.Error("the proxy was not asked")
	}
}

func TestD1_WhyARemoteConnectorDoesNotRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gone := mcptest.NewHTTP(t, "")
	gone.Close()
	entries, _ := overModes(t, map[string]string{"page": "html=*", "silent": "hang=*", "broken": "status=*:502", "absent": "status=*:404", "refuses": "fail=initialize:-32000"})
	entries["silent"] = entries["silent"].with("pillion", map[string]any{"startTimeout": "700ms"})
	entries["gone"], entries["nowhere"] = over(gone), entry{"type": "http", "url": "http://no-such-host.invalid/mcp"}
	entries["no TLS"] = entry{"type": "http", "url": "https://" + mcptest.NewHTTP(t, "").Address() + "/mcp"}
	w.user(servers(entries))
	e := w.edit()
	for name, want := range map[string]struct {
		kind  message.ProblemKind
		words []string
	}{
		"gone":    {message.ProblemUnreachable, []string{"nothing listens", "refused"}},
		"nowhere": {message.ProblemUnreachable, []string{"no-such-host.invalid", "DNS"}},
		"no TLS":  {message.ProblemUnreachable, []string{"does not speak TLS"}},
		"page":    {message.ProblemProtocol, []string{"speaks no MCP", "web page"}},
		"silent":  {message.ProblemTimeout, []string{"no answer within 700ms"}},
		"broken":  {message.ProblemUnreachable, []string{"502 (Bad Gateway)"}},
		"absent":  {message.ProblemProtocol, []string{"404 (Not Found)"}},
		"refuses": {message.ProblemProtocol, []string{"refused the handshake", "told to fail"}},
	} {
		down(t, e, name, message.ConnectorFailed, want.kind, want.words...)
	}
}

// What is secret in an entry appears in nothing that Pillion writes or says (E7, S29).
func TestC63_ARemoteConnectorsSecretsStayHome(t *testing.T) {
	t.Parallel()
	const secret = "canary-0123456789-abcdef"
	w := newWorld(t)
	trace := w.file("trace.txt")
	w.environ = append(w.environ, "CANARY="+secret)
	entries, peers := overModes(t, map[string]string{
		"well": "echo", "locked": "auth=Bearer other", "fails": "status=*:500,say=" + secret, "moved": "redirect=*:301:/mcp/?token=" + secret, "page": "html=*",
	})
	for name := range entries {
		entries[name] = entries[name].with("headers", map[string]string{"Authorization": "Bearer ${CANARY}"})
	}
	entries["query"] = entry{"type": "http", "url": mcptest.NewHTTP(t, "status=*:500").URL() + "?api_key=${CANARY}"}
	entries["login"] = entry{"type": "http", "url": strings.Replace(mcptest.NewHTTP(t, "drop=*").URL(), "http://", "http://u:${CANARY}@", 1)}
	w.user(servers(entries))
	e := w.edit(func(o *editortest.Options) { o.Command = append(o.Command, "--trace", trace) })
	e.Connector("well", message.ConnectorReady)
	for name := range entries {
		if name != "well" {
			e.Connector(name, message.ConnectorFailed, message.ConnectorLogin)
			call(t, e, name+".a", "{}")
		}
	}
	if result := approved(t, e, "well.a", `{"x":"`+secret+`"}`, message.ApproveOnce); result.Status != message.CallOK || !result.Redacted {
		t.Errorf("%+v", result)
	}
	for _, request := range peers["well"].Requests() {
		if request.Header.Get("Authorization") != "Bearer "+secret {
			t.Errorf("%s was sent with %v", request.RPC, request.Header)
		}
	}
	e.End()
	for _, folder := range []string{w.file("state"), trace} {
		err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), secret[:20]) {
				t.Errorf("the secret is in %s", path)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
