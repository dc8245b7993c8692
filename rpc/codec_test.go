package rpc_test

import (
	stdjson "encoding/json"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/rpc"
)

// wireForms holds what a Pillion message may be made of.
type wireForms struct {
	Names  []string               `json:"names"`
	Env    map[string]string      `json:"env"`
	Body   jsontext.Value         `json:"body,omitzero"`
	Std    stdjson.RawMessage     `json:"std,omitzero"`
	Token  protocol.ProgressToken `json:"workDoneToken,omitzero"`
	Range  *protocol.Range        `json:"range,omitzero"`
	Number int64                  `json:"number,omitzero"`
	Flag   bool                   `json:"flag,omitzero"`
}

func TestMarshal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		in   any
		want string
	}{
		{"nil slice and map", wireForms{}, `{"names":[],"env":{}}`},
		{"pointer", &wireForms{}, `{"names":[],"env":{}}`},
		{"nil", nil, `null`},
		{"nothing", rpc.Null{}, `null`},
		{"nil slice", []string(nil), `[]`},
		{"html and broken text", "<a&\xff>", "\"<a&\uFFFD>\""},
		{"raw", jsontext.Value(` {"a" : 1.0}`), ` {"a" : 1.0}`},
		{"raw of encoding/json", stdjson.RawMessage(`1.0`), `1.0`},
		{"no raw", jsontext.Value(nil), `null`},
		{"raw within", wireForms{Body: jsontext.Value(`{"n":12345678901234567890,"s":"\u0041"}`)}, `{"names":[],"env":{},"body":{"n":12345678901234567890,"s":"\u0041"}}`},
		{"token", wireForms{Token: protocol.String("t")}, `{"names":[],"env":{},"workDoneToken":"t"}`},
		{"number token", wireForms{Token: protocol.Integer(7)}, `{"names":[],"env":{},"workDoneToken":7}`},
		{"LSP type within", wireForms{Range: &protocol.Range{}}, `{"names":[],"env":{},"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}}}`},
		{"nil diagnostics", protocol.PublishDiagnosticsParams{URI: "file:///x"}, `{"uri":"file:///x","diagnostics":[]}`},
		{"workspace edit", protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{"file:///b": {}, "file:///a": {}, "file:///c": {}}},
			`{"changes":{"file:///a":[],"file:///b":[],"file:///c":[]}}`},
	} {
		for range 20 { // maps have no order of their own
			got, err := rpc.Marshal(c.in)
			if err != nil || string(got) != c.want {
				t.Fatalf("%s: %s, %v; expected %s", c.name, got, err, c.want)
			}
		}
	}
}

func TestMarshalAgreesWithTheProtocol(t *testing.T) {
	t.Parallel()
	for _, v := range []any{
		&protocol.InitializeResult{Capabilities: protocol.ServerCapabilities{TextDocumentSync: protocol.TextDocumentSyncKind(2)}},
		&protocol.CompletionList{Items: []protocol.CompletionItem{{Label: "a"}}},
		&protocol.Hover{Contents: &protocol.MarkupContent{Kind: "markdown", Value: "<b>"}},
		[]protocol.CodeLens{{Command: protocol.Command{Title: "t", Command: "c"}}},
		&protocol.ShowMessageRequestParams{Type: 3, Message: "m", Actions: []protocol.MessageActionItem{{Title: "Not now"}}},
	} {
		want, err := protocol.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := rpc.Marshal(v); err != nil || string(got) != string(want) {
			t.Errorf("%T: %s, %v; the protocol's own form is %s", v, got, err, want)
		}
	}
}

func TestC62_UnmarshalIsExact(t *testing.T) {
	t.Parallel()
	var v wireForms
	text := `{"Names":["evil"],"names":["a"],"NUMBER":1,"number":9007199254740993,"workDoneToken":"x","unknown":{"a":[1]},` +
		`"body":{"Allow":1,"n":1.0},"range":{"Start":{"line":9},"start":{"line":1,"character":2}}}`
	if err := rpc.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Names) != 1 || v.Names[0] != "a" || v.Number != 9007199254740993 || v.Token != protocol.String("x") ||
		string(v.Body) != `{"Allow":1,"n":1.0}` || v.Range.Start.Line != 1 {
		t.Errorf("decoded %+v", v)
	}
	for _, text := range []string{
		`{"names":[],"names":[]}`, `{"body":{"a":{"b":1,"b":2}}}`, `{"unknown":{"a":1,"\u0061":2}}`,
		`{"names":null,}`, `{"number":1.5}`, `{"number":"1"}`, `{"names":"a"}`, `{} {}`, ``,
	} {
		if err := rpc.Unmarshal([]byte(text), new(wireForms)); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
	var p protocol.DidChangeTextDocumentParams
	if err := rpc.Unmarshal([]byte(`{"textDocument":{"uri":"file:///x","version":1},"contentChanges":[{"text":"\ud83d lone","Text":"evil"}]}`), &p); err != nil {
		t.Fatal(err)
	}
	if text, err := rpc.Marshal(&p); err != nil || strings.Contains(string(text), "evil") {
		t.Errorf("decoded %s, %v", text, err)
	}
}

func TestUnmarshalKeepsNothingOfItsInput(t *testing.T) {
	t.Parallel()
	text := []byte(`{"names":["abc"],"body":{"x":"abc"}}`)
	var v wireForms
	if err := rpc.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	for i := range text {
		text[i] = '-'
	}
	if v.Names[0] != "abc" || string(v.Body) != `{"x":"abc"}` {
		t.Errorf("the value changed with its input: %+v", v)
	}
}
