// Command fakestdio is the fake connector of package mcptest as a program of its own, for scripts: fakestdio MODE.
// It is a test's peer and nothing to install.
package main

import (
	"os"

	"pillion/mcp/mcptest"
)

func main() {
	mode := os.Getenv(mcptest.ModeVar)
	if mode == "" && len(os.Args) > 1 {
		mode = os.Args[1]
	}
	os.Exit(mcptest.Run(mode, os.Stdin, os.Stdout, os.Stderr))
}
