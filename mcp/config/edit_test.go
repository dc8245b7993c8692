package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

func TestA3_InsertKeepsTheFilesStyle(t *testing.T) {
	t.Parallel()
	const definition = `{"command": "npx", "args": ["-y", "pkg@1"], // pinned
	"env": {"N": 1e2},}`
	tests := []struct {
		name, before, after string
		strict              bool
	}{
		{"no file", "", "{\n  \"mcpServers\": {\n    \"new\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"pkg@1\"],\n      \"env\": {\n        \"N\": 1e2\n      }\n    }\n  }\n}\n", true},
		{"a mark alone", "\ufeff", "\ufeff{\n  \"mcpServers\": {\n    \"new\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"pkg@1\"],\n      \"env\": {\n        \"N\": 1e2\n      }\n    }\n  }\n}\n", true},
		{"one line", `{"mcpServers":{"a":{"command":"x"}},"x":1}`, `{"mcpServers":{"a":{"command":"x"},"new":{"command":"npx","args":["-y","pkg@1"],"env":{"N":1e2}}},"x":1}`, true},
		{"one spaced line", `{ "mcpServers": { "a": { "command": "x" } } }`, `{ "mcpServers": { "a": { "command": "x" }, "new": {"command": "npx", "args": ["-y", "pkg@1"], "env": {"N": 1e2}} } }`, true},
		{"tabs, CRLF and a mark", "\ufeff{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\"command\":\"x\"} // note  \r\n\t}\r\n}\r\n",
			"\ufeff{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\"command\":\"x\"}, // note  \r\n\t\t\"new\": {\r\n\t\t\t\"command\": \"npx\",\r\n\t\t\t\"args\": [\"-y\", \"pkg@1\"],\r\n\t\t\t\"env\": {\r\n\t\t\t\t\"N\": 1e2\r\n\t\t\t}\r\n\t\t}\r\n\t}\r\n}\r\n", true},
		{"trailing comma", "{\n    \"mcpServers\": {\n        \"a\": {},\n        // end\n    },\n}",
			"{\n    \"mcpServers\": {\n        \"a\": {},\n        // end\n        \"new\": {\n            \"command\": \"npx\",\n            \"args\": [\"-y\", \"pkg@1\"],\n            \"env\": {\n                \"N\": 1e2\n            }\n        },\n    },\n}", false},
		{"trailing comma, strict", "{\n  \"mcpServers\": {\n    \"a\": {},\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"a\": {},\n    \"new\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"pkg@1\"],\n      \"env\": {\n        \"N\": 1e2\n      }\n    }\n  }\n}", true},
		{"no servers yet", "{\n  \"x\": 1\n}\n", "{\n  \"x\": 1,\n  \"mcpServers\": {\n    \"new\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"pkg@1\"],\n      \"env\": {\n        \"N\": 1e2\n      }\n    }\n  }\n}\n", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := Insert([]byte(test.before), "new", []byte(definition), test.strict)
			if err != nil || string(got) != test.after {
				t.Errorf("%v\n got %q\nwant %q", err, got, test.after)
			}
		})
	}
}

func TestA3_RemoveTakesItsCommaAndLine(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, before, after string }{
		{"first", "{\"mcpServers\": {\n  \"new\": {},\n  \"a\": {}\n}}", "{\"mcpServers\": {\n  \"a\": {}\n}}"},
		{"middle", "{\"mcpServers\": {\n  \"a\": {},\n  \"new\": {\n    \"command\": \"x\" // mine\n  },\n  \"b\": {}\n}}", "{\"mcpServers\": {\n  \"a\": {},\n  \"b\": {}\n}}"},
		{"last", "{\"mcpServers\": {\n  \"a\": {},\n  \"new\": {}\n}}", "{\"mcpServers\": {\n  \"a\": {}\n}}"},
		{"last with a trailing comma", "{\"mcpServers\": {\n  \"a\": {},\n  \"new\": {},\n}}", "{\"mcpServers\": {\n  \"a\": {},\n}}"},
		{"only", "{\"mcpServers\": {\n  \"new\": {}\n}}", "{\"mcpServers\": {\n}}"},
		{"comments stay", "{\"mcpServers\": {\n  // above\n  \"new\": {}, // beside\n  // below\n  \"a\": {}\n}}", "{\"mcpServers\": {\n  // above\n  // beside\n  // below\n  \"a\": {}\n}}"},
		{"comment before the comma", "{\"mcpServers\": {\n  \"a\": {} /* x */,\n  \"new\": {}\n}}", "{\"mcpServers\": {\n  \"a\": {} /* x */\n}}"},
		{"CRLF", "{\"mcpServers\": {\r\n  \"new\": {},\r\n  \"a\": {}\r\n}}", "{\"mcpServers\": {\r\n  \"a\": {}\r\n}}"},
		{"one line, first", `{"mcpServers": {"new": {}, "a": {}}}`, `{"mcpServers": {"a": {}}}`},
		{"one line, middle", `{"mcpServers": {"a": {}, "new": {}, "b": {}}}`, `{"mcpServers": {"a": {}, "b": {}}}`},
		{"one line, last", `{"mcpServers": {"a": {}, "new": {}}}`, `{"mcpServers": {"a": {}}}`},
		{"one line, only", `{"mcpServers":{"new":{}}}`, `{"mcpServers":{}}`},
		{"two on a line", "{\"mcpServers\": {\n  \"new\": {}, \"a\": {}\n}}", "{\"mcpServers\": {\n  \"a\": {}\n}}"},
		{"comma on the next line", "{\"mcpServers\": {\n  \"new\": {}\n  , \"a\": {}\n}}", "{\"mcpServers\": {\n  \"a\": {}\n}}"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := Remove([]byte(test.before), "new")
			if err != nil || string(got) != test.after {
				t.Errorf("%v\n got %q\nwant %q", err, got, test.after)
			}
		})
	}
}

func TestA3_SetDisabled(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, before string
		disabled     bool
		after        string
	}{
		{"added", "{\n  \"command\": \"x\" // c\n}", true, "{\n  \"command\": \"x\", // c\n  \"disabled\": true\n}"},
		{"added on one line", `{"command": "x"}`, true, `{"command": "x", "disabled": true}`},
		{"not needed", `{"command": "x"}`, false, `{"command": "x"}`},
		{"switched", `{"disabled": true, "command": "x"}`, false, `{"disabled": false, "command": "x"}`},
		{"switched on enabled", `{"enabled": true, "command": "x"}`, true, `{"enabled": false, "command": "x"}`},
		{"both", `{"enabled": true, "disabled": true}`, false, `{"enabled": true, "disabled": false}`},
		{"unclear", `{"disabled": "yes"}`, true, `{"disabled": true}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			around := func(entry string) string {
				return "{\"mcpServers\": {\n\"a\": {}, // a\n\"new\": " + entry + ", // new\n\"b\": {}}}"
			}
			got, err := SetDisabled([]byte(around(test.before)), "new", test.disabled)
			if err != nil || string(got) != around(test.after) {
				t.Errorf("%v\n got %q\nwant %q", err, got, around(test.after))
			}
		})
	}
}

func TestReplaceKeepsThePlace(t *testing.T) {
	t.Parallel()
	before := "{\n  \"mcpServers\": {\n    // first\n    \"a\": {\"command\": \"x\"}, // beside\n    \"b\": {}\n  }\n}\n"
	got, err := Replace([]byte(before), "a", []byte(`{"url":"https://h/"}`))
	want := "{\n  \"mcpServers\": {\n    // first\n    \"a\": {\n      \"url\": \"https://h/\"\n    }, // beside\n    \"b\": {}\n  }\n}\n"
	if err != nil || string(got) != want {
		t.Errorf("%v\n got %q\nwant %q", err, got, want)
	}
}

func TestC06_AFileThatDoesNotParseIsLeftAlone(t *testing.T) {
	t.Parallel()
	good := []byte(`{"command":"x"}`)
	for _, text := range []string{`{"mcpServers": {"a": {"command" "x"}}`, "[]", "null", `{"mcpServers": []}`, `{"mcpServers":{},"mcpServers":{}}`, "\xff\xfe{}", "{\"a\":\"\xff\"}"} {
		before := []byte(text)
		_, inserted := Insert(before, "new", good, true)
		_, removed := Remove(before, "a")
		_, switched := SetDisabled(before, "a", true)
		_, replaced := Replace(before, "a", good)
		for _, err := range []error{inserted, removed, switched, replaced} {
			var uneditable *UneditableError
			if err == nil || !errors.As(err, &uneditable) && !errors.Is(err, ErrNotFound) {
				t.Errorf("%q: %v", text, err)
			}
		}
		if string(before) != text {
			t.Errorf("%q was changed to %q", text, before)
		}
		var uneditable *UneditableError
		if !errors.As(inserted, &uneditable) || uneditable.Finding.Message == "" {
			t.Errorf("%q: %v", text, inserted)
		}
	}
}

func TestEditRefusals(t *testing.T) {
	t.Parallel()
	text := []byte(`{"mcpServers":{"a":{"command":"x"},"b":{},"b":{},"c":1,"d":{"disabled":true,"disabled":false}}}`)
	if _, err := Insert(text, "a", []byte(`{}`), true); !errors.Is(err, ErrExists) {
		t.Errorf("existing: %v", err)
	}
	if _, err := Remove(text, "none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("absent: %v", err)
	}
	var uneditable *UneditableError
	for name, edit := range map[string]func() ([]byte, error){
		"two of a name":            func() ([]byte, error) { return Remove(text, "b") },
		"entry is a number":        func() ([]byte, error) { return SetDisabled(text, "c", true) },
		"two switches":             func() ([]byte, error) { return SetDisabled(text, "d", true) },
		"reserved name":            func() ([]byte, error) { return Insert(text, "browser", []byte(`{}`), true) },
		"empty name":               func() ([]byte, error) { return Insert(text, "", []byte(`{}`), true) },
		"definition is an array":   func() ([]byte, error) { return Insert(text, "n", []byte(`[]`), true) },
		"definition is no JSON":    func() ([]byte, error) { return Insert(text, "n", []byte(`{`), true) },
		"definition has two of it": func() ([]byte, error) { return Insert(text, "n", []byte(`{"a":1,"a":2}`), true) },
		"no definition":            func() ([]byte, error) { return Replace(text, "a", nil) },
	} {
		if _, err := edit(); !errors.As(err, &uneditable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDifference(t *testing.T) {
	t.Parallel()
	tests := []struct {
		before, after string
		want          Edit
	}{
		{"abc", "abc", Edit{Span{3, 3}, ""}},
		{"abc", "axc", Edit{Span{1, 2}, "x"}},
		{"ac", "abc", Edit{Span{1, 1}, "b"}},
		{"aa", "aaa", Edit{Span{2, 2}, "a"}},
		{"", "a", Edit{Span{0, 0}, "a"}},
		{"é", "è", Edit{Span{0, 2}, "è"}},
		{"日", "旦", Edit{Span{0, 3}, "旦"}},
	}
	for _, test := range tests {
		if got := Difference([]byte(test.before), []byte(test.after)); got != test.want {
			t.Errorf("%q to %q: %+v", test.before, test.after, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		runes := rapid.StringOf(rapid.SampledFrom([]rune("ab\né日😀")))
		before, after := runes.Draw(t, "before"), runes.Draw(t, "after")
		if got := apply(before, Difference([]byte(before), []byte(after))); got != after {
			t.Fatalf("gives %q", got)
		}
	})
}

// generated is a random file in every style that the grammar allows.
type generated struct {
	text    string
	names   []string
	servers bool
}

// blank draws whitespace and comments.
func blank(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"", "", "", " ", "\n", "\n  ", "\r\n", "\t", "/* c */", "/*,}\"*/", "// c, \"}\n", "//\r\n", "  // é😀 \n\t",
		"\r", "   \n       ", " \t\n\n", "/**/", "/* \r\n */", "/***/", "/*/ */", "//*\n", "// \"new\": {}, \n", "/* \"mcpServers\": { */"}), 0, 2).Draw(t, "blank"), "")
}

func value(t *rapid.T, depth int) string {
	if depth == 0 || rapid.IntRange(0, 2).Draw(t, "plain") > 0 {
		return rapid.SampledFrom([]string{"null", "true", "1.50", "-0", "12345678901234567890", `""`, `"a"`, `"\"}\\"`, `"// é"`, `"\u00e9/*"`, "{}", "[]",
			`"\"new\": {"`, `"mcpServers"`, `"\u2028\u0000"`, `"${env:T}"`, "1E+400", "-1e-7", "false"}).Draw(t, "literal")
	}
	if rapid.Bool().Draw(t, "array") {
		var items []string
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			items = append(items, value(t, depth-1))
		}
		return list(t, "[", items, "]")
	}
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"command", "args", "env", "k", "ü", `\"`, "disabled", "enabled"}), 0, 4, rapid.ID).Draw(t, "keys")
	var items []string
	for _, name := range names {
		items = append(items, `"`+name+`"`+blank(t)+":"+blank(t)+value(t, depth-1))
	}
	return list(t, "{", items, "}")
}

func list(t *rapid.T, opening string, items []string, closing string) string {
	var b strings.Builder
	b.WriteString(opening)
	for i, item := range items {
		b.WriteString(blank(t) + item + blank(t))
		if i+1 < len(items) || rapid.Bool().Draw(t, "trailing comma") {
			b.WriteString(",")
		}
	}
	b.WriteString(blank(t) + closing)
	return b.String()
}

// spelled writes a key, now and then in another way than anybody would.
func spelled(t *rapid.T, key string) string {
	if first := key[0]; first < 0x80 && rapid.IntRange(0, 4).Draw(t, "escaped") == 0 {
		return fmt.Sprintf(`"\u%04x%s"`, first, key[1:])
	}
	return `"` + key + `"`
}

func file(t *rapid.T) generated {
	g := generated{servers: rapid.IntRange(0, 9).Draw(t, "servers") > 0}
	var members []string
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "inputs", "$schema"}), 0, 2, rapid.ID).Draw(t, "root keys") {
		members = append(members, `"`+key+`"`+blank(t)+":"+blank(t)+value(t, 2))
	}
	if g.servers {
		g.names = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "a b", "é", "😀", "mcpServers", "// x", "$ref"}), 0, 4, rapid.ID).Draw(t, "names")
		var entries []string
		for _, name := range g.names {
			entries = append(entries, spelled(t, name)+blank(t)+":"+blank(t)+value(t, 3))
		}
		servers := `"mcpServers"` + blank(t) + ":" + blank(t) + list(t, "{", entries, "}")
		members = slices.Insert(members, rapid.IntRange(0, len(members)).Draw(t, "place"), servers)
	}
	mark := rapid.SampledFrom([]string{"", "", "\ufeff"}).Draw(t, "mark")
	g.text = mark + blank(t) + list(t, "{", members, "}") + blank(t)
	return g
}

// tokens takes a text apart into everything but whitespace: comments are
// tokens, to the byte.
func tokens(t *rapid.T, text []byte) []string {
	var out []string
	for at := 0; at < len(text); {
		rest := text[at:]
		n := 1
		switch c := rest[0]; {
		case bytes.HasPrefix(rest, []byte(byteOrderMark)):
			n = len(byteOrderMark)
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			at++
			continue
		case c == '"':
			for n < len(rest) && rest[n] != '"' {
				if rest[n] == '\\' {
					n++
				}
				n++
			}
			n++
		case bytes.HasPrefix(rest, []byte("//")):
			n = bytes.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			n = len(bytes.TrimRight(rest[:n], "\r")) // it belongs to the line end
		case bytes.HasPrefix(rest, []byte("/*")):
			n = 2 + bytes.Index(rest[2:], []byte("*/")) + 2
		case isWord(c):
			for n < len(rest) && isWord(rest[n]) {
				n++
			}
		}
		out = append(out, string(rest[:n]))
		at += n
	}
	return out
}

// withoutRun removes one run of tokens, which must be there.
func withoutRun(t *rapid.T, from, run []string) []string {
	for i := 0; i+len(run) <= len(from); i++ {
		if slices.Equal(from[i:i+len(run)], run) {
			return slices.Concat(from[:i], from[i+len(run):])
		}
	}
	t.Fatalf("%q is not in %q", run, from)
	return nil
}

// sameButCommas reports whether two lists differ in at most n commas.
func sameButCommas(long, short []string, n int) bool {
	i := 0
	for _, token := range long {
		if i < len(short) && short[i] == token {
			i++
			continue
		}
		if token != "," || n == 0 {
			return false
		}
		n--
	}
	return i == len(short)
}

// readBack parses an edited text.
func readBack(t *rapid.T, text []byte) *Document {
	d := Parse(File{Path: "/u/mcp.json", Source: SourceUser}, text)
	if !d.Parsed {
		t.Fatalf("%q does not parse: %s", text, d.Findings[0].Text())
	}
	return d
}

func names(d *Document) []string {
	var list []string
	for _, e := range d.Entries {
		list = append(list, e.Name)
	}
	return list
}

// sameAround holds that two texts are one, byte for byte, up to the entry before a place in mcpServers and from what
// follows it: the entry after the place, or the closing brace.
func sameAround(t *rapid.T, before, after []byte, last, next string) {
	start, end := [2]int{}, [2]int{}
	for i, text := range [][]byte{before, after} {
		ed, err := newEditor(text)
		if err != nil {
			t.Fatal(err)
		}
		start[i], end[i] = ed.servers.StartOffset+1, len(text)-(ed.servers.EndOffset-1)
		for _, m := range members(ed.servers) {
			switch m.key {
			case last:
				start[i] = m.value.EndOffset
			case next:
				end[i] = len(text) - m.keySpan.Start
			}
		}
	}
	if !bytes.Equal(before[:start[0]], after[:start[1]]) || !bytes.Equal(before[len(before)-end[0]:], after[len(after)-end[1]:]) {
		t.Fatalf("bytes changed beyond the entry:\n%q\n%q", before, after)
	}
}

func TestA3_InsertChangesNothingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := file(t)
		strict := rapid.Bool().Draw(t, "strict")
		definition := value(t, 3)
		before := []byte(g.text)
		after, err := Insert(before, "new", []byte(definition), strict)
		if !strings.HasPrefix(definition, "{") {
			if err == nil {
				t.Fatalf("took the definition %q", definition)
			}
			return
		}
		if err != nil || string(before) != g.text {
			t.Fatalf("%v", err)
		}
		d := readBack(t, after)
		if !slices.Equal(names(d), append(slices.Clone(g.names), "new")) {
			t.Fatalf("%q names %q", after, names(d))
		}
		if got, want := canonicalText([]byte(d.Entry("new").Text)), canonicalText([]byte(definition)); got != want {
			t.Fatalf("entry %s, want %s", got, want)
		}
		if strictText := []byte(d.Entry("new").Text); !jsontext.Value(strictText).IsValid() {
			t.Fatalf("%s is not strict JSON", strictText)
		}
		rest := withoutRun(t, tokens(t, after), append([]string{`"new"`, ":"}, tokens(t, []byte(d.Entry("new").Text))...))
		if g.servers {
			sameAround(t, before, after, append([]string{""}, g.names...)[len(g.names)], "")
		} else {
			rest = withoutRun(t, rest, []string{`"mcpServers"`, ":", "{", "}"})
		}
		if !sameButCommas(rest, tokens(t, before), 1) {
			t.Fatalf("more than the entry changed:\n%q\n%q", before, after)
		}
	})
}

func TestA3_RemoveChangesNothingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := file(t)
		if len(g.names) == 0 {
			return
		}
		name := rapid.SampledFrom(g.names).Draw(t, "name")
		before := []byte(g.text)
		entry := readBack(t, before).Entry(name)
		after, err := Remove(before, name)
		if err != nil || string(before) != g.text {
			t.Fatalf("%v", err)
		}
		want := slices.DeleteFunc(slices.Clone(g.names), func(n string) bool { return n == name })
		if d := readBack(t, after); !slices.Equal(names(d), want) {
			t.Fatalf("%q names %q", after, names(d))
		}
		rest := withoutRun(t, tokens(t, before), tokens(t, before[entry.KeySpan.Start:entry.Span.End]))
		if !sameButCommas(rest, tokens(t, after), 1) {
			t.Fatalf("more than the entry changed:\n%q\n%q", before, after)
		}
		around, at := slices.Concat([]string{""}, g.names, []string{""}), slices.Index(g.names, name)+1
		sameAround(t, before, after, around[at-1], around[at+1])
		// Entries before and after keep every byte, whitespace too.
		for _, other := range readBack(t, after).Entries {
			if was := readBack(t, before).Entry(other.Name); was.Text != other.Text {
				t.Fatalf("%s changed from %q to %q", other.Name, was.Text, other.Text)
			}
		}
	})
}

func TestA3_SetDisabledChangesNothingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := file(t)
		if len(g.names) == 0 {
			return
		}
		name := rapid.SampledFrom(g.names).Draw(t, "name")
		off := rapid.Bool().Draw(t, "off")
		before := []byte(g.text)
		was := readBack(t, before)
		after, err := SetDisabled(before, name, off)
		if string(before) != g.text {
			t.Fatal("the text was changed in place")
		}
		if !strings.HasPrefix(was.Entry(name).Text, "{") {
			if err == nil {
				t.Fatalf("switched %s", was.Entry(name).Text)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		d := readBack(t, after)
		if d.Entry(name).Disabled != off || !slices.Equal(names(d), g.names) {
			t.Fatalf("%q", after)
		}
		e, old := d.Entry(name), was.Entry(name)
		if !bytes.Equal(before[:old.Span.Start], after[:e.Span.Start]) || !bytes.Equal(before[old.Span.End:], after[e.Span.End:]) {
			t.Fatalf("more than the entry changed:\n%q\n%q", before, after)
		}
		if old.Fault == nil && e.Fault == nil && old.Hash() != e.Hash() {
			t.Fatal("the hash changed")
		}
		again, err := SetDisabled(after, name, off)
		if err != nil || !bytes.Equal(again, after) {
			t.Fatalf("a second time: %v\n%q\n%q", err, after, again)
		}
	})
}

func TestA3_InsertThenRemoveGivesTheTokensBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := file(t)
		added, err := Insert([]byte(g.text), "new", []byte(`{"command":"x"}`), false)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Remove(added, "new")
		if err != nil {
			t.Fatal(err)
		}
		got := tokens(t, back)
		if !g.servers {
			got = withoutRun(t, got, []string{`"mcpServers"`, ":", "{", "}"})
		}
		if want := tokens(t, []byte(g.text)); !sameButCommas(got, want, 1) || g.servers && !slices.Equal(got, want) {
			t.Fatalf("%q\n%q", g.text, back)
		}
	})
}

func ExampleInsert() {
	before := "{\n  // the team's\n  \"mcpServers\": {}\n}\n"
	after, err := Insert([]byte(before), "docs", []byte(`{"url": "https://example.com/mcp"}`), true)
	fmt.Print(string(after), err)
	// Output:
	// {
	//   // the team's
	//   "mcpServers": {
	//     "docs": {
	//       "url": "https://example.com/mcp"
	//     }
	//   }
	// }
	// <nil>
}
