package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestC03_CommentsAndTrailingCommasLoad(t *testing.T) {
	t.Parallel()
	d := parseUser(t, `{
  // the tools of the team
  "mcpServers": {
    /* pinned */
    "a": {"command": "npx", "args": ["-y", "pkg@1.0.0", "// no comment", "/* nor this */"],},
  },
} // the last line may be a comment`)
	if !d.Parsed || len(d.Entries) != 1 || len(d.Findings) != 0 {
		t.Fatalf("parsed %v, %d entries, findings %v", d.Parsed, len(d.Entries), d.Findings)
	}
	if want := []string{"-y", "pkg@1.0.0", "// no comment", "/* nor this */"}; !slices.Equal(d.Entries[0].Args, want) {
		t.Errorf("args %q", d.Entries[0].Args)
	}
}

func TestC03_SyntaxErrorIsOneFindingAtItsPlace(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text      string
		line, character int
		message         string
		repaired        bool
	}{
		{"missing comma", "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"}\n    \"b\": {\"command\": \"y\"}\n  }\n}", 3, 4, "comma is missing", true},
		{"single quotes", "{\n'mcpServers': {}}", 1, 0, "double quotes", false},
		{"bare key", "{mcpServers: {}}", 0, 1, "double quotes", false},
		{"open string", "{\"a\": \"b\n}", 0, 6, "not closed on its line", false},
		{"open string at the end", `{"a`, 0, 1, "never closed", false},
		{"open object", "{\n \"a\": {\n}", 0, 0, "never closed", false},
		{"open array", `{"a": [`, 0, 6, "never closed", false},
		{"open comment", "{\n /* x }", 1, 1, "comment is never closed", false},
		{"missing colon", `{"a" 1}`, 0, 5, "colon is missing", false},
		{"wrong bracket", `{"a": [1}`, 0, 8, "} where a comma or ]", false},
		{"double comma", `{"a": 1,,}`, 0, 8, "comma where", true},
		{"only a comma", `{,}`, 0, 1, "comma where", true},
		{"python", `{"a": True}`, 0, 6, `"True" is not`, true},
		{"undefined", `{"a": undefined}`, 0, 6, `"undefined" is not`, true},
		{"bare word", `{"a": npx}`, 0, 6, `"npx" is not`, true},
		{"number", `{"a": 01}`, 0, 6, `"01" is not`, false},
		{"text after", `{} {}`, 0, 3, "text after", false},
		{"escape", `{"a": "C:\dir"}`, 0, 9, "escape", false},
		{"short escape", `{"a": "\u12"}`, 0, 7, "escape", false},
		{"half a pair", `{"a": "\ud800"}`, 0, 7, "escape", false},
		{"half a pair, other half", `{"a": "\udc00"}`, 0, 7, "escape", false},
		{"control character", "{\"a\": \"b\x01c\"}", 0, 8, "control character", true},
		{"emoji before", `{"😀": "x" "y": 1}`, 0, 11, "comma is missing", true},
		{"line separator", "{ // a\u2028b\n}", 0, 6, "line separator", false},
		{"nothing", " \n\t", 0, 0, "empty", true},
		{"only a comment", "// x", 0, 0, "empty", true},
		{"not UTF-8", "{\"a\": \"\xff\"}", 0, 7, "UTF-8", false},
		{"UTF-16", "\xff\xfe{\x00}\x00", 0, 0, "UTF-16", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := parseUser(t, test.text)
			if d.Parsed || len(d.Findings) != 1 {
				t.Fatalf("parsed %v, findings %v", d.Parsed, d.Findings)
			}
			f := d.Findings[0]
			line, character := Position(d.Text, f.Span.Start, true)
			if line != test.line || character != test.character || !strings.Contains(f.Message, test.message) || f.Severity != Error {
				t.Errorf("%d:%d %s, want %d:%d %s", line, character, f.Text(), test.line, test.character, test.message)
			}
			if test.repaired != (f.Edit != nil) {
				t.Errorf("edit %+v", f.Edit)
			}
			if f.Edit != nil && !parseUser(t, apply(test.text, *f.Edit)).Parsed && test.name != "only a comma" {
				t.Errorf("the edit gives %q, which does not parse", apply(test.text, *f.Edit))
			}
		})
	}
}

func apply(text string, e Edit) string { return text[:e.Span.Start] + e.Text + text[e.Span.End:] }

func TestC04_OtherRootKeysAreSaid(t *testing.T) {
	t.Parallel()
	entry := `{"a":{"command":"x"}}`
	tests := []struct {
		text, code, at, message string
		edit                    bool
	}{
		{`{"servers":` + entry + `,"inputs":[]}`, CodeRootKey, `"servers"`, "expected mcpServers, found servers", true},
		{`{"context_servers":` + entry + `}`, CodeRootKey, `"context_servers"`, "Zed", true},
		{`{"McpServers":` + entry + `}`, CodeRootKey, `"McpServers"`, "expected mcpServers, found McpServers", true},
		{`{"mcp-servers":` + entry + `}`, CodeRootKey, `"mcp-servers"`, "expected mcpServers", true},
		{`{"mcpServer":` + entry + `}`, CodeRootKey, `"mcpServer"`, "expected mcpServers", true},
		{`{"a":{"command":"x"}}`, CodeRootKey, `"a"`, "outside mcpServers", false},
		{`[]`, CodeRoot, `[]`, "the file holds an array", false},
		{`null`, CodeRoot, `null`, "the file holds null", false},
		{`"x"`, CodeRoot, `"x"`, "the file holds a string", false},
		{`{"mcpServers":[]}`, CodeServers, `[]`, "mcpServers is an array", false},
		{`{"mcpServers":null}`, CodeServers, `null`, "mcpServers is null", false},
		{`{}`, CodeServers, `{`, "names no connectors", false},
		{`{"x":1}`, CodeServers, `{`, "names no connectors", false},
	}
	for _, test := range tests {
		d := parseProject(t, "/ws", test.text)
		f := finding(t, d.Findings, test.code)
		if textAt(d, f.Span) != test.at || !strings.Contains(f.Message, test.message) || test.edit != (f.Edit != nil) {
			t.Errorf("%s: %s at %q, edit %v", test.text, f.Text(), textAt(d, f.Span), f.Edit)
		}
		if f.Edit != nil {
			if repaired := parseProject(t, "/ws", apply(test.text, *f.Edit)); len(repaired.Entries) != 1 {
				t.Errorf("%s: the edit gives %q", test.text, repaired.Text)
			}
		}
	}
}

func TestC04_ServersBesideMcpServersIsSaid(t *testing.T) {
	t.Parallel()
	d := parseProject(t, "/ws", `{"mcpServers":{"a":{"command":"x"}},"servers":{"b":{"command":"y"}}}`)
	f := finding(t, d.Findings, CodeRootKey)
	if textAt(d, f.Span) != `"servers"` || f.Severity != Warning || len(d.Entries) != 1 {
		t.Errorf("%s with %d entries", f.Text(), len(d.Entries))
	}
}

func TestC05_TransportIsInferredOrRefused(t *testing.T) {
	t.Parallel()
	d := parseUser(t, `{"mcpServers":{
  "only":    {"url": "http://127.0.0.1:1/mcp"},
  "long":    {"url": "http://127.0.0.1:1/mcp", "type": "streamable-http"},
  "short":   {"url": "http://127.0.0.1:1/mcp", "type": "http"},
  "stdio":   {"url": "http://127.0.0.1:1/mcp", "type": "stdio"},
  "both":    {"url": "http://127.0.0.1:1/mcp", "command": "x"},
  "neither": {},
  "typo":    {"url": "http://127.0.0.1:1/mcp", "type": "htpp"},
  "empty":   {"url": "", "type": "http"},
  "good":    {"command": "x"}
}}`)
	for _, name := range []string{"only", "long", "short"} {
		sound(t, d.Entry(name))
		if d.Entry(name).Transport != TransportHTTP {
			t.Errorf("%s has transport %q", name, d.Entry(name).Transport)
		}
	}
	sound(t, d.Entry("good"))
	fault(t, d.Entry("stdio"), CodeConflict)
	fault(t, d.Entry("both"), CodeConflict)
	fault(t, d.Entry("neither"), CodeIncomplete)
	fault(t, d.Entry("typo"), CodeTransport)
	fault(t, d.Entry("empty"), CodeURL)
	if got := d.Entry("typo").Fault; textAt(d, got.Span) != `"htpp"` || got.Fix != `write "http"` {
		t.Errorf("%s at %q", got.Text(), textAt(d, got.Span))
	}
	if got := d.Entry("stdio").Fault; textAt(d, got.Span) != `"stdio"` || got.Edit.Text != `"http"` {
		t.Errorf("%s at %q", got.Text(), textAt(d, got.Span))
	}
	if len(d.Findings) != 5 {
		t.Errorf("findings %v", d.Findings)
	}
}

func TestA1_TransportSpellings(t *testing.T) {
	t.Parallel()
	tests := []struct{ keys, transport, finding string }{
		{`"type":"stdio","command":"x"`, "stdio", ""},
		{`"type":"sse","url":"https://h/"`, "sse", ""},
		{`"type":"streamableHttp","url":"https://h/"`, "http", CodeSpelling},
		{`"type":"httpStream","url":"https://h/"`, "http", CodeSpelling},
		{`"type":"HTTP","url":"https://h/"`, "http", CodeSpelling},
		{`"transport":"http","url":"https://h/"`, "http", CodeSpelling},
		{`"transportType":"stdio","command":"x"`, "stdio", CodeSpelling},
		{`"transport":"sse","type":"sse","url":"https://h/"`, "sse", CodeSpelling},
		{`"transport":"sse","type":"http","url":"https://h/"`, "", CodeConflict},
		{`"type":"http","command":"x"`, "", CodeConflict},
		{`"type":"ws","url":"wss://h/"`, "", CodeTransport},
		{`"type":"websocket","url":"wss://h/"`, "", CodeTransport},
		{`"type":"grpc","url":"https://h/"`, "", CodeTransport},
		{`"type":"","url":"https://h/"`, "", CodeTransport},
		{`"type":["http"],"url":"https://h/"`, "", CodeType},
		{`"type":"http"`, "", CodeIncomplete},
		{`"type":"stdio"`, "", CodeIncomplete},
	}
	for _, test := range tests {
		e := entryOf(t, "{"+test.keys+"}")
		if test.transport == "" {
			fault(t, e, test.finding)
			continue
		}
		sound(t, e)
		if e.Transport != test.transport {
			t.Errorf("%s: transport %q", test.keys, e.Transport)
		}
		if test.finding == "" && len(e.Findings) > 0 {
			t.Errorf("%s: %v", test.keys, e.Findings)
		}
		if test.finding != "" && finding(t, e.Findings, test.finding).Severity != Hint {
			t.Errorf("%s: %v", test.keys, e.Findings)
		}
	}
}

func TestC06_ByteOrderMarkAndCRLFLoad(t *testing.T) {
	t.Parallel()
	d := parseUser(t, "\ufeff{\r\n  \"mcpServers\": {\r\n    \"a\": {\"command\": \"x\"}\r\n  }\r\n}\r\n")
	if !d.Parsed || len(d.Entries) != 1 || len(d.Findings) != 0 {
		t.Fatalf("parsed %v, %d entries, findings %v", d.Parsed, len(d.Entries), d.Findings)
	}
	if e := d.Entries[0]; textAt(d, e.KeySpan) != `"a"` || e.Text != `{"command": "x"}` {
		t.Errorf("key at %q, text %q", textAt(d, e.KeySpan), e.Text)
	}
}

func TestC08_DisabledIsSeenInBothSpellings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		keys     string
		disabled bool
		fault    string
	}{
		{`"disabled":true`, true, ""},
		{`"disabled":false`, false, ""},
		{`"enabled":false`, true, ""},
		{`"enabled":true`, false, ""},
		{`"enabled":true,"disabled":true`, true, ""},
		{`"enabled":false,"disabled":false`, true, ""},
		{`"disabled":"true"`, false, CodeType},
		{`"disabled":1`, false, CodeType},
		// A misspelt off switch must not leave the connector on.
		{`"Disabled":true`, false, CodeUnknownKey},
		{`"disable":true`, false, CodeUnknownKey},
		{`"disabeld":true`, false, CodeUnknownKey},
		{`"enable":false`, false, CodeUnknownKey},
		{`"enable":true`, false, ""},
		{`"disable":false`, false, ""},
	}
	for _, test := range tests {
		e := entryOf(t, `{"command":"x",`+test.keys+`}`)
		if e.Disabled != test.disabled {
			t.Errorf("%s: disabled %v", test.keys, e.Disabled)
		}
		if test.fault != "" {
			fault(t, e, test.fault)
		} else {
			sound(t, e)
		}
	}
}

func TestU23_DisabledEntriesAreSilent(t *testing.T) {
	t.Parallel()
	d := parseUser(t, `{"mcpServers":{"a":{"command":"x","cwdd":"y","url":"ftp://h","disabled":true}}}`)
	if len(d.Findings) != 0 {
		t.Errorf("findings %v", d.Findings)
	}
	fault(t, d.Entries[0], CodeConflict)
	if !d.DisabledNames["a"] || len(d.UnsetVariables(nothingSet)) != 0 {
		t.Error("the entry is not off")
	}
}

func nothingSet(string) (string, bool) { return "", false }

func TestC62_KeysAreExact(t *testing.T) {
	t.Parallel()
	d := parseUser(t, `{"mcpServers":{
  "upper": {"Command": "evil"},
  "both":  {"command": "safe", "Command": "evil"},
  "fold":  {"command": "safe", "arg\u017f": ["evil"], "\u017ftart": 1},
  "twice": {"command": "safe", "command": "evil"},
  "deep":  {"command": "safe", "env": {"A": "1", "\u0041": "2"}},
  "unread":{"command": "safe", "x": [{"a": 1, "a": 2}]}
}}`)
	fault(t, d.Entry("upper"), CodeIncomplete)
	f := finding(t, d.Entry("upper").Findings, CodeUnknownKey)
	if f.Fix != `write "command"` || f.Edit == nil || textAt(d, f.Span) != `"Command"` {
		t.Errorf("%s at %q", f.Text(), textAt(d, f.Span))
	}
	sound(t, d.Entry("both"))
	if f := finding(t, d.Entry("both").Findings, CodeUnknownKey); d.Entry("both").Command != "safe" || f.Edit != nil {
		t.Errorf("command %q, %+v", d.Entry("both").Command, f)
	}
	if e := d.Entry("fold"); len(e.Args) != 0 || e.Options.Start != "" {
		t.Errorf("args %q, start %q", e.Args, e.Options.Start)
	}
	for _, name := range []string{"twice", "deep", "unread"} {
		fault(t, d.Entry(name), CodeDuplicateKey)
		if f := d.Entry(name).Fault; len(f.Related) != 1 || f.Related[0].Start >= f.Span.Start {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestA9_DuplicateConnectorRunsNeither(t *testing.T) {
	t.Parallel()
	d := parseUser(t, `{"mcpServers":{"a":{"command":"x"},"b":{"command":"z"},"a":{"command":"y","disabled":true}}}`)
	if len(d.Entries) != 2 {
		t.Fatalf("%d entries", len(d.Entries))
	}
	fault(t, d.Entry("a"), CodeDuplicateName)
	sound(t, d.Entry("b"))
	var at []int
	for _, f := range d.Findings {
		at = append(at, f.Span.Start)
	}
	if want := []int{15, 55}; !slices.Equal(at, want) {
		t.Errorf("findings at %v, want %v", at, want)
	}
	if !d.DisabledNames["a"] {
		t.Error("what one of the two takes away does not count")
	}
}

func TestA9_DuplicateMcpServersRunsNothing(t *testing.T) {
	t.Parallel()
	d := parseUser(t, `{"mcpServers":{"a":{"command":"x"}},"mcpServers":{"b":{"command":"y"}}}`)
	fault(t, d.Entry("a"), CodeDuplicateKey)
	fault(t, d.Entry("b"), CodeDuplicateKey)
	finding(t, d.Findings, CodeDuplicateKey)
}

func TestA9_InvalidEntriesTakeNoOtherDown(t *testing.T) {
	t.Parallel()
	tests := []struct{ entry, code, at string }{
		{`"npx"`, CodeType, `"npx"`},
		{`null`, CodeType, `null`},
		{`["npx"]`, CodeType, `["npx"]`},
		{`{"command":["npx","-y"]}`, CodeType, `["npx","-y"]`},
		{`{"command":""}`, CodeValue, `""`},
		{`{"command":7}`, CodeType, `7`},
		{`{"command":"x","args":"-y"}`, CodeType, `"-y"`},
		{`{"command":"x","args":[["-y"]]}`, CodeType, `["-y"]`},
		{`{"command":"x","args":["a",null]}`, CodeType, `null`},
		{`{"command":"x","env":["A=1"]}`, CodeType, `["A=1"]`},
		{`{"command":"x","env":{"A":null}}`, CodeType, `null`},
		{`{"command":"x","env":{"A=B":"1"}}`, CodeValue, `"A=B"`},
		{`{"command":"x","env":{"":"1"}}`, CodeValue, `""`},
		{`{"command":"x","env":{"A":"a\u0000b"}}`, CodeValue, `"a\u0000b"`},
		{`{"command":"x","cwd":1}`, CodeType, `1`},
		{`{"command":"x","envFile":{}}`, CodeType, `{}`},
		{`{"url":true}`, CodeType, `true`},
		{`{"url":"https://h/","headers":[]}`, CodeType, `[]`},
		{`{"url":"https://h/","headers":{"A B":"1"}}`, CodeHeader, `"A B"`},
		{`{"url":"https://h/","headers":{"A":"1\r\nB: 2"}}`, CodeHeader, `"1\r\nB: 2"`},
		{`{"url":"https://h/","headers":{"X-A":"1","x-a":"2"}}`, CodeHeader, `"x-a"`},
		{`{"command":"x","pillion":[]}`, CodeType, `[]`},
		{`{"command":"x","args":["${foo:bar}"]}`, CodeReference, `${foo:bar}`},
	}
	for _, test := range tests {
		d := parseUser(t, `{"mcpServers":{"before":{"command":"x"},"bad":`+test.entry+`,"after":{"url":"https://h/"}}}`)
		sound(t, d.Entry("before"))
		sound(t, d.Entry("after"))
		fault(t, d.Entry("bad"), test.code)
		if got := textAt(d, d.Entry("bad").Fault.Span); got != test.at {
			t.Errorf("%s: fault at %q, want %q", test.entry, got, test.at)
		}
	}
}

func TestA9_UnknownKeys(t *testing.T) {
	t.Parallel()
	tests := []struct {
		keys     string
		severity Severity
		code     string
		fix      string
	}{
		{`"arg":["-y"]`, Warning, CodeUnknownKey, `write "args"`},
		{`"evn":{}`, Warning, CodeUnknownKey, `write "env"`},
		{`"environment":{}`, Warning, CodeUnknownKey, `write "env"`},
		{`"Args":[]`, Warning, CodeUnknownKey, `write "args"`},
		{`"env_file":"x"`, Warning, CodeUnknownKey, `write "envFile"`},
		{`"workingDirectory":"x"`, Warning, CodeUnknownKey, `write "cwd"`},
		{`"sandboxEnabled":true`, Hint, CodeUnknownKey, ""},
		{`"alwaysAllow":["a"]`, Hint, CodeIgnoredKey, "Pillion asks, and remembers your answers itself"},
		{`"autoApprove":["a"]`, Hint, CodeIgnoredKey, "Pillion asks, and remembers your answers itself"},
		{`"headersHelper":"x"`, Hint, CodeUnsupported, "write what is needed into headers or env"},
		{`"headers":{}`, Hint, CodeUnusedKey, "remove it"},
	}
	for _, test := range tests {
		e := entryOf(t, `{"command":"x",`+test.keys+`}`)
		sound(t, e)
		if f := finding(t, e.Findings, test.code); f.Severity != test.severity || f.Fix != test.fix || len(e.Findings) != 1 {
			t.Errorf("%s: severity %d, %s; %d findings", test.keys, f.Severity, f.Text(), len(e.Findings))
		}
	}
}

func TestA9_Bounds(t *testing.T) {
	t.Parallel()
	if d := parseUser(t, strings.Repeat(" ", MaxFileBytes+1)); d.Parsed || d.Findings[0].Code != CodeTooLarge {
		t.Errorf("a large file: %v", d.Findings)
	}
	if d := parseUser(t, strings.Repeat("[", MaxFileBytes)); d.Parsed || d.Findings[0].Code != CodeTooLarge || d.Findings[0].Span.Start != MaxDepth {
		t.Errorf("a deep file: %v", d.Findings)
	}
	var b strings.Builder
	for i := range MaxEntries + 2 {
		fmt.Fprintf(&b, `"n%d":{"commando":"x"},`, i)
	}
	d := parseUser(t, `{"mcpServers":{`+b.String()+`}}`)
	if len(d.Entries) != MaxEntries || len(d.Findings) != MaxFindings {
		t.Errorf("%d entries, %d findings", len(d.Entries), len(d.Findings))
	}
	fault(t, d.Entries[MaxEntries-1], CodeIncomplete)
	b.Reset()
	for i := range maxItems + 1 {
		fmt.Fprintf(&b, `,"k%d":1`, i)
	}
	fault(t, entryOf(t, `{"command":"x"`+b.String()+`}`), CodeTooLarge)
}

func TestEntryAt(t *testing.T) {
	t.Parallel()
	d := parseUser(t, `{"mcpServers":{"a":{"command":"x"}, "b":{"command":"y"}}}`)
	for offset, want := range map[int]string{0: "", 15: "a", 25: "a", 36: "b", 52: "b", 57: ""} {
		name := ""
		if e := d.EntryAt(offset); e != nil {
			name = e.Name
		}
		if name != want {
			t.Errorf("at %d stands %q, want %q", offset, name, want)
		}
	}
}

func TestField(t *testing.T) {
	t.Parallel()
	d := parseUser(t, `{"mcpServers":{"a":{"command":"x","args":["y","z"],"env":{"A":"b"},"pillion":{"start":"eager"}}}}`)
	for path, want := range map[string]string{"command": `"x"`, "args[1]": `"z"`, "env.A": `"b"`, "pillion.start": `"eager"`} {
		if at, ok := d.Entries[0].Field(path); !ok || textAt(d, at) != want {
			t.Errorf("%s is %q", path, textAt(d, at))
		}
	}
	if _, ok := d.Entries[0].Field("url"); ok {
		t.Error("url is there")
	}
}
