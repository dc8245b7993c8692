package agenthost

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Arguments is what a tool takes, as a model is told.
type Arguments struct {
	Schema jsontext.Value // an object; what it holds are the bytes that the connector listed
	// IsEmpty says that there is nothing to fill in: the arguments are {}.
	IsEmpty bool
	// Required are the members that must be there, in the schema's order; Undescribed are those of them that it says nothing of.
	Required, Undescribed []string
}

// NewArguments reads the schema of a tool's arguments. `$schema` is left out of it: models take it for something to fill in, and
// providers refuse it. The error says what is no schema of an object.
func NewArguments(schema []byte) (Arguments, error) {
	if len(bytes.TrimSpace(schema)) == 0 {
		schema = []byte(`{"type":"object"}`)
	}
	read, err := readSchema(schema)
	if err != nil {
		return Arguments{}, fmt.Errorf("read the schema of the arguments: %w", err)
	}
	a := Arguments{IsEmpty: read.takesNothing(), Required: read.Required}
	for _, name := range read.Required {
		if _, isDescribed := read.Properties[name]; !isDescribed {
			a.Undescribed = append(a.Undescribed, name)
		}
	}
	a.Schema, err = rewrite(schema, func(name string, value jsontext.Value) (jsontext.Value, bool) { return value, name != "$schema" })
	if err != nil {
		return Arguments{}, fmt.Errorf("read the schema of the arguments: %w", err)
	}
	return a, nil
}

// Missing are the members that must be there and are not, in the schema's order.
func (a Arguments) Missing(arguments []byte) []string {
	var have map[string]jsontext.Value
	if json.Unmarshal(arguments, &have) != nil {
		return slices.Clone(a.Required)
	}
	var missing []string
	for _, name := range a.Required {
		if _, isThere := have[name]; !isThere {
			missing = append(missing, name)
		}
	}
	return missing
}

// schema is as much of a JSON Schema as is looked at.
type schema struct {
	Type                 types                     `json:"type"`
	Properties           map[string]jsontext.Value `json:"properties"`
	Required             []string                  `json:"required"`
	Items                jsontext.Value            `json:"items"`
	PatternProperties    map[string]jsontext.Value `json:"patternProperties"`
	AdditionalProperties jsontext.Value            `json:"additionalProperties"`
	AnyOf                []jsontext.Value          `json:"anyOf"`
	OneOf                []jsontext.Value          `json:"oneOf"`
	AllOf                []jsontext.Value          `json:"allOf"`
	If                   jsontext.Value            `json:"if"`
	Ref                  string                    `json:"$ref"`
	DynamicRef           string                    `json:"$dynamicRef"`
	Enum                 []jsontext.Value          `json:"enum"`
	Const                jsontext.Value            `json:"const"`
	IsNullable           bool                      `json:"nullable"` // of OpenAPI 3.0, which some connectors list
}

// types are the values of "type": one name, or several.
type types []string

func (t *types) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		var one string
		err := json.Unmarshal(text, &one)
		*t = types{one}
		return err
	}
	return json.Unmarshal(text, (*[]string)(t))
}

// readSchema reads a schema; of one that is true or false it reads what says nothing.
func readSchema(text []byte) (schema, error) {
	var s schema
	if value := bytes.TrimSpace(text); string(value) == "true" || string(value) == "false" {
		return s, nil
	}
	return s, json.Unmarshal(text, &s)
}

// isPlain says that its type alone decides which kind of value it takes.
func (s schema) isPlain() bool { return len(s.Type) == 1 && !s.isComposed() }

// isComposed says that other schemas have a say in what it takes.
func (s schema) isComposed() bool {
	return s.AnyOf != nil || s.OneOf != nil || s.AllOf != nil || s.If != nil || s.Ref != "" || s.DynamicRef != ""
}

func (s schema) takesNothing() bool {
	isOpen := len(s.PatternProperties) > 0 || len(s.AdditionalProperties) > 0 && s.AdditionalProperties.Kind() != 'f'
	return len(s.Type) <= 1 && !s.isComposed() && len(s.Properties) == 0 && len(s.Required) == 0 && !isOpen
}

// takesNull says whether null may be meant as a value.
func (s schema) takesNull() bool {
	isNull := func(value jsontext.Value) bool { return value.Kind() == 'n' }
	return !s.isPlain() || s.IsNullable || slices.Contains(s.Type, "null") || slices.ContainsFunc(s.Enum, isNull) || s.Const != nil && isNull(s.Const)
}

// rewrite returns an object with those of its members, in their order, that keep returns true for, and with the value that it
// returns.
func rewrite(object []byte, keep func(name string, value jsontext.Value) (jsontext.Value, bool)) (jsontext.Value, error) {
	in := jsontext.NewDecoder(bytes.NewReader(object))
	if token, err := in.ReadToken(); err != nil {
		return nil, err
	} else if token.Kind() != '{' {
		return nil, fmt.Errorf("%s is no object", kindOf(token.Kind()))
	}
	out := []byte{'{'}
	for in.PeekKind() != '}' {
		name, err := in.ReadToken()
		if err != nil {
			return nil, err
		}
		member := name.String()
		value, err := in.ReadValue()
		if err != nil {
			return nil, err
		}
		value, isKept := keep(member, value.Clone())
		if !isKept {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		if out, err = jsontext.AppendQuote(out, member); err != nil {
			return nil, err
		}
		out = append(append(out, ':'), value...)
	}
	if _, err := in.ReadToken(); err != nil {
		return nil, err
	}
	return append(out, '}'), nil
}

func kindOf(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a truth value"
	}
	return "null"
}
