package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// Input is a value that entries refer to as ${input:id}. It is asked for when a
// connector starts, as VS Code does.
type Input struct {
	ID string
	// Description says what is asked for, in the file's words.
	Description string
	// IsSecret says that the value is hidden while it is typed and kept out of
	// everything that is shown.
	IsSecret bool
	// Options are what may be chosen; nil lets anything be typed.
	Options []string
	// Default is what is offered.
	Default string
}

// inputsKey is the key beside mcpServers that inputs stand under.
const inputsKey = "inputs"

// inputReader reads the list of a user's file. An input with a fault is kept as
// nil, so that those who refer to it say so.
type inputReader struct {
	document *Document
	inputs   map[string]*Input
	spans    map[string]Span
}

// readInputs reads the array under inputs.
func (d *Document) readInputs(m member) {
	if d.File.Source == SourceProject || d.File.Source == SourceImport {
		d.add(Warning, CodeInput, m.keySpan, "inputs work in your own mcp.json alone and are ignored here", "write ${NAME} and set the variable")
		return
	}
	list, ok := m.value.Value.(*hujson.Array)
	if !ok {
		d.add(Error, CodeInput, m.span(), "inputs is "+kindName(m.value), `write an array: [{"id": "token", "type": "promptString", "password": true}]`)
		return
	}
	if len(list.Elements) > maxItems {
		d.add(Error, CodeTooLarge, m.keySpan, fmt.Sprintf("inputs holds %d items", len(list.Elements)), fmt.Sprintf("use at most %d", maxItems))
		return
	}
	r := &inputReader{document: d, inputs: map[string]*Input{}, spans: map[string]Span{}}
	for i := range list.Elements {
		r.read(&list.Elements[i])
	}
	d.inputs = r.inputs
}

func (r *inputReader) read(v *hujson.Value) {
	if !isObject(v) {
		r.warn(spanOf(v), "an input is "+kindName(v), `write an object: {"id": "token", "type": "promptString"}`)
		return
	}
	one := &inputMembers{reader: r, has: map[string]member{}}
	for _, m := range members(v) {
		if first, isThere := one.has[m.key]; isThere {
			one.isBad = true
			r.document.note(duplicateFinding(duplicate{m.key, first.keySpan, m.keySpan}))
			continue
		}
		one.has[m.key] = m
	}
	id, at := one.id(v)
	if id == "" {
		return
	}
	if first, isTwice := r.spans[id]; isTwice {
		r.inputs[id] = nil // readers differ in which of the two they take
		r.document.note(Finding{Code: CodeInput, Severity: Warning, Span: at, Related: []Span{first},
			Message: "the input " + quoted(id) + " stands here twice", Fix: "keep one of the two"})
		return
	}
	r.spans[id] = at
	input := one.input(id, at)
	if one.isBad {
		input = nil
	}
	r.inputs[id] = input
}

func (r *inputReader) warn(at Span, message, fix string) {
	r.document.add(Warning, CodeInput, at, message, fix)
}

// inputMembers are the members of one input.
type inputMembers struct {
	reader *inputReader
	has    map[string]member
	isBad  bool
}

func (i *inputMembers) refuse(at Span, message, fix string) {
	i.isBad = true
	i.reader.warn(at, message, fix)
}

func (i *inputMembers) id(v *hujson.Value) (string, Span) {
	m, isThere := i.has["id"]
	if !isThere {
		i.reader.warn(spanOf(v), "an input has no id", `write "id": "name"`)
		return "", Span{}
	}
	id := i.text("id")
	if m.value.Value.Kind() == '"' && (id == "" || strings.ContainsAny(id, "}\x00") || utf8.RuneCountInString(id) > MaxNameRunes) {
		i.refuse(m.span(), "nothing can refer to an input of this id", "use another")
	}
	if i.isBad {
		return "", Span{}
	}
	return id, m.span()
}

func (i *inputMembers) input(id string, at Span) *Input {
	input := &Input{ID: id, Description: i.text("description"), Default: i.text("default")}
	switch kind := i.text("type"); kind {
	case "promptString":
		input.IsSecret = i.password()
		if input.IsSecret && input.Default != "" {
			i.reader.warn(i.has["default"].span(), "the default of a password stands here for everybody to read, and is not offered", "remove it")
			input.Default = ""
		}
	case "pickString":
		input.Options = i.options(at)
		if input.Default != "" && !slices.Contains(input.Options, input.Default) {
			i.refuse(i.has["default"].span(), "the default of the input "+quoted(id)+" is none of its options", "use one of them, or remove it")
		}
	default:
		if m, isThere := i.has["type"]; isThere {
			at = m.span()
		}
		i.refuse(at, "the input "+quoted(id)+" is of a type that is not supported", `write "type": "promptString" or "pickString"`)
	}
	for key, m := range i.has {
		if !slices.Contains([]string{"id", "type", "description", "default", "password", "options"}, key) {
			i.reader.document.add(Hint, CodeUnknownKey, m.keySpan, "the key "+quoted(key)+" of an input is not known and has no effect", "")
		}
	}
	return input
}

// text reads a member that is a string, if it is there.
func (i *inputMembers) text(key string) string {
	m, isThere := i.has[key]
	if !isThere {
		return ""
	}
	if m.value.Value.Kind() != '"' {
		i.refuse(m.span(), key+" of an input is "+kindName(m.value), "write a string")
		return ""
	}
	return decodeString(m.value.Value)
}

func (i *inputMembers) password() bool {
	m, isThere := i.has["password"]
	if !isThere {
		return false
	}
	literal, _ := m.value.Value.(hujson.Literal)
	if word := string(literal); word != "true" && word != "false" {
		i.refuse(m.span(), "password of an input is "+kindName(m.value), "write true or false")
	}
	return string(literal) == "true"
}

// options reads what may be chosen: strings, or objects with a label and a value.
func (i *inputMembers) options(at Span) []string {
	const fix = `write "options": ["one", "two"]`
	m, isThere := i.has["options"]
	if !isThere {
		i.refuse(at, "an input to pick from has no options", fix)
		return nil
	}
	list, ok := m.value.Value.(*hujson.Array)
	if !ok || len(list.Elements) == 0 || len(list.Elements) > maxItems {
		i.refuse(m.span(), "options of an input is no list that can be chosen from", fix)
		return nil
	}
	options := make([]string, 0, len(list.Elements))
	for n := range list.Elements {
		v := &list.Elements[n]
		for _, inner := range members(v) {
			if inner.key == "value" {
				v = inner.value
			}
		}
		if v.Value.Kind() != '"' {
			i.refuse(spanOf(v), "an option of an input is "+kindName(v), fix)
			continue
		}
		options = append(options, decodeString(v.Value))
	}
	return options
}

// bindInputs gives every entry the inputs that its values refer to. Where the
// file does not say what one is, the entry cannot run.
func (d *Document) bindInputs() {
	for _, e := range d.Entries {
		for path, value := range e.values() {
			t, _ := parseTemplate(value)
			t.each(func(ref *reference) {
				if ref.kind == refInput && d.File.Source != SourceProject && d.File.Source != SourceImport {
					d.bindInput(e, path, ref)
				}
			})
		}
		slices.SortFunc(e.Inputs, func(a, b Input) int { return strings.Compare(a.ID, b.ID) })
	}
}

func (d *Document) bindInput(e *Entry, path string, ref *reference) {
	input, isNamed := d.inputs[ref.name]
	if input != nil {
		if !slices.ContainsFunc(e.Inputs, func(known Input) bool { return known.ID == input.ID }) {
			e.Inputs = append(e.Inputs, *input)
		}
		return
	}
	f := Finding{Code: CodeInput, Severity: Error, Entry: e.Name, Span: e.spanInside(path, ref.start, ref.end),
		Message: "there is no input " + quoted(ref.name) + " (" + ShownName(path) + ")",
		Fix:     `add {"id": "` + ShownName(ref.name) + `", "type": "promptString", "password": true} to "inputs" beside "mcpServers"`}
	if isNamed {
		f.Message, f.Fix = "the input "+quoted(ref.name)+" cannot be asked for as it stands ("+ShownName(path)+")", `correct it under "inputs"`
	}
	if e.Fault == nil {
		fault := f
		e.Fault = &fault
	}
	if len(e.Findings) < maxEntryFindings && d.budget > 0 {
		d.budget--
		e.Findings = append(e.Findings, f)
	}
}
