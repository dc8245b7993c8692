package process

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// modeVar makes the test binary one of the programs in modes instead of the tests.
const modeVar = "PROCESS_TEST_MODE"

// guardArgument makes it the guard process, whose environment is not ours to choose.
const guardArgument = "be-the-guard"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == guardArgument {
		os.Exit(RunGuard(os.Stdin))
	}
	if mode := os.Getenv(modeVar); mode != "" {
		program, ok := modes()[mode]
		if !ok {
			fmt.Fprintln(os.Stderr, "unknown mode", mode)
			os.Exit(99)
		}
		os.Exit(program())
	}
	// They wait for other processes far more than they compute.
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

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
