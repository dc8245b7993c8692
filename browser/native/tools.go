package native

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// onTarget is how a tool names an element of the page.
type onTarget struct {
	Target  string `json:"target" jsonschema:"the ref of the element in the last snapshot, such as s3e12"`
	Element string `json:"element,omitempty" jsonschema:"what the element is, in words, for a person who reads along"`
}

type nothing struct{}

// effect is what a tool does to the world, as its annotations say it.
type effect int

const (
	reads   effect = iota // changes nothing
	moves                 // changes what the browser shows, and may send requests, but does nothing that a page would take for a decision
	decides               // may do whatever the page does for it
)

func annotations(title string, e effect) *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{
		Title: title, ReadOnlyHint: e == reads, IdempotentHint: e == reads, DestructiveHint: new(e == decides), OpenWorldHint: new(e != reads),
	}
}

// addTool adds a tool whose arguments are checked against its schema, which is closed.
func addTool[In any](s *server, to *mcp.Server, name, title, description string, e effect, kind needs, do func(context.Context, *call, In) error) {
	mcp.AddTool(to, &mcp.Tool{Name: name, Title: title, Description: description, Annotations: annotations(title, e)},
		func(ctx context.Context, request *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
			result, err := s.run(ctx, request, func(ctx context.Context, op *operation) *mcp.CallToolResult {
				return s.driver.call(ctx, op, kind, func(ctx context.Context, c *call) error { return do(ctx, c, in) })
			})
			return result, nil, err
		})
}

func (s *server) addTools(to *mcp.Server) {
	addTool(s, to, "browser_navigate", "Open a page",
		"Opens a URL in the current tab and answers with a snapshot of the page. Pages of this machine open at once, another origin is asked about first.",
		moves, needsPage, navigate)
	addTool(s, to, "browser_navigate_back", "Go back",
		"Goes back to the page that the current tab showed before.", moves, needsPage, navigateBack)
	addTool(s, to, "browser_snapshot", "Read the page",
		"Returns the page as its accessibility tree: what is there, what it says, and refs to act on it. All earlier refs are dead from then on. Frames and shadow trees are part of it.",
		reads, needsPage, readPage)
	addTool(s, to, "browser_click", "Click",
		"Clicks an element, as a person would with a mouse.", decides, needsPage, click)
	addTool(s, to, "browser_hover", "Point at",
		"Moves the mouse over an element.", moves, needsPage, hover)
	addTool(s, to, "browser_type", "Type",
		"Replaces what a field holds by a text. With submit it presses Enter then.", decides, needsPage, typeText)
	addTool(s, to, "browser_fill_form", "Fill a form",
		"Fills several fields, one after the other, and stops at the first that cannot be filled.", decides, needsPage, fillForm)
	addTool(s, to, "browser_select_option", "Select",
		"Selects options of a list by their value or by what they say.", decides, needsPage, selectOption)
	addTool(s, to, "browser_press_key", "Press a key",
		"Presses a key in whatever has the focus.", decides, needsPage, pressKey)
	addTool(s, to, "browser_handle_dialog", "Answer the next dialog",
		"Says how the next dialog of the page (confirm, prompt) is answered. Without it alerts are accepted and all others dismissed at once, so call this before what opens the dialog.",
		decides, needsPage, handleDialog)
	addTool(s, to, "browser_wait_for", "Wait",
		"Waits until a text is on the page, or is not any more, or for a time.", reads, needsPage, waitFor)
	addTool(s, to, "browser_tabs", "Tabs",
		"Lists the tabs, opens a new one, selects one or closes one.", moves, needsBrowser, tabs)
	addTool(s, to, "browser_console_messages", "Read the console",
		"Returns what the page of the current tab wrote to its console, errors of its scripts included.", reads, needsNothing, consoleMessages)
	addTool(s, to, "browser_network_requests", "List requests",
		"Lists the requests of the page of the current tab, those that were refused included.", reads, needsNothing, networkRequests)
	addTool(s, to, "browser_network_request", "Read an answer",
		"Returns what was answered to one request of browser_network_requests.", reads, needsPage, networkRequest)
	addTool(s, to, "browser_evaluate", "Run a script in the page",
		"Runs a function in the page, or on an element of it, and returns what it returns as JSON.", decides, needsPage, evaluate)
	addTool(s, to, "browser_take_screenshot", "Take a picture",
		"Returns a picture of what the tab shows, of the whole page, or of one element.", reads, needsPage, takeScreenshot)
	addTool(s, to, "browser_close", "Close the browser",
		"Ends the browser with all its tabs. The next tool that needs one starts another.", moves, needsNothing, closeBrowser)
}
