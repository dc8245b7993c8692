package relay

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pillion/browser/policy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a network of names, all of whose public addresses are one local site.
type world struct {
	relay   *Relay
	mu      sync.Mutex
	dialled []string
	names   map[string][]netip.Addr
	refused []string
}

func newWorld(t *testing.T, site *httptest.Server) *world {
	t.Helper()
	w := &world{names: map[string][]netip.Addr{}}
	relay, err := Start(Options{
		Patience: 20 * time.Millisecond,
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if addrs := w.names[host]; len(addrs) > 0 {
				return addrs, nil
			}
			return nil, errors.New("no such host")
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			w.mu.Lock()
			w.dialled = append(w.dialled, address)
			w.mu.Unlock()
			return (&net.Dialer{}).DialContext(ctx, network, site.Listener.Addr().String())
		},
		Refused: func(hostPort string, _ policy.Reason) {
			w.mu.Lock()
			w.refused = append(w.refused, hostPort)
			w.mu.Unlock()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.relay = relay
	t.Cleanup(relay.Close)
	return w
}

func (w *world) name(host string, addrs ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.names[host] = nil
	for _, addr := range addrs {
		w.names[host] = append(w.names[host], netip.MustParseAddr(addr))
	}
}

func (w *world) calls() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.dialled...)
}

func (w *world) grant(t *testing.T, text string) {
	t.Helper()
	origin, err := policy.OriginOf(text)
	if err != nil {
		t.Fatal(err)
	}
	w.relay.Grant(origin)
}

func (w *world) client(t *testing.T) *http.Client {
	name, password := w.relay.Credentials()
	transport := &http.Transport{
		Proxy:           http.ProxyURL(&url.URL{Scheme: "http", Host: w.relay.Address(), User: url.UserPassword(name, password)}),
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func site(t *testing.T) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%s %s", r.Host, r.URL) }))
	t.Cleanup(server.Close)
	return server
}

// get is the status and the body, or 0 for a connection that broke.
func get(t *testing.T, client *http.Client, url string, header ...string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(body)
}

func TestS22_OnlyItsOwnBrowserIsServed(t *testing.T) {
	w := newWorld(t, site(t))
	w.grant(t, "http://localhost:3000")
	for _, user := range []*url.Userinfo{nil, url.UserPassword("pillion", ""), url.UserPassword("pillion", "guess")} {
		transport := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: w.relay.Address(), User: user})}
		status, _ := get(t, &http.Client{Transport: transport}, "http://localhost:3000/", "Sec-Fetch-Site", "none")
		if status != http.StatusProxyAuthRequired {
			t.Errorf("%v: %d", user, status)
		}
		transport.CloseIdleConnections()
	}
	if calls := w.calls(); len(calls) > 0 {
		t.Errorf("dialled %v", calls)
	}
}

func TestS22_NothingIsReachedWithoutAGrant(t *testing.T) {
	w := newWorld(t, site(t))
	w.name("new.example", "8.8.8.8")
	client := w.client(t)
	for _, url := range []string{
		"http://new.example/", "https://new.example/", "http://localhost:3000/", "http://10.0.0.1/", "http://169.254.169.254/latest/meta-data/",
		"https://169.254.169.254/", "http://[::ffff:169.254.169.254]/", "http://metadata.google.internal/",
	} {
		if status, body := get(t, client, url, "Sec-Fetch-Site", "none"); status != http.StatusForbidden && !strings.Contains(body, "Forbidden") {
			t.Errorf("%s: %d %s", url, status, body)
		}
	}
	if calls := w.calls(); len(calls) > 0 {
		t.Errorf("dialled %v", calls)
	}
}

func TestRelay_PassesOnWhatWasGranted(t *testing.T) {
	w := newWorld(t, site(t))
	w.name("allowed.example", "8.8.8.8", "9.9.9.9")
	w.grant(t, "http://allowed.example")
	status, body := get(t, w.client(t), "http://allowed.example/a?b=1")
	if status != http.StatusOK || body != "allowed.example /a?b=1" {
		t.Errorf("%d %s", status, body)
	}
	if calls := w.calls(); len(calls) != 1 || calls[0] != "8.8.8.8:80" {
		t.Errorf("dialled %v", calls)
	}
}

func TestS22_ANameThatLeadsElsewhereByNow(t *testing.T) {
	w := newWorld(t, site(t))
	w.grant(t, "http://rebinding.example")
	client := w.client(t)
	for _, addrs := range [][]string{{"127.0.0.1"}, {"::1"}, {"10.0.0.1"}, {"169.254.169.254"}, {"::ffff:127.0.0.1"}, {"8.8.8.8", "127.0.0.1"}, {"0.0.0.0"}} {
		w.name("rebinding.example", addrs...)
		if status, body := get(t, client, "http://rebinding.example/"); status != 0 {
			t.Errorf("%v: %d %s", addrs, status, body)
		}
	}
	if calls := w.calls(); len(calls) > 0 {
		t.Errorf("dialled %v", calls)
	}
	origin, _ := policy.OriginOf("http://rebinding.example")
	var unreachable *UnreachableError
	if !errors.As(w.relay.Fault(origin), &unreachable) {
		t.Errorf("the fault is %v", w.relay.Fault(origin))
	}
}

func TestS22_ThisMachineIsReachedFromItsOwnPagesAlone(t *testing.T) {
	w := newWorld(t, site(t))
	w.grant(t, "http://localhost:3000")
	client := w.client(t)
	for _, test := range []struct {
		header []string
		want   int
	}{
		{[]string{"Sec-Fetch-Site", "none"}, 200},
		{[]string{"Sec-Fetch-Site", "same-origin"}, 200},
		{[]string{"Sec-Fetch-Site", "cross-site", "Origin", "http://127.0.0.1:8080"}, 200},
		{[]string{"Sec-Fetch-Site", "cross-site", "Referer", "http://127.0.0.1:8080/x"}, 200},
		{[]string{"Sec-Fetch-Site", "cross-site", "Origin", "https://public.example"}, 403},
		{[]string{"Sec-Fetch-Site", "cross-site", "Referer", "https://public.example/"}, 403},
		{[]string{"Sec-Fetch-Site", "cross-site", "Origin", "null"}, 403},
		{[]string{"Sec-Fetch-Site", "cross-site"}, 403},
		{nil, 403},
	} {
		if status, _ := get(t, client, "http://localhost:3000/", test.header...); status != test.want {
			t.Errorf("%v: %d, want %d", test.header, status, test.want)
		}
	}
}

// tunnelled opens a tunnel and sends text, and returns what comes back at first.
func (w *world) tunnelled(t *testing.T, hostPort, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", w.relay.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	name, password := w.relay.Credentials()
	request, _ := http.NewRequest(http.MethodConnect, "http://"+hostPort, nil)
	request.SetBasicAuth(name, password)
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: %s\r\n\r\n", hostPort, hostPort, request.Header.Get("Authorization"))
	in := bufio.NewReader(conn)
	answer, err := http.ReadResponse(in, request)
	if err != nil || answer.StatusCode != http.StatusOK {
		return fmt.Sprint(answer, err)
	}
	io.WriteString(conn, text)
	line, _ := in.ReadString('\n')
	return line
}

func TestS22_SocketsToThisMachine(t *testing.T) {
	w := newWorld(t, site(t))
	socket := func(origin string) string {
		return "GET /hmr HTTP/1.1\r\nHost: localhost:3000\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nOrigin: " + origin + "\r\n\r\n"
	}
	for text, passes := range map[string]bool{
		socket("http://localhost:3000"):  true,
		socket("http://127.0.0.1:8080"):  true,
		socket("https://public.example"): false,
		socket("null"):                   false,
		"GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n\r\n": false,
		"SSH-2.0-client\r\n\r\n": false,
	} {
		before := len(w.calls())
		line := w.tunnelled(t, "localhost:3000", text)
		if isThrough := strings.HasPrefix(line, "HTTP/1.1 200"); isThrough != passes {
			t.Errorf("%q: %q", text, line)
		}
		if dialled := len(w.calls()) > before; dialled != passes {
			t.Errorf("%q: dialled %v", text, dialled)
		}
	}
}

func TestS22_EncryptedSocketsNeedAGrantOfTheirOwn(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	w := newWorld(t, server)
	w.grant(t, "https://localhost:3000")
	fetching, opening := w.client(t), w.client(t)
	opening.Transport.(*http.Transport).ForceAttemptHTTP2 = false
	opening.Transport.(*http.Transport).TLSClientConfig.NextProtos = []string{"http/1.1"}
	if status, body := get(t, fetching, "https://localhost:3000/"); status != http.StatusOK {
		t.Errorf("a fetch: %d %s", status, body)
	}
	if status, _ := get(t, opening, "https://localhost:3000/"); status != 0 {
		t.Errorf("a socket without a grant: %d", status)
	}
	origin, _ := policy.OriginOf("wss://localhost:3000")
	w.relay.GrantSocket(origin)
	if status, body := get(t, opening, "https://localhost:3000/"); status != http.StatusOK {
		t.Errorf("a socket with a grant: %d %s", status, body)
	}
}
