package connector

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/mcptest"
)

func TestMirrored(t *testing.T) {
	const schema = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"},
		"in":{"type":"object","properties":{"ok":{"type":"boolean","x-mcp-header":"Ok"}}},"plain":{"type":"string"}}}`
	found, err := mirroredOf(jsontext.Value(schema))
	if err != nil || len(found) != 3 {
		t.Fatalf("%+v, %v", found, err)
	}
	for arguments, want := range map[string]string{
		`{"region":"eu","n":3,"in":{"ok":true}}`:  "Region=eu N=3 Ok=true",
		`{"region":"ü","n":3.0,"in":{"ok":null}}`: "Region==?base64?w7w=?= N=3",
		`{"region":null,"n":1.5,"in":[]}`:         "",
		`{"n":9007199254740993,"plain":"x"}`:      "",
		`{"region":"a\r\nX-B: b"}`:                "Region==?base64?YQ0KWC1COiBi?=",
	} {
		var got []string
		for _, m := range found {
			if value, ok := m.in(jsontext.Value(arguments)); ok {
				got = append(got, m.header+"="+value)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", arguments, got, want)
		}
	}
	for _, bad := range []string{
		`{"properties":{"a":{"type":"object","x-mcp-header":"A"}}}`, `{"properties":{"a":{"x-mcp-header":"A"}}}`,
		`{"properties":{"a":{"type":"string","x-mcp-header":""}}}`, `{"properties":{"a":{"type":"string","x-mcp-header":"A B"}}}`,
		`{"properties":{"a":{"type":"string","x-mcp-header":5}}}`, `{"properties":{"a":{"type":"string","x-mcp-header":"A\r\nB"}}}`,
		`{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`,
	} {
		if found, err := mirroredOf(jsontext.Value(bad)); err == nil {
			t.Errorf("%s: %+v", bad, found)
		}
	}
}

func TestRemote_ModernCallsMirrorArguments(t *testing.T) {
	const tools = mcptest.ToolsVar + `=[{"name":"a","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}},` +
		`{"name":"bad","inputSchema":{"type":"object","properties":{"x":{"type":"array","x-mcp-header":"X"}}}}]`
	f := remoteFake(t, mcptest.NewHTTP(t, "modern", tools))
	if err := f.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if quarantined := f.Status().Catalogue.Quarantined; f.names() != "a" || len(quarantined) != 1 || !strings.Contains(quarantined[0].Reason, "x-mcp-header") {
		t.Errorf("tools %s, %+v", f.names(), quarantined)
	}
	f.say(`{"region":"eu"}`)
	if got := f.peer.Received("tools/call")[0].Header.Get("Mcp-Param-Region"); got != "eu" {
		t.Errorf("the header is %q", got)
	}
	legacy := remoteFake(t, mcptest.NewHTTP(t, "", tools))
	if err := legacy.Start(t.Context()); err != nil || legacy.names() != "a bad" {
		t.Errorf("tools %s, %v", legacy.names(), err)
	}
}
