package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"pillion/browser/node"
)

// serveNodeBrowser is a browser server of Node's behind this program: it speaks MCP on standard input and output, and ends the
// server and its browser with itself.
func serveNodeBrowser() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	executable, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "pillion browser: find this program:", err)
		return exitFailed
	}
	options, _ := node.FromEnvironment(os.Getenv, os.Environ(), executable, os.Stderr)
	if err := node.Serve(ctx, os.Stdin, os.Stdout, options); err != nil && !errors.Is(err, os.ErrClosed) {
		fmt.Fprintln(os.Stderr, "pillion browser:", err)
		return exitFailed
	}
	return exitOK
}

// standInForBrowser passes on what is said to a browser that another process of this program has.
func standInForBrowser() int {
	if err := node.RunPipe(os.Getenv(node.PipeVar)); err != nil {
		fmt.Fprintln(os.Stderr, "pillion browser:", err)
		return exitFailed
	}
	return exitOK
}
