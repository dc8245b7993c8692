//go:build e2e

package native

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/browser/browsertest"
)

// A page that is busy for ever holds up neither the call that looks at it nor the calls that follow.
func TestH5_APageThatIsBusyForEverIsGivenUp(t *testing.T) {
	site := browsertest.NewSite(t)
	session := connect(t, "2026-07-28", browsertest.Setup{Site: site, Output: t.TempDir()})
	call := func(tool string, arguments map[string]any) (string, bool) {
		t.Helper()
		encoded, _ := json.Marshal(arguments)
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(encoded)})
		if err != nil {
			t.Fatal(err)
		}
		text, _ := result.Content[0].(*mcp.TextContent)
		return text.Text, result.IsError
	}
	call("browser_navigate", map[string]any{"url": site.URL + "/other"})
	call("browser_evaluate", map[string]any{"function": "() => { setTimeout(() => { for (;;); }, 0) }"})
	for tool, arguments := range map[string]map[string]any{"browser_take_screenshot": {}, "browser_network_request": {"number": 1}} {
		if said, isError := call(tool, arguments); !isError || !strings.Contains(said, "did not answer within") {
			t.Errorf("%s: %s", tool, said)
		}
	}
	if said, isError := call("browser_tabs", map[string]any{"action": "close"}); isError {
		t.Error(said)
	}
	if said, isError := call("browser_navigate", map[string]any{"url": site.URL + "/form"}); isError || !strings.Contains(said, "A form") {
		t.Error(said)
	}
}
