package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pillion/mcp/host"
	"pillion/mcp/mcptest"
	"pillion/mcp/process"
	"pillion/mcp/serve"
	"pillion/mcp/state"
)

// guardArgument makes the test binary the guard of its children.
const guardArgument = "be-the-guard"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == guardArgument {
		os.Exit(process.RunGuard(os.Stdin))
	}
	mcptest.Main()
	dir, err := copyProgram()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// programVar names a copy of the test binary: the fakes are the test binary, and a connector that is Pillion itself is none.
const programVar = "SERVE_TEST_PILLION"

// copyProgram makes that copy before anything is forked, which could keep it open for writing.
func copyProgram() (dir string, err error) {
	own, _, _ := mcptest.Command("")
	content, err := os.ReadFile(own)
	if err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp("", "serve-test-"); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "pillion"+filepath.Ext(own))
	return dir, errors.Join(os.WriteFile(path, content, 0o700), os.Setenv(programVar, path))
}

// server is a server over a host of its own, whose user has the given connectors.
type server struct {
	*serve.Server
	t    *testing.T
	host *host.Host
}

// fake is a connector of the user's file.
type fake struct {
	mode      string
	variables []string
}

const (
	tellsAll   = mcptest.CapabilitiesVar + `={"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"completions":{},"logging":{}}`
	readsAlone = mcptest.ToolsVar + `=[{"name":"look","description":"Looks.","inputSchema":{"type":"object","properties":{"n":{"type":"number","maximum":9007199254740993}}},"annotations":{"readOnlyHint":true}},` +
		`{"name":"wipe","description":"Wipes.","inputSchema":{"type":"object"}}]`
)

func newServer(t *testing.T, o serve.Options, connectors map[string]fake) *server {
	t.Helper()
	return newServerAsking(t, o, nil, connectors)
}

func newServerAsking(t *testing.T, o serve.Options, asker host.Asker, connectors map[string]fake) *server {
	t.Helper()
	dir := t.TempDir()
	folder, err := state.Open(filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	user := filepath.Join(dir, "mcp.json")
	if err := os.WriteFile(user, []byte(configuration(connectors)), 0o600); err != nil {
		t.Fatal(err)
	}
	var served atomic.Pointer[serve.Server]
	h := host.New(host.Options{
		Logger: slog.New(slog.DiscardHandler), UserFile: user, Folder: folder, Environ: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")},
		Executable: os.Getenv(programVar), GuardArgs: []string{guardArgument}, Asker: asker,
		StopTiming: process.Timing{EOF: 500 * time.Millisecond, Term: 300 * time.Millisecond},
		Observe: func(e host.Event) {
			if s := served.Load(); s != nil {
				s.Observe(e)
			}
		},
	})
	o.Caller.Kind = "agent"
	s := serve.New(h, o)
	served.Store(s)
	h.Start()
	t.Cleanup(func() {
		s.Close()
		h.Close(context.Background())
	})
	return &server{s, t, h}
}

func configuration(connectors map[string]fake) string {
	all := map[string]any{}
	for name, f := range connectors {
		path, _, env := mcptest.Command(f.mode)
		variables := map[string]string{}
		for _, variable := range append(env, f.variables...) {
			name, value, _ := strings.Cut(variable, "=")
			variables[name] = value
		}
		all[name] = map[string]any{"command": path, "env": variables}
	}
	text, _ := json.Marshal(map[string]any{"mcpServers": all})
	return string(text)
}

// peer is the far end of a stream that the server serves: a client that says exactly what a test has it say.
type peer struct {
	t     *testing.T
	conn  net.Conn
	in    *bufio.Reader
	aside []string // what came that was not waited for
	over  chan error
}

func (s *server) peer() *peer {
	s.t.Helper()
	far, near := net.Pipe()
	p := &peer{t: s.t, conn: far, in: bufio.NewReaderSize(far, 1<<20), over: make(chan error, 1)}
	go func() { p.over <- s.Serve(context.Background(), near) }()
	s.t.Cleanup(func() { _ = far.Close() })
	return p
}

func (p *peer) say(line string) {
	p.t.Helper()
	_ = p.conn.SetWriteDeadline(time.Now().Add(30 * time.Second))
	if _, err := io.WriteString(p.conn, line+"\n"); err != nil {
		p.t.Fatalf("say %.200s: %v", line, err)
	}
}

// until returns the first line that holds all of the words, also of those that came before.
func (p *peer) until(words ...string) string {
	p.t.Helper()
	holds := func(line string) bool {
		for _, word := range words {
			if !strings.Contains(line, word) {
				return false
			}
		}
		return true
	}
	for i, line := range p.aside {
		if holds(line) {
			p.aside = append(p.aside[:i:i], p.aside[i+1:]...)
			return line
		}
	}
	for {
		_ = p.conn.SetReadDeadline(time.Now().Add(60 * time.Second))
		line, err := p.in.ReadString('\n')
		if err != nil {
			p.t.Fatalf("wait for %q: %v; what came: %q", words, err, p.aside)
		}
		if line = strings.TrimSpace(line); holds(line) {
			return line
		}
		p.aside = append(p.aside, line)
	}
}

// initialize shakes hands in the legacy era.
func (p *peer) initialize(capabilities string) string {
	p.t.Helper()
	p.say(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` + capabilities + `,"clientInfo":{"name":"tester","version":"1"}}}`)
	answer := p.until(`"id":"hello"`)
	p.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return answer
}

// asks sends a request of the legacy era and returns the answer.
func (p *peer) asks(id int, method, params string) string {
	p.t.Helper()
	p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	return p.until(fmt.Sprintf(`"id":%d`, id))
}

// modern are params of the modern era.
func modern(params, capabilities string) string {
	rest := strings.TrimPrefix(params, "{")
	if rest != "}" {
		rest = "," + rest
	}
	return `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities +
		`,"io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"}}` + rest
}

// allow lets all calls of a connector run.
func (s *server) allow(connector string) {
	s.t.Helper()
	if started, err := s.host.StartConnector(s.t.Context(), s.id(connector)); err != nil || started.State != host.StateReady {
		s.t.Fatalf("%s is %s, %v", connector, started.State, err)
	}
	draft, err := s.host.DraftRule(host.NewRule{Connector: s.id(connector), Decision: "allow", Scope: "user"})
	if err == nil {
		_, err = s.host.StoreRule(s.t.Context(), draft)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) id(name string) string {
	s.t.Helper()
	found, err := s.host.Connector(name)
	if err != nil {
		s.t.Fatal(err)
	}
	return found.ID
}
