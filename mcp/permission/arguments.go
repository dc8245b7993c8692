package permission

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// ArgumentsError says what is wrong with the arguments of a call, and where.
type ArgumentsError struct {
	Path   string // JSON pointer, "" for the whole
	Reason error
}

func (e *ArgumentsError) Error() string {
	if e.Path == "" {
		return "arguments: " + e.Reason.Error()
	}
	return fmt.Sprintf("arguments at %s: %v", e.Path, e.Reason)
}

// Unwrap returns the reason.
func (e *ArgumentsError) Unwrap() error { return e.Reason }

// CheckArguments returns the bytes that are shown and sent for raw: one JSON object without white space, its digits, its
// spelling of strings and the order of its members kept (S10). No text at all is the empty object. Duplicate keys at any
// depth, invalid UTF-8 and lone surrogates are refused with an *ArgumentsError; keys that differ in case are two keys.
// raw is not modified.
func CheckArguments(raw []byte) ([]byte, error) {
	if len(bytes.Trim(raw, " \t\r\n")) == 0 {
		return []byte("{}"), nil
	}
	value := jsontext.Value(bytes.Clone(raw))
	err := value.Format(jsontext.AllowDuplicateNames(false), jsontext.AllowInvalidUTF8(false), jsontext.PreserveRawStrings(true))
	if err != nil {
		var syntax *jsontext.SyntacticError
		if errors.As(err, &syntax) && syntax.Err != nil {
			reason := syntax.Err
			if syntax.JSONPointer == "" && !errors.Is(reason, jsontext.ErrDuplicateName) {
				reason = fmt.Errorf(`this is not one JSON object, such as {"name": "todo"}: %w`, reason)
			}
			return nil, &ArgumentsError{Path: string(syntax.JSONPointer), Reason: reason}
		}
		return nil, &ArgumentsError{Reason: err}
	}
	if value.Kind() != '{' {
		return nil, &ArgumentsError{Reason: errors.New("must be an object")}
	}
	return value, nil
}

// anyString reports whether found is true of a string in the arguments, names of members included, or true where they
// are no JSON: what can't be read is not harmless.
func anyString(arguments []byte, found func(string) bool) bool {
	if len(arguments) == 0 {
		return false
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(arguments), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for depth := 0; ; {
		token, err := d.ReadToken()
		if err != nil {
			return true
		}
		switch token.Kind() {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			if found(token.String()) {
				return true
			}
		}
		if depth == 0 {
			return false
		}
	}
}
