package main

import (
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strings"
)

// external returns the shape of a type of LSP's libraries that has a place in
// the protocol, or nil.
func external(name string) *typeDecl {
	switch name {
	case "uri.URI":
		return &typeDecl{kind: kindAlias, base: &ref{kind: refString}}
	case "protocol.ProgressToken":
		return &typeDecl{kind: kindAlias, base: &ref{kind: refToken}}
	case "protocol.Range":
		position := &ref{kind: refNamed, name: "Position"}
		return &typeDecl{kind: kindStruct, fields: []field{
			{name: "Start", json: "start", ref: position, doc: "where it begins"},
			{name: "End", json: "end", ref: position, doc: "where it ends: the first position that is outside"},
		}}
	case "protocol.Position":
		return &typeDecl{kind: kindStruct, fields: []field{
			{name: "Line", json: "line", ref: &ref{kind: refInt}, doc: "line, from 0"},
			{name: "Character", json: "character", ref: &ref{kind: refInt}, doc: "place in the line, from 0, in the negotiated encoding"},
		}}
	}
	return nil
}

func (l *loader) readType(file *ast.File, group *ast.GenDecl, spec ast.Spec) {
	s, ok := spec.(*ast.TypeSpec)
	if !ok || !s.Name.IsExported() {
		return
	}
	name, doc := s.Name.Name, docOf(group, s.Doc, s.Comment)
	if doc.Text() == "" {
		l.faultf(s, "type %s has no documentation", name)
	}
	if _, ok := directive(doc, "go"); ok {
		l.goOnly[name] = true
		return
	}
	t := l.declaration(s)
	if t == nil {
		l.faultf(s, "type %s has no form on the wire; mark it //pillion:go if it never crosses", name)
		return
	}
	t.name = name
	t.union, _ = directive(doc, "union")
	if t.kind == kindUnion && t.union != "body" && t.union != "answer" {
		l.faultf(s, "union %s needs //pillion:union body or answer", name)
	}
	t.doc = replaceName(l.texts.parse(doc.Text()), name, wireName(name))
	l.model.types[name] = t
	part := l.sectionOf(file, s)
	part.types = append(part.types, t)
}

func (l *loader) declaration(s *ast.TypeSpec) *typeDecl {
	if s.TypeParams != nil {
		return nil
	}
	if s.Assign.IsValid() {
		return external(selectorOf(s.Type))
	}
	switch e := s.Type.(type) {
	case *ast.StructType:
		return &typeDecl{kind: kindStruct, fields: l.fields(s.Name.Name, e)}
	case *ast.InterfaceType:
		return &typeDecl{kind: kindUnion}
	case *ast.Ident:
		if e.Name == "string" {
			return &typeDecl{kind: kindAlias, base: &ref{kind: refString}}
		}
	}
	return nil
}

func (l *loader) fields(typeName string, s *ast.StructType) []field {
	var fields []field
	for _, f := range s.Fields.List {
		if len(f.Names) != 1 || !f.Names[0].IsExported() {
			l.faultf(f, "%s holds a field that is embedded, unexported or not alone on its line", typeName)
			continue
		}
		name, tag := f.Names[0].Name, tagOf(f)
		where := typeName + "." + name
		if tag.name == "" {
			l.faultf(f, "%s has no json name", where)
		}
		if slices.Contains(tag.options, "omitempty") {
			l.faultf(f, "%s: omitempty does not leave out 0 and false; use omitzero", where)
		}
		_, isPointer := f.Type.(*ast.StarExpr)
		optional := slices.Contains(tag.options, "omitzero")
		decl := field{
			name: name, json: tag.name, optional: optional,
			nullable: isPointer && !optional || strings.HasSuffix(tag.wire, "?"),
			ref:      l.ref(f.Type, tag.wire), doc: l.fieldDoc(f),
		}
		l.checkInteger(f, where, tag)
		if decl.doc == "" && decl.ref.innermost().kind != refNamed {
			l.faultf(f, "%s has no documentation and its type says nothing", where)
		}
		fields = append(fields, decl)
	}
	return fields
}

func (l *loader) fieldDoc(f *ast.Field) string {
	if f.Doc != nil {
		return flat(l.texts.parse(f.Doc.Text()))
	}
	return flat(l.texts.parse(f.Comment.Text()))
}

// checkInteger refuses an integer that a JavaScript number cannot hold. An int
// counts things and stays below 2^53.
func (l *loader) checkInteger(f *ast.Field, where string, tag fieldTag) {
	name := selectorOf(f.Type)
	if (name == "int64" || name == "uint64") && !slices.Contains(tag.options, "string") {
		l.faultf(f, "%s: a 64-bit integer crosses as digits (the json option string), a count is an int", where)
	}
}

// fieldTag is what a struct tag says.
type fieldTag struct {
	name    string   // in JSON
	options []string // of the json tag
	wire    string   // what a raw value is: object, or the name of a union
}

func tagOf(f *ast.Field) fieldTag {
	if f.Tag == nil {
		return fieldTag{}
	}
	tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
	parts := strings.Split(tag.Get("json"), ",")
	return fieldTag{name: parts[0], options: parts[1:], wire: tag.Get("wire")}
}

// ref returns the type that an expression writes; wire is what the tag says of
// a raw value.
func (l *loader) ref(e ast.Expr, wire string) *ref {
	switch e := e.(type) {
	case *ast.StarExpr:
		return l.ref(e.X, wire)
	case *ast.ArrayType:
		return &ref{kind: refList, elem: l.ref(e.Elt, wire)}
	case *ast.MapType:
		return &ref{kind: refMap, key: l.ref(e.Key, ""), elem: l.ref(e.Value, wire)}
	}
	switch name := selectorOf(e); name {
	case "string", "time.Time", "int64", "uint64":
		return &ref{kind: refString} // checkInteger sees to it that 64 bits are digits
	case "int", "int32", "uint32":
		return &ref{kind: refInt}
	case "float64":
		return &ref{kind: refFloat}
	case "bool":
		return &ref{kind: refBool}
	case "jsontext.Value":
		return raw(wire)
	default:
		if token.IsExported(name) {
			return &ref{kind: refNamed, name: name}
		}
	}
	l.faultf(e, "%s has no form on the wire", exprText(e))
	return &ref{kind: refRaw}
}

func raw(wire string) *ref {
	switch wire = strings.TrimSuffix(wire, "?"); wire {
	case "":
		return &ref{kind: refRaw}
	case "object":
		return &ref{kind: refObject}
	}
	return &ref{kind: refNamed, name: wire}
}

func exprText(e ast.Expr) string {
	if name := selectorOf(e); name != "" {
		return "the type " + name
	}
	return "this type"
}

// innermost returns what a list or map is made of in the end.
func (r *ref) innermost() *ref {
	for r.elem != nil {
		r = r.elem
	}
	return r
}
