//go:build e2e

package e2e

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/rpc"
	"pillion/rpc/message"
)

// A session is an editor with questions of its own, connected to the real program over its standard input and output.
// It is for tests that are about the connectors; what editors show is for the real editors.
type session struct {
	t        testing.TB
	conn     *rpc.Conn
	opened   chan message.Ask             // every question, when it opens
	progress chan protocol.ProgressParams // every report of progress
}

// startSession opens the repository. The program has ended by itself, with exit code 0, when the test does.
func startSession(t testing.TB, s *sandbox) *session {
	t.Helper()
	cmd := exec.Command(filepath.Join(s.bin, "pillion"), "--stdio")
	cmd.Env, cmd.Dir = s.environment(), s.repository
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e := &session{t: t, opened: make(chan message.Ask, 100), progress: make(chan protocol.ProgressParams, 1000)}
	router := rpc.NewRouter()
	rpc.HandleNotification(router, rpc.Notification[message.AsksChangedParams](message.AsksChanged),
		func(_ context.Context, p message.AsksChangedParams) {
			for _, ask := range p.Opened {
				e.opened <- ask
			}
		})
	rpc.HandleNotification(router, rpc.Notification[protocol.ProgressParams]{Method: "$/progress"},
		func(_ context.Context, p protocol.ProgressParams) { e.progress <- p })
	e.conn = rpc.NewConn(out, in, router, rpc.Options{})
	served := make(chan error, 1)
	go func() { served <- e.conn.Serve(context.Background()) }()
	t.Cleanup(func() {
		request(e, rpc.Request[message.Empty, rpc.Null]{Method: "shutdown"}, message.Empty{})
		if err := rpc.Notify(e.conn, rpc.Event[message.Empty]{Method: "exit"}, message.Empty{}); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Errorf("connection: %v", err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("pillion: %v", err)
		}
	})
	e.initialize(s)
	return e
}

// in is the session for a part of its test.
func (e *session) in(t testing.TB) *session {
	part := *e
	part.t = t
	return &part
}

func (e *session) initialize(s *sandbox) {
	root := uri.File(s.repository)
	params := map[string]any{
		"processId": nil, "rootUri": root,
		"workspaceFolders": []map[string]any{{"uri": root, "name": "shop"}},
		"capabilities": map[string]any{"experimental": map[string]any{message.CapabilityName: message.ClientCapability{
			Protocol: []int{message.ProtocolVersion}, Asks: []message.AskKind{message.AskConsent, message.AskApproval, message.AskElicitation, message.AskJoin},
		}}},
	}
	request(e, rpc.Request[map[string]any, jsontext.Value]{Method: "initialize"}, params)
	if err := rpc.Notify(e.conn, rpc.Event[message.Empty]{Method: "initialized"}, message.Empty{}); err != nil {
		e.t.Fatal(err)
	}
}

// request asks and ends the test when the answer is an error or there is none.
func request[P, R any](e *session, m rpc.Request[P, R], params P) R {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	result, err := rpc.Call(ctx, e.conn, rpc.EditorRequest[P, R](m), params)
	if err != nil {
		e.t.Fatalf("%s: %v", m.Method, err)
	}
	return result
}

// nextAsk waits for the next question, which must be of this kind.
func (e *session) nextAsk(kind message.AskKind) (ask message.Ask) {
	e.t.Helper()
	ask = receive(e, e.opened, "question")
	if ask.Kind != kind {
		e.t.Fatalf("a %s question opened, want %s", ask.Kind, kind)
	}
	return ask
}

// reported waits until the connector itself says how far a call is: it has the call then. That progress begins is said before
// the call leaves.
func (e *session) reported() {
	e.t.Helper()
	for {
		var value struct {
			Kind string `json:"kind"`
		}
		p := receive(e, e.progress, "report of progress")
		if err := rpc.Unmarshal(p.Value, &value); err != nil {
			e.t.Fatal(err)
		}
		if value.Kind == "report" {
			return
		}
	}
}

// receive waits for the next value of a channel.
func receive[T any](e *session, from <-chan T, what string) (value T) {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	select {
	case value = <-from:
	case <-ctx.Done():
		e.t.Fatalf("no %s came", what)
	}
	return value
}

// answer answers a question, and the answer must be taken.
func (e *session) answer(ask message.Ask, answer any) {
	e.t.Helper()
	text, err := rpc.Marshal(answer)
	if err != nil {
		e.t.Fatal(err)
	}
	taken := request(e, message.AskAnswer, message.AskAnswerParams{AskID: ask.AskID, Answer: text})
	if !taken.Accepted {
		e.t.Fatalf("answer %s was not taken: %s", text, taken.Reason)
	}
}

// allowAllOf starts a connector of the user's and allows everything that it lists, in every folder.
func (e *session) allowAllOf(name message.ConnectorRef) {
	e.t.Helper()
	request(e, message.ConnectorStart, message.ConnectorParams{Connector: name})
	asked := make(chan message.PermissionSetResult, 1)
	go func() {
		asked <- request(e, message.PermissionSet, message.PermissionSetParams{
			Connector: name, Tool: message.AllTools(), Decision: message.PermissionAllow, Scope: message.PermissionUser,
		})
	}()
	e.answer(e.nextAsk(message.AskWiden), message.WidenAnswer{Decision: message.WidenMake})
	receive(e, asked, "what became of the rule")
}

// connector is the one of this name as it stands.
func (e *session) connector(name string) message.Connector {
	e.t.Helper()
	all := request(e, message.Connectors, message.Empty{}).Connectors
	i := slices.IndexFunc(all, func(c message.Connector) bool { return c.Name == name })
	if i < 0 {
		e.t.Fatalf("no connector %q in %+v", name, all)
	}
	return all[i]
}

// waitForState waits until a connector is in the state.
func (e *session) waitForState(name string, state message.ConnectorState) message.Connector {
	e.t.Helper()
	var found message.Connector
	if !await(func() bool { found = e.connector(name); return found.State == state }) {
		e.t.Fatalf("%s is %s, want %s: %+v", name, found.State, state, found.Problem)
	}
	return found
}

// begin makes a call and answers where its result will come.
func (e *session) begin(call message.ToolCallParams) <-chan message.CallResult {
	result := make(chan message.CallResult, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
		defer cancel()
		m := rpc.EditorRequest[message.ToolCallParams, message.CallResult](message.ToolCall)
		r, err := rpc.Call(ctx, e.conn, m, call)
		if err != nil {
			r = message.CallResult{Message: err.Error()}
		}
		result <- r
	}()
	return result
}

// approved makes a call that must ask, allows it once, and answers where its result will come.
func (e *session) approved(call message.ToolCallParams) <-chan message.CallResult {
	e.t.Helper()
	result := e.begin(call)
	ask := e.nextAsk(message.AskApproval)
	body, err := ask.ParseBody()
	if err != nil {
		e.t.Fatal(err)
	}
	approval := body.(message.ApprovalBody)
	if call.ArgumentsText != "" && approval.ArgumentsText != call.ArgumentsText {
		e.t.Errorf("asked about %s, want %s", approval.ArgumentsText, call.ArgumentsText)
	}
	if len(approval.Choices) == 0 || approval.Choices[0] != message.ApproveDecline {
		e.t.Errorf("choices are %q, want the safest first", approval.Choices)
	}
	e.answer(ask, message.ApprovalAnswer{Decision: message.ApproveOnce})
	return result
}
