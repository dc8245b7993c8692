// Package demo is the connector embedded in the binary: a small MCP server to try Pillion with and to test it by.
// It reaches nothing but its own notes, and needs neither network nor configuration.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// DirVar names the environment variable with the folder where notes are kept; unset means in memory.
const DirVar = "PILLION_DEMO_DIR"

const instructions = "A practice ground: a few notes to list, read and write, a chart, a slow counter, and a tool that asks for a name. " +
	"Nothing here reaches the network."

// Serve speaks MCP over in and out until in ends or ctx does. It closes neither; when ctx ends first, one read of in may
// be left waiting.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	notes, err := openNotes(os.Getenv(DirVar))
	if err != nil {
		return err
	}
	defer notes.close()
	err = newServer(notes).Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: unclosed{out}})
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("serve demo: %w", err)
	}
	return nil
}

func newServer(notes notes) *mcp.Server {
	server := mcp.NewServer(
		&mcp.Implementation{Name: "pillion-demo", Title: "Pillion demo", Version: "1.0.0"},
		&mcp.ServerOptions{
			Instructions: instructions,
			// The list never changes, and nothing is logged over the protocol.
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		},
	)
	addNoteTools(server, notes)
	addChart(server)
	addSlowCount(server)
	addAskName(server)
	return server
}

// readOnly are the annotations of a tool that changes nothing anywhere.
func readOnly() *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: new(false), OpenWorldHint: new(false)}
}

func text(format string, arguments ...any) *mcp.TextContent {
	return &mcp.TextContent{Text: fmt.Sprintf(format, arguments...)}
}

// refusal is a result that says what went wrong, for the caller to do better.
func refusal(format string, arguments ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{text(format, arguments...)}}
}

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
