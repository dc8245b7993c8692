package result

import (
	"fmt"
	"maps"
	"math/big"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// schema is a compiled JSON Schema of one of the drafts 4 to 2020-12. A pointer or slice that is nil is a keyword that is
// not there.
type schema struct {
	never bool // the schema false

	types                              []string
	enum, constant                     []any
	minimum, maximum                   *big.Rat
	exclusiveMinimum, exclusiveMaximum *big.Rat
	multipleOf                         *big.Rat
	minLength, maxLength               *int
	pattern                            *pattern

	required                     []string
	minProperties, maxProperties *int
	properties                   map[string]*schema
	patternProperties            []patternSchema
	additional, names            *schema
	dependentRequired            map[string][]string
	dependentSchemas             map[string]*schema

	prefix                   []*schema
	items                    *schema // of those after prefix
	contains                 *schema
	minContains, maxContains *int
	minItems, maxItems       *int
	unique                   bool

	ref                  *schema
	allOf, anyOf, oneOf  []*schema
	not, when, then, els *schema
}

type patternSchema struct {
	pattern *pattern
	schema  *schema
}

// compiler compiles the schemas of one document, each once, so that references may lead in circles.
type compiler struct {
	root    any
	rootID  string
	old     bool // a draft before 2019-09: $ref stands alone
	anchors map[string]object
	done    map[uintptr]*schema // by the object that it is compiled from
	size    int                 // of its patterns
	fault   error               // why the schema can't be used
}

// compile fails for a schema that can't be used.
func compile(text []byte) (*schema, error) {
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	c := &compiler{root: root, anchors: map[string]object{}, done: map[uintptr]*schema{}}
	if o, isObject := root.(object); isObject {
		draft, _ := o["$schema"].(string)
		for _, name := range []string{"draft-04", "draft-06", "draft-07"} {
			c.old = c.old || strings.Contains(draft, name)
		}
		c.rootID, _ = o["$id"].(string)
		c.findAnchors(root, true)
	}
	s := c.compile(root)
	if c.fault != nil {
		return nil, c.fault
	}
	return s, nil
}

func (c *compiler) fail(format string, args ...any) {
	if c.fault == nil {
		c.fault = fmt.Errorf("the schema can't be used: "+format, args...)
	}
}

// findAnchors finds every $anchor. A second $id begins a document of its own, which is not supported.
func (c *compiler) findAnchors(value any, isRoot bool) {
	switch v := value.(type) {
	case object:
		if name, isText := v["$anchor"].(string); isText {
			c.anchors[name] = v
		}
		if _, isText := v["$id"].(string); isText && !isRoot {
			c.fail("a document in the document")
		}
		for name, child := range v {
			if name != "enum" && name != "const" && name != "default" && name != "examples" {
				c.findAnchors(child, false)
			}
		}
	case []any:
		for _, child := range v {
			c.findAnchors(child, false)
		}
	}
}

func (c *compiler) compile(value any) *schema {
	switch v := value.(type) {
	case bool:
		return &schema{never: !v}
	case object:
		key := reflect.ValueOf(v).Pointer()
		if s, isDone := c.done[key]; isDone || c.fault != nil {
			return s
		}
		s := &schema{}
		c.done[key] = s
		c.object(s, v)
		return s
	}
	c.fail("a schema is neither an object nor a boolean")
	return nil
}

// unknown are the keywords that would have to be understood, and are not.
var unknown = []string{"unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef"}

func (c *compiler) object(s *schema, o object) {
	for _, name := range unknown {
		if _, isThere := o[name]; isThere {
			c.fail("%s is not supported", name)
		}
	}
	if ref, isThere := o["$ref"]; isThere {
		s.ref = c.reference(ref)
		if c.old {
			return
		}
	}
	c.values(s, o)
	c.numbers(s, o)
	c.members(s, o)
	c.elements(s, o)
	s.allOf, s.anyOf, s.oneOf = c.list(o, "allOf"), c.list(o, "anyOf"), c.list(o, "oneOf")
	s.not, s.when = c.child(o, "not"), c.child(o, "if")
	s.then, s.els = c.child(o, "then"), c.child(o, "else")
}

// reference compiles what a $ref names: something in this document, or nothing.
func (c *compiler) reference(ref any) *schema {
	text, isText := ref.(string)
	fragment, isLocal := strings.CutPrefix(strings.TrimPrefix(text, strings.TrimSuffix(c.rootID, "#")), "#")
	target, err := url.PathUnescape(fragment)
	var value any
	isThere := false
	switch {
	case !isText || text == "" || !isLocal && fragment != "" || err != nil:
		c.fail("the reference %q leads out of the schema", ref)
		return nil
	case target != "" && target[0] != '/':
		value, isThere = c.anchors[target]
	default:
		value, isThere = follow(c.root, target)
	}
	if !isThere {
		c.fail("the reference %q leads nowhere", ref)
		return nil
	}
	return c.compile(value)
}

// follow finds what a JSON pointer points at.
func follow(value any, target string) (any, bool) {
	if target == "" {
		return value, true
	}
	for token := range strings.SplitSeq(target[1:], "/") {
		if strings.IndexByte(token, '~') >= 0 { // the replacer takes its time to be made
			token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		}
		switch v := value.(type) {
		case object:
			child, isThere := v[token]
			if !isThere {
				return nil, false
			}
			value = child
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) || strconv.Itoa(i) != token {
				return nil, false
			}
			value = v[i]
		default:
			return nil, false
		}
	}
	return value, true
}

func (c *compiler) child(o object, name string) *schema {
	value, isThere := o[name]
	if !isThere {
		return nil
	}
	return c.compile(value)
}

func (c *compiler) list(o object, name string) []*schema {
	value, isThere := o[name]
	if !isThere {
		return nil
	}
	values, isList := value.([]any)
	if !isList || len(values) == 0 {
		c.fail("%s is no list of schemas", name)
		return nil
	}
	return c.schemas(values)
}

func (c *compiler) schemas(values []any) (all []*schema) {
	for _, value := range values {
		all = append(all, c.compile(value))
	}
	return all
}

func (c *compiler) table(o object, name string) map[string]*schema {
	value, isThere := o[name]
	if !isThere {
		return nil
	}
	values, isObject := value.(object)
	if !isObject {
		c.fail("%s is no object of schemas", name)
		return nil
	}
	all := map[string]*schema{}
	for key, value := range values {
		all[key] = c.compile(value)
	}
	return all
}

var typeNames = []string{"null", "boolean", "object", "array", "number", "integer", "string"}

func (c *compiler) values(s *schema, o object) {
	switch v := o["type"].(type) {
	case nil:
		if _, isThere := o["type"]; isThere {
			c.fail("type is null")
		}
	case string:
		s.types = []string{v}
	default:
		if s.types = c.strings(o, "type"); len(s.types) == 0 {
			c.fail("type names no type")
		}
	}
	for _, name := range s.types {
		if !slices.Contains(typeNames, name) {
			c.fail("there is no type %q", name)
		}
	}
	if value, isThere := o["enum"]; isThere {
		values, isList := value.([]any)
		if s.enum = values; !isList {
			c.fail("enum is no list")
		}
	}
	if value, isThere := o["const"]; isThere {
		s.constant = []any{value}
	}
	s.minLength, s.maxLength = c.count(o, "minLength"), c.count(o, "maxLength")
	if value, isThere := o["pattern"]; isThere {
		text, isText := value.(string)
		if s.pattern = c.regexp(text); !isText {
			c.fail("pattern is no text")
		}
	}
}

func (c *compiler) regexp(text string) *pattern {
	if c.fault != nil {
		return nil
	}
	compiled, err := newPattern(text)
	if err != nil {
		c.fail("the pattern %.100q: %w", text, err)
		return nil
	}
	if c.size += compiled.size; c.size > maxPatternSize {
		c.fail("its patterns are too large")
		return nil
	}
	return compiled
}

func (c *compiler) numbers(s *schema, o object) {
	s.minimum, s.maximum = c.number(o, "minimum"), c.number(o, "maximum")
	// In draft 4 these two make the others exclusive.
	if v, isBool := o["exclusiveMinimum"].(bool); isBool {
		if v {
			s.exclusiveMinimum, s.minimum = s.minimum, nil
		}
	} else {
		s.exclusiveMinimum = c.number(o, "exclusiveMinimum")
	}
	if v, isBool := o["exclusiveMaximum"].(bool); isBool {
		if v {
			s.exclusiveMaximum, s.maximum = s.maximum, nil
		}
	} else {
		s.exclusiveMaximum = c.number(o, "exclusiveMaximum")
	}
	if s.multipleOf = c.number(o, "multipleOf"); s.multipleOf != nil && s.multipleOf.Sign() <= 0 {
		c.fail("multipleOf is not positive")
	}
}

func (c *compiler) number(o object, name string) *big.Rat {
	value, isThere := o[name]
	if !isThere {
		return nil
	}
	text, _ := value.(literal)
	n, ok := rational(text)
	if !ok {
		c.fail("%s is no number that can be used", name)
	}
	return n
}

func (c *compiler) count(o object, name string) *int {
	n := c.number(o, name)
	if n == nil {
		return nil
	}
	if !n.IsInt() || n.Sign() < 0 || !n.Num().IsInt64() {
		c.fail("%s is no number of something", name)
		return nil
	}
	count := int(min(n.Num().Int64(), 1<<31-1))
	return &count
}

func (c *compiler) strings(o object, name string) (all []string) {
	value, isThere := o[name]
	if !isThere {
		return nil
	}
	values, isList := value.([]any)
	for _, value := range values {
		text, isText := value.(string)
		isList = isList && isText
		all = append(all, text)
	}
	if !isList {
		c.fail("%s is no list of texts", name)
	}
	return all
}

func (c *compiler) members(s *schema, o object) {
	if required, isBool := o["required"].(bool); !isBool {
		s.required = c.strings(o, "required")
	} else if !c.old || required {
		c.fail("required is no list of texts")
	}
	s.minProperties, s.maxProperties = c.count(o, "minProperties"), c.count(o, "maxProperties")
	s.properties = c.table(o, "properties")
	patterns := c.table(o, "patternProperties")
	for _, text := range slices.Sorted(maps.Keys(patterns)) {
		s.patternProperties = append(s.patternProperties, patternSchema{c.regexp(text), patterns[text]})
	}
	s.additional, s.names = c.child(o, "additionalProperties"), c.child(o, "propertyNames")
	s.dependentSchemas = c.table(o, "dependentSchemas")
	c.dependencies(s, o, "dependentRequired")
	c.dependencies(s, o, "dependencies") // which were both in one before 2019-09
}

func (c *compiler) dependencies(s *schema, o object, keyword string) {
	value, isThere := o[keyword]
	if !isThere {
		return
	}
	table, isObject := value.(object)
	if !isObject {
		c.fail("%s is no object", keyword)
	}
	for name, value := range table {
		if _, isList := value.([]any); isList || keyword == "dependentRequired" {
			if s.dependentRequired == nil {
				s.dependentRequired = map[string][]string{}
			}
			s.dependentRequired[name] = append(s.dependentRequired[name], c.strings(table, name)...)
			continue
		}
		if s.dependentSchemas == nil {
			s.dependentSchemas = map[string]*schema{}
		}
		s.dependentSchemas[name] = c.compile(value)
	}
}

func (c *compiler) elements(s *schema, o object) {
	s.prefix = c.list(o, "prefixItems")
	if values, isList := o["items"].([]any); isList { // before 2020-12
		s.prefix, s.items = c.schemas(values), c.child(o, "additionalItems")
	} else {
		s.items = c.child(o, "items")
	}
	s.contains = c.child(o, "contains")
	s.minContains, s.maxContains = c.count(o, "minContains"), c.count(o, "maxContains")
	s.minItems, s.maxItems = c.count(o, "minItems"), c.count(o, "maxItems")
	if value, isThere := o["uniqueItems"]; isThere {
		unique, isBool := value.(bool)
		if s.unique = unique; !isBool {
			c.fail("uniqueItems is neither true nor false")
		}
	}
}
