package editors

import (
	"encoding/json"
	"strings"
	"testing"

	"pillion/rpc/message"
)

// The start of a browser is no call of a tool, and is not asked about as one.
func TestH1_TheStartOfABrowserIsAskedInItsOwnWords(t *testing.T) {
	t.Parallel()
	for method, question := range map[string]string{
		message.BrowserStart.Method: "may this session have a browser?",
		message.MethodBrowserAttach: "may this session work in the browser that you started, with your logins?",
	} {
		body, err := json.Marshal(message.ApprovalBody{
			Tool:   message.Tool{Label: "browser.start", Description: "It has no window."},
			Method: method, ArgumentsText: `{"provider":"native"}`, Reason: "Nobody has allowed one yet.",
			Choices: []message.ApprovalChoice{"decline"}, Scopes: []message.PermissionScope{},
		})
		if err != nil {
			t.Fatal(err)
		}
		ask := message.Ask{Kind: message.AskApproval, Body: body}
		for _, shown := range []string{ReviewText(ask, "Answer."), Prompt(ask)} {
			if !strings.Contains(shown, question) || !strings.Contains(shown, "Nobody has allowed one yet") ||
				strings.Contains(shown, "tool") || strings.Contains(shown, "exactly") {
				t.Errorf("%s", shown)
			}
		}
	}
}
