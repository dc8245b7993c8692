package core

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"pillion/mcp/mcptest"
	"pillion/mcp/process"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == GuardCommand {
		os.Exit(process.RunGuard(os.Stdin))
	}
	mcptest.Main()
	goleak.VerifyTestMain(m)
}
