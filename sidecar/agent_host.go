package sidecar

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"pillion/browser/hint"
	"pillion/mcp/agenthost"
	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

// agentPrompt names the tools for the system prompt of a program that drives a model of its own (I7).
func (s *Session) agentPrompt(ctx context.Context, params message.AgentPromptParams) (message.AgentPromptResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.AgentPromptResult{}, err
	}
	offered := c.Tools()
	tools := make([]agenthost.Tool, len(offered))
	for i, tool := range offered {
		tools[i] = agenthost.Tool{Name: tool.ServedName, Summary: tool.Summary}
	}
	section, down := agenthost.NewSection(tools), downFor(c.Connectors())
	facts := make([]agenthost.Down, len(down))
	for i, one := range down {
		facts[i] = agenthost.Down{Connector: one.Name, Reason: one.Reason}
	}
	return message.AgentPromptResult{
		Text: section.Text, Tokens: section.Tokens, Stamp: section.Stamp, Stale: params.Stamp != "" && params.Stamp != section.Stamp,
		Down: down, Now: agenthost.DownFacts(facts),
	}, nil
}

// downFor are the connectors that would offer tools and cannot now; one that is off, refused or another's shadow is none of them.
func downFor(all []host.Connector) []message.AgentDown {
	down := []message.AgentDown{}
	for _, c := range all {
		one := message.AgentDown{Connector: message.ConnectorID(c.ID), Name: c.Name, State: message.ConnectorState(c.State), Steps: []string{}}
		switch {
		case c.ShadowedBy != "":
			continue
		case c.State == host.StateWaiting:
			one.Reason = "it needs permission before it may run"
			one.Steps = []string{fmt.Sprintf("Review the connector %q in the editor, or run: %s", c.Name, host.ApproveCommand(c.Name))}
		case c.State == host.StateStarting:
			one.Reason = "it is starting"
		case (c.State == host.StateFailed || c.State == host.StateLogin) && c.Problem != nil:
			one.Reason = c.Problem.Reason
			one.Steps = append(one.Steps, c.Problem.Steps...)
		default:
			continue
		}
		down = append(down, one)
	}
	return down
}

// agentActions lists the names that a model may call tools by.
func (s *Session) agentActions(ctx context.Context, _ message.Empty) (message.AgentActionsResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.AgentActionsResult{}, err
	}
	names := []string{}
	for _, tool := range c.Tools() {
		names = append(names, tool.ServedName)
	}
	slices.SortFunc(names, strings.Compare)
	schema, err := json.Marshal(struct {
		Type string   `json:"type"`
		Enum []string `json:"enum"`
	}{"string", names})
	return message.AgentActionsResult{Names: names, SchemaText: string(schema)}, err
}

// agentArguments says what a tool takes, as a model is told.
func (s *Session) agentArguments(ctx context.Context, params message.AgentArgumentsParams) (message.AgentArgumentsResult, error) {
	tool, arguments, err := s.argumentsOf(ctx, params.Tool, params.Check())
	if err != nil {
		return message.AgentArgumentsResult{}, err
	}
	return message.AgentArgumentsResult{
		Tool: tool.ServedName, SchemaText: string(arguments.Schema), Nothing: arguments.IsEmpty,
		Required: orNone(arguments.Required), Undescribed: orNone(arguments.Undescribed),
	}, nil
}

// agentClean reads arguments as a model wrote them. That there are none is an answer, which the model is to read.
func (s *Session) agentClean(ctx context.Context, params message.AgentCleanParams) (message.AgentCleanResult, error) {
	_, arguments, err := s.argumentsOf(ctx, params.Tool, params.Check())
	if err != nil {
		return message.AgentCleanResult{}, err
	}
	clean, changes, err := agenthost.Clean(params.Text, arguments.Schema)
	if err != nil {
		return message.AgentCleanResult{Changes: []string{}, Missing: []string{}, Fault: err.Error()}, nil
	}
	return message.AgentCleanResult{ArgumentsText: string(clean), Changes: orNone(changes), Missing: orNone(arguments.Missing(clean))}, nil
}

// argumentsOf reads the schema of a tool; fault is what is wrong with the request.
func (s *Session) argumentsOf(ctx context.Context, ref message.ToolRef, fault error) (host.Tool, agenthost.Arguments, error) {
	if fault != nil {
		return host.Tool{}, agenthost.Arguments{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", fault)
	}
	c, err := s.host(ctx)
	if err != nil {
		return host.Tool{}, agenthost.Arguments{}, err
	}
	tool, err := c.Tool(string(ref))
	if err != nil {
		return host.Tool{}, agenthost.Arguments{}, misuse(err)
	}
	arguments, err := agenthost.NewArguments(tool.InputSchema)
	if err != nil {
		return host.Tool{}, agenthost.Arguments{}, rpc.Errorf(rpc.CodeInvalidParams, "the tool %q: %s", tool.Label, err)
	}
	return tool, arguments, nil
}

// agentHint says whether a message needs a running page (H6).
func (s *Session) agentHint(_ context.Context, params message.AgentHintParams) (message.AgentHintResult, error) {
	reason := hint.Of(params.Message)
	return message.AgentHintResult{NeedsPage: reason != hint.None, Reason: string(reason)}, nil
}

// orNone is a list that is there on the wire, also an empty one.
func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
