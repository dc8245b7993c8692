package native

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"

	"pillion/browser/devtools"
)

const maxConsoleBytes = 2 << 10 // of one entry

// consoleEntry is one line of a page's console.
type consoleEntry struct {
	number int
	level  string // one of levels
	text   string // the page's
	place  string // where it was said; may be ""
}

// levels are the levels of the console, the gravest first.
func levels() []string { return []string{"error", "warning", "info", "debug"} }

// reaches reports whether an entry is at least as grave as level.
func (c consoleEntry) reaches(level string) bool {
	return slices.Index(levels(), c.level) <= slices.Index(levels(), level)
}

func (c consoleEntry) line() string {
	line := fmt.Sprintf("%d. [%s] %s", c.number, c.level, quote(c.text))
	if c.place != "" {
		line += " at " + quote(c.place)
	}
	return line
}

func (d *driver) onConsole(e devtools.Event) {
	one := d.sessions[e.Session]
	if one == nil || one.tab == nil {
		return
	}
	var entry consoleEntry
	switch e.Method {
	case runtime.ConsoleAPICalled.Method:
		var event runtime.EventConsoleAPICalled
		if !read(e, &event) {
			return
		}
		entry = consoleEntry{level: levelOf(string(event.Type)), text: spoken(event.Args), place: placeOf(event.StackTrace)}
	case runtime.ExceptionThrown.Method:
		var event runtime.EventExceptionThrown
		if !read(e, &event) || event.ExceptionDetails == nil {
			return
		}
		entry = consoleEntry{level: "error", text: thrown(event.ExceptionDetails), place: event.ExceptionDetails.URL}
		if entry.place != "" {
			entry.place += fmt.Sprintf(":%d", event.ExceptionDetails.LineNumber+1)
		}
	case log.EntryAdded.Method:
		var event log.EventEntryAdded
		if !read(e, &event) || event.Entry == nil {
			return
		}
		entry = consoleEntry{level: levelOf(string(event.Entry.Level)), text: event.Entry.Text, place: event.Entry.URL}
	default:
		return
	}
	entry.text, entry.place = bounded(entry.text, maxConsoleBytes), bounded(entry.place, maxURLBytes)
	entry.number = one.tab.console.total + 1
	one.tab.console.add(entry)
}

func levelOf(kind string) string {
	switch kind {
	case "error", "assert":
		return "error"
	case "warning", "warn":
		return "warning"
	case "debug", "verbose", "timeEnd", "count":
		return "debug"
	}
	return "info"
}

// spoken is what console.log and its like were given, as the console would show it.
func spoken(values []*runtime.RemoteObject) string {
	var said []string
	for _, value := range values {
		said = append(said, described(value))
	}
	return strings.Join(said, " ")
}

func described(value *runtime.RemoteObject) string {
	var text string
	switch {
	case value == nil:
		return ""
	case value.UnserializableValue != "":
		return string(value.UnserializableValue)
	case value.Type == runtime.RemoteObjectTypeString && json.Unmarshal(value.Value, &text) == nil:
		return text
	case len(value.Value) > 0:
		return string(value.Value)
	case value.Preview != nil && len(value.Preview.Properties) > 0:
		return previewed(value.Preview)
	case value.Description != "":
		return value.Description
	}
	return string(value.Type)
}

func previewed(preview *runtime.ObjectPreview) string {
	var parts []string
	for _, property := range preview.Properties {
		parts = append(parts, property.Name+": "+property.Value)
	}
	if preview.Overflow {
		parts = append(parts, "…")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func thrown(details *runtime.ExceptionDetails) string {
	if details.Exception != nil && details.Exception.Description != "" {
		return details.Exception.Description
	}
	if details.Exception != nil {
		return details.Text + " " + described(details.Exception)
	}
	return details.Text
}

func placeOf(trace *runtime.StackTrace) string {
	if trace == nil || len(trace.CallFrames) == 0 || trace.CallFrames[0].URL == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", trace.CallFrames[0].URL, trace.CallFrames[0].LineNumber+1)
}
