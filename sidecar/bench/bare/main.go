// Bare answers initialize over JSON-RPC on standard input and output: the least that a language server of this library
// costs to start.
// It serves nothing else.
package main

import (
	"context"
	"io"
	"os"

	"go.lsp.dev/jsonrpc2"
)

func main() {
	conn := jsonrpc2.NewConn(jsonrpc2.NewStream(stdio{os.Stdin, os.Stdout}))
	conn.Go(context.Background(), func(_ context.Context, request *jsonrpc2.Request) (any, error) {
		if request.Method() != "initialize" {
			return nil, jsonrpc2.ErrMethodNotFound
		}
		return jsonrpc2.RawMessage(`{"capabilities":{}}`), nil
	})
	<-conn.Done()
}

type stdio struct {
	io.Reader
	io.WriteCloser
}
