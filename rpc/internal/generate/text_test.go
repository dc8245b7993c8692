package main

import (
	"slices"
	"testing"
)

func TestNamesInOtherLanguages(t *testing.T) {
	for _, test := range []struct{ name, wire, camel, snake string }{
		{"ConnectorID", "ConnectorId", "connectorID", "connector_id"},
		{"ToolCall", "ToolCall", "toolCall", "tool_call"},
		{"StopAll", "StopAll", "stopAll", "stop_all"},
		{"URI", "URI", "uri", "uri"},
		{"ConnectorShowLog", "ConnectorShowLog", "connectorShowLog", "connector_show_log"},
		{"URLShown", "URLShown", "urlShown", "url_shown"},
	} {
		if w, c, s := wireName(test.name), camel(test.name), snake(test.name); w != test.wire || c != test.camel || s != test.snake {
			t.Errorf("%s: %s, %s, %s", test.name, w, c, s)
		}
	}
}

func TestSentencesStandAlone(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"One.", []string{"One."}},
		{"One. Two.", []string{"One.", "Two."}},
		{"Is it? `null` is (really). It is.", []string{"Is it?", "`null` is (really).", "It is."}},
		{"Answered -32600; one -32601. -32602 too.", []string{"Answered -32600; one -32601.", "-32602 too."}},
		{"In .mcp.json, version 2.0 and pillion.server.x stay.", []string{"In .mcp.json, version 2.0 and pillion.server.x stay."}},
	} {
		if got := sentences(test.text); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q", test.text, got)
		}
	}
}

func TestWordsOfTheWireAreCode(t *testing.T) {
	for text, want := range map[string]string{
		"sent as argumentsText to pillion/tool/call.":     "sent as `argumentsText` to `pillion/tool/call`.",
		"answers { callId } at once":                      "answers `{ callId }` at once",
		"the pillion/… methods, -32602 and null":          "the `pillion/…` methods, `-32602` and `null`",
		"in mcp.json or .mcp.json as ${input:id}":         "in `mcp.json` or `.mcp.json` as `${input:id}`",
		"declares experimental.pillion. TypeScript stays": "declares `experimental.pillion`. TypeScript stays",
		"what is `code` already":                          "what is `code` already",
	} {
		if got := mdCode(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestWrapKeepsLongWords(t *testing.T) {
	if got, want := wrap("a bb ccccccccc d", 4), []string{"a bb", "ccccccccc", "d"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
