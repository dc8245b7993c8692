package catalog

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// definitions are tools as servers write them, with what o200k_base and cl100k_base make of them.
var definitions = []struct {
	name, description, schema string
	o200k, cl100k             int
}{
	{
		"save_issue", "Creates an issue, or changes one that is there. Give the id of an issue to change it; without one a new issue is made in the team that is named. Labels replace those that the issue has.",
		`{"type":"object","properties":{"id":{"type":"string","description":"The id of the issue, such as ENG-123"},"team":{"type":"string","description":"The team's key"},"title":{"type":"string","minLength":1,"maxLength":256},"labels":{"type":"array","items":{"type":"string"},"description":"Names of labels"},"priority":{"type":"integer","minimum":0,"maximum":4,"default":0}},"required":["title"],"additionalProperties":false,"$schema":"http://json-schema.org/draft-07/schema#"}`,
		167, 162,
	},
	{"list_notes", "Lists notes.", `{"type":"object","properties":{}}`, 15, 15},
	{
		"searchRepositories", "Search for repositories.\n\nArgs:\n  - query (string): words, and qualifiers such as language:go or stars:>100\n  - perPage (number): 1-100, default 30\n\nReturns a JSON list of {name, url, stars}. When nothing matches the list is empty; when the rate limit (60 requests/hour) is reached, wait until `reset` and try again.",
		`{"type":"object","properties":{"query":{"type":"string","description":"The search query"},"perPage":{"type":"number","description":"Results per page","default":30,"maximum":100},"sort":{"type":"string","enum":["stars","forks","updated"],"description":"Sort field"}},"required":["query"]}`,
		155, 151,
	},
	{
		"read_file", "Reads a file as UTF-8 text. Paths are absolute, e.g. /home/me/project/main.go; ranges count from 1.",
		`{"type":"object","properties":{"path":{"type":"string"},"range":{"anyOf":[{"type":"object","properties":{"start":{"type":"integer"},"end":{"type":"integer"}},"required":["start","end"]},{"type":"null"}]},"encoding":{"const":"utf-8"}},"required":["path"]}`,
		99, 96,
	},
	{
		"execute_query", "Runs a read-only SQL statement (SELECT, EXPLAIN, SHOW) on the database and returns up to 10,000 rows. Timestamps are ISO-8601 such as 2026-11-30T15:04:05Z. DO NOT use it for INSERT, UPDATE or DELETE: it will be refused.",
		`{"type":"object","properties":{"sql":{"type":"string","description":"One statement without a semicolon"},"parameters":{"type":"array","items":{"oneOf":[{"type":"string"},{"type":"number"},{"type":"boolean"}]}},"timeoutMs":{"type":"integer","default":30000,"exclusiveMinimum":0,"maximum":600000}},"required":["sql"]}`,
		149, 145,
	},
}

func TestJ5_WithinATenthOfARealTokenizer(t *testing.T) {
	for _, d := range definitions {
		got := float64(ToolTokens(d.name, d.description, []byte(d.schema)))
		for encoder, want := range map[string]int{"o200k_base": d.o200k, "cl100k_base": d.cl100k} {
			if ratio := got / float64(want); ratio < 0.9 || ratio > 1.1 {
				t.Errorf("%s costs %v, %s makes it %d", d.name, got, encoder, want)
			}
		}
	}
}

func TestJ5_TokensOfAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		one, both := Tokens(a), Tokens(a+" "+b)
		if one < 0 || one > 2*len(a)+1 || both > one+Tokens(b)+2 {
			t.Fatalf("%q costs %d, with %q %d", a, one, b, both)
		}
	})
}

func TestJ5_Warnings(t *testing.T) {
	for _, test := range []struct{ tokens, context, want int }{
		{0, 0, 0}, {5000, 0, 0}, {0, 8000, 0}, {100, 8000, 1}, {4000, 8000, 2}, {3200, 32_000, 2}, {3199, 32_000, 1}, {3200, 32_001, 0}, {20_000, 200_000, 1}, {19_999, 200_000, 0},
	} {
		if got := Warnings(test.tokens, test.context); len(got) != test.want {
			t.Errorf("%d of %d: %q", test.tokens, test.context, got)
		}
	}
	if Share(20_000, 200_000) != 10 || Share(1, 0) != 0 {
		t.Error("the share is wrong")
	}
}

func BenchmarkTokens(b *testing.B) {
	text := strings.Repeat(definitions[0].description+definitions[0].schema, 100)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Tokens(text)
	}
}
