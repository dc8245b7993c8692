package catalog

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The bounds of a type that is written out; what lies beyond is unknown (C36).
const (
	maxTypeDepth = 8
	maxTypeBytes = 16 << 10
)

// schema is the part of JSON Schema that a TypeScript type can say.
type schema struct {
	Ref         string                    `json:"$ref"`
	Type        jsontext.Value            `json:"type"`
	Enum        []jsontext.Value          `json:"enum"`
	Const       jsontext.Value            `json:"const"`
	AnyOf       []jsontext.Value          `json:"anyOf"`
	OneOf       []jsontext.Value          `json:"oneOf"`
	AllOf       []jsontext.Value          `json:"allOf"`
	Items       jsontext.Value            `json:"items"`
	Properties  jsontext.Value            `json:"properties"`
	Additional  jsontext.Value            `json:"additionalProperties"`
	Required    []string                  `json:"required"`
	Defs        map[string]jsontext.Value `json:"$defs"`
	Definitions map[string]jsontext.Value `json:"definitions"`
}

// Signature is the TypeScript function type of a tool: its arguments from its input schema, its result from its output
// schema, unknown where a schema is absent or says what TypeScript cannot.
func Signature(name string, input, output []byte) string {
	arguments, result := signatureTypes(input, output)
	return "(args: " + arguments + ") => Promise<" + result + ">  // " + strconv.Quote(name)
}

func signatureTypes(input, output []byte) (arguments, result string) {
	arguments, result = newTypes(input).of(input, maxTypeDepth), "unknown"
	if len(output) > 0 {
		result = newTypes(output).of(output, maxTypeDepth)
	}
	return arguments, result
}

// types writes the types of one document, whose definitions it knows.
type types struct {
	definitions map[string]jsontext.Value
	written     int
}

func newTypes(document []byte) *types {
	t := &types{definitions: map[string]jsontext.Value{}}
	var root schema
	if json.Unmarshal(document, &root, lenient) != nil {
		return t
	}
	for name, definition := range root.Defs {
		t.definitions["#/$defs/"+name] = definition
	}
	for name, definition := range root.Definitions {
		t.definitions["#/definitions/"+name] = definition
	}
	return t
}

var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// of is the type that a schema allows; a type too deep or too long to be read is unknown.
func (t *types) of(raw jsontext.Value, depth int) string {
	var s schema
	switch {
	case depth == 0 || t.written > maxTypeBytes:
		return "unknown"
	case raw.Kind() == 'f':
		return "never"
	case raw.Kind() != '{' || json.Unmarshal(raw, &s, lenient) != nil:
		return "unknown"
	}
	text := t.write(s, depth)
	t.written += len(text)
	return text
}

func (t *types) write(s schema, depth int) string {
	switch {
	case s.Ref != "":
		if definition, isKnown := t.definitions[s.Ref]; isKnown {
			return t.of(definition, depth-1)
		}
		return "unknown"
	case len(s.Const) > 0:
		return literal(s.Const)
	case len(s.Enum) > 0:
		all := make([]string, len(s.Enum))
		for i, value := range s.Enum {
			all[i] = literal(value)
		}
		return join(all, " | ")
	case len(s.AnyOf) > 0:
		return t.all(s.AnyOf, " | ", depth)
	case len(s.OneOf) > 0:
		return t.all(s.OneOf, " | ", depth)
	case len(s.AllOf) > 0:
		return t.all(s.AllOf, " & ", depth)
	}
	return t.named(s, depth)
}

func (t *types) all(schemas []jsontext.Value, between string, depth int) string {
	texts := make([]string, len(schemas))
	for i, one := range schemas {
		texts[i] = t.of(one, depth-1)
	}
	return join(texts, between)
}

// join leaves out what stands there already.
func join(texts []string, between string) string {
	var kept []string
	seen := map[string]bool{}
	for _, text := range texts {
		if !seen[text] {
			seen[text] = true
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, between)
}

// named is the type that "type" names, one or several.
func (t *types) named(s schema, depth int) string {
	var names []string
	switch s.Type.Kind() {
	case '"':
		var name string
		_ = json.Unmarshal(s.Type, &name)
		names = []string{name}
	case '[':
		_ = json.Unmarshal(s.Type, &names)
	case 0:
		if len(s.Properties) > 0 {
			names = []string{"object"}
		}
	}
	if len(names) == 0 {
		return "unknown"
	}
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = t.simple(name, s, depth)
	}
	return join(texts, " | ")
}

func (t *types) simple(name string, s schema, depth int) string {
	switch name {
	case "string", "boolean", "null":
		return name
	case "number", "integer":
		return "number"
	case "array":
		item := "unknown"
		if len(s.Items) > 0 {
			item = t.of(s.Items, depth-1)
		}
		if strings.Contains(item, " | ") || strings.Contains(item, " & ") {
			item = "(" + item + ")"
		}
		return item + "[]"
	case "object":
		return t.object(s, depth)
	}
	return "unknown"
}

// object lists the properties in the schema's own order.
func (t *types) object(s schema, depth int) string {
	required := map[string]bool{}
	for _, name := range s.Required {
		required[name] = true
	}
	var members []string
	eachMember(s.Properties, func(name string, property jsontext.Value) {
		mark := "?"
		if required[name] {
			mark = ""
		}
		members = append(members, key(name)+mark+": "+t.of(property, depth-1))
	})
	if s.Additional.Kind() == '{' {
		members = append(members, "[key: string]: "+t.of(s.Additional, depth-1))
	}
	switch {
	case len(members) > 0:
		return "{ " + strings.Join(members, "; ") + " }"
	case s.Additional.Kind() == 'f':
		return "{}"
	}
	return "Record<string, unknown>"
}

func eachMember(object jsontext.Value, f func(name string, value jsontext.Value)) {
	if object.Kind() != '{' {
		return
	}
	decoder := jsontext.NewDecoder(strings.NewReader(string(object)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := decoder.ReadToken(); err != nil {
		return
	}
	for decoder.PeekKind() == '"' {
		name, err := decoder.ReadToken()
		if err != nil {
			return
		}
		text := name.String()
		value, err := decoder.ReadValue()
		if err != nil {
			return
		}
		f(text, value.Clone())
	}
}

// literal is a JSON value as a TypeScript type.
func literal(value jsontext.Value) string {
	switch value.Kind() {
	case '"', '0', 't', 'f', 'n':
		return quoted(value)
	}
	return "unknown"
}

// quoted escapes what would break a line or a comment open in a text.
func quoted(value jsontext.Value) string {
	if value.Kind() != '"' {
		return string(value)
	}
	var text string
	if json.Unmarshal(value, &text, lenient) != nil {
		return "string"
	}
	return strconv.Quote(text)
}

func key(name string) string {
	for i, r := range name {
		if !(r == '_' || r == '$' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || i > 0 && r >= '0' && r <= '9') {
			return strconv.Quote(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}
