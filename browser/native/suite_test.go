//go:build e2e

package native

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"pillion/browser/browsertest"
	"pillion/browser/devtools"
	"pillion/browser/relay"
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
	browsertest.Suite(t, func(t *testing.T, s browsertest.Setup) *mcp.ClientSession { return connect(t, "2026-07-28", s) })
}

// Clients of earlier revisions are asked in another way.
func TestSuite_LegacyEra(t *testing.T) {
	browsertest.Questions(t, func(t *testing.T, s browsertest.Setup) *mcp.ClientSession { return connect(t, "2025-11-25", s) })
}

// world has every name that ends in .test at a public address, which is the site.
func world(site *browsertest.Site) relay.Options {
	address := strings.TrimPrefix(site.URL, "http://")
	return relay.Options{
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			switch host {
			case "private.test":
				return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
			case "rebound.test":
				return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
			}
			if strings.HasSuffix(host, ".test") {
				return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
			}
			return nil, errors.New("no such host")
		},
		Dial: func(ctx context.Context, network, to string) (net.Conn, error) {
			if strings.HasPrefix(to, "93.184.216.34:") {
				to = address
			}
			return (&net.Dialer{}).DialContext(ctx, network, to)
		},
	}
}

func connect(t *testing.T, version string, s browsertest.Setup) *mcp.ClientSession {
	t.Helper()
	requests, toServer := io.Pipe()
	replies, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- Serve(context.Background(), requests, toClient, Options{
			Search:         devtools.Search{Path: os.Getenv("PATH"), Getenv: os.Getenv},
			WithoutSandbox: os.Getuid() == 0,
			Output:         s.Output,
			Env:            os.Environ(),
			Network:        world(s.Site),
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
