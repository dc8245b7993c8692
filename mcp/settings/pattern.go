package settings

import (
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// MatchesPattern reports whether one item of Patterns matches a name. One that
// does not compile matches nothing but itself.
func MatchesPattern(pattern, name string) bool {
	if pattern == name {
		return true
	}
	if expression, ok := regularExpression(pattern); ok {
		compiled, err := regexp.Compile(expression)
		return err == nil && compiled.MatchString(name)
	}
	// A slash in a name separates nothing: * goes across it.
	flat := strings.NewReplacer("/", "\x00")
	ok, err := doublestar.Match(flat.Replace(pattern), flat.Replace(name))
	return err == nil && ok
}

// CheckPattern says what is wrong with an item of Patterns, or returns "".
func CheckPattern(pattern string) string {
	if pattern == "" {
		return "is empty"
	}
	if expression, ok := regularExpression(pattern); ok {
		if _, err := regexp.Compile(expression); err != nil {
			return "is not a regular expression"
		}
		return ""
	}
	if !doublestar.ValidatePattern(strings.ReplaceAll(pattern, "/", "\x00")) {
		return "is not a glob"
	}
	return ""
}

func regularExpression(pattern string) (expression string, ok bool) {
	if len(pattern) < 3 || pattern[0] != '/' || pattern[len(pattern)-1] != '/' {
		return "", false
	}
	return pattern[1 : len(pattern)-1], true
}
