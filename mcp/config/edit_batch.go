package config

import (
	"bytes"
	"errors"
	"slices"

	"github.com/tailscale/hujson"
)

// NewEntry is an entry that is to be written.
type NewEntry struct {
	Name string
	// Definition may be JSON with comments.
	Definition []byte
	// Inputs are those that the entry refers to and that the file may lack.
	Inputs []NewInput
}

// NewInput is an input that is to be written unless the file has one of its id.
type NewInput struct {
	ID string
	// Definition is the whole object, with the id, as JSON.
	Definition []byte
}

// Batch is what one edit of a file adds to it.
type Batch struct {
	Entries []NewEntry
	// IsReplacing puts an entry in the place of one of its name; else that one
	// stays.
	IsReplacing bool
}

// Write adds the entries at the end of mcpServers, and the inputs of those that
// are written at the end of inputs, as [Insert] does for one entry. It returns
// the names that were there and stay as they are. The work grows with the text,
// not with the text times the entries.
func (b Batch) Write(text []byte, strict bool) (edited []byte, there []string, err error) {
	ed, err := newEditor(text)
	if err != nil {
		return nil, nil, err
	}
	w := &batchWriter{editor: ed, want: ed.entries(), places: map[string][]int{}, known: map[string]bool{}}
	for i, entry := range w.want {
		w.places[entry.name] = append(w.places[entry.name], i)
	}
	if err := w.readInputs(); err != nil {
		return nil, nil, err
	}
	for _, entry := range b.Entries {
		isThere, err := w.add(entry, b.IsReplacing)
		if err != nil {
			return nil, nil, err
		}
		if isThere {
			there = append(there, entry.Name)
		}
	}
	edited, err = w.write(strict)
	return edited, there, err
}

// batchWriter collects what one edit adds.
type batchWriter struct {
	*editor
	want   []pair // the entries afterwards
	places map[string][]int
	list   *hujson.Value // of the inputs; nil where there is none
	known  map[string]bool
	added  []newMember
	inputs []*hujson.Value
}

// readInputs finds the inputs that there are.
func (w *batchWriter) readInputs() error {
	if w.root == nil {
		return nil
	}
	for _, m := range members(w.root) {
		if m.key != inputsKey {
			continue
		}
		if w.list != nil {
			return uneditable(CodeDuplicateKey, m.keySpan, "the key "+quoted(inputsKey)+" stands twice in the file")
		}
		w.list = m.value
		array, isArray := m.value.Value.(*hujson.Array)
		if !isArray {
			continue // it is an error only for whoever adds one
		}
		for i := range array.Elements {
			for _, inner := range members(&array.Elements[i]) {
				if inner.key == "id" {
					w.known[decodeString(inner.value.Value)] = true
				}
			}
		}
	}
	return nil
}

// add takes one entry up, and reports whether one of its name stays in its place.
func (w *batchWriter) add(entry NewEntry, isReplacing bool) (isThere bool, err error) {
	if f := checkName(entry.Name); f != nil && f.Severity == Error {
		return false, &UneditableError{*f}
	}
	definition := bytes.TrimPrefix(entry.Definition, []byte(byteOrderMark))
	value, err := parseDefinition(definition)
	if err != nil {
		return false, err
	}
	switch places := w.places[entry.Name]; {
	case len(places) > 0 && !isReplacing:
		return true, nil
	case len(places) > 1:
		_, err := w.only(entry.Name)
		return false, err
	case len(places) == 1 && places[0] >= len(w.want)-len(w.added):
		return true, nil // twice among the new ones
	case len(places) == 1:
		m := members(w.servers)[places[0]]
		w.splice(m.span(), w.layoutOf(w.servers).print(newMember{value: value}, w.indentOf(m.keySpan.Start)))
		w.want[places[0]].value = canonicalText(definition)
	default:
		w.places[entry.Name] = []int{len(w.want)}
		w.want = append(w.want, pair{entry.Name, canonicalText(definition)})
		w.added = append(w.added, newMember{key: entry.Name, value: value})
	}
	return false, w.addInputs(entry.Inputs)
}

func (w *batchWriter) addInputs(inputs []NewInput) error {
	for _, input := range inputs {
		if w.known[input.ID] {
			continue
		}
		value, err := parseDefinition(input.Definition)
		if err != nil {
			return err
		}
		w.known[input.ID] = true
		w.inputs = append(w.inputs, value)
	}
	return nil
}

// write puts everything into the text.
func (w *batchWriter) write(strict bool) ([]byte, error) {
	var beside []newMember // mcpServers
	list := &hujson.Array{}
	for _, input := range w.inputs {
		list.Elements = append(list.Elements, *input)
	}
	if len(w.inputs) > 0 && w.list == nil {
		beside = append(beside, newMember{key: inputsKey, value: &hujson.Value{Value: list}})
	} else if len(w.inputs) > 0 {
		if _, isArray := w.list.Value.(*hujson.Array); !isArray {
			return nil, uneditable(CodeInput, spanOf(w.list), "inputs is "+kindName(w.list))
		}
		w.append(w.list, strict, w.inputs...)
	}
	switch {
	case w.blank:
		w.newFile(append(beside, newMember{key: serversKey, nested: w.added})...)
	case w.servers == nil:
		w.insert(w.root, strict, append(beside, newMember{key: serversKey, nested: w.added})...)
	default:
		if len(beside) > 0 {
			w.insert(w.root, strict, beside...)
		}
		if len(w.added) > 0 {
			w.insert(w.servers, strict, w.added...)
		}
	}
	return w.applyBatch()
}

// applyBatch is apply, with the inputs that were added.
func (w *batchWriter) applyBatch() ([]byte, error) {
	after, err := w.reread()
	if err != nil {
		return nil, err
	}
	if len(w.inputs) == 0 {
		if !slices.Equal(after.entries(), w.want) || !slices.Equal(after.others(), w.others()) {
			return nil, errNotMeant()
		}
		return after.text, nil
	}
	before, now := w.inputTexts(), after.inputTexts()
	for _, input := range w.inputs {
		before = append(before, canonicalText(input.Pack()))
	}
	isOther := func(p pair) bool { return p.name == inputsKey }
	if !slices.Equal(after.entries(), w.want) || !slices.Equal(now, before) ||
		!slices.Equal(slices.DeleteFunc(after.others(), isOther), slices.DeleteFunc(w.others(), isOther)) {
		return nil, errNotMeant()
	}
	return after.text, nil
}

func errNotMeant() error {
	return errors.New("edit configuration: the result does not say what was meant, nothing was changed")
}

// inputTexts are the inputs for comparison.
func (ed *editor) inputTexts() []string {
	var texts []string
	if ed.root == nil {
		return nil
	}
	for _, m := range members(ed.root) {
		if array, isArray := m.value.Value.(*hujson.Array); m.key == inputsKey && isArray {
			for i := range array.Elements {
				texts = append(texts, canonicalText(ed.text[array.Elements[i].StartOffset:array.Elements[i].EndOffset]))
			}
		}
	}
	return texts
}
