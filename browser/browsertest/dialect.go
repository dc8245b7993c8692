package browsertest

import "fmt"

// Dialect is how a provider's tools differ from the native browser's in names and habits, and what it cannot do. The zero value is
// the native one.
type Dialect struct {
	Cannot map[string]string // by the name of a test of the suite, why it does not hold

	FixedIsSilent     bool // typing into a field that is read-only is no error
	DialogsGetNo      bool // a yes to a dialog arrives at the page as a no, in a browser without windows
	DialogsWait       bool // a dialog stays until a tool answers it
	FramesAreNameless bool // a snapshot does not say how a frame is called, and a wait does not look into frames
	HangsWhole        bool // a page that hangs costs one call more, and the browser
	WaitsLong         bool // a wait has no end of the agent's choosing

	translate func(tool string, arguments args) (string, args)
	named     map[string]bool // the tools that must be there, and which only read
	tabText   func(number int, isCurrent bool) string
	ref       []string // patterns with %s for role and name
	isNotSaid bool     // that a page opened a tab
	// failsInWords are the words of a navigation that failed, in a result that is no error.
	failsInWords string
	last         int // the tab to close in the end
}

func (d Dialect) tools() map[string]bool {
	if d.named != nil {
		return d.named
	}
	return map[string]bool{
		"browser_navigate": false, "browser_navigate_back": false, "browser_snapshot": true, "browser_click": false, "browser_type": false,
		"browser_fill_form": false, "browser_select_option": false, "browser_press_key": false, "browser_hover": false, "browser_wait_for": true,
		"browser_tabs": false, "browser_console_messages": true, "browser_network_requests": true, "browser_evaluate": false,
		"browser_take_screenshot": true, "browser_close": false, "browser_handle_dialog": false,
	}
}

func (d Dialect) tab(number int, isCurrent bool) string {
	if d.tabText != nil {
		return d.tabText(number, isCurrent)
	}
	if isCurrent {
		return fmt.Sprintf("tab %d (current)", number)
	}
	return fmt.Sprintf("tab %d", number)
}

func (d Dialect) opened(number int) string {
	if d.isNotSaid {
		return ""
	}
	if d.tabText != nil {
		return d.tabText(number, false)
	}
	return fmt.Sprintf("opened tab %d", number)
}

// lastTab is the tab that was opened last, once the second was closed.
func (d Dialect) lastTab() int {
	if d.last != 0 {
		return d.last
	}
	return 4
}

func (d Dialect) refs(role, name string) []string {
	patterns := d.ref
	if patterns == nil {
		patterns = []string{`- %s "%s".*\[ref=([^\]]+)\]`}
	}
	var made []string
	for _, pattern := range patterns {
		made = append(made, fmt.Sprintf(pattern, role, name))
	}
	return made
}

// Playwright is the dialect of @playwright/mcp.
func Playwright() Dialect {
	return Dialect{
		Cannot: map[string]string{
			"reads 5,000 nodes in parts":           "a snapshot has no part by its lines; what is too long is cut, and a part of the page can be read alone",
			"lets refs die with the next snapshot": "a ref goes on standing for its element for as long as that is there",
		},
		DialogsWait: true, FramesAreNameless: true, HangsWhole: true, WaitsLong: true,
		translate: func(tool string, arguments args) (string, args) {
			if index, ok := arguments["index"].(int); ok && tool == "browser_tabs" {
				arguments["index"] = index - 1
			}
			return tool, arguments
		},
		tabText: func(number int, isCurrent bool) string {
			if isCurrent {
				return fmt.Sprintf("- %d: (current)", number-1)
			}
			return fmt.Sprintf("- %d:", number-1)
		},
		ref:  []string{`- %s "%s".*?\[ref=([^\]]+)\]`, `- (?:%[1]s).*?\[ref=([^\]]+)\].*: "?%[2]s`},
		last: 3,
	}
}

// ChromeDevTools is the dialect of chrome-devtools-mcp.
func ChromeDevTools() Dialect {
	return Dialect{
		Cannot: map[string]string{
			"reads 5,000 nodes in parts":                 "a snapshot has no part by its lines; what is too long is cut",
			"lets refs die with the next snapshot":       "a ref goes on standing for its element for as long as that is there",
			"clicks what only a script makes clickable":  "a snapshot names what has a role alone, and nothing else can be clicked",
			"says what is in the way":                    "it clicks what lies on top",
			"starts another browser after it was closed": "no tool closes the browser",
		},
		FixedIsSilent: true, DialogsGetNo: true, DialogsWait: true, HangsWhole: true, WaitsLong: true, isNotSaid: true,
		translate: toChromeDevTools,
		named: map[string]bool{
			"navigate_page": false, "take_snapshot": true, "click": false, "fill": false, "fill_form": false, "press_key": false, "hover": false,
			"wait_for": true, "list_pages": true, "new_page": false, "list_console_messages": true, "list_network_requests": true,
			"evaluate_script": false, "take_screenshot": true, "handle_dialog": false,
		},
		tabText: func(number int, isCurrent bool) string { return fmt.Sprintf("%d: ", number) },
		ref:     []string{`uid=(\S+) %s "%s"`}, failsInWords: "Unable to navigate",
	}
}

func toChromeDevTools(tool string, a args) (string, args) {
	switch tool {
	case "browser_navigate":
		return "navigate_page", args{"type": "url", "url": a["url"]}
	case "browser_navigate_back":
		return "navigate_page", args{"type": "back"}
	case "browser_snapshot":
		return "take_snapshot", args{}
	case "browser_click", "browser_hover":
		return tool[len("browser_"):], args{"uid": a["target"]}
	case "browser_type":
		if a["slowly"] == true {
			return "type_text", args{"text": a["text"]}
		}
		return "fill", args{"uid": a["target"], "value": a["text"]}
	case "browser_select_option":
		value := a["values"].([]string)[0]
		if value == "r" {
			value = "Red" // it knows an option by what it says alone
		}
		return "fill", args{"uid": a["target"], "value": value}
	case "browser_fill_form":
		var elements []args
		for _, field := range a["fields"].([]args) {
			elements = append(elements, args{"uid": field["target"], "value": field["value"]})
		}
		return "fill_form", args{"elements": elements}
	case "browser_press_key":
		return "press_key", a
	case "browser_wait_for":
		if text, ok := a["text"]; ok {
			return "wait_for", args{"text": []any{text}}
		}
		return "evaluate_script", args{"function": fmt.Sprintf("() => new Promise(done => setTimeout(done, 1000 * %v))", a["time"])}
	case "browser_tabs":
		return toPages(a)
	case "browser_console_messages":
		if a["level"] == "error" {
			return "list_console_messages", args{"types": []string{"error"}}
		}
		return "list_console_messages", args{}
	case "browser_network_requests":
		return "list_network_requests", args{}
	case "browser_evaluate":
		if target, ok := a["target"]; ok {
			return "evaluate_script", args{"function": a["function"], "args": []any{target}}
		}
		return "evaluate_script", args{"function": a["function"]}
	case "browser_take_screenshot":
		made := args{}
		if target, ok := a["target"]; ok {
			made["uid"] = target
		}
		if full, ok := a["fullPage"]; ok {
			made["fullPage"] = full
		}
		return "take_screenshot", made
	case "browser_handle_dialog":
		made := args{"action": "dismiss"}
		if a["accept"] == true {
			made["action"] = "accept"
		}
		if text, ok := a["promptText"]; ok {
			made["promptText"] = text
		}
		return "handle_dialog", made
	}
	return tool, a
}

func toPages(a args) (string, args) {
	switch a["action"] {
	case "new":
		return "new_page", args{"url": a["url"]}
	case "select":
		return "select_page", args{"pageId": a["index"]}
	case "close":
		return "close_page", args{"pageId": a["index"]}
	}
	return "list_pages", args{}
}
