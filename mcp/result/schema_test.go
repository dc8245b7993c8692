package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// verdict is what the checker says: "" for nothing, else the fault.
func verdict(t testing.TB, schema, value string) (fault string, usable bool) {
	t.Helper()
	compiled, err := compile([]byte(schema))
	if err != nil {
		return "", false
	}
	instance, err := parse([]byte(value))
	if err != nil {
		t.Fatalf("%s: %v", value, err)
	}
	c := checker{steps: maxSteps}
	err = c.check(compiled, instance)
	var wrong *mismatch
	switch {
	case errors.As(err, &wrong):
		return wrong.Error(), true
	case err != nil:
		return "", false
	case c.depth != 0 || len(c.path) != 0:
		t.Fatalf("%s: left at depth %d, %q", schema, c.depth, c.path)
	}
	return "", true
}

// schemaTests are schemas with values that fit and values that don't.
var schemaTests = []struct {
	schema    string
	good, bad []string
}{
	{`true`, []string{`1`, `{}`}, nil},
	{`false`, nil, []string{`1`, `null`}},
	{`{}`, []string{`null`}, nil},
	{`{"type":"object"}`, []string{`{}`}, []string{`[]`, `null`, `"x"`, `1`, `true`}},
	{`{"type":["string","null"]}`, []string{`"x"`, `null`}, []string{`1`, `{}`}},
	{`{"type":"integer"}`, []string{`1`, `-0`, `1.0`, `1e3`, `12345678901234567890123`, `311e88112`, `100e-2`, `-1.50e1`, `0e-5`, `0.0`, `-0.0e-9`, `1E+99999999999999999999`}, []string{`1.5`, `1e-3`, `"1"`, `10e-2`, `1.55e1`, `1e-99999999999999999999`, `-0.5`}},
	{`{"type":"number"}`, []string{`1`, `1.5`}, []string{`"1"`}},
	{`{"enum":[1,"a",null,{"x":[1.0]}]}`, []string{`1.0`, `"a"`, `null`, `{"x":[1]}`}, []string{`2`, `"A"`, `{"x":[1,2]}`, `{}`, `false`}},
	{`{"const":{"a":1}}`, []string{`{"a":1}`}, []string{`{"a":2}`, `{"a":1,"b":1}`, `[1]`}},
	{`{"const":null,"enum":[null,1]}`, []string{`null`}, []string{`1`}},
	{`{"enum":[]}`, nil, []string{`1`}},
	{`{"minimum":1,"maximum":3}`, []string{`1`, `3`, `"x"`}, []string{`0.999`, `3.0000000000000000000000001`}},
	{`{"exclusiveMinimum":1,"exclusiveMaximum":3}`, []string{`2`}, []string{`1`, `3`}},
	{`{"minimum":9007199254740993}`, []string{`9007199254740993`}, []string{`9007199254740992`}},
	{`{"multipleOf":0.1}`, []string{`0.3`, `1`}, []string{`0.35`}},
	{`{"minLength":2,"maxLength":3}`, []string{`"日本"`, `"abc"`, `1`}, []string{`"é"`, `"abcd"`}},
	{`{"pattern":"^a+$"}`, []string{`"aa"`, `1`}, []string{`"ab"`}},
	{`{"required":["a"]}`, []string{`{"a":null}`, `[]`}, []string{`{}`, `{"A":1}`}},
	{`{"properties":{"a":{"type":"string"},"b":false}}`, []string{`{}`, `{"a":"x"}`, `{"c":1}`}, []string{`{"a":1}`, `{"b":1}`}},
	{`{"properties":{"a":true},"additionalProperties":false}`, []string{`{"a":1}`}, []string{`{"a":1,"c":1}`}},
	{`{"patternProperties":{"^x":{"type":"string"}},"additionalProperties":{"type":"number"}}`, []string{`{"x1":"","y":1}`}, []string{`{"x1":1}`, `{"y":""}`}},
	{`{"propertyNames":{"maxLength":2}}`, []string{`{"ab":1}`}, []string{`{"abc":1}`}},
	{`{"minProperties":1,"maxProperties":2}`, []string{`{"a":1}`}, []string{`{}`, `{"a":1,"b":1,"c":1}`}},
	{`{"dependentRequired":{"a":["b"]}}`, []string{`{"a":1,"b":1}`, `{}`}, []string{`{"a":1}`}},
	{`{"dependentSchemas":{"a":{"required":["b"]}}}`, []string{`{"b":1}`}, []string{`{"a":1}`}},
	{`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"],"c":{"required":["d"]}}}`, []string{`{"a":1,"b":1}`}, []string{`{"a":1}`, `{"c":1}`}},
	{`{"items":{"type":"number"}}`, []string{`[]`, `[1]`, `{}`}, []string{`[1,"x"]`}},
	{`{"prefixItems":[{"type":"string"}],"items":false}`, []string{`["x"]`, `[]`}, []string{`[1]`, `["x",1]`}},
	{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":{"type":"number"}}`, []string{`["x",1]`}, []string{`["x","y"]`}},
	{`{"contains":{"const":1},"minContains":2,"maxContains":3}`, []string{`[1,0,1]`}, []string{`[1]`, `[1,1,1,1]`, `[]`}},
	{`{"contains":{"const":1},"minContains":0}`, []string{`[]`}, nil},
	{`{"minItems":1,"maxItems":2,"uniqueItems":true}`, []string{`[1,"1"]`}, []string{`[]`, `[1,2,3]`, `[1,1.0]`, `[{"a":1,"b":2},{"b":2,"a":1}]`}},
	{`{"allOf":[{"type":"number"},{"minimum":1}]}`, []string{`1`}, []string{`0`, `"x"`}},
	{`{"anyOf":[{"type":"number"},{"minLength":2}]}`, []string{`0`, `"xx"`}, []string{`"x"`}},
	{`{"oneOf":[{"type":"number"},{"minimum":5}]}`, []string{`1`, `"x"`}, []string{`6`}},
	{`{"not":{"type":"number"}}`, []string{`"x"`}, []string{`6`}},
	{`{"if":{"type":"number"},"then":{"minimum":1},"else":{"type":"string"}}`, []string{`1`, `"x"`}, []string{`0`, `null`}},
	{`{"$ref":"#/$defs/a~1b%25","$defs":{"a/b%":{"type":"string"}}}`, []string{`"x"`}, []string{`1`}},
	{`{"$ref":"#x","$defs":{"a":{"$anchor":"x","type":"string"}}}`, []string{`"x"`}, []string{`1`}},
	{`{"$id":"http://x.test/s","$ref":"http://x.test/s#/$defs/a","$defs":{"a":{"type":"string"}}}`, []string{`"x"`}, []string{`1`}},
	{`{"$ref":"#/allOf/0","allOf":[{"type":"string"}]}`, []string{`"x"`}, []string{`1`}},
	{`{"properties":{"children":{"items":{"$ref":"#"}},"name":{"type":"string"}}}`, []string{`{"name":"a","children":[{"children":[]}]}`}, []string{`{"children":[{"children":[{"name":1}]}]}`}},
	{`{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/a","type":"number","definitions":{"a":{"type":"string"}}}`, []string{`"x"`}, []string{`1`}},
	{`{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true,"maximum":3,"exclusiveMaximum":false}`, []string{`2`, `3`}, []string{`1`, `4`}},
	{`{"format":"date","title":"t","description":"d","default":1,"examples":[],"readOnly":true,"x-own":{"$ref":5}}`, []string{`"no date"`}, nil},
}

func TestC43_SchemasSayWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	for _, test := range schemaTests {
		for _, value := range test.good {
			if fault, usable := verdict(t, test.schema, value); fault != "" || !usable {
				t.Errorf("%s with %s: %q, usable %v", test.schema, value, fault, usable)
			}
		}
		for _, value := range test.bad {
			if fault, _ := verdict(t, test.schema, value); fault == "" {
				t.Errorf("%s fits %s", value, test.schema)
			}
		}
	}
}

func TestC43_TheFaultIsNamedWithItsPlace(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"a/b":{"items":{"$ref":"#/$defs/x"}}},"$defs":{"x":{"type":"object","required":["id"],"properties":{"id":true,"n":{"maximum":5}},"additionalProperties":false}}}`
	tests := map[string]string{
		`[]`:                         `: expected object, got array`,
		`{"a/b":[{"id":1},{}]}`:      `/a~1b/1: the member "id" is missing`,
		`{"a/b":[{"id":1,"n":6}]}`:   `/a~1b/0/n: it is larger than 5`,
		`{"a/b":[{"id":1,"zz":6}]}`:  `/a~1b/0: the member "zz" is not allowed`,
		`{"a/b":[{"id":1,"n":"x"}]}`: "",
	}
	for value, want := range tests {
		if fault, _ := verdict(t, schema, value); fault != want {
			t.Errorf("%s: %q, want %q", value, fault, want)
		}
	}
}

// TestC35_SchemasThatCannotBeUsed tries what must neither be fetched nor guessed.
func TestC35_SchemasThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{
		``, `{`, `null`, `5`, `"x"`, `[]`, `{"type":"int"}`, `{"type":5}`, `{"type":null}`, `{"type":[]}`, `{"type":["string",5]}`, `{"properties":[]}`,
		`{"properties":{"a":5}}`, `{"required":"a"}`, `{"required":[1]}`, `{"required":true}`, `{"enum":5}`, `{"pattern":"("}`, `{"pattern":5}`,
		`{"pattern":"` + strings.Repeat("a", 5000) + `"}`, `{"minimum":"1"}`, `{"minimum":1e999999}`, `{"minLength":-1}`, `{"minLength":1.5}`,
		`{"multipleOf":0}`, `{"allOf":[]}`, `{"allOf":{}}`, `{"not":5}`, `{"uniqueItems":1}`, `{"dependencies":5}`, `{"dependentRequired":{"a":5}}`,
		`{"$ref":"http://127.0.0.1:1/x"}`, `{"$ref":"file:///etc/passwd"}`, `{"$ref":"other.json"}`, `{"$ref":"#/nowhere"}`, `{"$ref":"#nowhere"}`,
		`{"$ref":"#/%zz"}`, `{"$ref":5}`, `{"$ref":""}`, `{"$ref":"#/a/00","a":[{}]}`, `{"$dynamicRef":"#x"}`, `{"unevaluatedProperties":false}`,
		`{"$defs":{"a":{"$id":"http://x.test/a"}},"type":"string"}`, strings.Repeat(`{"not":`, 1000) + `{}` + strings.Repeat(`}`, 1000),
		`{"$id":"http://x.test/s","$ref":"http://x.test/so#/$defs/a"}`,
	} {
		if _, err := compile([]byte(schema)); err == nil {
			t.Errorf("%.100s is used", schema)
		}
		if warning := (&Schemas{}).check([]byte(schema), []byte(`{}`)); warning != "" {
			t.Errorf("%.100s: %s", schema, warning)
		}
	}
}

// TestC36_ChecksEnd tries schemas that would keep a checker busy for ever, or off its stack.
func TestC36_ChecksEnd(t *testing.T) {
	t.Parallel()
	doubling, nested := `{"$ref":"#/$defs/d0","$defs":{`, `{"$ref":"#/$defs/d0","$defs":{`
	for i := range 40 {
		doubling += fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
		nested += fmt.Sprintf(`"d%d":{"anyOf":[{"properties":{"a":{"$ref":"#/$defs/d%d"}}},{"properties":{"a":{"$ref":"#/$defs/d%d"}}}]},`, i, i+1, i+1)
	}
	value := strings.Repeat(`{"a":`, 41) + `1` + strings.Repeat(`}`, 41)
	for name, schema := range map[string]string{
		"itself":        `{"$ref":"#"}`,
		"circle":        `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`,
		"circle in not": `{"not":{"$ref":"#"}}`,
		"circle in all": `{"allOf":[{"$ref":"#"},{"$ref":"#"}]}`,
		"doubling":      doubling + `"d40":false}}`,
		"nested":        nested + `"d40":false}}`,
	} {
		if _, err := compile([]byte(schema)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, value := range []string{value, `"x"`} {
			if fault, usable := verdict(t, schema, value); usable && fault == "" && strings.Contains(name, "circle") {
				t.Errorf("%s: decided", name)
			}
		}
	}
	unique := "[" + strings.TrimSuffix(strings.Repeat(`{"a":[1,2,3]},`, 5000), ",") + ",0]"
	if _, usable := verdict(t, `{"uniqueItems":true}`, unique); !usable {
		t.Error("equal elements were not found at once")
	}
	numbers := "["
	for i := range 5000 {
		numbers += fmt.Sprintf("%d,", i)
	}
	if _, usable := verdict(t, `{"uniqueItems":true}`, numbers+`0.5]`); usable {
		t.Error("12 million comparisons were made")
	}
}

func TestC43_CompiledSchemasAreKeptAndBounded(t *testing.T) {
	t.Parallel()
	var s Schemas
	first := s.get([]byte(`{"type":"object"}`))
	if first == nil || s.get([]byte(`{"type":"object"}`)) != first {
		t.Error("compiled twice")
	}
	for i := range 2 * maxSchemas {
		s.get(fmt.Appendf(nil, `{"minimum":%d}`, i))
	}
	if len(s.compiled) > maxSchemas {
		t.Errorf("%d schemas are kept", len(s.compiled))
	}
	if (*Schemas)(nil).check([]byte(`{"type":"object"}`), []byte(`[]`)) == "" {
		t.Error("nothing is checked without a store")
	}
}

type refusing struct{}

func (refusing) Load(url string) (any, error) { return nil, errors.New("refused") }

// other is what the library says: another opinion on the same schema.
func other(schema, value string) (fits, usable bool) {
	defer func() {
		if recover() != nil {
			fits, usable = false, false
		}
	}()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		return false, false
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(refusing{})
	if c.AddResource("s", document) != nil {
		return false, false
	}
	compiled, err := c.Compile("s")
	if err != nil {
		return false, false
	}
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
	if err != nil {
		return false, false
	}
	return compiled.Validate(instance) == nil, true
}

// FuzzC43_AgreesWithTheLibrary compares the checker with a checker that knows every draft.
func FuzzC43_AgreesWithTheLibrary(f *testing.F) {
	for _, test := range schemaTests {
		for _, value := range append(test.good, test.bad...) {
			f.Add(test.schema, value)
		}
	}
	f.Fuzz(func(t *testing.T, schema, value string) {
		if _, err := parse([]byte(value)); err != nil {
			return
		}
		fault, usable := verdict(t, schema, value)
		if !usable || len(schema) > 2000 || len(value) > 2000 {
			return
		}
		if regexp.MustCompile(`[eE][+-]?\d{4}`).MatchString(schema + value) {
			return // the library takes what it can't compute for something else
		}
		// What the two mean to treat otherwise: keywords of older drafts where none is named, text that is not Unicode, and
		// members that stand twice.
		if !utf8.ValidString(schema+value) || !json.Valid([]byte(schema)) || strings.Contains(schema, "dependencies") || strings.Contains(schema, "\ufffd") ||
			strings.Contains(schema, `\u`) || strings.Contains(value, `\u`) || bytes.ContainsAny([]byte(schema), "eE") && strings.Contains(schema, "$schema") {
			return
		}
		if fits, usable := other(schema, value); usable && fits != (fault == "") {
			t.Fatalf("schema %s, value %s: we say %q, the library says %v", schema, value, fault, fits)
		}
	})
}

// generator makes schemas and values of few names, so that they often meet.
type generator struct{ *rand.Rand }

func (g generator) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g generator) list(n int, one func() string) string {
	var all []string
	for range n {
		all = append(all, one())
	}
	return strings.Join(all, ",")
}

func (g generator) value(depth int) string {
	switch n := g.IntN(9); {
	case n < 2 && depth > 0:
		return "[" + g.list(g.IntN(4), func() string { return g.value(depth - 1) }) + "]"
	case n < 5 && depth > 0:
		var members []string
		for _, name := range []string{"a", "b", "c"} {
			if g.IntN(2) == 0 {
				members = append(members, `"`+name+`":`+g.value(depth-1))
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	return g.pick(`null`, `true`, `false`, `0`, `1`, `2`, `1.0`, `1.5`, `-3`, `1e2`, `""`, `"a"`, `"ab"`, `"日本"`)
}

func (g generator) schema(depth int) string {
	if depth == 0 || g.IntN(12) == 0 {
		return g.pick(`true`, `{}`, `false`, `{"type":"string"}`, `{"type":"integer"}`, `{"$ref":"#/$defs/x"}`, `{"type":["number","null"]}`)
	}
	sub := func() string { return g.schema(depth - 1) }
	number := func() string { return g.pick("0", "1", "2", "1.5") }
	count := func() string { return g.pick("0", "1", "2") }
	table := func() string { return `{"` + g.pick("a", "b") + `":` + sub() + `}` }
	keywords := map[string]func() string{
		"type": func() string {
			return g.pick(`"object"`, `"array"`, `"number"`, `"integer"`, `"string"`, `["object","array"]`, `"boolean"`)
		},
		"enum": func() string { return "[" + g.value(1) + "," + g.value(1) + "]" }, "const": func() string { return g.value(1) },
		"minimum": number, "maximum": number, "exclusiveMinimum": number, "exclusiveMaximum": number,
		"multipleOf": func() string { return g.pick("1", "0.5", "2") }, "minLength": count, "maxLength": count,
		"pattern": func() string { return g.pick(`"^a"`, `"b$"`, `"^.{2}$"`) }, "required": func() string { return g.pick(`["a"]`, `["a","b"]`, `[]`) },
		"minProperties": count, "maxProperties": count, "properties": table,
		"patternProperties": func() string { return `{"` + g.pick("^a", "[bc]") + `":` + sub() + `}` }, "additionalProperties": sub,
		"propertyNames": sub, "dependentRequired": func() string { return g.pick(`{"a":["b"]}`, `{"b":["a","c"]}`) }, "dependentSchemas": table,
		"prefixItems": func() string { return "[" + sub() + "," + sub() + "]" }, "items": sub, "contains": sub, "minContains": count, "maxContains": count,
		"minItems": count, "maxItems": count, "uniqueItems": func() string { return g.pick("true", "false") },
		"allOf": func() string { return "[" + sub() + "]" }, "anyOf": func() string { return "[" + sub() + "," + sub() + "]" },
		"oneOf": func() string { return "[" + sub() + "," + sub() + "]" }, "not": sub, "if": sub, "then": sub, "else": sub,
		"$ref": func() string { return g.pick(`"#/$defs/x"`, `"#y"`) },
	}
	names := slices.Sorted(maps.Keys(keywords))
	var members []string
	for range 1 + g.IntN(4) {
		i := g.IntN(len(names))
		members = append(members, `"`+names[i]+`":`+keywords[names[i]]())
		names = slices.Delete(names, i, i+1)
	}
	return "{" + strings.Join(members, ",") + "}"
}

func TestC43_AgreesWithTheLibraryOnRandomSchemas(t *testing.T) {
	t.Parallel()
	g := generator{rand.New(rand.NewPCG(7, 11))}
	compared, misfits := 0, 0
	for range 200 {
		schema := `{"allOf":[` + g.schema(3) + `],"$defs":{"x":` + g.schema(1) + `,"z":{"$anchor":"y","maxItems":2}}}`
		for range 12 {
			value := g.value(3)
			fault, usable := verdict(t, schema, value)
			fits, theyCan := other(schema, value)
			if !usable || !theyCan {
				continue
			}
			if compared++; !fits {
				misfits++
			}
			if fits != (fault == "") {
				t.Fatalf("schema %s, value %s: we say %q, the library says %v", schema, value, fault, fits)
			}
		}
	}
	if compared < 1000 || misfits < compared/10 || misfits > compared*9/10 {
		t.Errorf("%d compared, %d do not fit: the schemas say too little", compared, misfits)
	}
}

func BenchmarkSchema(b *testing.B) {
	schema := []byte(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}},"required":["id"]}}}}`)
	var value bytes.Buffer
	value.WriteString(`{"items":[{"id":0}`)
	for i := range 100 {
		fmt.Fprintf(&value, `,{"id":%d,"name":"the name of something"}`, i)
	}
	value.WriteString(`]}`)
	var s Schemas
	b.SetBytes(int64(value.Len()))
	for b.Loop() {
		if warning := s.check(schema, value.Bytes()); warning != "" {
			b.Fatal(warning)
		}
	}
}

func TestE4_ATextBeyondASCIIIsLeftToItsServer(t *testing.T) {
	t.Parallel()
	var s Schemas
	for value, isRefused := range map[string]bool{`"\u00a0"`: false, `"é"`: false, `"x y"`: true} {
		if d := s.Difference([]byte(`{"type":"string","pattern":"^(\\s|\\w+)$"}`), []byte(value)); (d != nil) != isRefused {
			t.Errorf("%s: %v", value, d)
		}
	}
}

func TestE4_NullStandsForAnOptionalArgument(t *testing.T) {
	t.Parallel()
	var s Schemas
	takes := []byte(`{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"string"}},"required":["b"]}`)
	for arguments, isRefused := range map[string]bool{`{"a":null,"b":"x"}`: false, `{"a":null,"b":null}`: true, `{"a":1,"b":"x"}`: true} {
		if d := s.ArgumentDifference(takes, []byte(arguments)); (d != nil) != isRefused {
			t.Errorf("%s: %v", arguments, d)
		}
		if d := s.Difference(takes, []byte(arguments)); d == nil {
			t.Errorf("%s fits as a result", arguments)
		}
	}
}
