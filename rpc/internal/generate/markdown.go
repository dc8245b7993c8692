package main

import (
	"regexp"
	"strings"
)

// markdown writes the protocol as a page, one sentence a line.
func markdown(m *model) []byte {
	w := &writer{}
	w.linef("<!-- %s -->\n", generatedBy)
	w.linef("# The editor protocol\n")
	mdText(w, sentence("What crosses stdio between an editor and `pillion --stdio` beyond LSP itself. "+
		"The page is generated from the Go package `rpc/message`, as are the TypeScript and Lua types."))
	for _, b := range m.rules {
		if b.kind == heading {
			w.linef("\n## %s\n", b.text)
			continue
		}
		mdBlock(w, b)
	}
	w.linef("")
	mdOverview(w, m)
	for _, s := range m.sections {
		w.linef("## %s\n", s.title)
		mdText(w, s.intro)
		mdConstants(w, s)
		for _, x := range s.methods {
			mdMethod(w, m, x)
		}
		mdTypes(w, m, s)
	}
	return tidy(w.String())
}

var manyEmptyLines = regexp.MustCompile(`\n{3,}`)

func tidy(page string) []byte {
	return []byte(strings.TrimRight(manyEmptyLines.ReplaceAllString(page, "\n\n"), "\n") + "\n")
}

func mdText(w *writer, doc []block) {
	for _, b := range doc {
		mdBlock(w, b)
	}
	w.linef("")
}

func mdBlock(w *writer, b block) {
	switch b.kind {
	case listItem:
		mark := "- "
		if b.number != "" {
			mark = b.number + ". "
		}
		for i, s := range sentences(b.text) {
			if i > 0 {
				mark = strings.Repeat(" ", len(mark))
			}
			w.linef("%s%s", mark, mdCode(s))
		}
	case preformatted:
		w.linef("```\n%s\n```\n", b.text)
	default:
		w.linef("")
		for _, s := range sentences(b.text) {
			w.linef("%s", mdCode(s))
		}
		w.linef("")
	}
}

// codeWords are words that belong to the wire rather than to the language.
var codeWords = regexp.MustCompile("`[^`]*`" +
	`|\{ [^}]* \}` +
	`|(?:pillion|window|workspace|sampling)/[\w/]*[\w…]` +
	`|(?:experimental|capabilities|pillion)(?:\.\w+)+` +
	`|\$\{[^}]*\}` +
	`|\.?\bmcp\.json\b` +
	`|\bfile:` +
	`|\b[a-z]+[A-Z]\w*` +
	`|-32\d{3}` +
	`|\b(?:null|true|false)\b`)

// mdCode sets the words of the wire as code.
func mdCode(text string) string {
	return codeWords.ReplaceAllStringFunc(text, func(word string) string {
		return "`" + strings.Trim(word, "`") + "`"
	})
}

// forReaders says who sends what.
func (d direction) forReaders() string {
	switch d {
	case request:
		return "request of the editor"
	case notification:
		return "notification of the editor"
	case editorRequest:
		return "request of Pillion"
	case event:
		return "notification of Pillion"
	}
	return "server command"
}

func mdOverview(w *writer, m *model) {
	w.linef("## Methods\n")
	w.linef("| method | sent as |")
	w.linef("|---|---|")
	for _, s := range m.sections {
		for _, x := range s.methods {
			if x.direction != command {
				w.linef("| [`%s`](#%s) | %s |", x.wire, anchor(x.wire), x.direction.forReaders())
			}
		}
	}
	w.linef("")
}

var anchorDrops = regexp.MustCompile(`[^\w -]`)

// anchor returns the address that a heading gets in a rendered page.
func anchor(title string) string {
	return strings.ReplaceAll(strings.ToLower(anchorDrops.ReplaceAllString(title, "")), " ", "-")
}

func mdConstants(w *writer, s *section) {
	for _, c := range s.constants {
		mdText(w, sentence("`"+camel(c.name)+"` = `"+c.literal+"`: "+flat(c.doc)))
	}
}

func mdMethod(w *writer, m *model, x *method) {
	w.linef("### `%s`\n", x.wire)
	mdText(w, x.doc)
	shape := capitalized(x.direction.forReaders()) + ": "
	if x.direction == command {
		shape += "`" + tsTuple(m.types[x.params.name]) + "`"
	} else {
		shape += "`" + tsRef(x.params) + "`"
	}
	if x.result != nil {
		shape += " → `" + tsRef(x.result) + "`"
	}
	if x.people {
		shape += ", for people only"
	}
	w.linef("%s.\n", shape)
}

func mdTypes(w *writer, m *model, s *section) {
	if len(s.types) == 0 {
		return
	}
	w.linef("### Shapes: %s\n", s.title)
	w.linef("```ts")
	for i, t := range s.types {
		if i > 0 {
			w.linef("")
		}
		for _, line := range plain(t.doc, textWidth) {
			w.linef("// %s", line)
		}
		mdType(w, t)
	}
	w.linef("```\n")
	for _, t := range s.types {
		if t.kind == kindUnion {
			mdAsks(w, m, t.union)
		}
	}
}

// mdType writes a shape for reading: documentation stands beside the member.
func mdType(w *writer, t *typeDecl) {
	switch {
	case t.kind == kindEnum:
		w.linef("type %s =", wireName(t.name))
		for i, v := range t.values {
			end := ""
			if i == len(t.values)-1 {
				end = ";"
			}
			w.linef("  | %q%s  // %s", v.text, end, v.doc)
		}
	case t.kind == kindStruct && len(t.fields) > 0:
		w.linef("interface %s {", wireName(t.name))
		for _, f := range t.fields {
			line := "  " + tsField(f) + ";"
			if f.doc != "" {
				line += "  // " + f.doc
			}
			w.linef("%s", line)
		}
		w.linef("}")
	default:
		one := &writer{}
		tsType(one, t)
		w.WriteString(strings.TrimPrefix(one.String(), "export "))
	}
}

// mdAsks writes which body or answer each kind of question has.
func mdAsks(w *writer, m *model, union string) {
	w.linef("| kind | %s |", union)
	w.linef("|---|---|")
	for _, a := range m.asks {
		shape := a.body
		if union == "answer" {
			shape = a.answer
		}
		w.linef("| `%s` | `%s` |", a.kind, shape)
	}
	w.linef("")
}
