package rpc

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// FuzzEnvelope holds that any body is either a message or has its answer, that
// what passes is JSON, and that ids and parameters pass as they are.
func FuzzEnvelope(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{"b":[1,2.50]}}`,
		`{"jsonrpc":"2.0","id":"\u0061","\u006dethod":"a"}`,
		`{"jsonrpc":"2.0","id":1,"result":null}`, `{"id":1,"error":{"code":1,"message":"x"}}`,
		`{"jsonrpc":"2.0","method":"a","params":{"a":1,"a":2}}`, `[]`, `{}`, ``, `nul`, `{"id":1`, `{"a":1}{}`,
		`{"jsonrpc":"2.0","id":-0,"method":"\ud800"}`,
	} {
		f.Add([]byte(seed))
	}
	var r envelopeReader
	f.Fuzz(func(t *testing.T, body []byte) {
		m, problem := r.read(frame{body: body, borrowed: true})
		if problem != nil && (problem.Code == CodeParse) == json.Valid(body) && problem.Code == CodeParse {
			// encoding/json accepts broken UTF-8, which is no JSON text to us, and
			// anything else the two must agree on.
			if problem.Message != "parse error: the message is not UTF-8" {
				t.Fatalf("valid JSON was refused: %s", problem.Message)
			}
		}
		if problem == nil && !json.Valid(body) {
			t.Fatalf("accepted what is not JSON: %q", body)
		}
		if problem == nil && m.kind == 0 || problem != nil && problem.Code == 0 {
			t.Fatalf("neither a message nor an answer: %+v, %v", m, problem)
		}
		if m.id != nil && !json.Valid(m.id) || m.kind == request && m.id == nil {
			t.Fatalf("the id is %q", m.id)
		}
		if problem == nil && m.params.text != nil && !json.Valid(m.params.text) {
			t.Fatalf("the params are %q", m.params.text)
		}
		again, problem2 := r.read(frame{body: body, borrowed: true})
		if fmt.Sprint(m, problem) != fmt.Sprint(again, problem2) {
			t.Fatal("a reader that has been used reads differently")
		}
	})
}

func TestEnvelopeKeepsNoBody(t *testing.T) {
	t.Parallel()
	var r envelopeReader
	body := []byte(`{"jsonrpc":"2.0","id":"one","method":"a","params":[1]}`)
	m, problem := r.read(frame{body: body, borrowed: true})
	if problem != nil {
		t.Fatal(problem)
	}
	owned := m.params.owned()
	for i := range body {
		body[i] = 'x'
	}
	if string(m.id) != `"one"` || m.method != "a" || string(owned) != "[1]" {
		t.Errorf("id %s, method %s, params %s after the body was overwritten", m.id, m.method, owned)
	}
}

func BenchmarkEnvelope(b *testing.B) {
	text := strings.Repeat("some text with \\\"escapes\\\" in it, ", 3_000)
	for _, c := range []struct{ name, body string }{
		{"small", `{"jsonrpc":"2.0","id":1,"method":"test/add","params":{"a":1,"b":2,"q":"some text"}}`},
		{"100KB", `{"jsonrpc":"2.0","id":1,"method":"test/echo","params":{"text":"` + text + `"}}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			var r envelopeReader
			b.SetBytes(int64(len(c.body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, problem := r.read(frame{body: []byte(c.body), borrowed: true}); problem != nil {
					b.Fatal(problem)
				}
			}
		})
	}
}
