package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"pillion/mcp/demo"
)

// serveDemo is the connector that the binary holds: it speaks MCP on standard input and output.
func serveDemo() int {
	if err := demo.Serve(context.Background(), os.Stdin, os.Stdout); err != nil && !errors.Is(err, os.ErrClosed) {
		fmt.Fprintln(os.Stderr, "pillion demo:", err)
		return exitFailed
	}
	return exitOK
}
