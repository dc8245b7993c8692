// Package demo is the connector embedded in the binary: a small MCP server to try Pillion with and to test it by.
// It reaches nothing but its own notes, and needs neither network nor configuration.
package demo

import (
	"context"
	"io"
)

// DirVar names the environment variable with the folder where notes are kept; unset means in memory.
const DirVar = "PILLION_DEMO_DIR"

// Serve speaks MCP over in and out until in ends or ctx does. It closes neither, and needs in to end to return.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error { panic("not yet") }
