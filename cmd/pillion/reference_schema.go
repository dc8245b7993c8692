package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/alecthomas/kong"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"pillion/rpc/message"
)

// shapes are what each verb prints with --json; one of several where there are several. Nil is for what has a form of its own.
func shapes() map[string][]any {
	return map[string][]any{
		"version": {versionShape{}}, "ls": {lsShape{}, lsToolsShape{}}, "search": {message.ToolsResult{}},
		"types": {typesShape{}}, "schema": {typesShape{}, nil}, "catalog": {message.CatalogResult{}}, "refresh": {listShape{}},
		"mcp list": {listShape{}}, "mcp add": {addShape{}}, "mcp remove": {removeShape{}}, "mcp approve": {approveShape{}},
		"mcp enable": {connectorShape{}}, "mcp disable": {connectorShape{}}, "mcp log": {logShape{}}, "mcp revoke": {revokeShape{}},
		"import": {importsShape{}, importShape{}}, "pending": {pendingShape{}}, "answer": {answerShape{}}, "config": {configShape{}},
		"call": {message.CallResult{}}, "resources list": {message.ResourcesResult{}}, "resources read": {message.ResourceReadResult{}},
		"prompts list": {message.PromptsResult{}}, "prompts get": {message.PromptGetResult{}},
		"secret list": {secretListShape{}}, "secret set": {secretShape{}}, "secret remove": {secretShape{}},
		"joins list": {message.JoinsResult{}}, "joins forget": {forgottenShape{}},
		"permissions list": {permissionsShape{}}, "permissions remove": {removedShape{}}, "permissions set": {setShape{}},
		"stop": {stopShape{}}, "resume": {resumeShape{}}, "activity": {message.ActivityResult{}}, "log": {message.LogResult{}, message.LogRecord{}},
		"stats": {message.StatsResult{}}, "why": {whyShape{}}, "doctor": {doctorShape{}},
		"browser status": {browserShape{}}, "browser start": {browserShape{}}, "browser stop": {browserShape{}}, "browser open": {browserShape{}},
		"browser auto": {autoShape{}}, "browser install": {browserInstallShape{}},
		"tools on": {toolShape{}}, "tools off": {toolShape{}},
		"client status": {clientsShape{}}, "client install": {clientShape{}}, "client uninstall": {clientShape{}},
		"completion": {completionShape{}}, "demo play": nil, "serve": {servedShape{}},
	}
}

// shapeSchema is the schema of what a verb prints.
func shapeSchema(all []any) (*jsonschema.Schema, error) {
	options := &jsonschema.ForOptions{IgnoreInvalidTypes: true, TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[jsontext.Value](): {}}}
	var schemas []*jsonschema.Schema
	for _, shape := range all {
		if shape == nil {
			schemas = append(schemas, &jsonschema.Schema{Description: "another form, as the verb's help says"})
			continue
		}
		schema, err := jsonschema.ForType(reflect.TypeOf(shape), options)
		if err != nil {
			return nil, fmt.Errorf("schema of %T: %w", shape, err)
		}
		loosen(schema)
		schemas = append(schemas, schema)
	}
	if len(schemas) == 1 {
		return schemas[0], nil
	}
	return &jsonschema.Schema{AnyOf: schemas}, nil
}

// loosen lets objects have more than is known today, and takes null from lists, which are never that.
func loosen(schema *jsonschema.Schema) {
	if schema == nil {
		return
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Not != nil {
		schema.AdditionalProperties = nil
	}
	if slices.Contains(schema.Types, "array") {
		schema.Type, schema.Types = "array", nil
	}
	for _, below := range schema.Properties {
		loosen(below)
	}
	loosen(schema.Items)
	loosen(schema.AdditionalProperties)
}

// schemaReference is docs/cli.schema.json: a schema for each verb, by its name.
func schemaReference(model *kong.Application) (string, error) {
	all, known := map[string]*jsonschema.Schema{}, shapes()
	for _, verb := range verbsOf(model.Node) {
		shape, isKnown := known[verb.Path()]
		if !isKnown {
			return "", fmt.Errorf("nothing is known of what %s --json prints", verb.Path())
		}
		if len(shape) == 0 {
			continue
		}
		schema, err := shapeSchema(shape)
		if err != nil {
			return "", err
		}
		all[verb.Path()] = schema
	}
	text, err := json.MarshalIndent(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "What each verb of pillion prints with --json", "$defs": all,
	}, "", "  ")
	return string(text) + "\n", err
}
