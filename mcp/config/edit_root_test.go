package config

import (
	"errors"
	"testing"
	"unicode/utf8"
)

func TestK8_AnyJSONFileIsEdited(t *testing.T) {
	for _, test := range []struct {
		name, before string
		edit         func([]byte) ([]byte, error)
		after        string
	}{
		{"a new file", "", func(b []byte) ([]byte, error) { return SetAt(b, []string{"mcp", "p"}, []byte(`{"command":["a","b"]}`)) },
			"{\n  \"mcp\": {\n    \"p\": {\n      \"command\": [\"a\", \"b\"]\n    }\n  }\n}\n"},
		{"comments stay", "{\n\t// mine\n\t\"a\": 1, // one\n}\n", func(b []byte) ([]byte, error) { return SetAt(b, []string{"p"}, []byte(`true`)) },
			"{\n\t// mine\n\t\"a\": 1, // one\n\t\"p\": true\n}\n"},
		{"a value is replaced", `{"a": {"b": 1, "c": 2}}`, func(b []byte) ([]byte, error) { return SetAt(b, []string{"a", "b"}, []byte(`false`)) },
			`{"a": {"b": false, "c": 2}}`},
		{"a list is made", `{}`, func(b []byte) ([]byte, error) { return AppendAt(b, []string{"p", "allow"}, "x") },
			"{\n  \"p\": {\n    \"allow\": [\"x\"]\n  }\n}"},
		{"a list is longer", "{\"allow\": [\n  \"a\", // mine\n  \"b\"\n]}", func(b []byte) ([]byte, error) { return AppendAt(b, []string{"allow"}, "x") },
			"{\"allow\": [\n  \"a\", // mine\n  \"b\",\n  \"x\"\n]}"},
		{"and shorter again", "{\"allow\": [\n  \"a\", // mine\n  \"b\",\n  \"x\"\n]}", func(b []byte) ([]byte, error) { return RemoveAt(b, []string{"allow"}, "x") },
			"{\"allow\": [\n  \"a\", // mine\n  \"b\"\n]}"},
		{"from its middle", `{"allow": ["a","x","b"]}`, func(b []byte) ([]byte, error) { return RemoveAt(b, []string{"allow"}, "x") }, `{"allow": ["a","b"]}`},
		{"to nothing", `{"allow": ["x"]}`, func(b []byte) ([]byte, error) { return RemoveAt(b, []string{"allow"}, "x") }, `{"allow": []}`},
		{"a member goes", "{\n  \"a\": 1,\n  \"p\": {}\n}\n", func(b []byte) ([]byte, error) { return UnsetAt(b, []string{"p"}) }, "{\n  \"a\": 1\n}\n"},
	} {
		if after, err := test.edit([]byte(test.before)); err != nil || string(after) != test.after {
			t.Errorf("%s:\n%s\nwant\n%s\n%v", test.name, after, test.after, err)
		}
	}
	for name, edit := range map[string]func() ([]byte, error){
		"no JSON":             func() ([]byte, error) { return SetAt([]byte("{"), []string{"a"}, []byte("1")) },
		"no object":           func() ([]byte, error) { return SetAt([]byte("[]"), []string{"a"}, []byte("1")) },
		"a string on the way": func() ([]byte, error) { return SetAt([]byte(`{"a":"x"}`), []string{"a", "b"}, []byte("1")) },
		"a key that is twice": func() ([]byte, error) { return UnsetAt([]byte(`{"a":1,"a":2}`), []string{"a"}) },
		"no list":             func() ([]byte, error) { return AppendAt([]byte(`{"a":1}`), []string{"a"}, "x") },
	} {
		var uneditable *UneditableError
		if text, err := edit(); !errors.As(err, &uneditable) {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
	if _, err := AppendAt([]byte(`{"a":["x"]}`), []string{"a"}, "x"); !errors.Is(err, ErrExists) {
		t.Error(err)
	}
	for _, err := range []error{
		second(RemoveAt([]byte(`{"a":["x"]}`), []string{"a"}, "y")), second(RemoveAt([]byte(`{}`), []string{"a"}, "y")), second(UnsetAt([]byte(`{}`), []string{"a"})),
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Error(err)
		}
	}
}

func second(_ []byte, err error) error { return err }

func FuzzK8_SetAndUnset(f *testing.F) {
	for _, text := range []string{"", "{}", "{\"a\": [1, /* x */ 2,],}", "\xef\xbb\xbf{\r\n\t\"a\": {\"b\": []}\r\n}"} {
		f.Add([]byte(text), "a", "x")
	}
	f.Fuzz(func(t *testing.T, text []byte, key, element string) {
		if !utf8.ValidString(key) || !utf8.ValidString(element) {
			return // they are Pillion's own words
		}
		path := []string{key, "pillion"}
		set, err := SetAt(text, path, []byte(`{"command":"x"}`))
		if err != nil {
			return
		}
		if again, err := SetAt(set, path, []byte(`{ "command": "x" }`)); err != nil || string(again) != string(set) {
			t.Fatalf("%q was set to %q, and then to %q: %v", text, set, again, err)
		}
		if _, err := UnsetAt(set, path); err != nil {
			t.Fatalf("%q: %v", set, err)
		}
		list := []string{"list"}
		added, err := AppendAt(set, list, element)
		if err != nil {
			return
		}
		if _, err := RemoveAt(added, list, element); err != nil {
			t.Fatalf("%q: %v", added, err)
		}
	})
}
