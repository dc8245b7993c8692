package sidecar

import (
	"cmp"
	"context"
	"strconv"

	"pillion/mcp/catalog"
	"pillion/mcp/config"
	"pillion/mcp/host"
	"pillion/mcp/why"
	"pillion/rpc"
	"pillion/rpc/message"
	"pillion/sidecar/configdoc"
)

// maxToolsPerPage is how many tools one answer lists when the caller names no limit.
const maxToolsPerPage = 500

func (s *Session) tools(ctx context.Context, params message.ToolsParams) (message.ToolsResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.ToolsResult{}, err
	}
	result, err := toolsFound(c.Host, params, s.wireReasons)
	return result, misuse(err)
}

// ToolsMessage is what a host in this process says to [message.Tools]. The error is that of the host, or an [*rpc.Error].
func ToolsMessage(h *host.Host, params message.ToolsParams) (message.ToolsResult, error) {
	return toolsFound(h, params, func(reasons []why.Reason) []message.Reason {
		return wireReasons(reasons, func(path string, span config.Span) *message.Range {
			return rangeOf(h.Documents(), path, span, configdoc.Units{IsUTF16: true})
		})
	})
}

// toolsFound lists or searches.
func toolsFound(h *host.Host, params message.ToolsParams, reasons func([]why.Reason) []message.Reason) (message.ToolsResult, error) {
	if err := params.Check(); err != nil {
		return message.ToolsResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	from, err := placeOf(params.Cursor)
	if err != nil {
		return message.ToolsResult{}, err
	}
	search := host.Search{Query: params.Query, Tag: params.Tag, From: from, Limit: params.Limit, All: params.All}
	if params.Connector != "" {
		found, err := h.Connector(string(params.Connector))
		if err != nil {
			return message.ToolsResult{}, err
		}
		search.Connector = found.ID
	}
	if search.Limit == 0 {
		search.Limit = maxToolsPerPage
	}
	found := h.Search(search)
	if from > found.Total {
		return message.ToolsResult{}, noSuchPlace(params.Cursor)
	}
	result := message.ToolsResult{Tools: make([]message.Tool, len(found.Tools)), Total: found.Total, Partial: found.IsPartial}
	if end := from + len(found.Tools); end < found.Total {
		result.NextCursor = strconv.Itoa(end)
	}
	for i, tool := range found.Tools {
		result.Tools[i] = ToolMessage(tool, params.Detail)
		if params.Explain {
			result.Tools[i].FoundBy = foundBy(found.By[i])
		}
	}
	if params.Explain || found.Total == 0 || found.IsPartial {
		result.Why = reasons(h.Absences(search.Connector))
	}
	return result, nil
}

func foundBy(by []catalog.Found) []message.FoundBy {
	wire := make([]message.FoundBy, len(by))
	for i, found := range by {
		wire[i] = message.FoundBy{Term: found.Term, In: message.FoundIn(found.Field)}
	}
	return wire
}

// placeOf is where a page begins.
func placeOf(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	at, err := strconv.Atoi(cursor)
	if err != nil || at < 0 {
		return 0, noSuchPlace(cursor)
	}
	return at, nil
}

func noSuchPlace(cursor string) error {
	return rpc.Errorf(rpc.CodeInvalidParams, "cursor %q is none of an answer to this list", cursor)
}

// catalog lists tools in a text of so many tokens.
func (s *Session) catalog(ctx context.Context, params message.CatalogParams) (message.CatalogResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.CatalogResult{}, err
	}
	return CatalogMessage(c.Host, params)
}

// CatalogMessage is what a host in this process says to [message.Catalog]. The error is an [*rpc.Error].
func CatalogMessage(h *host.Host, params message.CatalogParams) (message.CatalogResult, error) {
	if err := params.Check(); err != nil {
		return message.CatalogResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	block, total, tokens := h.Block(cmp.Or(params.Budget, catalog.DefaultBudget), params.Bias)
	return message.CatalogResult{
		Text: block.Text, Tokens: block.Tokens, Shown: block.Shown, Total: total, Warnings: catalog.Warnings(tokens, params.ContextTokens),
	}, nil
}

func (s *Session) tool(ctx context.Context, params message.ToolParams) (message.ToolResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.ToolResult{}, err
	}
	tool, err := c.AnyTool(string(params.Tool))
	if err != nil {
		return message.ToolResult{}, misuse(err)
	}
	return message.ToolResult{Tool: ToolMessage(tool, message.ToolFull), TypeScript: tool.Signature()}, nil
}
