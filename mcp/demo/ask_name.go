package demo

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const nameQuestion = "name"

func addAskName(server *mcp.Server) {
	mcp.AddTool(server, &mcp.Tool{
		Name:        "ask_name",
		Title:       "Ask for a name",
		Description: "Asks the person at the editor for a name and greets it.",
		Annotations: readOnly(),
	}, func(_ context.Context, request *mcp.CallToolRequest, _ noNote) (*mcp.CallToolResult, any, error) {
		capabilities := request.ClientCapabilities()
		if capabilities == nil || capabilities.Elicitation == nil {
			return refusal("Nobody can be asked here: this client does not offer elicitation."), nil, nil
		}
		answer, isAnswered := request.Params.InputResponses[nameQuestion]
		if !isAnswered {
			// The server library asks clients of earlier revisions directly and comes back with the answer.
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{nameQuestion: question()}}, nil, nil
		}
		result, ok := answer.(*mcp.ElicitResult)
		if !ok {
			return nil, nil, fmt.Errorf("ask for a name: the answer is a %T", answer)
		}
		name, _ := result.Content["name"].(string)
		switch {
		case result.Action == "decline":
			return &mcp.CallToolResult{Content: []mcp.Content{text("The name was kept private.")}}, nil, nil
		case result.Action != "accept" || name == "":
			return &mcp.CallToolResult{Content: []mcp.Content{text("Nobody answered.")}}, nil, nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{text("Hello, %s.", name)}}, nil, nil
	})
}

func question() *mcp.ElicitParams {
	return &mcp.ElicitParams{
		Message: "What name should the greeting use?",
		RequestedSchema: map[string]any{
			"type":       "object",
			"properties": map[string]any{"name": map[string]any{"type": "string", "title": "Name", "minLength": 1, "maxLength": 100}},
			"required":   []string{"name"},
		},
	}
}
