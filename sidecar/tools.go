package sidecar

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

// maxToolsPerPage is how many tools one answer lists when the caller names no limit.
const maxToolsPerPage = 500

func (s *Session) tools(ctx context.Context, params message.ToolsParams) (message.ToolsResult, error) {
	if err := params.Check(); err != nil {
		return message.ToolsResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	c, err := s.host(ctx)
	if err != nil {
		return message.ToolsResult{}, err
	}
	connector := ""
	if params.Connector != "" {
		found, err := c.Connector(string(params.Connector))
		if err != nil {
			return message.ToolsResult{}, misuse(err)
		}
		connector = found.ID
	}
	listed := c.Tools
	if params.All {
		listed = c.AllTools
	}
	matching := matchingTools(listed(), connector, params.Query, params.Tag)
	page, next, err := pageOf(matching, params.Cursor, params.Limit)
	if err != nil {
		return message.ToolsResult{}, err
	}
	result := message.ToolsResult{Tools: make([]message.Tool, len(page)), Total: len(matching), NextCursor: next}
	for i, tool := range page {
		result.Tools[i] = ToolMessage(tool, params.Detail)
	}
	if params.Explain || len(matching) == 0 {
		result.Why = s.wireReasons(c.Absences(connector))
	}
	return result, nil
}

// matchingTools are those in which every word of the query stands somewhere.
func matchingTools(tools []host.Tool, connector, query, tag string) []host.Tool {
	words := strings.Fields(strings.ToLower(query))
	var matching []host.Tool
	for _, tool := range tools {
		if (connector != "" && tool.Connector != connector) || tag != "" && !slices.Contains(tool.Tags, tag) {
			continue
		}
		text := strings.ToLower(strings.Join(append([]string{tool.Label, tool.ServedName, tool.Title, tool.Description}, tool.Tags...), " "))
		if containsAll(text, words) {
			matching = append(matching, tool)
		}
	}
	return matching
}

func containsAll(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// pageOf cuts one page; a cursor is the place to go on from.
func pageOf(tools []host.Tool, cursor string, limit int) (page []host.Tool, next string, err error) {
	start := 0
	if cursor != "" {
		if start, err = strconv.Atoi(cursor); err != nil || start < 0 || start > len(tools) {
			return nil, "", rpc.Errorf(rpc.CodeInvalidParams, "cursor %q is none of an answer to this list", cursor)
		}
	}
	if limit <= 0 {
		limit = maxToolsPerPage
	}
	end := min(len(tools), start+limit)
	if end < len(tools) {
		next = strconv.Itoa(end)
	}
	return tools[start:end], next, nil
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
