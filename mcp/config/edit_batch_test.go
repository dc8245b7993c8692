package config

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestA5_ABatchIsWhatSingleEditsWouldBe, whatever the file looks like.
func TestA5_ABatchIsWhatSingleEditsWouldBe(t *testing.T) {
	t.Parallel()
	files := []string{
		"", "{}", "// mine\n", "{\n  // a comment\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"}, // the first\n  },\n}\n",
		`{"mcpServers":{}}`, `{"mcpServers":{"a":{"command":"x"}},"other":[1]}`, "{\r\n\t\"other\": 1\r\n}\r\n", "\xef\xbb\xbf{\"mcpServers\": {\"b\": {}}}",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.SampledFrom(files).Draw(t, "file"))
		isStrict := rapid.Bool().Draw(t, "strict")
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d e", "ü"}), 1, 6).Draw(t, "names")
		var batch Batch
		single := text
		var there []string
		for i, name := range names {
			definition := fmt.Appendf(nil, `{"command": "y", "args": [%d]}`, i)
			batch.Entries = append(batch.Entries, NewEntry{Name: name, Definition: definition})
			edited, err := Insert(single, name, definition, isStrict)
			switch {
			case errors.Is(err, ErrExists):
				there = append(there, name)
			case err != nil:
				t.Fatal(err)
			default:
				single = edited
			}
		}
		whole, stayed, err := batch.Write(text, isStrict)
		if err != nil || !slices.Equal(stayed, there) {
			t.Fatalf("stayed %v, want %v, %v", stayed, there, err)
		}
		if len(there) < len(names) && string(whole) != string(single) {
			t.Fatalf("got\n%s\nwant\n%s", whole, single)
		}
	})
}

func TestA5_ABatchBringsInputsAlong(t *testing.T) {
	t.Parallel()
	token := NewInput{ID: "token", Definition: []byte(`{"id": "token", "type": "promptString", "password": true}`)}
	batch := Batch{Entries: []NewEntry{
		{Name: "a", Definition: []byte(`{"command": "x"}`), Inputs: []NewInput{{ID: "unused", Definition: []byte(`{"id": "unused", "type": "promptString"}`)}}},
		{Name: "b", Definition: []byte(`{"command": "${input:token}"}`), Inputs: []NewInput{token}},
		{Name: "c", Definition: []byte(`{"command": "${input:token}"}`), Inputs: []NewInput{token}},
	}}
	tests := []struct{ name, text, want string }{
		{"a file without inputs", `{"mcpServers": {"a": {}}}`, `{"mcpServers": {"a": {}, "b": {"command": "${input:token}"}, "c": {"command": "${input:token}"}}, "inputs": [{"id": "token", "type": "promptString", "password": true}]}`},
		{"one that has it", "{\"inputs\": [{\"id\": \"token\", \"type\": \"promptString\"}], \"mcpServers\": {\"a\": {}}}",
			"{\"inputs\": [{\"id\": \"token\", \"type\": \"promptString\"}], \"mcpServers\": {\"a\": {}, \"b\": {\"command\": \"${input:token}\"}, \"c\": {\"command\": \"${input:token}\"}}}"},
		{"one with others and comments", "{\n  \"inputs\": [\n    {\"id\": \"o\", \"type\": \"promptString\"}, // mine\n  ],\n  \"mcpServers\": {\"a\": {}}\n}",
			"{\n  \"inputs\": [\n    {\"id\": \"o\", \"type\": \"promptString\"}, // mine\n    {\n      \"id\": \"token\",\n      \"type\": \"promptString\",\n      \"password\": true\n    }\n  ],\n  \"mcpServers\": {\"a\": {}, \"b\": {\"command\": \"${input:token}\"}, \"c\": {\"command\": \"${input:token}\"}}\n}"},
	}
	for _, test := range tests {
		got, there, err := batch.Write([]byte(test.text), true)
		if err != nil || !slices.Equal(there, []string{"a"}) {
			t.Errorf("%s: %v, %v", test.name, there, err)
		}
		if string(got) != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
		if d := parseUser(t, string(got)); d.Entry("b").Fault != nil {
			t.Errorf("%s: %s", test.name, d.Entry("b").Fault.Text())
		}
	}
	for _, text := range []string{`{"inputs": {}, "mcpServers": {}}`, `{"inputs": [], "inputs": [], "mcpServers": {}}`} {
		if _, _, err := batch.Write([]byte(text), true); err == nil {
			t.Errorf("%s: edited", text)
		}
	}
}

// BenchmarkBatch shows that the work grows with the entries, not with their square.
func BenchmarkBatch(b *testing.B) {
	for _, n := range []int{100, 1_000, 4_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var batch Batch
			for i := range n {
				batch.Entries = append(batch.Entries, NewEntry{Name: fmt.Sprintf("connector %d", i), Definition: []byte(`{"command": "npx", "args": ["-y", "pkg"]}`)})
			}
			for b.Loop() {
				if _, _, err := batch.Write([]byte(`{"mcpServers": {"mine": {"command": "x"}}}`), true); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entry")
		})
	}
}
