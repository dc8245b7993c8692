//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pillion/rpc/message"
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
	e := startSession(t, s)
	request(e, message.ConnectorStart, message.ConnectorParams{Connector: "everything"})
	asked := make(chan message.PermissionSetResult, 1)
	go func() {
		asked <- request(e, message.PermissionSet, message.PermissionSetParams{
			Connector: "everything", Tool: message.AllTools(), Decision: message.PermissionAllow, Scope: message.PermissionUser,
		})
	}()
	e.answer(e.nextAsk(message.AskWiden), message.WidenAnswer{Decision: message.WidenMake})
	receive(e, asked, "what became of the rule")
	return authorised(t, s)
}

func authorised(t *testing.T, s *sandbox) string {
	t.Helper()
	command := exec.Command(filepath.Join(s.bin, "pillion"), "serve", "--http", "--expose", "all", "--unprefixed", "--json")
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
	token, err := os.ReadFile(said.TokenFile)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(said.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = target.Scheme, target.Host
		r.Out.Host = r.In.Host // which is judged
		r.Out.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}})
	t.Cleanup(proxy.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return proxy.URL + target.Path
}
