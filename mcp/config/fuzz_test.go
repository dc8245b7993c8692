package config

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

func seeds() []string {
	return []string{
		"", "{}", "[]", "null", "\ufeff{}", "// x", "/* x", `{"mcpServers":{}}`, `{"servers":{"a":{}}}`,
		`{"mcpServers":{"a":{"command":"npx","args":["-y","${A:-${B}}"],"env":{"T":"${env:T}"},"cwd":"${workspaceFolder}","envFile":".env"}}}`,
		`{"mcpServers":{"a":{"url":"https://h/${P}","type":"sse","headers":{"Authorization":"Bearer ${T}"},"timeout":5,"disabled":true}}}`,
		`{"mcpServers":{"a":{"command":"x","pillion":{"start":"eager","tools":["/a/"],"excludeTools":["b*"],"callTimeout":"5s"}}}}`,
		"{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\"Command\": 1e5,}, // c\r\n\t\t\"a\": \"\\ud83d\\ude00\",\r\n\t},\r\n}",
		`{"mcpServers":{"😀":{"command":"${input:x}","transport":"ws","url":"ftp://x"}}`,
		`{"inputs":[{"id":"x","type":"promptString","password":true},{"id":"y","type":"pickString","options":["a",{"label":"b","value":"c"}]},[]],"mcpServers":{"a":{"command":"${input:x}","args":["${A:-${input:y}}"]}}}`,
		`{"pillion":{"defaults":{"start":"eager","tools":["["],"x":1},"profiles":{"p":["a"],"q":{"connectors":["*"]}}},"mcpServers":{"a":{"command":"${A}"},"b":{"pillion":{"aliasOf":"a","profiles":["p"]}},"c":{"pillion":{"aliasOf":"b"}},"d":{"pillion":{"aliasOf":"d"}}}}`,
		strings.Repeat(`{"a":`, 70), `{"a" 1}`, "{\"a\":\"\xff\"}", `{"mcpServers":{"a":{"command":"pillion","args":["serve"]}}}`,
	}
}

// FuzzParse holds what is said of every document, and that the scanner takes
// no text that the parser refuses.
func FuzzParse(f *testing.F) {
	for _, seed := range seeds() {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, project bool) {
		file := File{Path: "/ws/.mcp.json", Source: SourceUser}
		if project {
			file.Source, file.Root = SourceProject, "/ws"
		}
		before := bytes.Clone(text)
		d := checked(t, Parse(file, text))
		if !bytes.Equal(before, text) {
			t.Fatal("the text was changed")
		}
		if _, err := hujson.Parse(append(maskMark(text), '\n')); err != nil && d.Parsed {
			t.Fatalf("parsed, yet %v", err)
		}
		for _, e := range d.Entries {
			if len(e.Hash()) != 64 || e.Hash() != checked(t, Parse(file, text)).Entry(e.Name).Hash() {
				t.Fatal("the hash is not stable")
			}
			e.Reads()
			e.UsesWorkspace()
		}
		d.UnsetVariables(nothingSet)
		lines := NewLines(text)
		for _, finding := range d.Findings {
			line, character := lines.Position(finding.Span.Start, true)
			if at := lines.Offset(line, character, true); at > finding.Span.Start && at != lines.starts[0] {
				t.Fatalf("offset %d becomes %d", finding.Span.Start, at)
			}
			if d.Parsed && finding.Edit != nil && !Parse(file, []byte(apply(string(text), *finding.Edit))).Parsed {
				t.Fatalf("%s: the edit breaks the file", finding.Text())
			}
		}
		Effective(d, []*Document{d})
	})
}

// FuzzExpand holds that nothing panics, that a variable's value is never
// looked at again, and that a string without ${ stays as it is.
func FuzzExpand(f *testing.F) {
	for _, seed := range []string{"", "$A", "${A}", "${A:-b}", "${A:-${B:-c}}", "${env:A}", "${input:a}", "${foo:bar}", "${", "${A:-", "}", "${A:-}}", "${workspaceFolder}${/}", "\x00", "\xff${A}"} {
		f.Add(seed, "${B}")
	}
	f.Fuzz(func(t *testing.T, text, variable string) {
		e := &Entry{Name: "a", File: File{Source: SourceUser}, Transport: TransportStdio, Command: "/x", Args: []string{text}, Env: []Variable{{"K", text}}}
		asked := map[string]bool{}
		s := Scope{Root: "/ws", Home: "/home/u", IsSecret: func(string, string) bool { return true }, Lookup: func(name string) (string, bool) {
			asked[name] = true
			return variable, true
		}}
		x, findings := e.Expand(s)
		for name := range asked {
			if !strings.Contains(text, name) {
				t.Fatalf("read %q, which %q does not name", name, text)
			}
		}
		_, faults := parseTemplate(text)
		for _, fault := range faults {
			if fault.start < 0 || fault.end > len(text) || fault.start >= fault.end || fault.message == "" || fault.fix == "" {
				t.Fatalf("fault %+v", fault)
			}
		}
		if len(findings) > 0 {
			return
		}
		if len(faults) > 0 {
			t.Fatalf("%q expands in spite of %v", text, faults)
		}
		if !strings.Contains(text, "${") && x.Args[0] != text || x.Args[0] != x.Env["K"] {
			t.Fatalf("%q became %q and %q", text, x.Args[0], x.Env["K"])
		}
		e.UnsetVariables(nothingSet)
	})
}

// FuzzEdit holds that an edit either fails or gives a text that parses to what
// was meant, and never touches its input.
func FuzzEdit(f *testing.F) {
	for _, seed := range seeds() {
		f.Add([]byte(seed), "a", `{"command":"x","args":["y"]}`, true)
		f.Add([]byte(seed), "b", `{"k":[{},[1,2]] /* c */}`, false)
	}
	f.Fuzz(func(t *testing.T, text []byte, name, definition string, strict bool) {
		before := bytes.Clone(text)
		file := File{Path: "/ws/.mcp.json", Source: SourceUser}
		was := Parse(file, text)
		check := func(what string, after []byte, err error) *Document {
			if !bytes.Equal(before, text) {
				t.Fatalf("%s changed its input", what)
			}
			if err != nil {
				return nil
			}
			d := checked(t, Parse(file, after))
			if !d.Parsed {
				t.Fatalf("%s gives %q: %s", what, after, d.Findings[0].Text())
			}
			for _, e := range was.Entries {
				if now := d.Entry(e.Name); e.Name != name && (now == nil || now.Text != e.Text) {
					t.Fatalf("%s changed %q", what, e.Name)
				}
			}
			return d
		}
		inserted, err := Insert(text, name, []byte(definition), strict)
		if d := check("insert", inserted, err); d != nil && len(d.Entries) <= MaxEntries && d.Entry(name) == nil {
			t.Fatalf("not inserted: %q", inserted)
		}
		removed, err := Remove(text, name)
		if d := check("remove", removed, err); d != nil && d.Entry(name) != nil {
			t.Fatalf("not removed: %q", removed)
		}
		switched, err := SetDisabled(text, name, strict)
		if d := check("switch", switched, err); d != nil && d.Entry(name).Disabled != strict {
			t.Fatalf("not switched: %q", switched)
		}
		path := []string{"pillion", "start"}
		set, err := Set(text, name, path, []byte(definition), strict)
		if d := check("set", set, err); d != nil && valueAt(canonicalText([]byte(d.Entry(name).Text)), path) != canonicalText([]byte(definition)) {
			t.Fatalf("not set: %q", set)
		}
		unset, err := Unset(text, name, path)
		if d := check("unset", unset, err); d != nil && valueAt(canonicalText([]byte(d.Entry(name).Text)), path) != "" {
			t.Fatalf("not unset: %q", unset)
		}
		replaced, err := Replace(text, name, []byte(definition))
		check("replace", replaced, err)
		if err == nil && !bytes.Equal([]byte(apply(string(text), Difference(text, replaced))), replaced) {
			t.Fatal("the difference is another")
		}
	})
}
