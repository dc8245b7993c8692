package config

import (
	"fmt"
	"strings"
	"testing"
)

func project() File { return File{Path: "/ws/.mcp.json", Source: SourceProject, Root: "/ws"} }

func TestC03_EveryFaultOfABrokenTextIsReported(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string // "line:character message-part"
	}{
		"one": {"{\n \"mcpServers\": {\n  \"a\": {\"command\": \"x\"}\n  \"b\": {\"command\": \"y\"}\n }\n}", []string{"3:2 a comma is missing"}},
		"several": {"{\n \"mcpServers\": {\n  a: {\"command\": 'x'},\n  \"b\": {\"command\" \"y\", \"args\": [\"-y\",,\"z\"]},\n  \"c\": {\"disabled\": True},\n  \"d\": {\"comand\": \"z\"}\n }\n}",
			[]string{"2:2 keys stand in double quotes", "2:17 strings stand in double quotes", "3:18 a colon is missing", "3:37 a comma where", `4:20 "True" is not`, "5:2 the entry has neither", `5:8 the key "comand"`}},
		"half a key":          {"{\n \"mcpServers\": {\n  \"a\": {\n   \"command\": \"x\",\n   \"ar\n  }\n }\n}", []string{"4:3 this string is not closed"}},
		"half a string":       {"{\"mcpServers\": {\"a\": {\"command\": \"npx}}\n}", []string{"0:33 this string is not closed"}},
		"no value":            {"{\"mcpServers\": {\"a\": {\"command\": }}}", []string{"0:22 this key has no value"}},
		"no value on a line":  {"{\"mcpServers\": {\"a\": {\"command\":\n\"args\": []}}}", []string{"0:22 this key has no value"}},
		"no end":              {"{\n \"mcpServers\": {\n  \"a\": {\n   \"command\": \"x\",\n  \"b\": {\n   \"command\": \"y\"\n  }\n }\n}\n", []string{"2:7 this { is never closed"}},
		"no end of a list":    {"{\"mcpServers\": {\"a\": {\"command\": \"x\", \"args\": [\"a\"}}}", []string{"0:46 this [ is never closed"}},
		"one too many":        {"{\"mcpServers\": {}}}", []string{"0:18 text after the end"}},
		"no outermost":        {"\"mcpServers\": {}", []string{"0:0 the { of the whole file is missing"}},
		"a path of Windows":   {`{"mcpServers": {"a": {"command": "C:\Users\me\x.exe"}}}`, []string{"0:36 this escape", "0:42 this escape", "0:45 this escape"}},
		"an assignment":       {`{"mcpServers": {"a": {"command" = "x"}}}`, []string{`0:32 a "=" where`}},
		"an unclosed comment": {"{\"mcpServers\": {} /* x\n}", []string{"0:18 this comment", "0:0 this { is never"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := ParseDraft(project(), []byte(c.text)).Document
			if d.Parsed {
				t.Error("it counts as parsed")
			}
			var got []string
			for _, f := range d.Findings {
				if f.Severity == Hint {
					continue
				}
				line, character := Position(d.Text, f.Span.Start, true)
				got = append(got, fmt.Sprintf("%d:%d %s", line, character, f.Message))
			}
			if len(got) != len(c.want) {
				t.Fatalf("got %q, want %q", got, c.want)
			}
			for _, want := range c.want {
				if !strings.Contains(strings.Join(got, "\n"), want) {
					t.Errorf("%q is not among %q", want, got)
				}
			}
		})
	}
}

func TestDraft_OneFaultRepairedByItsEditLeavesNone(t *testing.T) {
	for _, text := range []string{
		`{"mcpServers": {a: {"command": "x"}}}`, `{"mcpServers": {"a": {"command": 'it"s'}}}`, `{"mcpServers": {"a": {"command" "x"}}}`,
		`{"mcpServers": {"a": {"command": "x",, "args": []}}}`, `{"mcpServers": {"a": {"command": "x" "args": []}}}`,
		"{\"mcpServers\": {\"a\": {\"command\": \"x}}\n}", `{"mcpServers": {"a": {"command": "x", "disabled": True}}}`, `{"mcpServers": {"a": {"command": "C:\Xy"}}}`,
		`{"mcpServers": {"a": {"command" = "x"}}}`,
	} {
		d := ParseDraft(File{Source: SourceUser}, []byte(text)).Document
		if len(d.Findings) != 1 || d.Findings[0].Edit == nil {
			t.Errorf("%s: %v", text, d.Findings)
			continue
		}
		fixed := apply(text, *d.Findings[0].Edit)
		if after := Parse(d.File, []byte(fixed)); !after.Parsed || len(after.Findings) > 0 {
			t.Errorf("%s becomes %s: %v", text, fixed, after.Findings)
		}
	}
}

func TestDraft_EntriesOfABrokenTextStandWhereTheyStand(t *testing.T) {
	text := "{\"mcpServers\": {\n\"x, \n 'a': {command: \"npx\" \"args\": [\"b\"]},\n\"z\": {\"url\": \"https://h\" \n"
	d := ParseDraft(File{Source: SourceUser}, []byte(text))
	e := d.Document.Entry("a")
	if e == nil || e.Command != "npx" || text[e.KeySpan.Start:e.KeySpan.End] != "'a'" || !strings.HasPrefix(text[e.Span.Start:], "{command") {
		t.Fatalf("%+v", e)
	}
	at, _ := e.Field("args[0]")
	if text[at.Start:at.End] != `"b"` {
		t.Errorf("args[0] is %q", text[at.Start:at.End])
	}
	if z := d.Document.Entry("z"); z == nil || z.URL != "https://h" {
		t.Errorf("%+v", z)
	}
	node, isKey := d.Outline().At(strings.Index(text, "command") + 2)
	if !isKey || node.Key != "command" || strings.Join(node.Path(), "/") != "mcpServers/a/command" {
		t.Errorf("%+v", node)
	}
}

func said(d *Document) string {
	var b strings.Builder
	for _, f := range d.Findings {
		fmt.Fprintln(&b, f.Code, f.Span, f.Text())
	}
	return b.String()
}

// FuzzDraft holds that a broken text can always be read after its repair, that
// every span lies in the text as it was given, and that a good text is the same.
func FuzzDraft(f *testing.F) {
	for _, seed := range seeds() {
		f.Add([]byte(seed))
		f.Add([]byte(seed[:len(seed)/2]))
	}
	f.Add([]byte("{'a':b\"c\"{[}]:=,,'\n\"\\q\x01"))
	f.Fuzz(func(t *testing.T, text []byte) {
		strict, draft := Parse(project(), text), ParseDraft(project(), text)
		if strict.Parsed && said(strict) != said(draft.Document) {
			t.Fatal("a good text is read differently")
		}
		if !strict.Parsed && (draft.Document.Parsed || len(draft.Document.Findings) == 0) {
			t.Fatal("a broken text passes")
		}
		checkedDraft(t, draft.Document)
		if !strict.Parsed && strict.Findings[0].Code == CodeSyntax {
			made := repairText(text)
			repaired := applyEdits(text, made.edits)
			if _, fault := parseTree(repaired); fault != nil && fault.code == CodeSyntax {
				t.Fatalf("%q becomes %q: %s", text, repaired, fault.message)
			}
		}
		inside := func(at Span) {
			if at.Start < 0 || at.End < at.Start || at.End > len(text) {
				t.Fatalf("%v is not in the text", at)
			}
		}
		var visit func(n *Node)
		visit = func(n *Node) {
			inside(n.Span)
			inside(n.KeySpan)
			for _, child := range n.Children {
				visit(child)
			}
		}
		if n := draft.Outline(); n != nil {
			visit(n)
		}
		for _, e := range draft.Document.Entries {
			e.Hash()
			e.UnsetVariables(nothingSet)
		}
		for offset := range min(len(text), 50) {
			draft.Outline().At(offset)
		}
	})
}
