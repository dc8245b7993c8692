package node

import (
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/browser/install"
)

// Effect is what a tool does to the world.
type Effect int

// The effects. The zero value is what a tool that is not known has: it is never offered (H3).
const (
	Never   Effect = iota // reaches the user's files, runs code outside the page, or is not known
	Reads                 // changes nothing
	Moves                 // changes what the browser shows, and may send requests, but does nothing that a page would take for a decision
	Decides               // may do whatever the page does for it
	Runs                  // runs a script of the agent's in the page
)

// EffectOf is what a tool of a kind does.
func EffectOf(k install.Kind, tool string) Effect { return effects(k)[tool] }

func effects(k install.Kind) map[string]Effect {
	switch k {
	case install.Playwright:
		return map[string]Effect{
			"browser_navigate": Moves, "browser_navigate_back": Moves, "browser_tabs": Moves, "browser_close": Moves, "browser_resize": Moves,
			"browser_emulate_media": Moves, "browser_hover": Moves,
			"browser_snapshot": Reads, "browser_find": Reads, "browser_wait_for": Reads, "browser_console_messages": Reads,
			"browser_network_requests": Reads, "browser_network_request": Reads, "browser_take_screenshot": Reads,
			"browser_click": Decides, "browser_drag": Decides, "browser_type": Decides, "browser_fill_form": Decides,
			"browser_select_option": Decides, "browser_press_key": Decides, "browser_handle_dialog": Decides,
			"browser_evaluate": Runs,
		}
	case install.ChromeDevTools:
		return map[string]Effect{
			"navigate_page": Moves, "new_page": Moves, "close_page": Moves, "select_page": Moves, "resize_page": Moves, "emulate": Moves,
			"hover": Moves, "performance_start_trace": Moves, "performance_stop_trace": Moves,
			"take_snapshot": Reads, "take_screenshot": Reads, "wait_for": Reads, "list_pages": Reads, "list_console_messages": Reads,
			"get_console_message": Reads, "list_network_requests": Reads, "get_network_request": Reads, "get_css_styles": Reads,
			"performance_analyze_insight": Reads,
			"click":                       Decides, "drag": Decides, "fill": Decides, "fill_form": Decides, "press_key": Decides, "type_text": Decides,
			"handle_dialog":   Decides,
			"evaluate_script": Runs,
		}
	}
	return nil
}

// isKept reports whether an argument of a tool is offered: not those that name files, nor a script to run in every page from then on.
func isKept(argument string) bool {
	lower := strings.ToLower(argument)
	switch {
	case lower == "filename", lower == "paths", lower == "initscript":
		return false
	case strings.HasSuffix(lower, "path"), strings.HasSuffix(lower, "paths"):
		return false
	}
	return true
}

// Destinations are the addresses that a call would have the browser go to, as they are written there.
func Destinations(k install.Kind, tool string, arguments []byte) []string {
	switch {
	case k == install.Playwright && (tool == "browser_navigate" || tool == "browser_tabs"):
	case k == install.ChromeDevTools && (tool == "navigate_page" || tool == "new_page"):
	default:
		return nil
	}
	var given struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(arguments, &given) != nil || given.URL == "" {
		return nil
	}
	return []string{given.URL}
}

// offered is a tool of the server as it is offered here, or nil.
func offered(k install.Kind, from *mcp.Tool) *mcp.Tool {
	effect := EffectOf(k, from.Name)
	schema, ok := from.InputSchema.(map[string]any)
	if effect == Never || !ok {
		return nil
	}
	title := from.Title
	if title == "" && from.Annotations != nil {
		title = from.Annotations.Title
	}
	if title == "" {
		title = strings.ReplaceAll(from.Name, "_", " ")
	}
	return &mcp.Tool{
		Name: from.Name, Title: title, Description: from.Description, InputSchema: narrowed(schema),
		Annotations: &mcp.ToolAnnotations{
			Title: title, ReadOnlyHint: effect == Reads, IdempotentHint: effect == Reads,
			DestructiveHint: new(effect >= Decides), OpenWorldHint: new(effect != Reads),
		},
	}
}

// narrowed is a schema without the arguments that are not offered.
func narrowed(schema map[string]any) map[string]any {
	made := map[string]any{}
	for key, value := range schema {
		made[key] = value
	}
	if properties, ok := schema["properties"].(map[string]any); ok {
		kept := map[string]any{}
		for name, value := range properties {
			if isKept(name) {
				kept[name] = value
			}
		}
		made["properties"] = kept
	}
	if required, ok := schema["required"].([]any); ok {
		var kept []any
		for _, name := range required {
			if text, ok := name.(string); ok && isKept(text) {
				kept = append(kept, name)
			}
		}
		delete(made, "required")
		if len(kept) > 0 {
			made["required"] = kept
		}
	}
	made["additionalProperties"] = false
	return made
}
