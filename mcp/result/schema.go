package result

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// The checker of output schemas is our own, though good ones exist: the one that knows all drafts costs every start of
// the program 5 ms in package initialisation (measured, v6.0.3), the one that comes with the MCP SDK overflows the stack on
// a reference that leads to itself, and neither can be told when to stop. A schema here is a stranger's: it is compiled on
// its first use, reaches nothing outside itself, and both it and the check of a result are bounded. What it says of the
// keywords that it knows is tested against the first of those. A schema that holds others is not used.

// The bounds of a schema, and of a value that is checked; beyond them nothing is checked.
const (
	maxSchemaBytes  = 1 << 20
	maxCheckedBytes = 4 << 20
	maxSchemas      = 512
	maxKeptBytes    = 16 << 20 // of schemas, as they are written
	maxSteps        = 200_000
	maxSchemaDepth  = 500
	maxReasonBytes  = 300
)

// Schemas keeps compiled schemas. It may be used at once; the zero value is ready, a nil one keeps nothing.
type Schemas struct {
	mu       sync.Mutex
	compiled map[[sha256.Size]byte]*schema // nil for one that can't be used
	bytes    int                           // of their texts
}

// check says how a value differs from its schema, or nothing. A schema that can't be used is the tool's fault, not the
// result's: it checks nothing.
func (s *Schemas) check(text, value []byte) string {
	if d := s.Difference(text, value); d != nil {
		return "the result does not have the shape that the tool announced, " + d.String()
	}
	return ""
}

// Difference is where a value differs from a schema, as a JSON pointer, and how. Both are bounded.
type Difference struct{ Path, Reason string }

func (d *Difference) String() string {
	if d.Path == "" { // the whole
		return d.Reason
	}
	return fmt.Sprintf("at %q: %s", d.Path, d.Reason)
}

// Difference returns where a value differs from a schema first, or nil. A schema that can't be used, and what is over a bound,
// passes unchecked.
func (s *Schemas) Difference(text, value []byte) *Difference {
	return s.difference(text, value, func(_ *schema, instance any) any { return instance })
}

// ArgumentDifference is Difference for the arguments of a call. There null stands for an optional one that is left out, as many
// callers write it and most servers read it.
func (s *Schemas) ArgumentDifference(text, arguments []byte) *Difference {
	return s.difference(text, arguments, func(compiled *schema, instance any) any {
		if members, isObject := instance.(object); isObject {
			maps.DeleteFunc(members, func(name string, value any) bool { return value == nil && !slices.Contains(compiled.required, name) })
		}
		return instance
	})
}

func (s *Schemas) difference(text, value []byte, read func(*schema, any) any) *Difference {
	if len(text) > maxSchemaBytes || len(value) > maxCheckedBytes {
		return nil
	}
	compiled := s.get(text)
	if compiled == nil {
		return nil
	}
	instance, err := parse(value)
	if err != nil {
		return nil
	}
	c := checker{steps: maxSteps}
	err = c.check(compiled, read(compiled, instance))
	var wrong *mismatch
	if !errors.As(err, &wrong) {
		return nil
	}
	return &Difference{Path: cutBytes(wrong.path, maxReasonBytes), Reason: cutBytes(wrong.reason, maxReasonBytes)}
}

func (s *Schemas) get(text []byte) *schema {
	if s == nil {
		compiled, _ := compile(text)
		return compiled
	}
	key := sha256.Sum256(text)
	s.mu.Lock()
	compiled, isKnown := s.compiled[key]
	s.mu.Unlock()
	if isKnown {
		return compiled
	}
	compiled, _ = compile(text) // nobody else waits for it
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compiled == nil || len(s.compiled) >= maxSchemas || s.bytes+len(text) > maxKeptBytes {
		s.compiled, s.bytes = map[[sha256.Size]byte]*schema{}, 0
	}
	s.compiled[key] = compiled
	s.bytes += len(text)
	return compiled
}

// literal is a JSON number as it is spelt.
type literal string

// object is a JSON object; of a member that stands twice the last counts.
type object map[string]any

// parse reads JSON into object, []any, string, literal, bool and nil.
func parse(raw []byte) (any, error) {
	value, end, err := parseValue(raw, skipSpace(raw, 0), 0)
	if err == nil && skipSpace(raw, end) != len(raw) {
		err = errSyntax
	}
	return value, err
}

func parseValue(raw []byte, i, depth int) (value any, end int, err error) {
	if i >= len(raw) {
		return nil, i, errSyntax
	}
	if depth > maxSchemaDepth {
		return nil, i, errDepth
	}
	switch raw[i] {
	case '{':
		o := object{}
		end, err = eachMember(raw, i, 0, func(name []byte, start int) (int, error) {
			value, end, err := parseValue(raw, start, depth+1)
			o[string(name)] = value
			return end, err
		})
		return o, end, err
	case '[':
		a := []any{}
		end, err = eachElement(raw, i, 0, func(start int) (int, error) {
			value, end, err := parseValue(raw, start, depth+1)
			a = append(a, value)
			return end, err
		})
		return a, end, err
	}
	if end, err = skipValue(raw, i, 0); err != nil {
		return nil, end, err
	}
	switch raw[i] {
	case '"':
		text, _ := unquote(raw[i:end])
		return text, end, nil
	case 't', 'f':
		return raw[i] == 't', end, nil
	case 'n':
		return nil, end, nil
	}
	return literal(raw[i:end]), end, nil
}

// pointer appends a token to a JSON pointer (RFC 6901).
func pointer(path, token string) string {
	if strings.ContainsAny(token, "~/") {
		token = strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
	}
	return path + "/" + token
}
