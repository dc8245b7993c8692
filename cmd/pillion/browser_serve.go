package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"pillion/browser/native"
)

// serveBrowser is the browser without Node: it speaks MCP on standard input and output, and ends its browser with itself.
func serveBrowser() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	options := native.FromEnvironment(os.Getenv, os.Environ(), filepath.SplitList)
	if err := native.Serve(ctx, os.Stdin, os.Stdout, options); err != nil && !errors.Is(err, os.ErrClosed) {
		fmt.Fprintln(os.Stderr, "pillion browser:", err)
		return exitFailed
	}
	return exitOK
}
