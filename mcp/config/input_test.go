package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// inputsOf parses a user's file with these inputs and an entry that refers to token.
func inputsOf(t *testing.T, inputs string) *Document {
	t.Helper()
	return parseUser(t, `{"inputs":`+inputs+`,"mcpServers":{"a":{"command":"x","args":["--as","${input:token}"],"env":{"T":"Bearer ${input:token}"}}}}`)
}

func TestA4_InputsAsVSCodeWritesThem(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		inputs string
		want   Input
	}{
		"password": {`[{"type":"promptString","id":"token","description":"Your key","password":true}]`, Input{ID: "token", Description: "Your key", IsSecret: true}},
		"text":     {`[{"id":"token","type":"promptString","default":"d"}]`, Input{ID: "token", Default: "d"}},
		"shown":    {`[{"id":"token","type":"promptString","password":false}]`, Input{ID: "token"}},
		"pick":     {`[{"id":"token","type":"pickString","options":["one","two"],"default":"two"}]`, Input{ID: "token", Options: []string{"one", "two"}, Default: "two"}},
		"labels":   {`[{"id":"token","type":"pickString","options":[{"label":"One","value":"1"},"two"]}]`, Input{ID: "token", Options: []string{"1", "two"}}},
		"among":    {`[{"id":"other","type":"promptString"},/* c */{"id":"token","type":"promptString"},]`, Input{ID: "token"}},
	} {
		d := inputsOf(t, test.inputs)
		sound(t, d.Entries[0])
		if !reflect.DeepEqual(d.Entries[0].Inputs, []Input{test.want}) {
			t.Errorf("%s: %+v", name, d.Entries[0].Inputs)
		}
		without(t, d.Findings, CodeInput)
		without(t, d.Findings, CodeUnsupported)
	}
}

func TestA4_InputsAfterTheConnectorsCountToo(t *testing.T) {
	t.Parallel()
	d := parseUser(t, `{"mcpServers":{"a":{"command":"x","args":["${A:-${input:b}}","${input:a}"]}},"inputs":[{"id":"a","type":"promptString"},{"id":"b","type":"promptString"},{"id":"c","type":"promptString"}]}`)
	sound(t, d.Entries[0])
	if got := d.Entries[0].Inputs; len(got) != 2 || got[0].ID != "a" || got[1].ID != "b" {
		t.Errorf("%+v", got)
	}
}

func TestA4_InputsThatCannotBeAskedFor(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ inputs, at string }{
		"none":            {`[]`, "${input:token}"},
		"unknown type":    {`[{"id":"token","type":"command","command":"evil"}]`, `"command"`},
		"no type":         {`[{"id":"token"}]`, `"token"`},
		"type is a list":  {`[{"id":"token","type":[]}]`, `[]`},
		"no options":      {`[{"id":"token","type":"pickString"}]`, `"token"`},
		"empty options":   {`[{"id":"token","type":"pickString","options":[]}]`, `[]`},
		"odd option":      {`[{"id":"token","type":"pickString","options":[1]}]`, `1`},
		"foreign default": {`[{"id":"token","type":"pickString","options":["a"],"default":"b"}]`, `"b"`},
		"odd password":    {`[{"id":"token","type":"promptString","password":"yes"}]`, `"yes"`},
		"odd description": {`[{"id":"token","type":"promptString","description":1}]`, `1`},
		"twice":           {`[{"id":"token","type":"promptString"},{"id":"token","type":"promptString","password":true}]`, `"token"`},
		"no object":       {`["token"]`, `"token"`},
		"no id":           {`[{"type":"promptString"}]`, `{"type":"promptString"}`},
		"no array":        {`{"token":{}}`, `{"token":{}}`},
	} {
		d := inputsOf(t, test.inputs)
		e := d.Entries[0]
		fault(t, e, CodeInput)
		if len(e.Inputs) != 0 {
			t.Errorf("%s: %+v", name, e.Inputs)
		}
		points := slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.Code == CodeInput && textAt(d, f.Span) == test.at })
		if !points {
			t.Errorf("%s: no finding at %s: %+v", name, test.at, d.Findings)
		}
	}
	d := inputsOf(t, `[{"id":"token","type":"promptString","password":false,"password":true}]`)
	fault(t, d.Entries[0], CodeInput)
	finding(t, d.Findings, CodeDuplicateKey)
	d = inputsOf(t, `[{"id":"token","type":"promptString","password":true,"default":"in-the-clear"}]`)
	sound(t, d.Entries[0])
	if f := finding(t, d.Findings, CodeInput); f.Severity != Warning || d.Entries[0].Inputs[0].Default != "" {
		t.Errorf("%+v, %+v", f, d.Entries[0].Inputs)
	}
}

// A repository asks for no secrets: neither its inputs nor its references count (S11).
func TestS11_AProjectHasNoInputs(t *testing.T) {
	t.Parallel()
	for _, f := range []File{
		{Path: "/ws/" + ProjectFileName, Source: SourceProject, Root: "/ws"},
		{Path: "/home/u/.vscode/mcp.json", Source: SourceImport},
	} {
		d := checked(t, Parse(f, []byte(`{"inputs":[{"id":"token","type":"promptString"}],"mcpServers":{"a":{"command":"x","env":{"T":"${input:token}"}}}}`)))
		e := d.Entries[0]
		fault(t, e, CodeInput)
		if e.Fault.Severity != Error || !strings.Contains(e.Fault.Message, "your own mcp.json alone") || len(e.Inputs) != 0 {
			t.Errorf("%+v, %+v", e.Fault, e.Inputs)
		}
		if f := finding(t, d.Findings, CodeInput); f.Severity != Warning || textAt(d, f.Span) != `"inputs"` {
			t.Errorf("%+v", f)
		}
	}
}

func TestA4_InputsAreExpandedOnce(t *testing.T) {
	t.Parallel()
	e := inputsOf(t, `[{"id":"token","type":"promptString"}]`).Entries[0]
	asked := ""
	given := func(id string) (string, bool) { asked = id; return "${A} ${input:token} $B", true }
	got, findings := e.Expand(Scope{Input: given, Lookup: lookupIn(map[string]string{"A": "never"})})
	if len(findings) > 0 || got.Args[1] != "${A} ${input:token} $B" || got.Env["T"] != "Bearer ${A} ${input:token} $B" || asked != "token" {
		t.Errorf("%+v, %v, %q", got, findings, asked)
	}
	for _, none := range []func(string) (string, bool){nil, func(string) (string, bool) { return "", false }} {
		if _, findings := e.Expand(Scope{Input: none}); len(findings) == 0 || findings[0].Code != CodeInput {
			t.Errorf("%+v", findings)
		}
	}
}

func TestE7_PasswordsAreSecretsWhateverTheyLookLike(t *testing.T) {
	t.Parallel()
	given := func(string) (string, bool) { return "an ordinary word", true }
	never := func(string, string) bool { return false }
	for inputs, want := range map[string][]string{
		`[{"id":"token","type":"promptString","password":true}]`: {"an ordinary word"},
		`[{"id":"token","type":"promptString"}]`:                 nil,
	} {
		got, findings := inputsOf(t, inputs).Entries[0].Expand(Scope{Input: given, IsSecret: never})
		if len(findings) > 0 || !slices.Equal(got.Secrets, want) {
			t.Errorf("%s: %q, %v", inputs, got.Secrets, findings)
		}
	}
}

// What an input is counts in the hash of those who refer to it, and of nobody else; its description does not (S2).
func TestS2_InputsCountInTheHash(t *testing.T) {
	t.Parallel()
	hash := func(inputs string) string { return inputsOf(t, inputs).Entries[0].Hash() }
	base := hash(`[{"id":"token","type":"pickString","options":["a","b"]}]`)
	for inputs, isSame := range map[string]bool{
		`[{"type":"pickString","options":["a","b"],"id":"token","description":"words"}]`:                true,
		`[{"id":"other","type":"promptString"},{"id":"token","type":"pickString","options":["a","b"]}]`: true,
		`[{"id":"token","type":"pickString","options":["b","a"]}]`:                                      false,
		`[{"id":"token","type":"pickString","options":["a","b"],"default":"a"}]`:                        false,
		`[{"id":"token","type":"promptString"}]`:                                                        false,
		`[{"id":"token","type":"promptString","password":true}]`:                                        false,
	} {
		if (hash(inputs) == base) != isSame {
			t.Errorf("%s: same %v", inputs, !isSame)
		}
	}
	plain := `{"command":"x"}`
	with := parseUser(t, `{"inputs":[{"id":"token","type":"promptString"}],"mcpServers":{"a":`+plain+`}}`).Entries[0]
	if with.Hash() != entryOf(t, plain).Hash() {
		t.Error("an input that an entry does not refer to changed its hash")
	}
}
