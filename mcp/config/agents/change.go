package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"pillion/mcp/config"
)

// Kind is what a change does.
type Kind string

// The kinds of changes.
const (
	Set Kind = "set" // the value stands at the path
	Add Kind = "add" // the string is in the list at the path
)

// Change is one thing that is otherwise in a file of an agent.
type Change struct {
	File  string         `json:"file"`
	Kind  Kind           `json:"kind"`
	Path  []string       `json:"path"`
	Value jsontext.Value `json:"value"`
	Had   jsontext.Value `json:"had,omitzero"` // what stood there before; of a list nothing
}

// ErrNothing says that a change is there already.
var ErrNothing = errors.New("nothing is to be changed")

func isTOML(file string) bool { return filepath.Ext(file) == ".toml" }

// Apply makes a change in the text of its file, empty for one that is not there, and returns the change with what was there before.
// One that is there already is ErrNothing; a file that cannot be edited safely is an error, and is to be left as it is.
func (c Change) Apply(text []byte) ([]byte, Change, error) {
	if c.Kind == Add {
		var element string
		if err := json.Unmarshal(c.Value, &element); err != nil {
			return nil, c, err
		}
		edited, err := config.AppendAt(text, c.Path, element)
		if errors.Is(err, config.ErrExists) {
			err = ErrNothing
		}
		return edited, c, err
	}
	had := valueIn(c.File, text, c.Path)
	if len(had) > 0 && c.Holds(text) {
		return nil, c, ErrNothing
	}
	edit := config.SetAt
	if isTOML(c.File) {
		edit = setTOML
	}
	edited, err := edit(text, c.Path, c.Value)
	c.Had = had
	return edited, c, err
}

// Undo takes a change back in a text that others may have changed meanwhile. What is gone already is no error.
func (c Change) Undo(text []byte) ([]byte, error) {
	if c.Kind == Add {
		var element string
		if err := json.Unmarshal(c.Value, &element); err != nil {
			return nil, err
		}
		edited, err := config.RemoveAt(text, c.Path, element)
		if errors.Is(err, config.ErrNotFound) {
			return text, nil
		}
		return edited, err
	}
	now := valueIn(c.File, text, c.Path)
	switch {
	case len(now) == 0:
		return text, nil
	case len(c.Had) > 0 && isTOML(c.File):
		return setTOML(text, c.Path, c.Had)
	case len(c.Had) > 0:
		return config.SetAt(text, c.Path, c.Had)
	case isTOML(c.File):
		return unsetTOML(text, c.Path)
	}
	return config.UnsetAt(text, c.Path)
}

// Present is what stands at the place of a change in a text; empty where nothing does.
func (c Change) Present(text []byte) jsontext.Value { return valueIn(c.File, text, c.Path) }

// Holds reports whether a text has what the change brings; a permission that was added to an entry is no difference.
func (c Change) Holds(text []byte) bool {
	var is, wanted map[string]any
	if json.Unmarshal(c.Present(text), &is) != nil || json.Unmarshal(c.Value, &wanted) != nil {
		return canonical(c.Present(text)) == canonical(c.Value)
	}
	for key, value := range wanted {
		one, _ := json.Marshal(value)
		other, _ := json.Marshal(is[key])
		if string(one) != string(other) {
			return false
		}
	}
	return true
}

// valueIn is the value at a path, as JSON; empty where there is none or the text cannot be read.
func valueIn(file string, text []byte, path []string) jsontext.Value {
	if isTOML(file) {
		return valueInTOML(text, path)
	}
	value, err := hujson.Parse(bytes.Clone(text)) // which Standardize writes into
	if err != nil {
		return nil
	}
	value.Standardize()
	var at any
	if json.Unmarshal(value.Pack(), &at) != nil {
		return nil
	}
	return valueAt(at, path)
}

func valueAt(at any, path []string) jsontext.Value {
	for _, key := range path {
		object, isObject := at.(map[string]any)
		if !isObject {
			return nil
		}
		if at, isObject = object[key]; !isObject {
			return nil
		}
	}
	text, err := json.Marshal(at)
	if err != nil {
		return nil
	}
	return text
}

func canonical(value jsontext.Value) string {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return fmt.Sprintf("not JSON: %s", value)
	}
	text, _ := json.Marshal(v) // it was JSON
	return string(text)
}
