package result

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// mismatch is where and how a value differs from its schema.
type mismatch struct{ path, reason string }

func (m *mismatch) Error() string { return m.path + ": " + m.reason }

// errBudget ends a check that takes too long, whatever the reason: a reference that leads to itself, alternatives in
// alternatives, a pattern on a long text.
var errBudget = errors.New("the check takes too long")

// checker checks one value.
type checker struct {
	steps int
	depth int
	path  []string
	// quiet is above 0 where it only matters whether something fits: nobody reads why it does not.
	quiet int
}

// listed is what looking at one entry of a list costs, as a part of a step.
const listed = 8

func (c *checker) step(n int) error {
	if c.steps -= n + 1; c.steps < 0 {
		return errBudget
	}
	return nil
}

// errQuiet stands for every mismatch whose words nobody reads.
var errQuiet = &mismatch{}

func (c *checker) wrong(format string, args ...any) error {
	if c.quiet > 0 {
		return errQuiet
	}
	path := ""
	for _, token := range c.path {
		path = pointer(path, token)
	}
	return &mismatch{path, fmt.Sprintf(format, args...)}
}

// check returns a *mismatch, errBudget, or nil.
func (c *checker) check(s *schema, value any) error {
	if err := c.step(0); err != nil || c.depth > maxSchemaDepth {
		return errBudget
	}
	c.depth++
	defer func() { c.depth-- }()
	if s.never {
		return c.wrong("nothing is allowed here")
	}
	if s.ref != nil {
		if err := c.check(s.ref, value); err != nil {
			return err
		}
	}
	if err := c.kind(s, value); err != nil {
		return err
	}
	var err error
	switch v := value.(type) {
	case literal:
		err = c.number(s, v)
	case string:
		err = c.text(s, v)
	case []any:
		err = c.array(s, v)
	case object:
		err = c.object(s, v)
	}
	if err != nil {
		return err
	}
	return c.logic(s, value)
}

// at checks a part of the value.
func (c *checker) at(token string, s *schema, value any) error {
	c.path = append(c.path, token)
	defer func() { c.path = c.path[:len(c.path)-1] }()
	return c.check(s, value)
}

// fits reports whether a value has a shape; the error is errBudget.
func (c *checker) fits(s *schema, value any) (bool, error) {
	c.quiet++
	defer func() { c.quiet-- }()
	err := c.check(s, value)
	if errors.Is(err, errBudget) {
		return false, err
	}
	return err == nil, nil
}

// anyOfThem and plain are formatted only where somebody reads them.
type (
	anyOfThem []string
	plain     big.Rat
)

func (a anyOfThem) String() string { return strings.Join(a, " or ") }
func (p *plain) String() string    { return (*big.Rat)(p).RatString() }

func typeOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case object:
		return "object"
	case literal:
		if isInteger(v) {
			return "integer"
		}
	}
	return "number"
}

// isInteger reports whether a number is whole, however it is spelt: 1.0, 1e3 and 100e-2 are.
func isInteger(text literal) bool {
	mantissa, exponent := string(text), ""
	if e := strings.IndexAny(mantissa, "eE"); e >= 0 {
		mantissa, exponent = mantissa[:e], mantissa[e+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if exponent == "" && fraction == "" {
		return true
	}
	digits := strings.TrimRight(whole+fraction, "0")
	if strings.Trim(digits, "-0") == "" {
		return true
	}
	shift := 0
	if exponent != "" {
		shift, _ = strconv.Atoi(exponent) // out of range it is the nearest that is not
	}
	return shift >= len(digits)-len(whole)
}

func (c *checker) kind(s *schema, value any) error {
	if s.types != nil {
		if err := c.step(len(s.types) / listed); err != nil {
			return err
		}
		name := typeOf(value)
		if !slices.Contains(s.types, name) && !(name == "integer" && slices.Contains(s.types, "number")) {
			return c.wrong("expected %s, got %s", anyOfThem(s.types), name)
		}
	}
	for _, allowed := range [][]any{s.enum, s.constant} {
		if allowed == nil {
			continue
		}
		if isOne, err := c.isOneOf(allowed, value); err != nil {
			return err
		} else if !isOne {
			return c.wrong("it is none of the values that are allowed")
		}
	}
	return nil
}

func (c *checker) isOneOf(allowed []any, value any) (bool, error) {
	for _, one := range allowed {
		if same, err := c.equal(one, value); err != nil || same {
			return same, err
		}
	}
	return false, nil
}

// equal compares JSON values; numbers by what they are, not how they are spelt.
func (c *checker) equal(a, b any) (bool, error) {
	if err := c.step(0); err != nil {
		return false, err
	}
	switch a := a.(type) {
	case literal:
		b, isNumber := b.(literal)
		if !isNumber || a == b {
			return isNumber, nil
		}
		m, err := c.rational(a)
		if err != nil {
			return false, err
		}
		n, err := c.rational(b)
		if err != nil {
			return false, err
		}
		return m.Cmp(n) == 0, nil
	case []any:
		b, isArray := b.([]any)
		if !isArray || len(a) != len(b) {
			return false, nil
		}
		for i := range a {
			if same, err := c.equal(a[i], b[i]); err != nil || !same {
				return false, err
			}
		}
		return true, nil
	case object:
		b, isObject := b.(object)
		if !isObject || len(a) != len(b) {
			return false, nil
		}
		for name := range a {
			other, isThere := b[name]
			if !isThere {
				return false, nil
			}
			if same, err := c.equal(a[name], other); err != nil || !same {
				return false, err
			}
		}
		return true, nil
	case string:
		b, isText := b.(string)
		return isText && a == b, c.step(min(len(a), len(b)) / 64)
	}
	switch b.(type) {
	case []any, object: // can't be compared with ==
		return false, nil
	}
	return a == b, nil
}

// rational reads a number exactly, unless that would take long.
func rational(text literal) (*big.Rat, bool) {
	if len(text) > 400 {
		return nil, false
	}
	if e := strings.IndexAny(string(text), "eE"); e >= 0 {
		if exponent, err := strconv.Atoi(string(text[e+1:])); err != nil || exponent > 1000 || exponent < -1000 {
			return nil, false
		}
	}
	return new(big.Rat).SetString(string(text))
}

// rational is the func of that name, at its cost.
func (c *checker) rational(text literal) (*big.Rat, error) {
	n, ok := rational(text)
	if !ok {
		return nil, errBudget
	}
	return n, c.step(bitsOf(n) / 32)
}

// bitsOf is how long a number is.
func bitsOf(n *big.Rat) int { return n.Num().BitLen() + n.Denom().BitLen() }

func (c *checker) number(s *schema, text literal) error {
	if s.minimum == nil && s.maximum == nil && s.exclusiveMinimum == nil && s.exclusiveMaximum == nil && s.multipleOf == nil {
		return nil
	}
	n, err := c.rational(text)
	if err != nil {
		return err
	}
	if s.multipleOf != nil {
		if err := c.step((bitsOf(n) + bitsOf(s.multipleOf)) / 32); err != nil {
			return err
		}
	}
	switch {
	case s.minimum != nil && n.Cmp(s.minimum) < 0:
		return c.wrong("it is smaller than %s", (*plain)(s.minimum))
	case s.maximum != nil && n.Cmp(s.maximum) > 0:
		return c.wrong("it is larger than %s", (*plain)(s.maximum))
	case s.exclusiveMinimum != nil && n.Cmp(s.exclusiveMinimum) <= 0:
		return c.wrong("it is not larger than %s", (*plain)(s.exclusiveMinimum))
	case s.exclusiveMaximum != nil && n.Cmp(s.exclusiveMaximum) >= 0:
		return c.wrong("it is not smaller than %s", (*plain)(s.exclusiveMaximum))
	case s.multipleOf != nil && !new(big.Rat).Quo(n, s.multipleOf).IsInt():
		return c.wrong("it is no multiple of %s", (*plain)(s.multipleOf))
	}
	return nil
}

func (c *checker) text(s *schema, text string) error {
	if err := c.step(len(text) / 64); err != nil {
		return err
	}
	if s.minLength != nil || s.maxLength != nil {
		if n := utf8.RuneCountInString(text); s.minLength != nil && n < *s.minLength {
			return c.wrong("it has %d characters, fewer than %d", n, *s.minLength)
		} else if s.maxLength != nil && n > *s.maxLength {
			return c.wrong("it has %d characters, more than %d", n, *s.maxLength)
		}
	}
	return c.matches(s, text)
}

func (c *checker) matches(s *schema, text string) error {
	if s.pattern == nil {
		return nil
	}
	if err := c.step(s.pattern.steps(text)); err != nil {
		return err
	}
	if !s.pattern.MatchString(text) && !mayDiffer(s.pattern.String(), text) {
		return c.wrong("it does not match the pattern %q", s.pattern)
	}
	return nil
}

// mayDiffer reports whether a server may take a text that Go's pattern does not: what a class holds beyond ASCII is another in
// ECMA-262, in Python and in Rust.
func mayDiffer(pattern, text string) bool {
	isPlain := strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
	return !isPlain && (strings.Contains(pattern, `\w`) || strings.Contains(pattern, `\s`) || strings.Contains(pattern, `\d`) || strings.Contains(pattern, `\b`))
}

func (c *checker) array(s *schema, values []any) error {
	if n := len(values); s.minItems != nil && n < *s.minItems {
		return c.wrong("it has %d elements, fewer than %d", n, *s.minItems)
	} else if s.maxItems != nil && n > *s.maxItems {
		return c.wrong("it has %d elements, more than %d", n, *s.maxItems)
	}
	for i, value := range values {
		of := s.items
		if i < len(s.prefix) {
			of = s.prefix[i]
		}
		if of == nil { // of those after the prefix
			break
		}
		if err := c.at(strconv.Itoa(i), of, value); err != nil {
			return err
		}
	}
	if err := c.contains(s, values); err != nil || !s.unique {
		return err
	}
	for i := range values {
		for j := range i {
			if same, err := c.equal(values[i], values[j]); err != nil {
				return err
			} else if same {
				return c.wrong("its elements %d and %d are the same", j, i)
			}
		}
	}
	return nil
}

func (c *checker) contains(s *schema, values []any) error {
	if s.contains == nil {
		return nil
	}
	n, least := 0, 1
	for _, value := range values {
		fits, err := c.fits(s.contains, value)
		if err != nil {
			return err
		}
		if fits {
			n++
		}
	}
	if s.minContains != nil {
		least = *s.minContains
	}
	if n < least {
		return c.wrong("%d of its elements are as they should be, fewer than %d", n, least)
	}
	if s.maxContains != nil && n > *s.maxContains {
		return c.wrong("%d of its elements are as %d may be", n, *s.maxContains)
	}
	return nil
}

func (c *checker) object(s *schema, members object) error {
	if err := c.step(len(s.required)/listed + len(members)); err != nil { // which are sorted
		return err
	}
	for _, name := range s.required {
		if _, isThere := members[name]; !isThere {
			return c.wrong("the member %q is missing", name)
		}
	}
	if n := len(members); s.minProperties != nil && n < *s.minProperties {
		return c.wrong("it has %d members, fewer than %d", n, *s.minProperties)
	} else if s.maxProperties != nil && n > *s.maxProperties {
		return c.wrong("it has %d members, more than %d", n, *s.maxProperties)
	}
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names) // the same fault is named every time
	for _, name := range names {
		if err := c.member(s, name, members[name]); err != nil {
			return err
		}
	}
	return c.dependencies(s, names, members)
}

func (c *checker) member(s *schema, name string, value any) error {
	if s.names != nil {
		if err := c.at(name, s.names, name); err != nil {
			return err
		}
	}
	of, isKnown := s.properties[name]
	if isKnown {
		if err := c.at(name, of, value); err != nil {
			return err
		}
	}
	for _, one := range s.patternProperties {
		if err := c.step(one.pattern.steps(name)); err != nil {
			return err
		}
		if !one.pattern.MatchString(name) {
			continue
		}
		isKnown = true
		if err := c.at(name, one.schema, value); err != nil {
			return err
		}
	}
	if isKnown || s.additional == nil {
		return nil
	}
	if s.additional.never {
		return c.wrong("the member %q is not allowed", name)
	}
	return c.at(name, s.additional, value)
}

func (c *checker) dependencies(s *schema, names []string, members object) error {
	if s.dependentRequired == nil && s.dependentSchemas == nil {
		return nil
	}
	for _, name := range names {
		if err := c.step(len(s.dependentRequired[name]) / listed); err != nil {
			return err
		}
		for _, needed := range s.dependentRequired[name] {
			if _, isThere := members[needed]; !isThere {
				return c.wrong("the member %q is missing, which %q needs", needed, name)
			}
		}
		if of, isThere := s.dependentSchemas[name]; isThere {
			if err := c.check(of, members); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) logic(s *schema, value any) error {
	for _, one := range s.allOf {
		if err := c.check(one, value); err != nil {
			return err
		}
	}
	if s.anyOf != nil {
		if n, err := c.fitting(s.anyOf, value, 1); err != nil {
			return err
		} else if n == 0 {
			return c.wrong("it has none of the %d shapes that are allowed", len(s.anyOf))
		}
	}
	if s.oneOf != nil {
		if n, err := c.fitting(s.oneOf, value, 2); err != nil {
			return err
		} else if n != 1 {
			return c.wrong("it has %d of the %d shapes of which one is allowed", n, len(s.oneOf))
		}
	}
	if s.not != nil {
		if fits, err := c.fits(s.not, value); err != nil {
			return err
		} else if fits {
			return c.wrong("it has a shape that is not allowed")
		}
	}
	if s.when == nil {
		return nil
	}
	fits, err := c.fits(s.when, value)
	if err != nil {
		return err
	}
	of := s.els
	if fits {
		of = s.then
	}
	if of == nil {
		return nil
	}
	return c.check(of, value)
}

// fitting counts the shapes that a value has, up to enough.
func (c *checker) fitting(shapes []*schema, value any, enough int) (n int, err error) {
	for _, one := range shapes {
		fits, err := c.fits(one, value)
		if err != nil {
			return 0, err
		}
		if fits {
			if n++; n == enough {
				break
			}
		}
	}
	return n, nil
}
