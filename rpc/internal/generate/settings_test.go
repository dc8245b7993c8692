package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pillion/mcp/settings"
)

func schemaOf(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func accepts(t *testing.T, schema *jsonschema.Schema, text string) bool {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return schema.Validate(value) == nil
}

// TestSchemasAndDecodersAgree gives every setting every kind of value: what the schema of its file lets through is what is
// read without a fault.
func TestSchemasAndDecodersAgree(t *testing.T) {
	t.Parallel()
	_, files := outputs(t)
	own, connectors := schemaOf(t, files["docs/settings.schema.json"]), schemaOf(t, files["docs/mcp.schema.json"])
	values := []string{`true`, `"a"`, `""`, `7`, `0`, `-1`, `1.5`, `100000`, `null`, `[]`, `["a"]`, `[""]`, `[1]`, `{}`, `{"a":"b"}`,
		`"5s"`, `"1h30m"`, `"soon"`, `"5"`, `"-5s"`, `"a/b"`, `"/a/b"`}
	tried := 0
	for _, s := range settings.All() {
		for _, word := range s.Words() {
			values = append(values, fmt.Sprintf("%q", word))
		}
	}
	for _, s := range settings.All() {
		for _, value := range values {
			_, faults := s.Decode([]byte(value))
			var isAccepted bool
			switch {
			case s.Owner == settings.OfEntry:
				isAccepted = accepts(t, connectors, fmt.Sprintf(`{"mcpServers":{"it":{"command":"x","pillion":{%q:%s}}}}`, s.Name, value))
			case s.Has(settings.UserFile):
				isAccepted = accepts(t, own, fmt.Sprintf(`{"$schema":"x",%q:%s}`, s.Name, value))
			default:
				continue
			}
			tried++
			if isAccepted != (len(faults) == 0) {
				t.Errorf("%s: %s: the schema accepts it: %v; the decoder says %v", s.Name, value, isAccepted, faults)
			}
		}
	}
	if tried < 500 {
		t.Errorf("only %d values were tried", tried)
	}
	if accepts(t, own, `{"colour":1}`) {
		t.Error("a setting that is not declared passes")
	}
	if !accepts(t, connectors, `{"inputs":[],"mcpServers":{"it":{"url":"https://example.org/mcp","headers":{"A":"b"},"oauth":{}}}}`) {
		t.Error("what belongs to another host is refused")
	}
	if !accepts(t, connectors, `{"inputs":[{"id":"a","type":"promptString","password":true}],"pillion":{"defaults":{"start":"eager"},"profiles":{"p":["a"],"q":{"connectors":["*"]}}}}`) {
		t.Error("what stands beside the entries is refused")
	}
	for _, bad := range []string{`{"inputs":[{"id":"a"}]}`, `{"pillion":{"defaults":{"start":"soon"}}}`, `{"pillion":{"profiles":{"p":1}}}`} {
		if accepts(t, connectors, bad) {
			t.Errorf("%s passes", bad)
		}
	}
}

// TestS3_ScopesOfTheEditorSettings holds that no repository's settings reach what is trusted, or which program starts.
func TestS3_ScopesOfTheEditorSettings(t *testing.T) {
	t.Parallel()
	_, files := outputs(t)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(files["vscode-extension/src/generated/configuration.json"]))
	if err != nil {
		t.Fatal(err)
	}
	properties := value.(map[string]any)["properties"].(map[string]any)
	for _, s := range settings.All() {
		property, isThere := properties["pillion."+string(s.Name)].(map[string]any)
		if isThere != s.Has(settings.Configuration) {
			t.Errorf("%s: contributed %v", s.Name, isThere)
		}
		if want := map[bool]string{true: "machine", false: "application"}[s.Owner == settings.OfPlugin]; isThere && property["scope"] != want {
			t.Errorf("%s: scope %v", s.Name, property["scope"])
		}
	}
}

// TestEverySettingIsInEveryForm holds that no form forgets one.
func TestEverySettingIsInEveryForm(t *testing.T) {
	t.Parallel()
	_, files := outputs(t)
	for _, s := range settings.All() {
		forms := map[string]string{"docs/settings.md": "`" + string(s.Name) + "`"}
		if s.Owner == settings.OfEntry || s.Has(settings.Initialize) {
			forms["vscode-extension/src/generated/settings.ts"] = "  " + string(s.Name) + "?: "
			forms["nvim-plugin/lua/pillion/settings.lua"] = "---@field " + string(s.Name) + "? "
		}
		if s.Has(settings.Flag) {
			forms["cmd/pillion/flags_generated.go"] = `name:"` + s.Flag() + `"`
		}
		for file, text := range forms {
			if !strings.Contains(string(files[file]), text) {
				t.Errorf("%s has no %s", file, s.Name)
			}
		}
		for _, c := range s.From {
			if c == settings.Environment && !strings.Contains(string(files["docs/settings.md"]), "`"+s.Variable()+"`") {
				t.Errorf("the page does not name %s", s.Variable())
			}
		}
	}
}
