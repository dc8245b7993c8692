package node

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/browser/native"
)

const maxTextBytes = 96 << 10

func sortedNames(w written) []string { return slices.Sorted(maps.Keys(w)) }

// rewritten is a result of the server as it is given back: its words, and what it wrote to files meanwhile, between two lines that
// no page can know, pictures as they are, and before them what Pillion itself has to say.
func rewritten(result *mcp.CallToolResult, parts []part, said []string, gone written) *mcp.CallToolResult {
	var theirs strings.Builder
	var pictures []mcp.Content
	for _, block := range result.Content {
		switch block := block.(type) {
		case *mcp.TextContent:
			theirs.WriteString(withoutLinks(block.Text, gone) + "\n")
		case *mcp.ImageContent:
			pictures = append(pictures, block)
		}
	}
	for _, one := range parts {
		theirs.WriteString(heading(one.name) + "\n" + one.text + "\n")
		if one.left > 0 {
			fmt.Fprintf(&theirs, "(%d bytes more are left out; read a part of the page alone)\n", one.left)
		}
	}
	text := strings.Join(said, "\n")
	if text != "" {
		text += "\n"
	}
	content := []mcp.Content{&mcp.TextContent{Text: text + native.Fenced(bounded(theirs.String()))}}
	return &mcp.CallToolResult{IsError: result.IsError, Content: append(content, pictures...)}
}

// heading is what a file holds, by the name that the server gave it.
func heading(name string) string {
	if strings.HasPrefix(name, "console") {
		return "### New console messages"
	}
	if ext := filepath.Ext(name); ext == ".yml" || ext == ".yaml" {
		return "### Snapshot"
	}
	return "### " + name
}

// withoutLinks leaves out the lines that do nothing but lead to a file of the session: nobody else can open it.
func withoutLinks(text string, files written) string {
	var kept []string
	for _, line := range strings.Split(text, "\n") {
		if !leadsTo(line, files) {
			kept = append(kept, line)
		}
	}
	return strings.Replace(strings.Join(kept, "\n"), "### Snapshot\n\n", "", 1)
}

func leadsTo(line string, files written) bool {
	line = strings.TrimSpace(line)
	_, target, ok := strings.Cut(line, "](")
	if !ok || !strings.HasPrefix(line, "- [") || !strings.HasSuffix(target, ")") {
		return false
	}
	_, isThere := files[filepath.Base(strings.TrimSuffix(target, ")"))]
	return isThere
}

// bounded cuts a text of a page that is too long for any reader.
func bounded(text string) string {
	if len(text) <= maxTextBytes {
		return text
	}
	cut := strings.LastIndexByte(text[:maxTextBytes], '\n')
	if cut < maxTextBytes/2 {
		cut = maxTextBytes
	}
	return strings.ToValidUTF8(text[:cut], "") + fmt.Sprintf("\n(%d bytes more are left out; read a part of the page alone)", len(text)-cut)
}

func failed(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}
