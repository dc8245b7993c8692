//go:build e2e

package e2e

import (
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pillion/rpc/message"
)

// A servedServer is a connector that people run themselves and reach over HTTP.
type servedServer struct {
	realServer
	at func(port int) (args []string, env []string)
	// path is where it serves.
	path string
}

// TestServersOverHTTP reaches servers over streamable HTTP: each is listed, called, killed, and recovered once it runs again.
func TestServersOverHTTP(t *testing.T) {
	rows := []string{"", "Over streamable HTTP, on this machine:", "", "| server | version | MCP | tools | call | once it is gone |", "|---|---|---|---|---|---|"}
	for _, named := range servedServers(t) {
		t.Run(named.name, func(t *testing.T) { rows = append(rows, named.test(t)) })
	}
	writeTestedServers(t, "", rows)
}

func servedServers(t *testing.T) []servedServer {
	core := map[string]realServer{}
	for _, server := range coreServers(t, newSandbox(t, pillion(t))) {
		core[server.name] = server
	}
	return []servedServer{
		{core["everything"], func(port int) ([]string, []string) {
			return []string{"streamableHttp"}, []string{fmt.Sprintf("PORT=%d", port)}
		}, "/mcp"},
		{core["context7"], func(port int) ([]string, []string) {
			return []string{"--transport", "http", "--port", fmt.Sprint(port)}, nil
		}, "/mcp"},
		{core["notion"], func(port int) ([]string, []string) {
			return []string{"--transport", "http", "--port", fmt.Sprint(port), "--unsafe-disable-auth"}, nil
		}, "/mcp"},
	}
}

// test has the server listed, called, killed and recovered, and answers its line of the table.
func (r servedServer) test(t *testing.T) string {
	s := newSandbox(t, pillion(t))
	version := r.installed(t, s, filepath.Join(cache(t), "servers", "node_modules"))
	port := freePort(t)
	stop := r.serve(t, s, port)
	s.writeUserText(t, arguments(t, map[string]any{"mcpServers": map[string]any{
		r.name: map[string]string{"type": "http", "url": fmt.Sprintf("http://localhost:%d%s", port, r.path)},
	}}))
	e := startSession(t, s)
	go e.answerAll()
	c := request(e, message.ConnectorStart, message.ConnectorParams{Connector: message.ConnectorRef(r.name)}).Connector
	if c.State != message.ConnectorReady || c.Tools == 0 {
		t.Fatalf("it is %s with %d tools: %+v", c.State, c.Tools, c.Problem)
	}
	called, gone := r.call(t, e), ""

	stop()
	if r.tool != "" {
		lost := receive(e, e.begin(message.ToolCallParams{Tool: message.ToolRef(r.name + "." + r.tool), ArgumentsText: r.arguments}), "result")
		if lost.Status == message.CallOK || lost.Message == "" {
			t.Errorf("a call of a server that is gone is %s: %s", lost.Status, lost.Message)
		}
		gone = "*" + cell(strings.ReplaceAll(lost.Message, fmt.Sprint(port), "…")) + "*"
	}
	r.serve(t, s, port)
	again := request(e, message.ConnectorRestart, message.ConnectorParams{Connector: message.ConnectorRef(r.name)}).Connector
	if again.State != message.ConnectorReady || again.Tools != c.Tools {
		t.Errorf("once it runs again it is %s with %d tools, want ready with %d: %+v", again.State, again.Tools, c.Tools, again.Problem)
	}
	r.call(t, e)
	return fmt.Sprintf("| %s | %s | %s | %d | %s | %s |", r.module, version, c.Server.ProtocolVersion, c.Tools, called, gone)
}

// serve runs the server and waits until it listens. What it returns ends it by force.
func (r servedServer) serve(t *testing.T, s *sandbox, port int) (stop func()) {
	t.Helper()
	args, env := r.at(port)
	cmd := exec.Command(filepath.Join(s.bin, r.program), args...)
	cmd.Env = append(s.environment(), env...)
	for name, value := range r.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	}
	t.Cleanup(stop)
	if !await(func() bool {
		conn, err := net.DialTimeout("tcp", fmt.Sprintf("localhost:%d", port), time.Second)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}) {
		t.Fatalf("it does not listen on %d", port)
	}
	return stop
}

// freePort is one that nobody has now: these servers cannot be told to choose.
func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}
