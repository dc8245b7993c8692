package connector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/mcp/mcptest"
)

const peerVar = "PILLION_TEST_PEER"

// peerMain turns the test binary into a server on the SDK, a peer that nobody here wrote the protocol of.
func peerMain() {
	versions, ok := os.LookupEnv(peerVar)
	if !ok {
		return
	}
	server := newPeer(versions)
	err := server.Run(context.Background(), &mcp.StdioTransport{MaxLineLength: -1})
	if err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// newPeer is a server that speaks the versions; "" means all of them.
func newPeer(versions string) *mcp.Server {
	options := &mcp.ServerOptions{Instructions: "Mind the gap.", PageSize: 2}
	if versions != "" {
		options.SupportedProtocolVersions = strings.Split(versions, ",")
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "peer", Version: "2"}, options)
	addPeerTools(server)
	server.AddResource(&mcp.Resource{URI: "peer://one", Name: "one"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return nil, errors.New("unread")
	})
	return server
}

func addPeerTools(server *mcp.Server) {
	schema := map[string]any{"type": "object"}
	add := func(name string, handle func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: schema}, handle)
	}
	result := func(format string, arguments ...any) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, arguments...)}}}
	}
	add("echo", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return result("%s", r.Params.Arguments), nil
	})
	add("count", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 3 {
			err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1), Total: 3})
			if err != nil {
				return nil, err
			}
		}
		return result("counted"), nil
	})
	add("wait", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		fmt.Fprintln(os.Stderr, "the wait was cancelled")
		return nil, ctx.Err()
	})
	add("grow", func(_ context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		add("grown", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return result("grown"), nil })
		return result("grew"), nil
	})
	add("ask", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if answer, ok := r.Params.InputResponses["q"].(*mcp.ElicitResult); ok {
			return result("%s", fmt.Sprint(answer.Action, " ", answer.Content["n"], " ", r.Params.RequestState)), nil
		}
		return &mcp.CallToolResult{RequestState: "as it was", InputRequests: mcp.InputRequestMap{"q": &mcp.ElicitParams{Message: "?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "string"}}}}}}, nil
	})
}

// peer starts a connector over the SDK's server, which speaks the versions; "" means all of them.
func peer(t *testing.T, versions string) *fixture {
	t.Helper()
	return started(t, "", environment(peerVar+"="+versions))
}

func eachEra(t *testing.T, test func(t *testing.T, f *fixture, isModern bool)) {
	const legacy = "2025-11-25,2025-06-18"
	t.Run("modern", func(t *testing.T) { t.Parallel(); test(t, peer(t, ""), true) })
	t.Run("legacy", func(t *testing.T) { t.Parallel(); test(t, peer(t, legacy), false) })
}

// overEachHTTP is eachEra over HTTP, with answers as JSON and as streams, and over the older transport.
func overEachHTTP(t *testing.T, test func(t *testing.T, f *fixture, isModern bool)) {
	const legacy = "2025-11-25,2025-06-18"
	for name, handle := range map[string]func() (http.Handler, bool){
		"modern": func() (http.Handler, bool) { return streamable("", &mcp.StreamableHTTPOptions{Stateless: true}), true },
		"modern, json": func() (http.Handler, bool) {
			return streamable("", &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}), true
		},
		"legacy": func() (http.Handler, bool) { return streamable(legacy, nil), false },
		"legacy, json": func() (http.Handler, bool) {
			return streamable(legacy, &mcp.StreamableHTTPOptions{JSONResponse: true}), false
		},
		"resumable": func() (http.Handler, bool) {
			return streamable(legacy, &mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)}), false
		},
		"older": func() (http.Handler, bool) {
			server := newPeer(legacy)
			return mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil), false
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handler, isModern := handle()
			server := httptest.NewServer(handler)
			t.Cleanup(server.Close)
			t.Cleanup(server.CloseClientConnections)
			f := remoteFake(t, mcptest.NewHTTP(t, ""), address(server.URL), define(func(d *Definition) { d.IsSSE = name == "older" }))
			if err := f.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Stop(context.Background()) })
			test(t, f.fixture, isModern)
		})
	}
}

// both is over pipes and over HTTP.
func both(t *testing.T, test func(t *testing.T, f *fixture, isModern bool)) {
	eachEra(t, test)
	overEachHTTP(t, test)
}

func streamable(versions string, options *mcp.StreamableHTTPOptions) http.Handler {
	server := newPeer(versions)
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, options)
}

func TestPeer_Handshake(t *testing.T) {
	both(t, func(t *testing.T, f *fixture, isModern bool) {
		want := map[bool]string{true: "2026-07-28", false: "2025-11-25"}[isModern]
		status := f.Status()
		if status.Server != (Server{Name: "peer", Version: "2", ProtocolVersion: want}) || status.Instructions != "Mind the gap." || len(status.Warnings) > 0 {
			t.Errorf("status %+v", status)
		}
		if got := f.names(); got != "ask count echo grow wait" || len(status.Catalogue.Resources) != 1 {
			t.Errorf("tools %s, catalogue %+v", got, status.Catalogue)
		}
	})
}

func TestPeer_CallsWithProgressInOrder(t *testing.T) {
	both(t, func(t *testing.T, f *fixture, _ bool) {
		reply, err := f.Call(t.Context(), CallRequest{Tool: "echo", Arguments: []byte(`{"n":9007199254740993}`)})
		if err != nil || said(t, reply) != `{"n":9007199254740993}` {
			t.Errorf("echo: %+v, %v", reply, err)
		}
		if strings.Contains(t.Name(), "json") {
			return // where nothing but the reply can come
		}
		for range 50 {
			var steps []float64 // written only before Call returns
			reply, err := f.Call(t.Context(), CallRequest{Tool: "count", OnProgress: func(p Progress) { steps = append(steps, p.Progress) }})
			if err != nil || said(t, reply) != "counted" || fmt.Sprint(steps) != "[1 2 3]" {
				t.Fatalf("count: %+v, %v, steps %v", reply, err, steps)
			}
		}
		reply, err = f.Call(t.Context(), CallRequest{Tool: "absent"})
		if err != nil || reply.ProtocolError == nil || reply.ProtocolError.Code != -32602 {
			t.Errorf("absent: %+v, %v", reply, err)
		}
	})
}

func TestPeer_CancelReachesTheServer(t *testing.T) {
	eachEra(t, func(t *testing.T, f *fixture, _ bool) {
		_, err := f.Call(t.Context(), CallRequest{Tool: "wait", Timeout: 100 * time.Millisecond})
		var timeout *TimeoutError
		if !errors.As(err, &timeout) {
			t.Errorf("wait: %v", err)
		}
		f.eventually("the server knows", func() bool {
			return strings.Contains(strings.Join(f.session.journal.last(), "\n"), "the wait was cancelled")
		})
	})
}

func TestPeer_ListChanges(t *testing.T) {
	both(t, func(t *testing.T, f *fixture, _ bool) {
		if reply, err := f.Call(t.Context(), CallRequest{Tool: "grow"}); err != nil || said(t, reply) != "grew" {
			t.Fatalf("grow: %+v, %v", reply, err)
		}
		f.eventually("the new tool", func() bool { return f.names() == "ask count echo grow grown wait" })
		if reply, err := f.Call(t.Context(), CallRequest{Tool: "grown"}); err != nil || said(t, reply) != "grown" {
			t.Errorf("grown: %+v, %v", reply, err)
		}
	})
}

// offering offers forms, which are answered so.
func offering(answer func(Elicitation) ElicitationAnswer) setting {
	return func(_ *Definition, o *Options, _ *tuning) {
		o.Offers.HasForms, o.Offers.HasPages = true, true
		o.Offers.Elicit = func(_ context.Context, q Elicitation) ElicitationAnswer { return answer(q) }
	}
}

func TestPeer_QuestionsAreAnswered(t *testing.T) {
	for name, versions := range map[string]string{"modern": "", "legacy": "2025-11-25"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := started(t, "", environment(peerVar+"="+versions), offering(func(q Elicitation) ElicitationAnswer {
				if q.Message != "?" || q.CallID != "mine" {
					t.Errorf("%+v", q)
				}
				return ElicitationAnswer{Action: ElicitAccept, Content: []byte(`{"n":"yes"}`)}
			}))
			reply, err := f.Call(t.Context(), CallRequest{ID: "mine", Tool: "ask"})
			if err != nil || said(t, reply) != "accept yes as it was" {
				t.Errorf("%+v, %v", reply, err)
			}
		})
	}
}

func TestPeer_QuestionsAreRefusedWhereNothingIsOffered(t *testing.T) {
	both(t, func(t *testing.T, f *fixture, isModern bool) {
		reply, err := f.Call(t.Context(), CallRequest{Tool: "ask"})
		var declined *DeclinedError
		switch {
		case isModern && !errors.As(err, &declined):
			t.Errorf("reply %+v, %v", reply, err)
		case !isModern && (err != nil || reply.ProtocolError == nil):
			t.Errorf("reply %+v, %v", reply, err)
		}
		if _, err := f.Call(t.Context(), CallRequest{Tool: "echo"}); err != nil {
			t.Errorf("the next call: %v", err)
		}
	})
}
