// Proxy is an MCP server that forwards each call to another one, with the SDK on both sides: the floor of a call through `pillion
// serve`.
// It has no policy and no audit log, and it knows one connector.
//
//	proxy PROGRAM [ARG...]
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "proxy:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "proxy", Version: "0"}, nil)
	command := exec.Command(os.Args[1], os.Args[2:]...)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: command}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return err
	}
	defer session.Close()
	listed, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "proxy", Version: "0"}, nil)
	for _, tool := range listed.Tools {
		server.AddTool(tool, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return session.CallTool(ctx, &mcp.CallToolParams{Name: r.Params.Name, Arguments: json.RawMessage(r.Params.Arguments)})
		})
	}
	return server.Run(ctx, &mcp.StdioTransport{})
}
