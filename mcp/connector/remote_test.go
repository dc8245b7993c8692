package connector

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"pillion/mcp/mcptest"
)

// overHTTP is a connector over a fake that is reached by HTTP.
type overHTTP struct {
	*fixture
	peer *mcptest.HTTP
}

// remoteFake makes a connector over an HTTP fake of the mode; it is stopped when the test ends.
func remoteFake(t *testing.T, peer *mcptest.HTTP, settings ...setting) *overHTTP {
	t.Helper()
	f := &fixture{t: t, seen: make(chan struct{}, 1)}
	d := Definition{ID: "id", Name: "fake", URL: peer.URL()}
	o := Options{
		Client: Implementation{Name: "pillion", Version: "0"}, Logger: slog.New(slog.DiscardHandler),
		OnChange: func(c Change) {
			f.mu.Lock()
			f.changes = append(f.changes, c)
			f.mu.Unlock()
			select {
			case f.seen <- struct{}{}:
			default:
			}
		},
	}
	times := defaultTuning()
	times.farewell, times.busy, times.relisten = 300*time.Millisecond, 10*time.Millisecond, 50*time.Millisecond
	for _, set := range settings {
		set(&d, &o, &times)
	}
	f.Connector = New(d, o)
	f.tuning = times
	t.Cleanup(func() { f.Stop(context.Background()) })
	return &overHTTP{f, peer}
}

func remoteStarted(t *testing.T, mode string, settings ...setting) *overHTTP {
	t.Helper()
	f := remoteFake(t, mcptest.NewHTTP(t, mode), settings...)
	if err := f.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestRemote_Starts(t *testing.T) {
	f := remoteStarted(t, "")
	if got := f.names(); got != "a" {
		t.Errorf("tools %s", got)
	}
	if got := f.say(`{}`); got != "ok" {
		t.Errorf("said %q", got)
	}
}
