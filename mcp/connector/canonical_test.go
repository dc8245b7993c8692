package connector

import (
	"bytes"
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// What a permission is given for must not change its hash with the way in which it is found.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, `{"b":1,"a":[ {"d": 1.0, "c":9007199254740993} , true,null ]}`, `{"a":1,"a":2}`, `{"b":1,"a":2,"b":3}`,
		`{"é":1,"a":2}`, `{"a\u0062":1,"ab":2}`, `"x\\y"`, `{ "a" :{"z":{"y":1,"x":""},"b":"}"},"A":"{" }`, `[[[],{}],[1,-2e3,"\ud83d\ude00"]]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		raw := jsontext.Value(text)
		if !raw.IsValid(jsontext.AllowDuplicateNames(true)) || isTooDeep(text, 1000) {
			return
		}
		sorted := raw.Clone()
		want := sorted.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
		got, err := canonical(raw)
		switch {
		case errors.Is(want, jsontext.ErrDuplicateName) != errors.Is(err, jsontext.ErrDuplicateName):
			t.Errorf("%s: error %v, want %v", text, err, want)
		case want == nil && !bytes.Equal(got, sorted):
			t.Errorf("%s: %s, want %s", text, got, sorted)
		}
	})
}

// A text that is full of escapes takes no longer than its length.
func TestWalkThroughManyEscapes(t *testing.T) {
	t.Parallel()
	text := append(append([]byte(`["`), bytes.Repeat([]byte(`\n`), 1<<20)...), `"]`...)
	if values, ok := walkElements(text, 10); !ok || len(values) != 1 {
		t.Errorf("%d values, %v", len(values), ok)
	}
	if isTooDeep(text, 0) != true {
		t.Error("an array is not deeper than nothing")
	}
}

// The quick way through a valid text comes to the same as the careful one.
func FuzzWalk(f *testing.F) {
	for _, seed := range []string{`[]`, ` [ 1 , "]" , {"a":[2]} ] `, `["\\","\"",[]]`, `{"a":1}`, `{ "a\"":"}" , "b":{"c":[]} }`, `{}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		raw := jsontext.Value(text)
		if !raw.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
			_, _ = walkElements(raw, 10) // which must not crash, whatever it is
			_, _ = walkMembers(raw, func(_, _ jsontext.Value) error { return nil })
			return
		}
		if values, ok := walkElements(raw, 1000); ok {
			want, err := elements(raw, 1000)
			if err != nil || len(want) != len(values) {
				t.Fatalf("%s: %d values, want %d, error %v", text, len(values), len(want), err)
			}
			for i := range want {
				if !bytes.Equal(values[i], want[i]) {
					t.Errorf("%s: %s, want %s", text, values[i], want[i])
				}
			}
		} else if raw.Kind() == '[' && bytes.Count(text, []byte(",")) < 1000 {
			t.Errorf("%s was not gone through", text)
		}
		var walked []string
		ok, _ := walkMembers(raw, func(quoted, value jsontext.Value) error {
			name, _ := jsontext.AppendUnquote(nil, quoted)
			walked = append(walked, string(name), string(value))
			return nil
		})
		if ok != (raw.Kind() == '{') {
			t.Fatalf("%s: gone through %v", text, ok)
		}
		var want []string
		err := object(raw, func(name string, value jsontext.Value) error {
			want = append(want, name, string(value))
			return nil
		})
		for i := range want {
			if err == nil && (len(walked) != len(want) || walked[i] != want[i]) {
				t.Fatalf("%s: %q, want %q", text, walked, want)
			}
		}
	})
}
