package main

import (
	"strconv"
	"strings"
)

// luaPrefix stands before the name of every class and alias.
const luaPrefix = "pillion."

// lua writes the protocol as a Lua module: types as LuaCATS annotations, names
// as tables.
func lua(m *model) []byte {
	w := &writer{}
	w.linef("-- %s", generatedBy)
	w.linef("-- luacheck: no max line length")
	for _, s := range m.sections {
		w.linef("\n-- %s", s.title)
		for _, t := range s.types {
			w.linef("")
			luaDoc(w, "", replaceName(t.doc, wireName(t.name), luaPrefix+wireName(t.name)))
			luaType(w, t)
		}
	}
	w.linef("\nlocal M = {}")
	for _, s := range m.sections {
		for _, c := range s.constants {
			w.linef("")
			luaDoc(w, "", c.doc)
			w.linef("M.%s = %s", snake(c.name), luaLiteral(c.literal))
		}
	}
	luaMethods(w, m, request, "requests", "What the editor asks and Pillion answers.")
	luaMethods(w, m, notification, "notifications", "What the editor tells Pillion.")
	luaMethods(w, m, editorRequest, "editor_requests", "What Pillion asks and the editor answers.")
	luaMethods(w, m, event, "events", "What Pillion tells the editor.")
	luaMethods(w, m, command, "commands", "The server commands of workspace/executeCommand.")
	w.linef("\nreturn M")
	return []byte(w.String())
}

func luaLiteral(literal string) string {
	if text, err := strconv.Unquote(literal); err == nil {
		return luaString(text)
	}
	return literal
}

// luaString quotes as stylua does: single quotes, unless the text holds one.
func luaString(text string) string {
	quoted := strconv.Quote(text)
	if strings.ContainsAny(text, `"'`) {
		return quoted
	}
	return "'" + quoted[1:len(quoted)-1] + "'"
}

func luaDoc(w *writer, indent string, doc []block) {
	for _, line := range plain(doc, textWidth-len(indent)) {
		w.linef("%s---%s", indent, line)
	}
}

func luaType(w *writer, t *typeDecl) {
	name := luaPrefix + wireName(t.name)
	switch t.kind {
	case kindAlias:
		w.linef("---@alias %s %s", name, luaRef(t.base))
	case kindUnion:
		w.linef("---@alias %s %s%s", name, luaPrefix, strings.Join(t.members, "|"+luaPrefix))
	case kindEnum:
		w.linef("---@alias %s", name)
		for _, v := range t.values {
			w.linef("---| %q # %s", v.text, v.doc)
		}
	case kindStruct:
		w.linef("---@class (exact) %s", name)
		for _, f := range t.fields {
			luaField(w, f)
		}
	}
}

// luaField writes a member. Neovim decodes null of an object to nil, so that a
// nullable member is an optional one here.
func luaField(w *writer, f field) {
	luaDoc(w, "", sentence(f.doc))
	mark := ""
	if f.optional || f.nullable {
		mark = "?"
	}
	w.linef("---@field %s%s %s", f.json, mark, luaRef(f.ref))
}

func luaRef(r *ref) string {
	switch r.kind {
	case refInt:
		return "integer"
	case refFloat:
		return "number"
	case refBool:
		return "boolean"
	case refRaw:
		return "any"
	case refObject:
		return "table<string, any>"
	case refToken:
		return "integer|string"
	case refNamed:
		return luaPrefix + wireName(r.name)
	case refList:
		return luaRef(r.elem) + "[]"
	case refMap:
		return "table<" + luaRef(r.key) + ", " + luaRef(r.elem) + ">"
	}
	return "string"
}

func luaMethods(w *writer, m *model, d direction, table, doc string) {
	methods := m.methods(d)
	if len(methods) == 0 {
		return
	}
	w.linef("\n---%s", doc)
	w.linef("M.%s = {", table)
	for _, x := range methods {
		luaDoc(w, "  ", x.doc)
		w.linef("  ---")
		w.linef("  ---%s", luaShape(m, x))
		w.linef("  %s = %s,", snake(constantName(x)), luaString(x.wire))
	}
	w.linef("}")
}

func luaShape(m *model, x *method) string {
	shape := "Params: `" + luaRef(x.params) + "`."
	if x.direction == command {
		var members []string
		for _, f := range m.types[x.params.name].fields {
			members = append(members, f.json)
		}
		shape = "Arguments: `{" + strings.Join(members, ", ") + "}` of `" + luaRef(x.params) + "`."
	}
	if x.result != nil {
		shape += " Result: `" + luaRef(x.result) + "`."
	}
	return shape
}
