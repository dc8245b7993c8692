package config

import (
	"fmt"
	"strings"
)

type referenceKind int

const (
	refVariable referenceKind = iota
	refInput
	refWorkspaceFolder
	refWorkspaceFolderBasename
	refUserHome
	refPathSeparator
)

// reference is one ${…} of a string.
type reference struct {
	start, end int // byte offsets into the string
	kind       referenceKind
	name       string // of the variable or input
	prefixed   bool   // written ${env:NAME}
	fallback   template
	hasDefault bool
}

// template is a string taken apart: literals and references in order.
type template []part

// part is a literal when reference is nil.
type part struct {
	literal   string
	reference *reference
}

// referenceFault is a ${ that cannot be expanded.
type referenceFault struct {
	start, end   int
	message, fix string
}

// maxDefaults bounds how deep defaults may nest, maxReferences how many a string
// has.
const (
	maxDefaults   = 16
	maxReferences = 100
)

// parseTemplate takes a string apart. $NAME and a lone $ are literal; what a
// fault covers stays literal, and the entry does not run.
func parseTemplate(s string) (template, []referenceFault) {
	if !strings.Contains(s, "${") {
		return template{{literal: s}}, nil
	}
	p := templateParser{text: s}
	t := p.parts(0)
	return t, p.faults
}

type templateParser struct {
	text   string
	pos    int
	seen   int
	faults []referenceFault
}

// parts reads until the end or, inside a default, up to its closing brace.
func (p *templateParser) parts(depth int) template {
	var t template
	from := p.pos
	flush := func(to int) {
		if to > from {
			t = append(t, part{literal: p.text[from:to]})
		}
	}
	for p.pos < len(p.text) {
		switch {
		case strings.HasPrefix(p.text[p.pos:], "${"):
			start := p.pos
			if r := p.reference(depth); r != nil {
				flush(start)
				t = append(t, part{reference: r})
				from = p.pos
			}
		case depth > 0 && p.text[p.pos] == '}':
			flush(p.pos)
			return t
		default:
			p.pos++
		}
	}
	flush(p.pos)
	return t
}

// reference reads one ${…}; nil stands for a fault, which has been noted and
// moved over.
func (p *templateParser) reference(depth int) *reference {
	start := p.pos
	r := &reference{start: start}
	p.pos += len("${")
	p.seen++
	if depth == maxDefaults || p.seen > maxReferences {
		p.pos = len(p.text)
		p.fault(start, p.pos, "there are too many references in one string", fmt.Sprintf("use at most %d, and nest at most %d defaults", maxReferences, maxDefaults))
		return nil
	}
	word := p.identifier(false)
	if word == "env" && p.at(":") && !p.at(":-") {
		p.pos++
		r.prefixed = true
		word = p.identifier(true)
	}
	switch {
	case word == "":
		return p.unknown(start)
	case p.at(":-"):
		p.pos += len(":-")
		r.hasDefault = true
		r.fallback = p.parts(depth + 1)
	case word == "input" && p.at(":") && !r.prefixed:
		p.pos++
		end := strings.IndexByte(p.text[p.pos:], '}')
		if end <= 0 {
			return p.unknown(start)
		}
		r.kind, r.name = refInput, p.text[p.pos:p.pos+end]
		p.pos += end + 1
		r.end = p.pos
		return r
	}
	if p.pos == len(p.text) {
		// What is inside has been reported when it reaches the end as well.
		if n := len(p.faults); n == 0 || p.faults[n-1].end < p.pos {
			p.fault(start, p.pos, quoted(p.text[start:])+" is never closed", "add the missing }")
		}
		return nil
	}
	if !p.at("}") {
		return p.unknown(start)
	}
	p.pos++
	r.end, r.name = p.pos, word
	if !r.prefixed {
		r.kind = builtinReference(word)
	}
	return r
}

func builtinReference(word string) referenceKind {
	switch word {
	case "workspaceFolder":
		return refWorkspaceFolder
	case "workspaceFolderBasename":
		return refWorkspaceFolderBasename
	case "userHome":
		return refUserHome
	case "pathSeparator":
		return refPathSeparator
	}
	return refVariable
}

// identifier reads a variable's name. After env: the names that Windows has,
// such as ProgramFiles(x86), are names as well.
func (p *templateParser) identifier(loose bool) string {
	start := p.pos
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		digit := '0' <= c && c <= '9'
		if !letter && !(digit && p.pos > start) && !(loose && strings.IndexByte("().", c) >= 0) {
			break
		}
		p.pos++
	}
	return p.text[start:p.pos]
}

func (p *templateParser) at(s string) bool { return strings.HasPrefix(p.text[p.pos:], s) }

// unknown notes a form that is none of ours and moves over it.
func (p *templateParser) unknown(start int) *reference {
	end := strings.IndexByte(p.text[p.pos:], '}')
	if end < 0 {
		p.pos = len(p.text)
		p.fault(start, p.pos, quoted(p.text[start:])+" is never closed", "add the missing }")
		return nil
	}
	p.pos += end + 1
	form := p.text[start:p.pos]
	fix := "write ${NAME}, ${NAME:-default}, ${workspaceFolder} or ${userHome}"
	if form == "${/}" {
		fix = "write ${pathSeparator}"
	}
	p.fault(start, p.pos, quoted(form)+" is not a reference that can be expanded", fix)
	return nil
}

func (p *templateParser) fault(start, end int, message, fix string) {
	p.faults = append(p.faults, referenceFault{start, end, message, fix})
}

// each visits every reference, those inside defaults too.
func (t template) each(visit func(*reference)) {
	for _, p := range t {
		if p.reference != nil {
			visit(p.reference)
			p.reference.fallback.each(visit)
		}
	}
}

// expand puts the values together. resolve says what stands for a reference; a
// reference that it has no value for becomes its default, or is missing. No
// value is looked at again.
func (t template) expand(resolve func(*reference) (string, bool), missing func(*reference)) string {
	var b strings.Builder
	for _, p := range t {
		if p.reference == nil {
			b.WriteString(p.literal)
			continue
		}
		value, ok := resolve(p.reference)
		switch {
		case ok:
			b.WriteString(value)
		case p.reference.hasDefault:
			b.WriteString(p.reference.fallback.expand(resolve, missing))
		default:
			missing(p.reference)
		}
	}
	return b.String()
}
