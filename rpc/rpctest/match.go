package rpctest

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"strings"
)

// names are the values that "${name}" stands for.
type names map[string]value

var wholeName = regexp.MustCompile(`^\$\{([A-Za-z0-9_.-]+)\}$`)

var anyName = regexp.MustCompile(`\$\{([A-Za-z0-9_.-]+)\}`)

// match compares an expected value with an actual one. It returns "" or what is
// different, and binds names only when nothing is.
func (n names) match(expected, actual value) string {
	bound := maps.Clone(n)
	if bound == nil {
		bound = names{}
	}
	if difference := bound.compare("", expected, actual); difference != "" {
		return difference
	}
	maps.Copy(n, bound)
	return ""
}

// compare is match that binds at once.
func (n names) compare(where string, expected, actual value) string {
	switch e := expected.(type) {
	case object:
		return n.compareObject(where, e, actual)
	case []value:
		return n.compareArray(where, e, actual)
	case string:
		return n.compareString(where, e, actual)
	}
	return unequal(where, expected, actual)
}

func (n names) compareObject(where string, expected object, actual value) string {
	a, isObject := actual.(object)
	if !isObject {
		return unequal(where, expected, actual)
	}
	for _, m := range expected {
		path := where + "/" + m.name
		v, present := a.member(m.name)
		switch {
		case m.value == "$absent" && present:
			return path + " is present"
		case m.value == "$absent":
			continue
		case !present:
			return path + " is missing"
		}
		if difference := n.compare(path, m.value, v); difference != "" {
			return difference
		}
	}
	return ""
}

func (n names) compareArray(where string, expected []value, actual value) string {
	a, isArray := actual.([]value)
	if !isArray {
		return unequal(where, expected, actual)
	}
	open := len(expected) > 0 && expected[len(expected)-1] == "$more"
	if open {
		expected = expected[:len(expected)-1]
	}
	if len(a) < len(expected) || !open && len(a) > len(expected) {
		return fmt.Sprintf("%s has %d elements, expected %d", where, len(a), len(expected))
	}
	for i := range expected {
		if difference := n.compare(fmt.Sprintf("%s/%d", where, i), expected[i], a[i]); difference != "" {
			return difference
		}
	}
	return ""
}

func (n names) compareString(where, expected string, actual value) string {
	if name := wholeName.FindStringSubmatch(expected); name != nil {
		v, bound := n[name[1]]
		if !bound {
			n[name[1]] = actual
			return ""
		}
		return unequal(where, v, actual)
	}
	if pattern, isPattern := strings.CutPrefix(expected, "$match "); isPattern {
		text, isString := actual.(string)
		pattern, err := n.expandTextBy(pattern, regexp.QuoteMeta)
		if err != nil {
			return where + ": " + err.Error()
		}
		re, err := regexp.Compile(pattern)
		if err != nil || !isString || !re.MatchString(text) {
			return unequal(where, expected, actual)
		}
		return ""
	}
	if kind, isKind := kinds[expected]; isKind {
		if kind != "" && kind != kindOf(actual) {
			return unequal(where, expected, actual)
		}
		return ""
	}
	text, err := n.expandText(expected)
	if err != nil {
		return where + ": " + err.Error()
	}
	return unequal(where, text, actual)
}

// kinds are the wildcards and the kinds they stand for.
var kinds = map[string]string{"$any": "", "$string": "string", "$number": "number", "$bool": "bool", "$object": "object", "$array": "array"}

// kindOf names the kind of v as the wildcards do.
func kindOf(v value) string {
	switch v.(type) {
	case string:
		return "string"
	case number:
		return "number"
	case bool:
		return "bool"
	case object:
		return "object"
	case []value:
		return "array"
	}
	return "null"
}

// unequal returns what to say when expected is not actual, and "" when it is.
func unequal(where string, expected, actual value) string {
	if reflect.DeepEqual(expected, actual) {
		return ""
	}
	if where == "" {
		where = "the message"
	}
	return fmt.Sprintf("%s is %s, expected %s", where, shortened(actual), shortened(expected))
}

// shortened renders v for a failure.
func shortened(v value) string {
	const shown = 600
	text := appendValue(nil, v)
	if len(text) > shown {
		return string(text[:shown]) + "…"
	}
	return string(text)
}

// expand replaces the names in v by their values.
func (n names) expand(v value) (value, error) {
	switch v := v.(type) {
	case string:
		if name := wholeName.FindStringSubmatch(v); name != nil {
			bound, known := n[name[1]]
			if !known {
				return nil, fmt.Errorf("${%s} is not bound", name[1])
			}
			return bound, nil
		}
		return n.expandText(v)
	case []value:
		out := make([]value, len(v))
		for i := range v {
			var err error
			if out[i], err = n.expand(v[i]); err != nil {
				return nil, err
			}
		}
		return out, nil
	case object:
		out := make(object, len(v))
		for i, m := range v {
			expanded, err := n.expand(m.value)
			if err != nil {
				return nil, err
			}
			name, err := n.expandText(m.name)
			if err != nil {
				return nil, err
			}
			out[i] = member{name, expanded}
		}
		return out, nil
	}
	return v, nil
}

// expandText replaces names within a string.
func (n names) expandText(text string) (string, error) {
	return n.expandTextBy(text, func(value string) string { return value })
}

// expandTextBy replaces names within a string by their values as quote writes them.
func (n names) expandTextBy(text string, quote func(string) string) (string, error) {
	var missing error
	text = anyName.ReplaceAllStringFunc(text, func(found string) string {
		name := found[2 : len(found)-1]
		bound, known := n[name]
		if !known {
			missing = fmt.Errorf("%s is not bound", found)
			return found
		}
		if s, isString := bound.(string); isString {
			return quote(s)
		}
		return quote(string(appendValue(nil, bound)))
	})
	return text, missing
}
