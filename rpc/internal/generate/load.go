package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// loader reads declarations into a model. It collects what is wrong instead of
// stopping at the first.
type loader struct {
	fset    *token.FileSet
	files   []*ast.File
	texts   texts
	model   *model
	section map[*ast.File]*section
	names   map[string]string // Go declaration, or Type.Field -> name on the wire
	goOnly  map[string]bool   // types that never cross the wire
	faults  []error
}

// readSources returns the Go files of the package in dir that people wrote.
func readSources(dir string) (map[string][]byte, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	sources := map[string][]byte{}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_generated.go") {
			continue
		}
		if sources[name], err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	return sources, nil
}

// load reads the model from the files of a package, or tells everything that is
// wrong with them.
func load(sources map[string][]byte) (*model, error) {
	l := &loader{
		fset:    token.NewFileSet(),
		model:   &model{types: map[string]*typeDecl{}},
		section: map[*ast.File]*section{},
		names:   map[string]string{},
		goOnly:  map[string]bool{},
	}
	l.texts.wire = func(recv, name string) (string, bool) {
		if recv != "" {
			name = recv + "." + name
		}
		wire, ok := l.names[name]
		return wire, ok
	}
	for _, name := range sortedKeys(sources) {
		file, err := parser.ParseFile(l.fset, name, sources[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		l.files = append(l.files, file)
	}
	l.readNames()
	for _, file := range l.files {
		l.readPackageDoc(file)
		l.readSection(file)
	}
	l.each(l.readType)
	l.each(l.readConst)
	l.each(l.readVar)
	l.finish()
	return l.model, errors.Join(l.faults...)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func (l *loader) faultf(at ast.Node, format string, args ...any) {
	l.faults = append(l.faults, fmt.Errorf("%s: %s", l.fset.Position(at.Pos()), fmt.Sprintf(format, args...)))
}

// each calls f for every declaration of a type, constant or variable.
func (l *loader) each(f func(file *ast.File, group *ast.GenDecl, spec ast.Spec)) {
	for _, file := range l.files {
		for _, d := range file.Decls {
			if group, ok := d.(*ast.GenDecl); ok {
				for _, spec := range group.Specs {
					f(file, group, spec)
				}
			}
		}
	}
}

// readNames fills names before any comment is read, so that comments may refer
// to what is declared later.
func (l *loader) readNames() {
	l.each(func(_ *ast.File, _ *ast.GenDecl, spec ast.Spec) {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			l.names[spec.Name.Name] = wireName(spec.Name.Name)
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					for _, name := range f.Names {
						l.names[spec.Name.Name+"."+name.Name] = tagOf(f).name
					}
				}
			}
		case *ast.ValueSpec:
			for i, name := range spec.Names {
				if i >= len(spec.Values) {
					break
				}
				if d, ok := descriptorOf(spec.Values[i]); ok {
					l.names[name.Name] = d.wire
				} else if text, ok := stringOf(spec.Values[i]); ok {
					l.names[name.Name] = text
				}
			}
		}
	})
}

func (l *loader) readPackageDoc(file *ast.File) {
	blocks := l.texts.parse(file.Doc.Text())
	first := slices.IndexFunc(blocks, func(b block) bool { return b.kind == heading })
	if first >= 0 {
		l.model.rules = append(l.model.rules, blocks[first:]...)
	}
}

// readSection reads the comment //pillion:section WEIGHT TITLE and the text
// below it.
func (l *loader) readSection(file *ast.File) {
	for _, group := range file.Comments {
		rest, ok := strings.CutPrefix(group.List[0].Text, "//pillion:section ")
		if !ok {
			continue
		}
		number, title, _ := strings.Cut(rest, " ")
		weight, err := strconv.Atoi(number)
		if err != nil || title == "" {
			l.faultf(group, "want //pillion:section WEIGHT TITLE")
		}
		s := &section{weight: weight, title: title, intro: l.texts.parse(group.Text())}
		l.section[file] = s
		l.model.sections = append(l.model.sections, s)
	}
}

// sectionOf returns the section that a declaration belongs to.
func (l *loader) sectionOf(file *ast.File, at ast.Node) *section {
	if s, ok := l.section[file]; ok {
		return s
	}
	l.faultf(at, "the file declares a part of the protocol and has no //pillion:section")
	return &section{}
}

// docOf returns the comment of a declaration: its own, or that of a group which
// holds nothing else.
func docOf(group *ast.GenDecl, doc, trailing *ast.CommentGroup) *ast.CommentGroup {
	switch {
	case doc != nil:
		return doc
	case trailing != nil:
		return trailing
	case len(group.Specs) == 1 && !group.Lparen.IsValid():
		return group.Doc
	}
	return nil
}

// directive returns what follows //pillion:NAME in a comment.
func directive(doc *ast.CommentGroup, name string) (string, bool) {
	if doc == nil {
		return "", false
	}
	for _, c := range doc.List {
		rest, ok := strings.CutPrefix(c.Text, "//pillion:"+name)
		if ok && (rest == "" || rest[0] == ' ') {
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}

func (l *loader) readConst(file *ast.File, group *ast.GenDecl, spec ast.Spec) {
	v, ok := spec.(*ast.ValueSpec)
	if !ok || group.Tok != token.CONST || !v.Names[0].IsExported() {
		return
	}
	name, doc := v.Names[0].Name, docOf(group, v.Doc, v.Comment)
	typeName, _ := v.Type.(*ast.Ident)
	if typeName != nil && l.goOnly[typeName.Name] {
		return
	}
	if doc.Text() == "" {
		l.faultf(v, "constant %s has no documentation", name)
	}
	if typeName == nil {
		s := l.sectionOf(file, v)
		literal, ok := v.Values[0].(*ast.BasicLit)
		if !ok {
			l.faultf(v, "constant %s is not a literal", name)
			return
		}
		s.constants = append(s.constants, constant{name, literal.Value, withoutName(l.texts.parse(doc.Text()), name)})
		return
	}
	t := l.model.types[typeName.Name]
	text, isString := stringOf(v.Values[0])
	if t == nil || !isString {
		l.faultf(v, "constant %s is not a string of a declared type", name)
		return
	}
	t.kind = kindEnum
	sentence := flat(replaceName(l.texts.parse(doc.Text()), name, "It"))
	t.values = append(t.values, value{name, text, sentence})
	if shapes, ok := directive(doc, "ask"); ok {
		body, answer, _ := strings.Cut(shapes, " ")
		l.model.asks = append(l.model.asks, askShape{kind: text, body: body, answer: answer, doc: sentence})
	}
}

func (l *loader) readVar(file *ast.File, group *ast.GenDecl, spec ast.Spec) {
	v, ok := spec.(*ast.ValueSpec)
	if !ok || group.Tok != token.VAR || !v.Names[0].IsExported() {
		return
	}
	name, doc := v.Names[0].Name, docOf(group, v.Doc, v.Comment)
	if len(v.Values) != 1 {
		l.faultf(v, "variable %s is no descriptor", name)
		return
	}
	d, ok := descriptorOf(v.Values[0])
	if !ok {
		l.faultf(v, "variable %s is no descriptor", name)
		return
	}
	if doc.Text() == "" {
		l.faultf(v, "%s has no documentation", name)
	}
	m := &method{name: name, wire: d.wire, direction: d.direction, doc: withoutName(l.texts.parse(doc.Text()), name)}
	m.params = l.ref(d.params, "")
	if d.result != nil {
		m.result = l.ref(d.result, "")
	}
	_, m.people = directive(doc, "people")
	s := l.sectionOf(file, v)
	s.methods = append(s.methods, m)
}

// descriptor is rpc.Request[P, R]{Method: "…"} or one of its kin, as written.
type descriptor struct {
	direction      direction
	params, result ast.Expr
	wire           string
}

func descriptorOf(e ast.Expr) (descriptor, bool) {
	literal, ok := e.(*ast.CompositeLit)
	if !ok || len(literal.Elts) != 1 {
		return descriptor{}, false
	}
	var d descriptor
	var generic ast.Expr
	switch t := literal.Type.(type) {
	case *ast.IndexListExpr:
		generic, d.params, d.result = t.X, t.Indices[0], t.Indices[1]
	case *ast.IndexExpr:
		generic, d.params = t.X, t.Index
	default:
		return descriptor{}, false
	}
	switch name := selectorOf(generic); name {
	case "rpc.Request", "rpc.Notification", "rpc.EditorRequest", "rpc.Event":
		d.direction = direction(strings.TrimPrefix(name, "rpc."))
	case "Command":
		d.direction = command
	default:
		return descriptor{}, false
	}
	pair, ok := literal.Elts[0].(*ast.KeyValueExpr)
	if !ok {
		return descriptor{}, false
	}
	d.wire, ok = stringOf(pair.Value)
	return d, ok
}

func stringOf(e ast.Expr) (string, bool) {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil
}

// selectorOf returns a name, or a package's name with a dot before it.
func selectorOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return selectorOf(e.X) + "." + e.Sel.Name
	}
	return ""
}

// finish orders the sections and checks what needs the whole.
func (l *loader) finish() {
	slices.SortStableFunc(l.model.sections, func(a, b *section) int { return cmp.Compare(a.weight, b.weight) })
	seen := map[string]bool{}
	for _, s := range l.model.sections {
		for _, m := range s.methods {
			if seen[m.wire] {
				l.faults = append(l.faults, fmt.Errorf("%s is declared twice", m.wire))
			}
			seen[m.wire] = true
		}
	}
	l.readUnions()
	l.checkNames()
}

// readUnions takes the members of each union from the kinds of question, whose
// order they keep.
func (l *loader) readUnions() {
	for _, t := range l.model.types {
		if t.kind != kindUnion {
			continue
		}
		for _, a := range l.model.asks {
			member := a.body
			if t.union == "answer" {
				member = a.answer
			}
			if !slices.Contains(t.members, member) {
				t.members = append(t.members, member)
			}
		}
	}
}

// checkNames checks that everything that is named is declared.
func (l *loader) checkNames() {
	check := func(where, name string) {
		if l.model.types[name] == nil {
			l.faults = append(l.faults, fmt.Errorf("%s names %q, which is no shape of the wire", where, name))
		}
	}
	for _, name := range sortedKeys(l.model.types) {
		for _, f := range l.model.types[name].fields {
			if n := f.ref.innermost(); n.kind == refNamed {
				check(name+"."+f.name, n.name)
			}
		}
	}
	for _, a := range l.model.asks {
		check("the question "+a.kind, a.body)
		check("the question "+a.kind, a.answer)
	}
	for _, d := range []direction{request, notification, editorRequest, event, command} {
		for _, m := range l.model.methods(d) {
			for _, r := range []*ref{m.params, m.result} {
				if r != nil && r.kind == refNamed {
					check(m.name, r.name)
				}
			}
		}
	}
}
