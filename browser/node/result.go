package node

import (
	"fmt"
	"maps"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/browser"
	"pillion/browser/native"
)

const maxTextBytes = 56 << 10

func sortedNames(w written) []string { return slices.Sorted(maps.Keys(w)) }

// news is what came to lie in the session's folder during a call, and all that lies there.
type news struct {
	parts    []part
	pictures [][]byte
	files    written
}

// rewritten is a result of the server as it is given back: its words, and what it wrote to files meanwhile, between two lines that
// no page can know, pictures as they are, and before them what Pillion itself has to say.
func rewritten(result *mcp.CallToolResult, n news, said []string) *mcp.CallToolResult {
	parts := n.parts
	var theirs strings.Builder
	var pictures []mcp.Content
	for _, block := range result.Content {
		switch block := block.(type) {
		case *mcp.TextContent:
			var text string
			text, parts = inlined(block.Text, parts, n.files)
			theirs.WriteString(text + "\n")
		case *mcp.ImageContent:
			pictures = append(pictures, block)
		}
	}
	for _, one := range parts { // that the server wrote without a word
		theirs.WriteString(heading(one.name) + "\n" + one.shown() + "\n")
	}
	for _, bytes := range n.pictures {
		if kind := http.DetectContentType(bytes); len(pictures) == 0 && strings.HasPrefix(kind, "image/") {
			pictures = append(pictures, &mcp.ImageContent{Data: bytes, MIMEType: kind}) // too large for the server to give back
		}
	}
	text := strings.Join(said, "\n")
	if text != "" {
		text += "\n"
	}
	content := []mcp.Content{&mcp.TextContent{Text: text + native.Fenced(bounded(theirs.String()))}}
	return &mcp.CallToolResult{Meta: browser.Standing{Runs: true}.Meta(), IsError: result.IsError, Content: append(content, pictures...)}
}

// heading is what a file holds, by the name that the server gave it.
func heading(name string) string {
	if strings.HasPrefix(path.Base(name), "console") {
		return "### New console messages"
	}
	if ext := filepath.Ext(name); ext == ".yml" || ext == ".yaml" {
		return "### Snapshot"
	}
	return "### " + path.Base(name)
}

func (p part) shown() string {
	if p.left > 0 {
		return fmt.Sprintf("%s\n(%d bytes more are left out; read a part of the page alone)", p.text, p.left)
	}
	return p.text
}

// inlined is a text in which what is new in a file of the session stands in place of the line that leads there, and the other
// lines that lead to files are left out: nobody else can open them. It returns the parts that it has no place for, too.
func inlined(text string, parts []part, files written) (string, []part) {
	var kept []string
	left := slices.Clone(parts)
	for _, line := range strings.Split(text, "\n") {
		name, isLink := leadsTo(line, files)
		at := slices.IndexFunc(left, func(p part) bool { return isLink && p.name == name })
		switch {
		case !isLink:
			kept = append(kept, line)
		case at >= 0:
			kept = append(kept, left[at].shown())
			left = slices.Delete(left, at, at+1)
		}
	}
	return strings.Join(kept, "\n"), left
}

// leadsTo is the file of the session that a line does nothing but lead to.
func leadsTo(line string, files written) (name string, ok bool) {
	line = strings.TrimSpace(line)
	_, target, ok := strings.Cut(line, "](")
	if !ok || !strings.HasPrefix(line, "- [") || !strings.HasSuffix(target, ")") {
		return "", false
	}
	target, _, _ = strings.Cut(strings.TrimSuffix(target, ")"), "#") // lines of it
	for file := range files {
		if path.Base(file) == filepath.Base(target) {
			return file, true
		}
	}
	return "", false
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
