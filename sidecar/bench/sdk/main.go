// Sdk is a client of one connector as the SDK makes it, in a process of its own: the least that a host of that SDK keeps.
// It keeps no result, and calls the one tool of the measured connector that answers with a large text.
//
//	sdk PROGRAM   for each number that it reads, calls for so many bytes and writes how many came
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sdk PROGRAM")
		os.Exit(2)
	}
	if err := serve(os.Stdin, os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "sdk:", err)
		os.Exit(1)
	}
}

// serve starts the connector and calls it until in ends.
func serve(in io.Reader, out io.Writer, program string) error {
	// By itself the transport for commands ends at a line of 16 MiB.
	command := exec.Command(program)
	to, err := command.StdinPipe()
	if err != nil {
		return err
	}
	from, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "0"}, nil)
	transport := &mcp.IOTransport{Reader: from, Writer: to, MaxLineLength: -1}
	session, err := client.Connect(context.Background(), transport, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return errors.Join(err, command.Process.Kill(), command.Wait())
	}
	return errors.Join(answer(in, out, session), session.Close(), command.Wait())
}

// answer calls until in ends.
func answer(in io.Reader, out io.Writer, session *mcp.ClientSession) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		length, err := callFor(session, strings.TrimSpace(lines.Text()))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, length); err != nil {
			return err
		}
	}
	return lines.Err()
}

// callFor is how many bytes of text came.
func callFor(session *mcp.ClientSession, bytes string) (int, error) {
	result, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: "big", Arguments: map[string]string{"text": bytes}})
	if err != nil {
		return 0, err
	}
	text, isText := result.Content[0].(*mcp.TextContent)
	if !isText {
		return 0, fmt.Errorf("%T came, not a text", result.Content[0])
	}
	return len(text.Text), nil
}
