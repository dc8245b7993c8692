package result

import (
	"strings"
	"testing"
	"time"
)

// A schema is a stranger's: none makes a check take long, and none needs much memory.
func TestE4_NoSchemaCostsMuch(t *testing.T) {
	t.Parallel()
	many := strings.Repeat
	large := many("x{1000}", 580)
	wide := many(`{"$ref":"#/$defs/t"},`, 12_000) + "true"
	tests := map[string]struct {
		schema, value string
		isUsed        bool
	}{
		"patterns that grow":      {`{"properties":{` + `"a":{"pattern":"` + large + `"}}}`, `{}`, false},
		"classes":                 {`{"pattern":"` + many(`[\\pL]`, 600) + `"}`, `"x"`, false},
		"a pattern of many ways":  {`{"pattern":"` + many("x{0,999}", 15) + `y"}`, `"` + many("x", 10_000) + `"`, true},
		"a name of many ways":     {`{"patternProperties":{"` + many("x{0,999}", 15) + `y":{}}}`, `{"` + many("x", 10_000) + `":1}`, true},
		"types":                   {`{"$defs":{"t":{"type":["null"` + many(`,"null"`, 40_000) + `]}},"anyOf":[` + wide + `]}`, `"a"`, true},
		"required members":        {`{"$defs":{"t":{"required":["x"` + many(`,"x"`, 50_000) + `]}},"allOf":[` + wide + `]}`, `{"x":1}`, true},
		"needed members":          {`{"$defs":{"t":{"dependentRequired":{"x":["x"` + many(`,"x"`, 50_000) + `]}}},"allOf":[` + wide + `]}`, `{"x":1}`, true},
		"numbers":                 {`{"enum":[` + many("1e-999,", 100_000) + `1]}`, `5`, true},
		"multiples":               {`{"$defs":{"t":{"multipleOf":1e-999}},"allOf":[` + wide + `]}`, `1e999`, true},
		"members that are sorted": {`{"$defs":{"t":{"type":"object"}},"allOf":[` + wide + `]}`, `{` + members(50_000) + `}`, true},
		"elements":                {`{"$defs":{"t":{"type":"array"}},"allOf":[` + wide + `]}`, `[1` + many(",1", 500_000) + `]`, true},
		"long places":             {`{"$defs":{"t":` + many(`{"items":`, 400) + `{"type":"string"}` + many("}", 400) + `},"anyOf":[` + wide + `]}`, many("[", 400) + "1" + many("]", 400), true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if len(test.schema) > maxSchemaBytes {
				t.Fatalf("%d bytes are not looked at", len(test.schema))
			}
			var s Schemas
			if isUsed := s.get([]byte(test.schema)) != nil; isUsed != test.isUsed {
				t.Errorf("it is used: %t", isUsed)
			}
			begun := time.Now()
			s.Difference([]byte(test.schema), []byte(test.value))
			// It was minutes; the rest is for machines that are busy, and the race detector.
			if took := time.Since(begun); took > 10*time.Second {
				t.Errorf("the check took %v", took)
			}
		})
	}
}

func members(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/26%40) + `":1`)
	}
	return b.String()
}

// A slow schema of one connector holds nobody else up, and few are kept.
func TestE4_FewSchemasAreKept(t *testing.T) {
	t.Parallel()
	var s Schemas
	padding := strings.Repeat(" ", maxSchemaBytes-100)
	for i := range 40 {
		s.get([]byte(`{"minLength":` + strings.Repeat("1", i%20+1) + strings.Repeat(" ", i) + padding + `}`))
	}
	if s.bytes > maxKeptBytes || len(s.compiled) > maxKeptBytes/len(padding) {
		t.Errorf("%d of %d bytes", len(s.compiled), s.bytes)
	}
}
