//go:build e2e

package native

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"pillion/browser/browsertest"
	"pillion/browser/devtools"
)

// serveVar has the test binary be the connector, as its own process.
const serveVar = "PILLION_FAKE_BROWSER_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveVar) != "" {
		if err := Serve(context.Background(), os.Stdin, os.Stdout, FromEnvironment(os.Getenv, os.Environ(), filepath.SplitList)); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func TestSuite(t *testing.T) {
	browsertest.Suite(t, browsertest.Provider{Open: func(t *testing.T, s browsertest.Setup) *mcp.ClientSession { return connect(t, "2026-07-28", s) }})
}

// Clients of earlier revisions are asked in another way.
func TestSuite_LegacyEra(t *testing.T) {
	browsertest.Questions(t, browsertest.Provider{Open: func(t *testing.T, s browsertest.Setup) *mcp.ClientSession { return connect(t, "2025-11-25", s) }})
}

func connect(t *testing.T, version string, s browsertest.Setup) *mcp.ClientSession {
	t.Helper()
	return connectTo(t, version, s, "")
}

func connectTo(t *testing.T, version string, s browsertest.Setup, attach string) *mcp.ClientSession {
	t.Helper()
	requests, toServer := io.Pipe()
	replies, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- Serve(context.Background(), requests, toClient, Options{
			Search:         devtools.Search{Path: os.Getenv("PATH"), Getenv: os.Getenv},
			Attach:         attach,
			WithoutSandbox: os.Getuid() == 0,
			Output:         s.Output,
			Env:            os.Environ(),
			Network:        browsertest.World(s.Site),
			Patience:       Patience{Navigation: 8 * time.Second, Action: 3 * time.Second, Script: 4 * time.Second},
		})
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{decisionKey: s.Answer(r.Params.Message)}}, nil
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
