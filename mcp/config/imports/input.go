package imports

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/config"
)

// carry lets an input that the entry refers to come along into the user's own
// file, which alone asks for values (A4). One that the source does not describe
// is said to be missing where the entry is judged.
func (c *conversion) carry(id string) {
	described, isDescribed := c.inputs[id]
	if !isDescribed || slices.ContainsFunc(c.carried, func(known config.NewInput) bool { return known.ID == id }) {
		return
	}
	key := "inputs." + id
	definition, reason := c.input(id, described)
	if reason != "" {
		c.say(key, "what it describes stays behind, for "+reason+": write it under \"inputs\" in your own mcp.json")
		return
	}
	c.carried = append(c.carried, config.NewInput{ID: id, Definition: definition})
	c.say(key, "it comes along, and its value is asked for when the connector starts; a value that was kept elsewhere does not")
}

// input writes an input as Pillion's files have it, or says why it cannot.
func (c *conversion) input(id string, v value) (definition []byte, reason string) {
	w := newObject()
	w.text("id", id)
	kind := v.get("type").text
	w.optional("type", kind)
	isSecret := v.get("password").kind == aBoolean && v.get("password").text == "true"
	standard := v.get("default")
	switch {
	case v.kind != anObject:
		return nil, "it is not clear what it is"
	case kind == "pickString":
		options := optionsOf(v.get("options"))
		if len(options) == 0 || standard.kind == aString && !slices.Contains(options, standard.text) {
			return nil, "what can be chosen is not clear"
		}
		w.list("options", options)
	case kind != "promptString":
		return nil, "Pillion asks for no inputs of its type"
	}
	if v.get("description").kind == aString {
		w.optional("description", v.get("description").text)
	}
	switch {
	case standard.kind == aString && isSecret && standard.text != "":
		c.say("inputs."+id+".default", "the default of a password stays behind: it stood there for everybody to read")
	case standard.kind == aString:
		w.optional("default", standard.text)
	}
	if isSecret {
		w.token(jsontext.String("password"))
		w.token(jsontext.Bool(true))
	}
	return w.close(), ""
}

// optionsOf are what may be chosen: strings, or the values of objects with a
// label and a value; nil where one is neither.
func optionsOf(list value) []string {
	var options []string
	for _, item := range list.items {
		if item.kind == anObject {
			item = item.get("value")
		}
		if item.kind != aString {
			return nil
		}
		options = append(options, item.text)
	}
	return options
}
