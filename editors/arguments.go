package editors

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/jsonc"
)

// ArgumentsTemplate is the document in which the arguments of a call are written: an object with the properties that the
// tool's schema requires, as JSON with comments.
func ArgumentsTemplate(label string, schema jsontext.Value) string {
	var shape struct {
		Required   []string                  `json:"required"`
		Properties map[string]jsontext.Value `json:"properties"`
	}
	_ = json.Unmarshal(schema, &shape) // an odd schema offers nothing to fill in
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Pillion: the arguments of a call. Fill them in, then use the code action Run.\n// tool: %s\n{", Quoted(label))
	for i, name := range shape.Required {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			continue
		}
		fmt.Fprintf(&b, "\n  %s: %s", Visible(string(key)), placeholder(shape.Properties[name]))
	}
	b.WriteString("\n}\n")
	return b.String()
}

func placeholder(schema jsontext.Value) string {
	var property struct {
		Type jsontext.Value `json:"type"`
	}
	_ = json.Unmarshal(schema, &property)
	switch string(property.Type) {
	case `"string"`:
		return `""`
	case `"number"`, `"integer"`:
		return "0"
	case `"boolean"`:
		return "false"
	case `"array"`:
		return "[]"
	case `"object"`:
		return "{}"
	}
	return "null"
}

// Arguments reads the arguments out of such a document; digits and order stay as they are written.
func Arguments(text []byte) (jsontext.Value, error) {
	value := jsontext.Value(bytes.TrimSpace(jsonc.ToJSON(text)))
	if !value.IsValid() || value.Kind() != '{' {
		return nil, fmt.Errorf("the document holds no object of arguments")
	}
	return value, nil
}
