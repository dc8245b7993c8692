//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// everythingServer is the package of the SDK's own server for the suite: whatever MCP has, it has.
const everythingServer = "github.com/modelcontextprotocol/go-sdk/conformance/everything-server"

// TestServerConformance runs the official conformance suite's server scenarios, those that each revision of MCP requires, against the
// real program in front of the SDK's everything-server: both revisions on one address, with that server as the only connector.
func TestServerConformance(t *testing.T) {
	suite := conformanceSuite(t)
	address := served(t)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			for _, scenario := range suite.required(t, revision, "Server") {
				t.Run(scenario, func(t *testing.T) {
					suite.judge(t, revision, scenario, "server", "--url", address)
				})
			}
		})
	}
}

// served starts pillion serve over HTTP for a user whose one connector is the everything-server, all calls of which are allowed
// beforehand, and returns an address that carries the token: the suite cannot.
func served(t *testing.T) string {
	s := newSandbox(t, pillion(t))
	program := filepath.Join(s.bin, "everything-server")
	build := exec.Command("go", "build", "-o", program, everythingServer)
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the everything-server: %v\n%s", err, out)
	}
	s.writeUserConfiguration(t, map[string]definition{"everything": {Command: program, Args: []string{}}})
	startSession(t, s).allowAllOf("everything")
	return authorised(t, s)
}

// authorised is an address of servedOverHTTP that carries the token.
func authorised(t *testing.T, s *sandbox) string {
	t.Helper()
	address, token := servedOverHTTP(t, s, "--expose", "all", "--unprefixed")
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(proving(target, token))
	t.Cleanup(proxy.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return proxy.URL + target.Path
}

// servedOverHTTP starts pillion serve over HTTP until the test ends, and answers its address and its token.
func servedOverHTTP(t *testing.T, s *sandbox, arguments ...string) (address, token string) {
	t.Helper()
	command := exec.Command(filepath.Join(s.bin, "pillion"), append([]string{"serve", "--http", "--json"}, arguments...)...)
	command.Dir, command.Env, command.Stderr = s.repository, s.environment(), os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var said struct{ URL, TokenFile string }
	if err := json.Unmarshal([]byte(line), &said); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(said.TokenFile)
	if err != nil {
		t.Fatal(err)
	}
	return said.URL, strings.TrimSpace(string(text))
}

// proving passes requests on to an address with the token that it wants. An answer that begins to come before the end of its request
// was looked for is no reason to give the request up: net/http closes the body of one by then, unless it is told that both go on at
// once, and the transport takes that for a failed request.
func proving(target *url.URL, token string) http.Handler {
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = target.Scheme, target.Host
		r.Out.Host = r.In.Host // which is judged
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		proxy.ServeHTTP(w, r)
	})
}

// TestConformanceProxy holds that an answer passes whole whose stream begins while the transport has yet to look for the end of the
// request.
func TestConformanceProxy(t *testing.T) {
	begun := make(chan struct{})
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		_, _ = io.WriteString(w, "begun ")
		_ = http.NewResponseController(w).Flush()
		<-begun
		_, _ = io.WriteString(w, r.Header.Get("Authorization"))
	}))
	defer upstream.Close()
	target, err := url.Parse(upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = &lateEnd{ReadCloser: r.Body, begun: begun}
		proving(target, "word").ServeHTTP(&beginning{ResponseWriter: w, begun: begun}, r)
	}))
	defer front.Close()
	answer, err := http.Post(front.URL, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || string(text) != "begun Bearer word" {
		t.Errorf("%q came back: %v", text, err)
	}
}

// lateEnd is a body whose end is read once its answer has begun.
type lateEnd struct {
	io.ReadCloser
	begun   chan struct{}
	hasRead bool
}

func (l *lateEnd) Read(to []byte) (int, error) {
	if l.hasRead {
		<-l.begun
	}
	l.hasRead = true
	return l.ReadCloser.Read(to)
}

// beginning tells when the first of an answer was written.
type beginning struct {
	http.ResponseWriter
	begun chan struct{}
	once  sync.Once
}

func (b *beginning) Unwrap() http.ResponseWriter { return b.ResponseWriter }

func (b *beginning) Write(text []byte) (int, error) {
	n, err := b.ResponseWriter.Write(text)
	b.FlushError()
	b.once.Do(func() { close(b.begun) })
	return n, err
}

func (b *beginning) FlushError() error { return http.NewResponseController(b.ResponseWriter).Flush() }
