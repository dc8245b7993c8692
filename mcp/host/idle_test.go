package host

import (
	"testing"
	"time"

	"pillion/mcp/config"
)

func TestA6_HowLongAConnectorStaysUpUnused(t *testing.T) {
	t.Parallel()
	for options, want := range map[string]time.Duration{
		`{}`:                    defaultIdleTimeout,
		`{"idleTimeout": "2m"}`: 2 * time.Minute,
		`{"idleTimeout": 0}`:    -1,
		`{"start": "eager", "idleTimeout": "2m"}`:   -1,
		`{"maxConcurrent": 1}`:                      -1,
		`{"maxConcurrent": 1, "idleTimeout": "2m"}`: 2 * time.Minute,
	} {
		d := config.Parse(config.File{Path: "/home/u/mcp.json", Source: config.SourceUser}, []byte(`{"mcpServers":{"x":{"command":"x","pillion":`+options+`}}}`))
		if got := idleTimeOf(d.Entry("x")); (got < 0) != (want < 0) || want > 0 && got != want {
			t.Errorf("%s: %s, want %s", options, got, want)
		}
	}
}

func TestC10_HowOftenAConnectorIsAskedWhetherItIsThere(t *testing.T) {
	t.Parallel()
	for options, want := range map[string]time.Duration{
		`{}`:                       defaultPingInterval,
		`{"pingInterval": "20s"}`:  20 * time.Second,
		`{"pingInterval": "10ms"}`: time.Second,
		`{"pingInterval": 0}`:      -1,
	} {
		d := config.Parse(config.File{Path: "/home/u/mcp.json", Source: config.SourceUser}, []byte(`{"mcpServers":{"x":{"command":"x","pillion":`+options+`}}}`))
		if got := definitionOf(d.Entry("x"), false).PingInterval; got != want {
			t.Errorf("%s: %s, want %s", options, got, want)
		}
	}
}
