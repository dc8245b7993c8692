package main

import (
	"os"
	"slices"
	"strings"

	"pillion/browser/node"
	"pillion/mcp/process"
	"pillion/mcp/settings"
	"pillion/sidecar/core"
)

func main() { os.Exit(run(os.Args[1:])) }

// run returns the exit code. What must start quickly is recognised before the command line is parsed.
func run(arguments []string) int {
	switch {
	case isStdio(arguments):
		return runStdio(arguments)
	case slices.Equal(arguments, []string{core.GuardCommand}):
		return process.RunGuard(os.Stdin)
	case slices.Equal(arguments, []string{"demo"}):
		return serveDemo()
	case node.IsPipe(arguments, os.Getenv):
		return standInForBrowser()
	case slices.Equal(arguments, []string{core.BrowserCommand}) && os.Getenv(node.KindVar) != "":
		return serveNodeBrowser()
	case slices.Equal(arguments, []string{core.BrowserCommand}):
		return serveBrowser()
	case len(arguments) > 0 && arguments[0] == completeWord:
		return complete(arguments[1:])
	}
	return runVerb(arguments)
}

// isStdio reports whether --stdio stands among the flags before any verb.
func isStdio(arguments []string) bool {
	for i := 0; i < len(arguments) && strings.HasPrefix(arguments[i], "-"); i++ {
		switch {
		case arguments[i] == "--stdio":
			return true
		case settings.IsFlagBeforeValue(arguments[i]):
			i++
		}
	}
	return false
}
