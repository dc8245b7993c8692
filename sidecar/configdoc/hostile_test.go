package configdoc

import (
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"pillion/mcp/config"
)

// S23: a fence is longer than any inside it, and is found in one look: a file of a repository may be nothing but backticks.
func TestS23_AHoverOfBackticks(t *testing.T) {
	t.Parallel()
	const many = 1 << 20
	text := `{"mcpServers":{"a":{"command":"x","pillion":{"start":"` + strings.Repeat("`", many) + `"}}}}`
	file := config.File{Path: "/ws/.mcp.json", Source: config.SourceProject, Root: "/ws"}
	d := New("file:///ws/.mcp.json", config.ParseDraft(file, []byte(text)), Units{IsUTF16: true})
	hover := Hover(d, Facts{}, strings.Index(text, `"start"`)+1, true)
	if hover == nil {
		t.Fatal("no hover")
	}
	shown := hover.Contents.(*protocol.MarkupContent).Value
	fence := "\n" + strings.Repeat("`", many+1)
	if !strings.Contains(shown, fence+"text\n") || !strings.Contains(shown+"\n", fence+"\n") {
		t.Error("what is inside ends the fence")
	}
}
