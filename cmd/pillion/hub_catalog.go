package main

import (
	"context"

	"pillion/rpc/message"
	"pillion/sidecar"
	"pillion/sidecar/attach"
)

func (h *windowHub) tools(ctx context.Context, params message.ToolsParams) (message.ToolsResult, error) {
	return attach.Call(ctx, h.joined, message.Tools, params)
}

func (h *windowHub) toolDetail(ctx context.Context, name string) (message.Tool, error) {
	result, err := attach.Call(ctx, h.joined, message.ToolDetail, message.ToolParams{Tool: message.ToolRef(name)})
	return result.Tool, err
}

func (h *windowHub) catalog(ctx context.Context, params message.CatalogParams) (message.CatalogResult, error) {
	return attach.Call(ctx, h.joined, message.Catalog, params)
}

func (h *ownHub) tools(_ context.Context, params message.ToolsParams) (message.ToolsResult, error) {
	return sidecar.ToolsMessage(h.Host, params)
}

func (h *ownHub) toolDetail(_ context.Context, name string) (message.Tool, error) {
	tool, err := h.AnyTool(name)
	return sidecar.ToolMessage(tool, message.ToolFull), err
}

func (h *ownHub) catalog(_ context.Context, params message.CatalogParams) (message.CatalogResult, error) {
	return sidecar.CatalogMessage(h.Host, params)
}

// toolsOf are all tools that match, page by page.
func toolsOf(ctx context.Context, h hub, params message.ToolsParams) ([]message.Tool, error) {
	var all []message.Tool
	for {
		page, err := h.tools(ctx, params)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Tools...)
		if page.NextCursor == "" || len(page.Tools) == 0 {
			return all, nil
		}
		params.Cursor = page.NextCursor
	}
}
