package sidecar

import (
	"context"
	"slices"

	"pillion/mcp/connector"
	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

func (s *Session) prompts(ctx context.Context, params message.PromptsParams) (message.PromptsResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.PromptsResult{}, err
	}
	return PromptsMessage(c.Host, params)
}

// PromptsMessage lists what a host knows of prompts; the error is -32602 for a connector that it does not know.
func PromptsMessage(h *host.Host, params message.PromptsParams) (message.PromptsResult, error) {
	prompts, err := h.Prompts(string(params.Connector))
	if err != nil {
		return message.PromptsResult{}, misuse(err)
	}
	wire := message.PromptsResult{Prompts: make([]message.Prompt, len(prompts))}
	for i, p := range prompts {
		arguments := make([]message.PromptArgument, len(p.Arguments))
		for j, a := range p.Arguments {
			arguments[j] = message.PromptArgument{Name: a.Name, Title: a.Title, Description: a.Description, Required: a.IsRequired}
		}
		wire.Prompts[i] = message.Prompt{
			Connector: message.ConnectorID(p.Connector), Name: p.Name, Title: p.Title, Description: p.Description, Arguments: arguments,
		}
	}
	return wire, nil
}

func (s *Session) promptGet(ctx context.Context, params message.PromptGetParams) (message.PromptGetResult, error) {
	if err := params.Check(); err != nil {
		return message.PromptGetResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.PromptGetResult{}, err
	}
	if params.CallID == "" {
		params.CallID = message.CallID(host.NewCallID())
	}
	report := s.progressOf(ctx, params.WorkDoneToken, "Getting a prompt", func() { c.CancelCall(string(params.CallID)) })
	caller := callerOf(ctx)
	request := requestOf(caller, params.Connector, params.CallID, sessionOf(caller, params.SessionID, params.ParentSessionID), report)
	answer, err := c.GetPrompt(ctx, request, params.Name, params.ArgumentBytes())
	report.end(string(answer.Outcome.Status))
	if err != nil {
		return message.PromptGetResult{}, misuse(err)
	}
	return PromptMessage(answer), nil
}

// PromptMessage is what came of a request for a prompt.
func PromptMessage(a host.PromptAnswer) message.PromptGetResult {
	wire := message.PromptGetResult{
		Status: message.CallStatus(a.Outcome.Status), Message: a.Outcome.Message, Steps: slices.Clone(a.Outcome.Steps), Error: wireError(a.Outcome),
		Description: a.Messages.Description, Messages: make([]message.PromptMessage, len(a.Messages.Messages)), Redacted: a.Messages.Redacted,
	}
	for i, m := range a.Messages.Messages {
		wire.Messages[i] = message.PromptMessage{
			Role: message.PromptRole(m.Role), Text: m.Text, Truncated: m.Truncated, FullTextURI: fileURI(m.FullTextPath),
			Attachments: wireAttachments(m.Attachments),
		}
	}
	wire.Message = orFirst(wire.Message, a.Messages.Warnings)
	return wire
}

func (s *Session) complete(ctx context.Context, params message.CompleteParams) (message.CompleteResult, error) {
	if err := params.Check(); err != nil {
		return message.CompleteResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.CompleteResult{}, err
	}
	caller := callerOf(ctx)
	session := sessionOf(caller, params.SessionID, params.ParentSessionID)
	answer, err := c.Complete(ctx, requestOf(caller, params.Connector, "", session, &report{}), connector.Completion{
		Prompt: params.Ref.Prompt, Template: params.Ref.URITemplate, Argument: params.Argument, Value: params.Value, Others: params.Arguments,
	})
	if err != nil {
		return message.CompleteResult{}, misuse(err)
	}
	return message.CompleteResult{
		Status: message.CallStatus(answer.Outcome.Status), Values: answer.Values, Total: answer.Total, HasMore: answer.HasMore, Message: answer.Outcome.Message,
	}, nil
}
