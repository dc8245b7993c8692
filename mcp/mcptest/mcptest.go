// Package mcptest has connectors to test with: good, slow, rude and dying ones, run as real processes from the test binary.
// It knows nothing of the packages that it tests; what every transport must do with such a peer is [Suite].
//
// A fake reads newline-delimited JSON-RPC and answers server/discover with -32601, initialize with protocol version
// 2025-06-18 and the capabilities {tools:{listChanged:true}}, tools/list with one tool "a", tools/call with one text block,
// ping with {}. A mode changes that; see [Modes].
package mcptest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"
)

// Environment variables of a fake.
const (
	// ModeVar holds the mode; [Command] sets it.
	ModeVar = "PILLION_FAKE_MODE"
	// LogVar names a file to which the fake appends every line that it reads.
	LogVar = "SRVLOG"
	// ToolsVar holds the JSON text of the member "tools" in answers to tools/list, also where it is not a legal one.
	ToolsVar = "PILLION_FAKE_TOOLS"
	// EntryVar holds the JSON text of further members of every entry of the other lists, without braces.
	EntryVar = "PILLION_FAKE_ENTRY"
	// ResultVar holds the JSON text of the result of every tools/call.
	ResultVar = "PILLION_FAKE_RESULT"
	// ContentsVar holds the JSON text of the result of every resources/read, PromptVar that of every prompts/get.
	ContentsVar = "PILLION_FAKE_CONTENTS"
	PromptVar   = "PILLION_FAKE_PROMPT"
	// CapabilitiesVar holds the JSON text of the capabilities announced.
	CapabilitiesVar = "PILLION_FAKE_CAPABILITIES"
	// AskParamsVar holds the JSON text of the params of the request that mode ask sends.
	AskParamsVar = "PILLION_FAKE_ASK_PARAMS"
)

// Main turns the test binary into a fake connector when [Command] started it, and then does not return. Call it first in
// TestMain.
func Main() {
	if mode, ok := os.LookupEnv(ModeVar); ok {
		os.Exit(Run(mode, os.Stdin, os.Stdout, os.Stderr))
	}
}

// Command returns how to start a fake connector from a test binary whose TestMain calls [Main]. env has to be added to the
// child's environment.
func Command(mode string) (path string, args, env []string) {
	path, err := os.Executable()
	if err != nil {
		// Without its own path a test binary can start nothing, and there is no test to fail here.
		panic(fmt.Sprintf("find the test binary: %v", err))
	}
	// A binary built with -race otherwise sleeps a second before it exits.
	return path, nil, []string{ModeVar + "=" + mode, "GORACE=atexit_sleep_ms=0"}
}

// Received returns the lines that a fake with [LogVar] set to path has read so far.
func Received(t testing.TB, path string) []string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var lines []string
	for line := range bytes.Lines(content) {
		lines = append(lines, string(bytes.TrimRight(line, "\r\n")))
	}
	return lines
}
