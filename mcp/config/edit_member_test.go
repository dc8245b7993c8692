package config

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/jsonc"
	"pgregory.net/rapid"
)

func TestA3_Set(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		entry, path, value, after string
	}{
		"added":                     {"{\n  \"command\": \"x\" // c\n}", "timeout", "5", "{\n  \"command\": \"x\", // c\n  \"timeout\": 5\n}"},
		"added on one line":         {`{"command": "x"}`, "timeout", "5", `{"command": "x", "timeout": 5}`},
		"into an empty entry":       {`{}`, "command", `"x"`, "{\n  \"command\": \"x\"\n}"},
		"changed":                   {`{"a": 1, /* why */ "timeout": 5 /* s */, "z": 2}`, "timeout", "1.50", `{"a": 1, /* why */ "timeout": 1.50 /* s */, "z": 2}`},
		"nested, all new":           {`{"command": "x"}`, "pillion.start", `"eager"`, `{"command": "x", "pillion": {"start": "eager"}}`},
		"nested, new on lines":      {"{\n  \"command\": \"x\"\n}", "pillion.start", `"eager"`, "{\n  \"command\": \"x\",\n  \"pillion\": {\n    \"start\": \"eager\"\n  }\n}"},
		"nested, added":             {`{"pillion": {"max": 3}}`, "pillion.start", `"eager"`, `{"pillion": {"max": 3, "start": "eager"}}`},
		"nested, changed":           {"{\"pillion\": {\n  // late\n  \"start\": \"lazy\",\n}}", "pillion.start", `"eager"`, "{\"pillion\": {\n  // late\n  \"start\": \"eager\",\n}}"},
		"comments are left out":     {`{"a": 1}`, "b", "[1, // one\n 2,]", `{"a": 1, "b": [1, 2]}`},
		"a key in another spelling": {`{"time\u006fut": 1}`, "timeout", "2", `{"time\u006fut": 2}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			around := func(entry string) string {
				return "{\"mcpServers\": {\n\"a\": {}, // a\n\"new\": " + entry + ", // new\n\"b\": {}}}"
			}
			got, err := Set([]byte(around(test.entry)), "new", strings.Split(test.path, "."), []byte(test.value), true)
			if err != nil || string(got) != around(test.after) {
				t.Errorf("%v\n got %q\nwant %q", err, got, around(test.after))
			}
		})
	}
}

func TestA3_Unset(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ entry, path, after string }{
		"only":         {`{"timeout": 5}`, "timeout", `{}`},
		"first":        {`{"timeout": 5, "a": 1}`, "timeout", `{"a": 1}`},
		"its own line": {"{\n  \"a\": 1,\n  \"timeout\": 5\n}", "timeout", "{\n  \"a\": 1\n}"},
		"nested":       {`{"pillion": {"start": "eager", "max": 3}}`, "pillion.start", `{"pillion": {"max": 3}}`},
		"last nested":  {`{"pillion": {"start": "eager"}}`, "pillion.start", `{"pillion": {}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			around := func(entry string) string { return "{\"mcpServers\": {\"new\": " + entry + ", \"b\": {}}}" }
			got, err := Unset([]byte(around(test.entry)), "new", strings.Split(test.path, "."))
			if err != nil || string(got) != around(test.after) {
				t.Errorf("%v\n got %q\nwant %q", err, got, around(test.after))
			}
		})
	}
}

func TestSetRefusals(t *testing.T) {
	t.Parallel()
	text := []byte(`{"mcpServers":{"a":{"pillion":1,"x":1,"x":2,"y":{}},"b":[],"c":{},"c":{}}}`)
	var uneditable *UneditableError
	for name, test := range map[string]struct {
		connector, path, value string
	}{
		"through a number": {"a", "pillion.start", "1"}, "a key twice": {"a", "x", "1"}, "through a key twice": {"a", "x.y", "1"},
		"entry is a list": {"b", "x", "1"}, "two of a name": {"c", "x", "1"},
		"no value": {"a", "y", ""}, "a value that is no JSON": {"a", "y", "{"}, "a value with a key twice": {"a", "y", `{"a":1,"a":2}`},
	} {
		if _, err := Set(text, test.connector, strings.Split(test.path, "."), []byte(test.value), true); !errors.As(err, &uneditable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Set(text, "none", []string{"x"}, []byte("1"), true); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if _, err := Unset(text, "a", []string{"y", "z"}); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if _, err := Set(text, "a", nil, []byte("1"), true); err == nil {
		t.Error("an entry was taken for a member")
	}
}

// drawPath draws the keys to a member, some of which entries of [file] have.
func drawPath(t *rapid.T) []string {
	return rapid.SliceOfN(rapid.SampledFrom([]string{"command", "args", "env", "k", "ü", "disabled", "pillion", "start"}), 1, 3).Draw(t, "path")
}

// valueOf is a member's value in a parsed entry, found without the editor.
func valueOf(t *rapid.T, entry string, path []string) (string, bool) {
	at := jsontext.Value(jsonc.ToJSON([]byte(entry)))
	for _, key := range path {
		if at.Kind() != '{' {
			return "", false
		}
		decoder := jsontext.NewDecoder(bytes.NewReader(at), jsontext.AllowDuplicateNames(true))
		_, _ = decoder.ReadToken()
		var next jsontext.Value
		for decoder.PeekKind() == '"' {
			name, err := decoder.ReadToken()
			if err != nil {
				t.Fatal(err)
			}
			isIt := name.String() == key
			value, err := decoder.ReadValue()
			if err != nil {
				t.Fatal(err)
			}
			if isIt {
				next = value.Clone()
			}
		}
		if next == nil {
			return "", false
		}
		at = next
	}
	return canonicalText(at), true
}

// canHold reports whether each value on a path that is there can hold the next.
func canHold(t *rapid.T, entry string, path []string) bool {
	for i := range path {
		if value, isThere := valueOf(t, entry, path[:i]); isThere && !strings.HasPrefix(value, "{") {
			return false
		}
	}
	return true
}

func TestA3_SetChangesNothingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := file(t)
		if len(g.names) == 0 {
			return
		}
		name, path, added := rapid.SampledFrom(g.names).Draw(t, "name"), drawPath(t), value(t, 2)
		before := []byte(g.text)
		old := readBack(t, before).Entry(name)
		after, err := Set(before, name, path, []byte(added), rapid.Bool().Draw(t, "strict"))
		if string(before) != g.text {
			t.Fatal("the text was changed in place")
		}
		if !canHold(t, old.Text, path) {
			if err == nil {
				t.Fatalf("set %v in %s", path, old.Text)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		d := readBack(t, after)
		e := d.Entry(name)
		if !slices.Equal(names(d), g.names) || !bytes.Equal(before[:old.Span.Start], after[:e.Span.Start]) || !bytes.Equal(before[old.Span.End:], after[e.Span.End:]) {
			t.Fatalf("more than the entry changed:\n%q\n%q", before, after)
		}
		if got, _ := valueOf(t, e.Text, path); got != canonicalText([]byte(added)) {
			t.Fatalf("%v is %s in %s", path, got, e.Text)
		}
		if was, isThere := valueOf(t, old.Text, path); isThere {
			back, err := Set(after, name, path, []byte(was), true)
			if err != nil || canonicalText([]byte(readBack(t, back).Entry(name).Text)) != canonicalText([]byte(old.Text)) {
				t.Fatalf("set back, %v:\n%q\n%q", err, before, back)
			}
		} else if !isPart(tokens(t, before), tokens(t, after)) {
			t.Fatalf("something was taken out:\n%q\n%q", before, after)
		}
		again, err := Set(after, name, path, []byte(added), true)
		if err != nil || !bytes.Equal(again, after) {
			t.Fatalf("a second time, %v:\n%q\n%q", err, after, again)
		}
	})
}

// isPart reports whether all tokens of one list come in another, in their order.
func isPart(part, whole []string) bool {
	for _, token := range whole {
		if len(part) > 0 && part[0] == token {
			part = part[1:]
		}
	}
	return len(part) == 0
}

func TestA3_UnsetChangesNothingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := file(t)
		if len(g.names) == 0 {
			return
		}
		name, path := rapid.SampledFrom(g.names).Draw(t, "name"), drawPath(t)
		before := []byte(g.text)
		old := readBack(t, before).Entry(name)
		after, err := Unset(before, name, path)
		if _, isThere := valueOf(t, old.Text, path); !isThere {
			if err == nil {
				t.Fatalf("took %v out of %s", path, old.Text)
			}
			return
		}
		if err != nil || string(before) != g.text {
			t.Fatal(err)
		}
		d := readBack(t, after)
		e := d.Entry(name)
		if !slices.Equal(names(d), g.names) || !bytes.Equal(before[:old.Span.Start], after[:e.Span.Start]) || !bytes.Equal(before[old.Span.End:], after[e.Span.End:]) {
			t.Fatalf("more than the entry changed:\n%q\n%q", before, after)
		}
		if _, isThere := valueOf(t, e.Text, path); isThere {
			t.Fatalf("%v is still in %s", path, e.Text)
		}
		if !isPart(tokens(t, after), tokens(t, before)) {
			t.Fatalf("something was put in:\n%q\n%q", before, after)
		}
		if _, err := Unset(after, name, path); !errors.Is(err, ErrNotFound) {
			t.Fatalf("a second time: %v", err)
		}
	})
}

func TestA3_SetThenUnsetGivesTheTokensBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := file(t)
		if len(g.names) == 0 {
			return
		}
		name := rapid.SampledFrom(g.names).Draw(t, "name")
		added, err := Set([]byte(g.text), name, []string{"new"}, []byte(value(t, 2)), false)
		if err != nil {
			return // the entry is no object
		}
		back, err := Unset(added, name, []string{"new"})
		if err != nil || !slices.Equal(tokens(t, back), tokens(t, []byte(g.text))) {
			t.Fatalf("%v\n%q\n%q", err, g.text, back)
		}
	})
}

// U22: a file that other hosts read as JSON stays one.
func TestU22_StrictStaysStrict(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := file(t)
		mark := strings.HasPrefix(g.text, "\ufeff")
		text := jsonc.ToJSON([]byte(strings.TrimPrefix(g.text, "\ufeff")))
		if !jsontext.Value(text).IsValid() {
			t.Fatalf("%q is no JSON to begin with", text)
		}
		if mark {
			text = append([]byte("\ufeff"), text...)
		}
		strict := rapid.Bool().Draw(t, "strict")
		definition := []byte(value(t, 3))
		check := func(what string, after []byte, err error) {
			if err != nil {
				return // not every edit can be made of every file
			}
			if rest := bytes.TrimPrefix(after, []byte("\ufeff")); !jsontext.Value(rest).IsValid() || (len(rest) < len(after)) != mark {
				t.Fatalf("%s gives %q", what, after)
			}
		}
		after, err := Insert(text, "new", definition, strict)
		check("insert", after, err)
		if len(g.names) == 0 {
			return
		}
		name := rapid.SampledFrom(g.names).Draw(t, "name")
		after, err = Replace(text, name, definition)
		check("replace", after, err)
		after, err = Remove(text, name)
		check("remove", after, err)
		after, err = SetDisabled(text, name, strict)
		check("switch", after, err)
		path := drawPath(t)
		after, err = Set(text, name, path, definition, strict)
		check("set", after, err)
		after, err = Unset(text, name, path)
		check("unset", after, err)
	})
}

func TestA3_ReplaceChangesNothingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := file(t)
		if len(g.names) == 0 {
			return
		}
		name, definition := rapid.SampledFrom(g.names).Draw(t, "name"), value(t, 3)
		before := []byte(g.text)
		old := readBack(t, before).Entry(name)
		after, err := Replace(before, name, []byte(definition))
		if !strings.HasPrefix(definition, "{") {
			if err == nil {
				t.Fatalf("took the definition %q", definition)
			}
			return
		}
		if err != nil || string(before) != g.text {
			t.Fatal(err)
		}
		d := readBack(t, after)
		e := d.Entry(name)
		if !slices.Equal(names(d), g.names) || !bytes.Equal(before[:old.Span.Start], after[:e.Span.Start]) || !bytes.Equal(before[old.Span.End:], after[e.Span.End:]) {
			t.Fatalf("more than the entry changed:\n%q\n%q", before, after)
		}
		if canonicalText([]byte(e.Text)) != canonicalText([]byte(definition)) {
			t.Fatalf("%s for %s", e.Text, definition)
		}
	})
}

// A file that does not parse is never written, whatever is wrong with it.
func TestA3_ABrokenFileIsNeverWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := file(t).text
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			text = text[:at]
		case 1:
			text = text[:at] + rapid.SampledFrom([]string{"{", "}", "\"", ",", ":", "/*", "\\", "\x00", "'", "\xff", "nul"}).Draw(t, "what") + text[at:]
		case 2:
			text = text[:at] + text[min(len(text), at+1):]
		}
		document := Parse(File{Path: "/u/mcp.json", Source: SourceUser}, []byte(text))
		if document.Parsed || len(strings.TrimSpace(text)) == 0 || document.Findings[0].Code == CodeEmpty {
			return
		}
		path := []string{"k"}
		for what, edit := range map[string]func() ([]byte, error){
			"insert":  func() ([]byte, error) { return Insert([]byte(text), "new", []byte(`{}`), true) },
			"replace": func() ([]byte, error) { return Replace([]byte(text), "a", []byte(`{}`)) },
			"remove":  func() ([]byte, error) { return Remove([]byte(text), "a") },
			"switch":  func() ([]byte, error) { return SetDisabled([]byte(text), "a", true) },
			"set":     func() ([]byte, error) { return Set([]byte(text), "a", path, []byte("1"), true) },
			"unset":   func() ([]byte, error) { return Unset([]byte(text), "a", path) },
		} {
			var uneditable *UneditableError
			if after, err := edit(); !errors.As(err, &uneditable) || after != nil {
				t.Fatalf("%s of %q: %v gives %q", what, text, err, after)
			}
		}
	})
}
