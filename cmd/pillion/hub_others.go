package main

import (
	"context"

	"pillion/mcp/host"
	"pillion/rpc/message"
	"pillion/sidecar"
	"pillion/sidecar/attach"
)

func (h *windowHub) resources(ctx context.Context, params message.ResourcesParams) (message.ResourcesResult, error) {
	return attach.Call(ctx, h.joined, message.Resources, params)
}

func (h *windowHub) prompts(ctx context.Context, params message.PromptsParams) (message.PromptsResult, error) {
	return attach.Call(ctx, h.joined, message.Prompts, params)
}

func (h *windowHub) readResource(ctx context.Context, params message.ResourceReadParams) (message.ResourceReadResult, error) {
	return attach.Call(ctx, h.joined, message.ResourceRead, params)
}

func (h *windowHub) getPrompt(ctx context.Context, params message.PromptGetParams) (message.PromptGetResult, error) {
	return attach.Call(ctx, h.joined, message.PromptGet, params)
}

func (h *ownHub) resources(_ context.Context, params message.ResourcesParams) (message.ResourcesResult, error) {
	return sidecar.ResourcesMessage(h.Host, params)
}

func (h *ownHub) prompts(_ context.Context, params message.PromptsParams) (message.PromptsResult, error) {
	return sidecar.PromptsMessage(h.Host, params)
}

func (h *ownHub) readResource(ctx context.Context, params message.ResourceReadParams) (message.ResourceReadResult, error) {
	answer, err := h.ReadResource(ctx, h.requestOf(params.Connector, params.CallID), params.URI)
	return sidecar.ResourceMessage(answer), err
}

func (h *ownHub) getPrompt(ctx context.Context, params message.PromptGetParams) (message.PromptGetResult, error) {
	answer, err := h.GetPrompt(ctx, h.requestOf(params.Connector, params.CallID), params.Name, params.ArgumentBytes())
	return sidecar.PromptMessage(answer), err
}

func (h *ownHub) requestOf(connector message.ConnectorRef, id message.CallID) host.Request {
	return host.Request{Connector: string(connector), CallID: string(id), Caller: host.Caller{Kind: string(message.AskerCLI)}}
}
