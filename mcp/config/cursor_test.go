package config

import (
	"fmt"
	"strings"
	"testing"
)

func TestCursorAt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`|`:                                 `[] value "" ""`,
		`{|}`:                               `[] key "" ""`,
		`{"mc|`:                             `[] key "" "mc" open`,
		`{"mcpServers": {"a": {|`:           `[mcpServers a] key "" ""`,
		`{"mcpServers": {"a": {"co|"}}}`:    `[mcpServers a] key "" "co" open close`,
		`{"mcpServers": {"a": {"co|": 1}}}`: `[mcpServers a] key "" "co" open close colon`,
		"{\"mcpServers\": {\"a\": {\n \"co|\n \"args\": []}}}": `[mcpServers a] key "" "co" open comma`,
		`{"mcpServers": {"a": {"type": |}}}`:                   `[mcpServers a] value "type" ""`,
		`{"mcpServers": {"a": {"type": "st|}}}`:                `[mcpServers a] value "type" "st" open`,
		`{"mcpServers": {"a": {"disabled": tr|}}}`:             `[mcpServers a] value "disabled" "tr"`,
		`{"mcpServers": {"a": {"args": ["-y", "|"]}}}`:         `[mcpServers a args #] value "" "" open close`,
		`{"mcpServers": {"a": {"command": "x" |}}}`:            `[mcpServers a] key "" "" missing`,
		`{"a": 1, // "b": {|`:                                  `[] key "" ""`,
		`{"mcpServers": {"a": {"env": {"T": "${|}"}}}}`:        `[mcpServers a env] value "T" "${" open close`,
		`{"pillion": {"profiles": {"p": ["|`:                   `[pillion profiles p #] value "" "" open`,
	} {
		offset := strings.IndexByte(text, '|')
		c := CursorAt([]byte(text[:offset]+text[offset+1:]), offset)
		kind := "value"
		if c.IsKey {
			kind = "key"
		}
		got := fmt.Sprintf("%v %s %q %q", c.Path, kind, c.Key, c.Prefix)
		for _, mark := range []struct {
			is   bool
			word string
		}{{c.HasOpening, "open"}, {c.HasClosing, "close"}, {c.HasColon, "colon"}, {c.CommaAt >= 0, "missing"}, {c.NeedsComma, "comma"}} {
			if mark.is {
				got += " " + mark.word
			}
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

func FuzzCursorAt(f *testing.F) {
	for _, seed := range seeds() {
		f.Add([]byte(seed), len(seed)/2)
	}
	f.Fuzz(func(t *testing.T, text []byte, offset int) {
		c := CursorAt(text, offset)
		if c.Span.Start < 0 || c.Span.End < c.Span.Start || c.Span.End > len(text) || c.CommaAt > len(text) {
			t.Errorf("%+v", c)
		}
	})
}
