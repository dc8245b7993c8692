package host

import (
	"math"
	"testing"
	"time"

	"pillion/mcp/config"
)

// TestC28_PausesDoubleAndAreBounded, and at the shortest there are no more than six processes in half a minute.
func TestC28_PausesDoubleAndAreBounded(t *testing.T) {
	t.Parallel()
	d := config.Parse(config.File{Path: "/home/u/mcp.json", Source: config.SourceUser}, []byte(`{"mcpServers":{"x":{"command":"x"}}}`))
	r := reconnectOf(d.Entry("x"))
	if r.attempts != 10 {
		t.Errorf("%d attempts", r.attempts)
	}
	elapsed, started := time.Duration(0), 1
	for spent := range r.attempts {
		shortest, longest := r.pause(spent, 0), r.pause(spent, math.Nextafter(1, 0))
		if shortest < r.first || longest > r.most || longest <= shortest {
			t.Errorf("attempt %d: from %s to %s", spent+1, shortest, longest)
		}
		if elapsed += shortest; elapsed <= 30*time.Second {
			started++
		}
	}
	if started > 6 {
		t.Errorf("%d processes in 30 s", started)
	}
}

// TestC5_WhoComesBack looks at one ending of a connector at a time.
func TestC5_WhoComesBack(t *testing.T) {
	t.Parallel()
	r := reconnect{attempts: 2, first: time.Second, most: time.Minute, stable: time.Minute}
	lost := func(change func(*wanted, *life, *ending)) (wanted, life, ending) {
		w, l, how := wanted{key: "k", isListed: true}, life{activity: activityFailed, key: "k", isUsed: true, back: comeback{wasReady: true}}, ending{isPassing: true}
		change(&w, &l, &how)
		return w, l, how
	}
	for name, test := range map[string]struct {
		change func(*wanted, *life, *ending)
		want   bool
		spent  int
	}{
		"one that was called":       {func(*wanted, *life, *ending) {}, true, 1},
		"one that nobody called":    {func(_ *wanted, l *life, _ *ending) { l.isUsed = false }, false, 0},
		"one that is eager":         {func(w *wanted, l *life, _ *ending) { l.isUsed, w.isEager = false, true }, true, 1},
		"one that is followed":      {func(w *wanted, l *life, _ *ending) { l.isUsed, w.isHeld = false, true }, true, 1},
		"one that wants a sign-in":  {func(_ *wanted, _ *life, how *ending) { how.isPassing = false }, false, 0},
		"one that was never there":  {func(_ *wanted, l *life, _ *ending) { l.back.wasReady = false }, false, 0},
		"one that has changed":      {func(w *wanted, _ *life, _ *ending) { w.key = "other" }, false, 0},
		"spent":                     {func(_ *wanted, l *life, _ *ending) { l.back.spent = 2 }, false, 2},
		"spent, and was not stable": {func(_ *wanted, l *life, how *ending) { l.back.spent, how.uptime = 2, time.Minute-1 }, false, 2},
		"spent, and was stable":     {func(_ *wanted, l *life, how *ending) { l.back.spent, how.uptime = 2, time.Minute }, true, 1},
		"an eager one whose server is not reached": {
			func(w *wanted, l *life, how *ending) { l.back.wasReady, w.isEager, how.isRemote = false, true, true }, true, 1,
		},
	} {
		w, l, how := lost(test.change)
		if got := l.comesBack(w, how, r); got != test.want || l.back.spent != test.spent || l.isReturning(w) != test.want {
			t.Errorf("%s: %v, %+v", name, got, l)
		}
		if test.want && stateOf(w, l) != StateStarting {
			t.Errorf("%s: it is %s", name, stateOf(w, l))
		}
		l.ask(wishReturn)
		if next, _ := reconcile(w, l); (next == actionStart) != test.want {
			t.Errorf("%s: after the pause: %v", name, next)
		}
	}
}
