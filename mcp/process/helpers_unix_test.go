//go:build linux || darwin

package process

import (
	"os"
	"testing"
	"time"
)

// self is the test binary.
func self(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// bound is how long anything here may take on a busy machine.
const bound = 30 * time.Second

// eventually waits until the condition holds.
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(bound); time.Now().Before(deadline); <-tick.C {
		if condition() {
			return
		}
	}
	t.Fatalf("not within %v: %s", bound, what)
}

// within waits for a channel to be closed or to deliver.
func within[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(bound):
		t.Fatalf("not within %v: %s", bound, what)
		panic("unreachable")
	}
}
