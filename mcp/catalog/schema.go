package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Described is a tool as it is written for others.
type Described struct {
	// ServedName is the name that it goes by outside, Name the connector's own.
	ServedName, Name, Title, Summary, Description string
	InputSchema, OutputSchema, Annotations        []byte
}

// Format is a form that schemas are written in.
type Format string

// The formats.
const (
	FormatTypeScript Format = "typescript"
	FormatJSONSchema Format = "json-schema"
	FormatOpenAPI    Format = "openapi"
	FormatMCP        Format = "mcp"
)

// Write writes tools in a format: a TypeScript interface; an object of the schemas of arguments and results, by served name; an
// OpenAPI 3.1 document with an operation for each; or the result of MCP's tools/list. Schemas are the bytes that the connectors
// listed, digit by digit; what is foreign besides them is text.
func Write(format Format, tools []Described) ([]byte, error) {
	switch format {
	case FormatTypeScript:
		return []byte(Declaration(tools)), nil
	case FormatJSONSchema:
		return writeSchemas(tools)
	case FormatOpenAPI:
		return writeOpenAPI(tools)
	case FormatMCP:
		return writeMCP(tools)
	}
	return nil, fmt.Errorf("write schemas: there is no format %q", format)
}

// Declaration is a TypeScript interface whose methods are the tools, by their served names.
func Declaration(tools []Described) string {
	var b strings.Builder
	b.WriteString("export interface Tools {\n")
	for _, tool := range tools {
		if tool.Summary != "" {
			b.WriteString("  /** " + comment(tool.Summary) + " */\n")
		}
		arguments, result := signatureTypes(tool.InputSchema, tool.OutputSchema)
		b.WriteString("  " + key(tool.ServedName) + "(args: " + arguments + "): Promise<" + result + ">;\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// comment is foreign text on one line that does not end the comment it stands in.
func comment(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
	return strings.ReplaceAll(text, "*/", "* /")
}

// object is a JSON object whose members stand in the order in which they were set.
type jsonObject struct {
	text []byte
	err  error
}

func (o *jsonObject) set(name string, value any) {
	if o.err != nil {
		return
	}
	separator := byte(',')
	if len(o.text) == 0 {
		separator = '{'
	}
	o.text = append(o.text, separator)
	o.text, _ = jsontext.AppendQuote(o.text, name)
	o.text = append(o.text, ':')
	if raw, isRaw := value.(jsontext.Value); isRaw {
		o.text = append(o.text, raw...)
		return
	}
	text, err := json.Marshal(value, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	o.text, o.err = append(o.text, text...), err
}

func (o *jsonObject) value() jsontext.Value {
	if len(o.text) == 0 {
		return jsontext.Value("{}")
	}
	return append(jsontext.Value(slices.Clone(o.text)), '}')
}

// schemaOr is a schema as it was listed, or what says nothing.
func schemaOr(schema []byte) jsontext.Value {
	if len(schema) == 0 {
		return jsontext.Value("{}")
	}
	return schema
}

func writeSchemas(tools []Described) ([]byte, error) {
	var all jsonObject
	for _, tool := range tools {
		var one jsonObject
		one.set("input", schemaOr(tool.InputSchema))
		if len(tool.OutputSchema) > 0 {
			one.set("output", jsontext.Value(tool.OutputSchema))
		}
		all.set(tool.ServedName, one.value())
	}
	return all.value(), all.err
}

func writeMCP(tools []Described) ([]byte, error) {
	list := make([]jsontext.Value, len(tools))
	for i, tool := range tools {
		var one jsonObject
		one.set("name", tool.Name)
		if tool.Title != "" {
			one.set("title", tool.Title)
		}
		if tool.Description != "" {
			one.set("description", tool.Description)
		}
		one.set("inputSchema", schemaOr(tool.InputSchema))
		if len(tool.OutputSchema) > 0 {
			one.set("outputSchema", jsontext.Value(tool.OutputSchema))
		}
		if len(tool.Annotations) > 0 {
			one.set("annotations", jsontext.Value(tool.Annotations))
		}
		if one.err != nil {
			return nil, one.err
		}
		list[i] = one.value()
	}
	return joined(`{"tools":[`, list, `]}`), nil
}

func joined(before string, values []jsontext.Value, after string) []byte {
	text := []byte(before)
	for i, value := range values {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, value...)
	}
	return append(text, after...)
}

// writeOpenAPI writes a document in which each tool is an operation. Nothing serves it: it is for programs that make code of it.
func writeOpenAPI(tools []Described) ([]byte, error) {
	var document, paths jsonObject
	for _, tool := range tools {
		var body, answer, operation, path jsonObject
		body.set("required", true)
		body.set("content", mediaType(tool.InputSchema, tool.ServedName, "input"))
		answer.set("200", okResponse(tool))
		operation.set("operationId", tool.ServedName)
		operation.set("summary", tool.Summary)
		operation.set("description", tool.Description)
		operation.set("requestBody", body.value())
		operation.set("responses", answer.value())
		path.set("post", operation.value())
		paths.set("/tools/"+tool.ServedName, path.value())
		if operation.err != nil {
			return nil, operation.err
		}
	}
	document.set("openapi", "3.1.0")
	document.set("info", jsontext.Value(`{"title":"Tools","version":"1"}`))
	document.set("paths", paths.value())
	return document.value(), document.err
}

func okResponse(tool Described) jsontext.Value {
	var response jsonObject
	response.set("description", "What the tool answers.")
	if len(tool.OutputSchema) > 0 {
		response.set("content", mediaType(tool.OutputSchema, tool.ServedName, "output"))
	}
	return response.value()
}

func mediaType(schema []byte, served, part string) jsontext.Value {
	var media, content jsonObject
	media.set("schema", located(schemaOr(schema), served, part))
	content.set("application/json", media.value())
	return content.value()
}

// located gives a schema a name of its own where it refers to parts of itself: those are looked for in the whole document otherwise.
func located(schema jsontext.Value, served, part string) jsontext.Value {
	text := strings.TrimLeft(string(schema), " \t\r\n")
	if !strings.Contains(text, `"$ref"`) || strings.Contains(text, `"$id"`) || !strings.HasPrefix(text, "{") {
		return schema
	}
	return jsontext.Value(`{"$id":` + strconv.Quote("urn:pillion:"+served+":"+part) + `,` + text[1:])
}
