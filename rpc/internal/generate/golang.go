package main

import (
	"go/format"
	"strings"
)

// golang writes the functions All and Commands of the package rpc/message: the
// declarations with what only their comments say.
func golang(m *model) ([]byte, error) {
	w := &writer{}
	w.linef("// %s\n\npackage message", generatedBy)
	w.linef("\n// All returns every declared method, in the order of the documentation.")
	w.linef("func All() []Declared {\nreturn []Declared{")
	for _, s := range m.sections {
		for _, x := range s.methods {
			if x.direction != command {
				goDeclared(w, x, "Method")
			}
		}
	}
	w.linef("}\n}")
	w.linef("\n// Commands returns every declared server command, in the order of the\n// documentation.")
	w.linef("func Commands() []Declared {\nreturn []Declared{")
	for _, x := range m.methods(command) {
		goDeclared(w, x, "Name")
	}
	w.linef("}\n}")
	return format.Source([]byte(w.String()))
}

func goDeclared(w *writer, x *method, field string) {
	w.linef("{")
	w.linef("Name: %q,", x.name)
	w.linef("Method: %s.%s,", x.name, field)
	w.linef("Direction: Direction%s,", x.direction)
	w.linef("Doc: %q,", strings.Join(plain(x.doc, 1<<20), "\n"))
	if x.people {
		w.linef("ForPeopleOnly: true,")
	}
	w.linef("},")
}
