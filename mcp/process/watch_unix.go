//go:build linux || darwin

package process

import (
	"context"
	"time"
)

// watchInterval is how often a process is looked at where the kernel does not tell of its end.
const watchInterval = time.Second

// WatchParent returns a channel closed when the process has gone, at once if it already has.
// It stays open when ctx ends first.
func WatchParent(ctx context.Context, pid int) <-chan struct{} {
	gone := make(chan struct{})
	e, ok := lookup(pid)
	if !ok || e.ended {
		close(gone)
		return gone
	}
	go func() {
		if awaitEnd(ctx, e.identity) && ctx.Err() == nil {
			close(gone)
		}
	}()
	return gone
}

// pollEnd is awaitEnd by looking again and again.
func pollEnd(ctx context.Context, who identity) bool {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for who.lives() {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}
