package agenthost

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

func TestI7_ASectionHasOneLineForEachTool(t *testing.T) {
	t.Parallel()
	section := NewSection([]Tool{
		{"notes__list", "List notes.\u2028Then obey."},
		{"git__log", strings.Repeat("a very long story ", 20)},
		{"bare__one", ""},
	})
	lines := strings.Split(strings.TrimSuffix(section.Text, "\n"), "\n")
	if len(lines) != 4 || lines[1] != "- bare__one" || lines[3] != "- notes__list: List notes. Then obey." {
		t.Fatalf("%q", lines)
	}
	if n := utf8.RuneCountInString(lines[2]); n != MaxLine || !strings.HasPrefix(lines[2], "- git__log: a very") || !strings.HasSuffix(lines[2], "…") {
		t.Errorf("%d characters: %q", n, lines[2])
	}
	if section.Tokens == 0 {
		t.Error("it costs nothing")
	}
	if empty := NewSection(nil); empty.Text != "" || empty.Tokens != 0 {
		t.Errorf("%+v", empty)
	}
}

func TestI7_OnlyAChangeOfTheToolsMakesAPromptStale(t *testing.T) {
	t.Parallel()
	a, b := Tool{"a", "one"}, Tool{"b", "two"}
	stamp := NewSection([]Tool{a, b}).Stamp
	if other := NewSection([]Tool{b, a}).Stamp; other != stamp {
		t.Errorf("the order makes %s of %s", other, stamp)
	}
	for _, tools := range [][]Tool{{a}, {a, {"b", "three"}}, {a, b, {"c", ""}}, nil} {
		if NewSection(tools).Stamp == stamp {
			t.Errorf("%v has the stamp of another", tools)
		}
	}
}

func TestI7_WhatIsDownIsALineEach(t *testing.T) {
	t.Parallel()
	if got := DownFacts(nil); got != "" {
		t.Errorf("%q", got)
	}
	got := DownFacts([]Down{{"git", "it ended with exit code 1:\nobey"}, {"web", "it must be allowed first"}})
	want := "The tools of git cannot be used now: it ended with exit code 1: obey.\nThe tools of web cannot be used now: it must be allowed first.\n"
	if got != want {
		t.Errorf("%q", got)
	}
}

func TestI7_ArgumentsAreToldWithoutTheirSchemasAddress(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]Arguments{
		``:                                {Schema: jsontext.Value(`{"type":"object"}`), IsEmpty: true},
		`{"$schema":"x","type":"object"}`: {Schema: jsontext.Value(`{"type":"object"}`), IsEmpty: true},
		`{"type":"object","properties":{},"additionalProperties":false}`:   {Schema: jsontext.Value(`{"type":"object","properties":{},"additionalProperties":false}`), IsEmpty: true},
		`{"type":"object","additionalProperties":true}`:                    {Schema: jsontext.Value(`{"type":"object","additionalProperties":true}`)},
		`{"oneOf":[{"required":["a"]}]}`:                                   {Schema: jsontext.Value(`{"oneOf":[{"required":["a"]}]}`)},
		`{"required":["a","b"],"properties":{"a":{"maximum":1e400}}}`:      {Schema: jsontext.Value(`{"required":["a","b"],"properties":{"a":{"maximum":1e400}}}`), Required: []string{"a", "b"}, Undescribed: []string{"b"}},
		`{"properties":{"$schema":{"type":"string"}},"$schema":"x","x":1}`: {Schema: jsontext.Value(`{"properties":{"$schema":{"type":"string"}},"x":1}`)},
	} {
		got, err := NewArguments([]byte(schema))
		if err != nil || string(got.Schema) != string(want.Schema) || got.IsEmpty != want.IsEmpty ||
			!slices.Equal(got.Required, want.Required) || !slices.Equal(got.Undescribed, want.Undescribed) {
			t.Errorf("%s: %s %+v %v", schema, got.Schema, got, err)
		}
	}
	for _, schema := range []string{`true`, `[]`, `{"type":"object"`, `{"required":"a"}`, `{"a":1,"a":2}`} {
		if got, err := NewArguments([]byte(schema)); err == nil {
			t.Errorf("%s: %+v", schema, got)
		}
	}
	a := Arguments{Required: []string{"a", "b", "c"}}
	if got := a.Missing([]byte(`{"b":null}`)); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("missing: %v", got)
	}
}

const mendable = `{"type":"object","required":["id"],"properties":{
	"id":{"type":"integer"},"note":{"type":"string"},"maybe":{"type":["string","null"]},"opt":{"anyOf":[{"type":"integer"},{"type":"null"}]},
	"nullable":{"type":"string","nullable":true},"flag":{"type":"boolean"},"list":{"type":"array","items":{"type":"number"}},
	"in":{"type":"object","properties":{"deep/er":{"type":"integer"},"gone":{"type":"string"}}},"either":{"type":["integer","string"]}}}`

func TestI7_ArgumentsAreCleaned(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, written, want string
		changes             []string
	}{
		{"as they are", `{"id":12345678901234567890,"note":"1"}`, `{"id":12345678901234567890,"note":"1"}`, nil},
		{"nothing", "  \n", `{}`, []string{"nothing made {}"}},
		{"null", "null", `{}`, []string{"null made {}"}},
		{"a fence", "```json\n{\"id\":1}\n```", `{"id":1}`, []string{"taken out of a fence"}},
		{"a longer fence", "````\n{\"note\":\"```\"}\n````\n", "{\"note\":\"```\"}", []string{"taken out of a fence"}},
		{"a string", `"{\"id\":1}"`, `{"id":1}`, []string{"JSON in a string taken out of it"}},
		{"a number in a string", `{"id":"0010"}`, `{"id":"0010"}`, nil}, // no number of JSON
		{"an integer in a string", `{"id":"10"}`, `{"id":10}`, []string{"/id: a number in a string taken out of it"}},
		{"no integer", `{"id":"1.5"}`, `{"id":"1.5"}`, nil},
		{"a truth value", `{"flag":"true","note":"true"}`, `{"flag":true,"note":"true"}`, []string{"/flag: a truth value in a string taken out of it"}},
		{"an array", `{"list":"[1,\"2\"]"}`, `{"list":[1,2]}`, []string{"/list: an array in a string taken out of it", "/list/1: a number in a string taken out of it"}},
		{"an object in a string", `{"in":"{\"deep/er\":\"3\"}"}`, `{"in":{"deep/er":3}}`, []string{"/in: an object in a string taken out of it", "/in/deep~1er: a number in a string taken out of it"}},
		{"null that is meant", `{"maybe":null,"opt":null,"nullable":null,"id":null,"unknown":null}`, `{"maybe":null,"opt":null,"nullable":null,"id":null,"unknown":null}`, nil},
		{"null for nothing", `{"note":null,"in":{"gone":null}}`, `{"in":{}}`, []string{"/note: null left out", "/in/gone: null left out"}},
		{"what may be either", `{"either":"5"}`, `{"either":"5"}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, changes, err := Clean(c.written, []byte(mendable))
			if err != nil || string(got) != c.want || !slices.Equal(changes, c.changes) {
				t.Errorf("%s %q %v", got, changes, err)
			}
		})
	}
}

func TestI7_WhatIsNoObjectIsNotMadeOne(t *testing.T) {
	t.Parallel()
	for _, written := range []string{
		`[1]`, `"id"`, `5`, `{"id":1} and so on`, `{"id":1`, `{"id":1,"id":2}`, "{\"note\":\"\xff\"}", `{"note":"\ud800"}`, "```json\n{}", `{'id':1}`,
	} {
		if got, changes, err := Clean(written, []byte(mendable)); err == nil {
			t.Errorf("%s: %s %q", written, got, changes)
		}
	}
}

// FuzzClean: what is cleaned is an object that is clean.
func FuzzClean(f *testing.F) {
	f.Add(`{"id":"1","list":["1"]}`, mendable)
	f.Add("```\n\"{}\"\n```", `{"properties":{"a":{"$ref":"#"}}}`)
	f.Fuzz(func(t *testing.T, written, schema string) {
		got, _, err := Clean(written, []byte(schema))
		if err != nil {
			return
		}
		if got.Kind() != '{' || !got.IsValid() {
			t.Fatalf("%s", got)
		}
		again, changes, err := Clean(string(got), []byte(schema))
		if err != nil || len(changes) > 0 || string(again) != string(got) {
			t.Fatalf("%s, then %s %q %v", got, again, changes, err)
		}
	})
}
