package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"pillion/mcp/process"
	"pillion/mcp/settings"
	"pillion/sidecar"
	"pillion/sidecar/core"
)

// runStdio serves one editor on standard input and output until it ends.
// stdout carries frames and nothing else; stderr stays empty but for a fatal line.
func runStdio(arguments []string) int {
	flags, err := stdioFlags(arguments)
	if err != nil {
		fmt.Fprintln(os.Stderr, "pillion:", err)
		return exitUsage
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	listens := make(chan struct{})
	go func() { // beside the rest, since it starts a thread and an editor waits
		endOnSignal(stop)
		close(listens)
	}()
	in, out, err := process.TakeStdio()
	if err != nil {
		fmt.Fprintln(os.Stderr, "pillion: take standard input and output:", err)
		return exitFailed
	}
	environ := os.Environ()
	held := core.NewSettings(environ, flags)
	options := sidecar.Options{
		In: in, Out: out, Version: version(), Environ: environ, Settings: held, Logger: core.NewLogger(environ, held.LogLevel()),
	}
	if options.Executable, err = os.Executable(); err != nil {
		fmt.Fprintln(os.Stderr, "pillion: find this program:", err)
		return exitFailed
	}
	if tracePath := held.Resolved().Value(settings.Trace).Text(); tracePath != "" {
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
	options.Refusal = sync.OnceValue(refusalOfNested)
	<-listens // from here on a signal ends the session as it must end (C83)
	options.OutputLost = process.WatchReader(ctx, out)
	options.Subreaper = process.NewSubreaper(options.Logger)
	defer options.Subreaper.Close()
	code, err := sidecar.Run(ctx, options)
	if nested := options.Refusal(); nested != nil {
		code, err = exitNotAllowed, nested // whatever else it ended with
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pillion:", err)
	}
	return code
}

// refusalOfNested looks at every program that this one descends from (A11).
func refusalOfNested() error {
	if startedByConnector() {
		return errors.New("this program was started by a connector of another Pillion, which is refused")
	}
	return nil
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

// stdioFlags reads the flags that go with --stdio.
func stdioFlags(arguments []string) ([]settings.Given, error) {
	flags, others, err := settings.FromFlags(arguments)
	if err != nil {
		return nil, err
	}
	for _, argument := range others {
		// Some clients say their process here as well; what initialize says counts.
		if argument != "--stdio" && !strings.HasPrefix(argument, "--clientProcessId=") {
			return nil, fmt.Errorf("--stdio does not go with %q", argument)
		}
	}
	return flags, nil
}

// openTrace opens the file that every frame is written to, redacted; what was in it is lost.
func openTrace(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the trace %s: %w", path, err)
	}
	return file, nil
}
