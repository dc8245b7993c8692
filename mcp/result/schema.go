package result

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The bounds of a schema that is compiled; a larger one is not checked.
const (
	maxSchemaBytes   = 1 << 20
	maxSchemas       = 512
	maxCheckedBytes  = 4 << 20
	schemaName       = "tool-output"
	maxSchemaWarning = 300
)

// Schemas keeps compiled output schemas. It may be used at once; the zero value is ready, and a nil one checks nothing.
type Schemas struct {
	mu       sync.Mutex
	compiled map[[sha256.Size]byte]*jsonschema.Schema // nil for a schema that cannot be used
}

// check says how a value differs from its schema, or nothing.
// A schema that cannot be compiled is the tool's fault, not the result's: it checks nothing.
func (s *Schemas) check(schema, value []byte) string {
	if s == nil || len(schema) == 0 || len(schema) > maxSchemaBytes || len(value) > maxCheckedBytes {
		return ""
	}
	compiled := s.schema(schema)
	if compiled == nil {
		return ""
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return ""
	}
	err = compiled.Validate(instance)
	var invalid *jsonschema.ValidationError
	if err == nil || !errors.As(err, &invalid) {
		return ""
	}
	for len(invalid.Causes) > 0 {
		invalid = invalid.Causes[0]
	}
	reason := strings.Join(strings.Fields(invalid.Error()), " ")
	if runes := []rune(reason); len(runes) > maxSchemaWarning {
		reason = string(runes[:maxSchemaWarning]) + "…"
	}
	return fmt.Sprintf("the result does not have the shape that the tool announced, at %q: %s", "/"+strings.Join(invalid.InstanceLocation, "/"), reason)
}

func (s *Schemas) schema(text []byte) *jsonschema.Schema {
	key := sha256.Sum256(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	if compiled, isKnown := s.compiled[key]; isKnown {
		return compiled
	}
	if s.compiled == nil || len(s.compiled) >= maxSchemas {
		s.compiled = map[[sha256.Size]byte]*jsonschema.Schema{}
	}
	compiled := compile(text)
	s.compiled[key] = compiled
	return compiled
}

func compile(text []byte) *jsonschema.Schema {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(refusing{})
	if compiler.AddResource(schemaName, document) != nil {
		return nil
	}
	schema, err := compiler.Compile(schemaName)
	if err != nil {
		return nil
	}
	return schema
}

// refusing loads nothing: a schema reaches neither files nor the network.
type refusing struct{}

func (refusing) Load(url string) (any, error) {
	return nil, fmt.Errorf("the reference %q leads out of the schema", url)
}
