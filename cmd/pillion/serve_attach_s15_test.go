//go:build !windows

//lint:file-ignore SA1019 sampling is asked for until it is taken out of MCP (SEP-2577)

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/editors/editortest"
	"pillion/rpc/message"
)

// otherDoor is a way of an attached agent to a connector that is no call of a tool.
type otherDoor struct {
	method string // as the question has it
	has    string // what the arguments that are shown hold
	sent   string // what the connector logs once it was asked; empty for nothing
	try    func(context.Context, *mcp.ClientSession) (any, error)
}

func otherDoors() map[string]otherDoor {
	return map[string]otherDoor{
		"an address that no list has": {"resources/read", "test://other", "test://other", func(ctx context.Context, s *mcp.ClientSession) (any, error) {
			return s.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://other"})
		}},
		"an address of a template": {"resources/read", "test://0/5", "test://0/5", func(ctx context.Context, s *mcp.ClientSession) (any, error) {
			return s.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://0/5"})
		}},
		"a prompt": {"prompts/get", "Bern", "prompts/get", func(ctx context.Context, s *mcp.ClientSession) (any, error) {
			return s.GetPrompt(ctx, &mcp.GetPromptParams{Name: "rich__p0", Arguments: map[string]string{"city": "Bern"}})
		}},
		"a completion for a prompt": {"completion/complete", "Ber", "completion/complete", func(ctx context.Context, s *mcp.ClientSession) (any, error) {
			return s.Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "rich__p0"}, Argument: mcp.CompleteParamsArgument{Name: "city", Value: "Ber"}})
		}},
		"a completion for a template": {"completion/complete", "se", "completion/complete", func(ctx context.Context, s *mcp.ClientSession) (any, error) {
			return s.Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/resource", URI: "test://0/{x}"}, Argument: mcp.CompleteParamsArgument{Name: "x", Value: "se"}})
		}},
	}
}

// attachedTo has a window of one rich connector, joined by one agent that says it can answer whatever a server may ask.
func attachedTo(t *testing.T, version string) (*world, *editortest.Editor, *mcp.ClientSession) {
	t.Helper()
	w := newWorld(t).with(t)
	w.user(w.rich(nil))
	e := w.edit(message.AskElicitation, message.AskSampling)
	e.Connector("rich", message.ConnectorReady)
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			t.Error("the agent was asked for what its user is asked")
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "the agent"}}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			t.Error("the agent was asked for a model's answer")
			return &mcp.CreateMessageResult{Model: "agent", Role: "assistant", Content: &mcp.TextContent{Text: "the agent"}}, nil
		},
	})
	var session *mcp.ClientSession
	var starting sync.WaitGroup
	starting.Go(func() {
		var err error
		session, err = client.Connect(t.Context(), &mcp.CommandTransport{Command: w.command("serve", "--attach")}, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Error(err)
		}
	})
	letJoin(e, message.JoinAllow)
	starting.Wait()
	if session == nil {
		t.FailNow()
	}
	t.Cleanup(func() { _ = session.Close() })
	return w, e, session
}

// TestS15_AnAttachedAgentIsAskedForAtTheOtherDoors has each door refused, and nothing sent, and then opened for exactly once.
func TestS15_AnAttachedAgentIsAskedForAtTheOtherDoors(t *testing.T) {
	t.Parallel()
	for name, door := range otherDoors() {
		for _, version := range bothEras {
			t.Run(name+"/"+version, func(t *testing.T) {
				t.Parallel()
				w, e, agent := attachedTo(t, version)
				try := func() <-chan error {
					ended := make(chan error, 1)
					go func() {
						ctx, cancel := context.WithTimeout(t.Context(), patience)
						defer cancel()
						_, err := door.try(ctx, agent)
						ended <- err
					}()
					return ended
				}
				ended := try()
				asked := e.Approve(message.ApproveDecline)
				body, err := asked.ParseBody()
				if err != nil {
					t.Fatal(err)
				}
				approval := body.(message.ApprovalBody)
				if asked.Asker.Kind != message.AskerAgent || approval.Method != door.method || !strings.Contains(approval.ArgumentsText, door.has) || len(approval.Choices) != 2 {
					t.Errorf("asked %+v by %+v", approval, asked.Asker)
				}
				if err := <-ended; err == nil || !strings.Contains(err.Error(), "declined") {
					t.Errorf("declined: %v", err)
				}
				if w.hasRun(door.sent) {
					t.Error("the connector was asked for what was declined")
				}
				ended = try()
				e.Approve(message.ApproveOnce)
				if err := <-ended; err != nil {
					t.Errorf("approved: %v", err)
				}
				if !w.hasRun(door.sent) {
					t.Error("the connector was not asked for what was approved")
				}
				ended = try() // a yes was to that one
				e.Approve(message.ApproveDecline)
				if err := <-ended; err == nil {
					t.Error("a yes counted twice")
				}
				e.End()
				log := w.read(filepath.Join(w.home, "state", "audit.jsonl"))
				if count := strings.Count(log, fmt.Sprintf(`"tool":%q`, door.method)); count < 3 || !strings.Contains(log, `"declined"`) {
					t.Errorf("the audit log has %d of it: %s", count, log)
				}
			})
		}
	}
}

// TestS15_AnAttachedAgentReadsWhatIsListed holds that what a connector lists is read without a question, and recorded.
func TestS15_AnAttachedAgentReadsWhatIsListed(t *testing.T) {
	t.Parallel()
	for _, version := range bothEras {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			w, e, agent := attachedTo(t, version)
			read, err := agent.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "test://0"})
			if err != nil || len(read.Contents) != 1 || read.Contents[0].Text != "what stands at test://0" {
				t.Errorf("%+v, %v", read, err)
			}
			if asks := editortest.Request(e, message.Asks, message.Empty{}).Asks; len(asks) != 0 {
				t.Errorf("asked: %+v", asks)
			}
			e.End()
			if log := w.read(filepath.Join(w.home, "state", "audit.jsonl")); !strings.Contains(log, `"tool":"resources/read"`) {
				t.Errorf("the audit log: %s", log)
			}
		})
	}
}

// TestS15_WhatAConnectorAsksGoesToTheEditor has forms and models' answers wanted in the middle of an agent's call.
func TestS15_WhatAConnectorAsksGoesToTheEditor(t *testing.T) {
	t.Parallel()
	const form = `{"method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}`
	const number = `{"method":"elicitation/create","params":{"message":"How many?","requestedSchema":{"type":"object","properties":{"n":{"type":"integer"},"x":{"type":"number"}}}}}`
	const model = `{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"say"}}],"maxTokens":5}}`
	for name, asks := range map[string]struct {
		request string
		kind    message.AskKind
		answer  string
		said    string
	}{
		"a form, filled in":        {form, message.AskElicitation, `{"action":"accept","contentText":"{\"name\":\"the user\"}"}`, "the user"},
		"a form, digit by digit":   {number, message.AskElicitation, `{"action":"accept","contentText":"{\"n\":9007199254740993,\"x\":1.50}"}`, `{"n":9007199254740993,"x":1.50}`},
		"a form, declined":         {form, message.AskElicitation, `{"action":"decline"}`, `"decline"`},
		"a model's answer, denied": {model, message.AskSampling, `{"declined":true}`, ""},
	} {
		for _, version := range bothEras {
			t.Run(name+"/"+version, func(t *testing.T) {
				t.Parallel()
				_, e, agent := attachedTo(t, version)
				done := make(chan called, 1)
				go func() {
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					result, err := agent.CallTool(ctx, &mcp.CallToolParams{Name: "call", Arguments: map[string]any{
						"tool": "rich__a", "arguments": map[string]any{"ask": []json.RawMessage{json.RawMessage(asks.request)}},
					}})
					done <- called{result, err}
				}()
				asked := e.Ask(asks.kind)
				if result := e.Answer(asked.AskID, asks.answer); !result.Accepted {
					t.Fatal(result.Reason)
				}
				if text, _ := calling(done).text(t); !strings.Contains(text, asks.said) || strings.Contains(text, "the agent") {
					t.Errorf("%s", text)
				}
			})
		}
	}
}
