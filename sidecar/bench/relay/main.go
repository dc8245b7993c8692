// Relay forwards each call that comes in an LSP frame to the MCP SDK, and the result back: the floor of a call through
// Pillion.
// It has no policy and no audit log, and it looks at nothing.
//
//	relay PROGRAM [ARG...]
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/rpc"
)

// callParams are those of tools/call.
type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

var toolCall = rpc.Request[callParams, json.RawMessage]{Method: "tools/call"}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "relay:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "relay", Version: "0"}, nil)
	command := exec.Command(os.Args[1], os.Args[2:]...)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: command}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return err
	}
	router := rpc.NewRouter()
	rpc.Handle(router, toolCall, func(ctx context.Context, params callParams) (json.RawMessage, error) {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: params.Name, Arguments: params.Arguments})
		if err != nil {
			return nil, err
		}
		return result.MarshalJSON()
	})
	if err := rpc.NewConn(os.Stdin, os.Stdout, router, rpc.Options{}).Serve(ctx); err != nil {
		return err
	}
	return session.Close()
}
