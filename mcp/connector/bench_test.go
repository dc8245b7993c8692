package connector

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/mcp/mcptest"
)

// caller calls tool a with the arguments and returns how long the result is.
type caller func(ctx context.Context, arguments []byte) (int, error)

// bareSDK connects the SDK as it comes to a fake of the mode.
func bareSDK(tb testing.TB, mode string) caller {
	tb.Helper()
	path, args, env := mcptest.Command(mode)
	command := exec.Command(path, args...)
	command.Env = append(os.Environ(), env...)
	client := mcp.NewClient(&mcp.Implementation{Name: "bare", Version: "0"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	session, err := client.Connect(context.Background(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { session.Close() })
	return func(ctx context.Context, arguments []byte) (int, error) {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "a", Arguments: json.RawMessage(arguments)})
		if err != nil {
			return 0, err
		}
		return len(result.Content[0].(*mcp.TextContent).Text), nil
	}
}

// behindFilter connects a Connector to a fake of the mode.
func behindFilter(tb testing.TB, mode string, concurrent int) caller {
	tb.Helper()
	path, args, env := mcptest.Command(mode)
	c := New(Definition{
		ID: "id", Name: "bench", Program: path, Args: args, Env: append(os.Environ(), env...), Dir: tb.TempDir(), MaxConcurrent: concurrent,
	}, Options{Client: Implementation{Name: "bench", Version: "0"}})
	if err := c.Start(context.Background()); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Stop(context.Background()) })
	return func(ctx context.Context, arguments []byte) (int, error) {
		reply, err := c.Call(ctx, CallRequest{Tool: "a", Arguments: arguments})
		return len(reply.Result), err
	}
}

// payload is arguments of about that many bytes, which the fake sends back.
func payload(bytes int) []byte {
	return fmt.Appendf(nil, `{"text":"%s"}`, strings.Repeat("payload ", bytes/8))
}

// BenchmarkCall compares a call through the connector with one through the bare SDK, over the same fake.
func BenchmarkCall(b *testing.B) {
	for _, mode := range []string{"echo", "echo,modern"} {
		for _, bytes := range []int{32, 16 << 10} {
			for _, concurrent := range []int{1, 32} {
				arguments := payload(bytes)
				name := fmt.Sprintf("mode=%s/bytes=%d/concurrent=%d", strings.ReplaceAll(mode, ",", "+"), bytes, concurrent)
				b.Run(name+"/connector", func(b *testing.B) { drive(b, behindFilter(b, mode, 32), arguments, concurrent) })
				b.Run(name+"/sdk", func(b *testing.B) { drive(b, bareSDK(b, mode), arguments, concurrent) })
			}
		}
	}
}

// drive makes b.N calls from that many goroutines.
func drive(b *testing.B, call caller, arguments []byte, concurrent int) {
	b.ReportAllocs()
	b.SetBytes(int64(len(arguments)))
	var workers sync.WaitGroup
	work := make(chan struct{}, b.N)
	for range b.N {
		work <- struct{}{}
	}
	close(work)
	b.ResetTimer()
	for range concurrent {
		workers.Go(func() {
			for range work {
				if n, err := call(b.Context(), arguments); err != nil || n < len(arguments) {
					b.Errorf("%d bytes, %v", n, err)
					return
				}
			}
		})
	}
	workers.Wait()
}
