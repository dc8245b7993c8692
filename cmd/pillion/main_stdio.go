package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"pillion/mcp/process"
	"pillion/sidecar"
	"pillion/sidecar/core"
)

// runStdio serves one editor on standard input and output until it ends.
// stdout carries frames and nothing else; stderr stays empty but for a fatal line.
func runStdio(arguments []string) int {
	tracePath, err := traceOf(arguments)
	if err != nil {
		fmt.Fprintln(os.Stderr, "pillion:", err)
		return exitUsage
	}
	// Done beside the rest: an editor waits for the start. Listening for signals starts a thread.
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	refused := make(chan bool, 1)
	go func() {
		endOnSignal(stop)
		refused <- startedByConnector()
	}()
	in, out, err := process.TakeStdio()
	if err != nil {
		fmt.Fprintln(os.Stderr, "pillion: take standard input and output:", err)
		return exitFailed
	}
	options := sidecar.Options{In: in, Out: out, Version: version(), Environ: os.Environ(), Logger: core.NewLogger(os.Environ())}
	if options.Executable, err = os.Executable(); err != nil {
		fmt.Fprintln(os.Stderr, "pillion: find this program:", err)
		return exitFailed
	}
	if tracePath != "" {
		trace, err := openTrace(tracePath)
		if err != nil {
			fmt.Fprintln(os.Stderr, "pillion:", err)
			return exitFailed
		}
		defer trace.Close()
		options.Trace = trace
	}
	// A child could otherwise read this process's environment (S20); where that cannot be had the rest still holds.
	_ = process.DisallowDump()
	if <-refused {
		fmt.Fprintln(os.Stderr, "pillion: this program was started by a connector of another Pillion, which is refused")
		return exitNotAllowed
	}
	options.OutputLost = process.WatchReader(ctx, out)
	options.Subreaper = process.NewSubreaper(options.Logger)
	defer options.Subreaper.Close()
	code, err := sidecar.Run(ctx, options)
	if err != nil {
		fmt.Fprintln(os.Stderr, "pillion:", err)
	}
	return code
}

// endOnSignal calls stop at the first signal that asks this program to end. It listens once it has returned.
func endOnSignal(stop func()) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-asked
		stop()
	}()
}

// traceOf reads the flags that go with --stdio.
func traceOf(arguments []string) (path string, err error) {
	for i := 0; i < len(arguments); i++ {
		switch argument := arguments[i]; {
		case argument == "--stdio":
		case argument == "--trace" && i+1 < len(arguments):
			i++
			path = arguments[i]
		case strings.HasPrefix(argument, "--trace="):
			path = strings.TrimPrefix(argument, "--trace=")
		case strings.HasPrefix(argument, "--clientProcessId="):
			// Some clients say it here as well; what initialize says counts.
		default:
			return "", fmt.Errorf("--stdio does not go with %q", argument)
		}
	}
	return path, nil
}

// openTrace opens the file that every frame is written to, redacted; what was in it is lost.
func openTrace(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the trace %s: %w", path, err)
	}
	return file, nil
}
