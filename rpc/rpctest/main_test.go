package rpctest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"pillion/rpc"
)

// serverVar makes the test binary a server on its standard streams.
const serverVar = "RPCTEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(serverVar) != "" {
		os.Exit(serveStdio())
	}
	goleak.VerifyTestMain(m)
}

func serveStdio() int {
	var c *rpc.Conn
	router := newRouter(func() *rpc.Conn { return c })
	c = rpc.NewConn(os.Stdin, os.Stdout, router, rpc.Options{})
	err := c.Serve(context.Background())
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, err)
	var unreadable *rpc.FrameError
	if errors.As(err, &unreadable) {
		return 2
	}
	return 1
}

var (
	echo  = rpc.Request[jsontext.Value, jsontext.Value]{Method: "echo"}
	count = rpc.Request[rpc.Null, map[string]any]{Method: "count"}
	ask   = rpc.Request[rpc.Null, string]{Method: "ask"}
	quit  = rpc.Notification[rpc.Null]{Method: "quit"}
	asked = rpc.EditorRequest[map[string]string, string]{Method: "window/ask"}
	shown = rpc.Event[map[string]int]{Method: "shown"}
)

// newRouter returns the handlers of a small server.
func newRouter(conn func() *rpc.Conn) *rpc.Router {
	r := rpc.NewRouter()
	rpc.Handle(r, echo, func(_ context.Context, p jsontext.Value) (jsontext.Value, error) { return p, nil })
	rpc.Handle(r, count, func(context.Context, rpc.Null) (map[string]any, error) {
		for i := range 3 {
			if err := rpc.Notify(conn(), shown, map[string]int{"n": i}); err != nil {
				return nil, err
			}
		}
		return map[string]any{"count": 3, "at": "2026-01-02T03:04:05Z", "list": []string{"a", "b"}}, nil
	})
	rpc.Handle(r, ask, func(ctx context.Context, _ rpc.Null) (string, error) {
		return rpc.Call(ctx, conn(), asked, map[string]string{"q": "?"})
	})
	rpc.HandleNotification(r, quit, func(context.Context, rpc.Null) { conn().Close() })
	return r
}
