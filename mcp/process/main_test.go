package process

import (
	"flag"
	"fmt"
	"os"
	"testing"

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
