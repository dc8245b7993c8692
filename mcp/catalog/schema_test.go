package catalog

import (
	"encoding/json"
	"strings"
	"testing"
)

var described = []Described{
	{
		ServedName: "s__a", Name: "a", Title: "A", Summary: "It */ does\u2028it.", Description: "It */ does\u2028it. More.",
		InputSchema: []byte(`{"type":"object","properties":{"n":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"number","maximum":9007199254740993}}}`), OutputSchema: []byte(`{"type":"object"}`), Annotations: []byte(`{"readOnlyHint":true}`),
	},
	{ServedName: "s__b-x", Name: "b.x", InputSchema: []byte(`{"type":"object"}`)},
}

func TestJ3_TypeScript(t *testing.T) {
	text, err := Write(FormatTypeScript, described)
	want := "export interface Tools {\n  /** It * / does it. */\n  s__a(args: { n?: number }): Promise<Record<string, unknown>>;\n  \"s__b-x\"(args: Record<string, unknown>): Promise<unknown>;\n}\n"
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
}

func TestJ3_EveryFormatKeepsTheDigitsAndIsJSON(t *testing.T) {
	for format, want := range map[Format][]string{
		FormatJSONSchema: {`{"s__a":{"input":{"type":"object"`, `"output":{"type":"object"}`, `"s__b-x":{"input":{"type":"object"}}`},
		FormatMCP:        {`{"tools":[{"name":"a","title":"A",`, `"annotations":{"readOnlyHint":true}`, `{"name":"b.x","inputSchema":{"type":"object"}}]}`},
		FormatOpenAPI:    {`{"openapi":"3.1.0"`, `"/tools/s__a":{"post":{"operationId":"s__a"`, `"schema":{"$id":"urn:pillion:s__a:input","type":"object"`},
	} {
		text, err := Write(format, described)
		if err != nil || !json.Valid(text) || !strings.Contains(string(text), "9007199254740993") {
			t.Errorf("%s: %s, %v", format, text, err)
		}
		for _, part := range want {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s has no %s:\n%s", format, part, text)
			}
		}
		if empty, err := Write(format, nil); err != nil || !json.Valid(empty) {
			t.Errorf("%s of nothing: %s, %v", format, empty, err)
		}
	}
	if _, err := Write("yaml", described); err == nil {
		t.Error("a format that is none is written")
	}
}
