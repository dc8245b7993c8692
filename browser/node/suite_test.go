//go:build e2e

package node

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"pillion/browser/browsertest"
	"pillion/browser/devtools"
	"pillion/browser/install"
	"pillion/browser/native"
)

// serveVar has the test binary be the connector, as its own process.
const serveVar = "PILLION_FAKE_BROWSER_SERVE"

// TestMain lets the test binary stand in for a browser and be the connector, as Pillion's own program does.
func TestMain(m *testing.M) {
	if IsPipe(os.Args[1:], os.Getenv) {
		if err := RunPipe(os.Getenv(PipeVar)); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	if os.Getenv(serveVar) != "" {
		options, _ := FromEnvironment(os.Getenv, os.Environ(), os.Args[0], io.Discard)
		if err := Serve(context.Background(), os.Stdin, os.Stdout, options); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func TestSuite_Playwright(t *testing.T) { suite(t, install.Playwright, browsertest.Playwright()) }

func TestSuite_ChromeDevTools(t *testing.T) {
	suite(t, install.ChromeDevTools, browsertest.ChromeDevTools())
}

func suite(t *testing.T, kind install.Kind, dialect browsertest.Dialect) {
	browsertest.Suite(t, browsertest.Provider{Dialect: dialect, Open: func(t *testing.T, s browsertest.Setup) *mcp.ClientSession {
		return connect(t, kind, "2026-07-28", s)
	}})
}

// programs are Node and what the beds installed, or a skip.
func programs(t testing.TB, kind install.Kind) (node, script string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node")
	}
	cache := os.Getenv("PILLION_DEV_CACHE")
	if cache == "" {
		t.Skip("PILLION_DEV_CACHE is not set")
	}
	script = filepath.Join(cache, "browser-"+string(kind), "node_modules", filepath.FromSlash(kind.Package()), map[install.Kind]string{
		install.Playwright: "cli.js", install.ChromeDevTools: "build/src/bin/chrome-devtools-mcp.js",
	}[kind])
	if _, err := os.Stat(script); err != nil {
		t.Fatalf("the bed of %s: %v", kind, err)
	}
	return node, script
}

func connect(t *testing.T, kind install.Kind, version string, s browsertest.Setup) *mcp.ClientSession {
	t.Helper()
	node, script := programs(t, kind)
	requests, toServer := io.Pipe()
	replies, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- Serve(context.Background(), requests, toClient, Options{
			Kind: kind, Node: node, Script: script, Executable: os.Args[0], Patience: 40 * time.Second, Stderr: io.Discard,
			Native: native.Options{
				Search:         devtools.Search{Path: os.Getenv("PATH"), Getenv: os.Getenv},
				WithoutSandbox: os.Getuid() == 0,
				Output:         s.Output,
				Env:            os.Environ(),
				Network:        browsertest.World(s.Site),
				Patience:       native.Patience{Navigation: 8 * time.Second, Action: 3 * time.Second, Script: 4 * time.Second},
			},
		})
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": s.Answer(r.Params.Message)}}, nil
		},
	})
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: replies, Writer: toServer}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		if err := <-served; err != nil {
			t.Errorf("Serve returned %v", err)
		}
		toClient.Close()
	})
	return session
}
