package main

import (
	"context"

	"go.lsp.dev/protocol"

	"pillion/mcp/host"
	"pillion/rpc/message"
	"pillion/sidecar"
	"pillion/sidecar/attach"
)

func (h *windowHub) browser(ctx context.Context) (message.BrowserResult, error) {
	return attach.Call(ctx, h.joined, message.Browser, message.BrowserParams{})
}

func (h *windowHub) browserStart(ctx context.Context, params message.BrowserStartParams, report func(progress)) (message.BrowserResult, error) {
	params.WorkDoneToken = protocol.String(string(params.CallID))
	h.reporter.follow(report)
	defer h.reporter.follow(nil)
	return attach.Call(ctx, h.joined, message.BrowserStart, params)
}

func (h *windowHub) browserStop(ctx context.Context) (message.BrowserResult, error) {
	return attach.Call(ctx, h.joined, message.BrowserStop, message.BrowserParams{})
}

func (h *ownHub) browser(ctx context.Context) (message.BrowserResult, error) {
	return sidecar.BrowserMessage(h.Browser(ctx, ""), ""), nil
}

func (h *ownHub) browserStart(ctx context.Context, params message.BrowserStartParams, _ func(progress)) (message.BrowserResult, error) {
	return sidecar.StartBrowser(ctx, h.Core, params, "", host.Caller{Kind: string(message.AskerCLI)})
}

func (h *ownHub) browserStop(ctx context.Context) (message.BrowserResult, error) {
	return h.browser(ctx) // one of this process has not begun
}
