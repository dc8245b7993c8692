package personal

import (
	"fmt"
	"strings"
)

// Variable is the variable that a reference names: `${NAME}` or `${env:NAME}`, and nothing around it. Anything else is refused:
// what is kept is where a value comes from, never the value.
func Variable(reference string) (name string, err error) {
	inside, isOpen := strings.CutPrefix(reference, "${")
	inside, isClosed := strings.CutSuffix(inside, "}")
	name = strings.TrimPrefix(inside, "env:")
	if !isOpen || !isClosed || !isVariableName(name) {
		return "", errNotReference
	}
	return name, nil
}

// errNotReference does not repeat what was written: it may be a secret.
var errNotReference = fmt.Errorf("a variable is given by reference, as ${NAME}, never by its value")

// checkEnv says what is wrong with references by the names of variables.
func checkEnv(env map[string]string) error {
	if len(env) > maxVariables {
		return fmt.Errorf("there are more than %d variables", maxVariables)
	}
	for name, reference := range env {
		if !isVariableName(name) {
			return fmt.Errorf("%q is not the name of a variable", name)
		}
		if _, err := Variable(reference); err != nil {
			return fmt.Errorf("variable %s: %w", name, err)
		}
	}
	return nil
}

// isVariableName reports whether a reference can name the variable.
func isVariableName(name string) bool {
	if name == "" || len(name) > maxNameBytes {
		return false
	}
	for i, c := range []byte(name) {
		isLetter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		isDigit := '0' <= c && c <= '9'
		if !isLetter && (!isDigit || i == 0) {
			return false
		}
	}
	return true
}
