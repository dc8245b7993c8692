package config

import (
	"slices"
	"strings"
)

// SecretReads are those of [Entry.Reads] that hold a secret by their names, or by
// the names under which the entry hands them on: a variable, a header, a flag.
func (e *Entry) SecretReads(namesSecret func(name string) bool) []string {
	var names []string
	flag := ""
	for path, value := range e.values() {
		key := keyOf(path, value, flag)
		flag = ""
		if strings.HasPrefix(path, "args[") && strings.HasPrefix(value, "-") && !strings.Contains(value, "=") {
			flag = strings.TrimLeft(value, "-")
		}
		t, _ := parseTemplate(value)
		t.each(func(r *reference) {
			if r.kind == refVariable && !e.provides(r.name) && (namesSecret(r.name) || namesSecret(key)) {
				names = append(names, r.name)
			}
		})
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// keyOf is the name that a value is handed on by; flag is the argument before it.
func keyOf(path, value, flag string) string {
	if _, name, isMember := strings.Cut(path, "."); isMember {
		return name
	}
	if name, _, isAssigned := strings.Cut(value, "="); isAssigned && strings.HasPrefix(value, "-") {
		return strings.TrimLeft(name, "-")
	}
	return flag
}
