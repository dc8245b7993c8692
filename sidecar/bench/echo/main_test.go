package main

import (
	"io"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestSDKUnderstandsEcho(t *testing.T) {
	t.Parallel()
	toEcho, fromClient := io.Pipe()
	toClient, fromEcho := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- serve(toEcho, fromEcho, 3) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := session.ListTools(t.Context(), nil)
	if err != nil || len(listed.Tools) != 3 || listed.Tools[0].Name != "echo" || !listed.Tools[2].Annotations.ReadOnlyHint {
		t.Fatalf("listed %+v, error %v", listed, err)
	}
	const text = "\"two\"\nlines, é and 9007199254740993"
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]string{"text": text}})
	if err != nil {
		t.Fatal(err)
	}
	if content, isText := result.Content[0].(*mcp.TextContent); !isText || content.Text != text {
		t.Errorf("echoed %+v, want %q", result.Content[0], text)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
