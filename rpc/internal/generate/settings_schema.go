package main

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/settings"
)

// object is a JSON object whose members keep their order.
type object struct{ members []string }

func (o *object) add(name string, value any) *object {
	var text []byte
	switch value := value.(type) {
	case *object:
		text = value.text()
	case []*object:
		list := make([]string, len(value))
		for i, one := range value {
			list[i] = string(one.text())
		}
		text = []byte("[" + strings.Join(list, ",") + "]")
	case jsontext.Value:
		text = value
	default:
		var err error
		if text, err = json.Marshal(value); err != nil {
			panic("generate: " + err.Error()) // they are strings, numbers and lists of them
		}
	}
	key, _ := jsontext.AppendQuote(nil, name)
	o.members = append(o.members, string(key)+":"+string(text))
	return o
}

func (o *object) text() []byte { return []byte("{" + strings.Join(o.members, ",") + "}") }

func (o *object) file() []byte {
	text := jsontext.Value(o.text())
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		panic("generate: " + err.Error())
	}
	return append(text, '\n')
}

const (
	draft = "http://json-schema.org/draft-07/schema#"
	// durationPattern is what time.ParseDuration takes, without a sign.
	durationPattern  = `^(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))+$`
	generatedComment = generatedBy
)

// settingsSchema is the schema of the user's settings.json.
func settingsSchema() []byte {
	properties := (&object{}).add("$schema", (&object{}).add("type", "string"))
	for _, s := range settingsFrom(settings.UserFile) {
		properties.add(string(s.Name), settingSchema(s))
	}
	return (&object{}).add("$schema", draft).add("$comment", generatedComment).
		add("title", "Pillion's settings.json").add("description", "The user's own settings of Pillion.").
		add("type", "object").add("properties", properties).add("additionalProperties", false).
		add("allowComments", true).add("allowTrailingCommas", true).file()
}

// connectorsSchema is the schema of mcp.json and .mcp.json. What it does not
// name is let through: the file is shared with other hosts.
func connectorsSchema() []byte {
	options := &object{}
	for _, s := range settings.EntryOptions() {
		options.add(string(s.Name), settingSchema(s))
	}
	entry := &object{}
	for _, s := range settings.EntryKeys() {
		schema := settingSchema(s)
		if s.Name == settings.OptionsKey {
			schema.add("properties", options)
		}
		entry.add(string(s.Name), schema)
	}
	connector := (&object{}).add("type", "object").add("description", "One MCP server.").add("properties", entry)
	servers := (&object{}).add("type", "object").add("description", "The MCP servers, by name.").
		add("additionalProperties", connector)
	return (&object{}).add("$schema", draft).add("$comment", generatedComment).
		add("title", "Connectors (.mcp.json)").add("description", "The MCP servers of a project or of a user.").
		add("type", "object").
		add("properties", (&object{}).add("mcpServers", servers).add("inputs", inputsSchema()).add("pillion", sectionSchema())).file()
}

func described(kind, line string) *object {
	return (&object{}).add("type", kind).add("description", line)
}

// inputsSchema is what a user's own file may ask for, as VS Code writes it.
func inputsSchema() *object {
	texts := (&object{}).add("type", "string")
	input := described("object", "One value.").add("required", []string{"id", "type"}).add("properties", (&object{}).
		add("id", described("string", "What ${input:id} refers to.")).
		add("type", described("string", "How it is asked for: typed, or chosen from options.").add("enum", []string{"promptString", "pickString"})).
		add("description", described("string", "What is asked for.")).
		add("default", described("string", "What is offered.")).
		add("password", described("boolean", "Whether it is a secret.")).
		add("options", described("array", "What may be chosen: texts, or objects with a label and a value.").
			add("items", (&object{}).add("anyOf", []*object{texts, described("object", "A text with another one to show.")}))))
	return described("array", "Values that entries of your own mcp.json refer to as ${input:id}; they are asked for when a connector starts.").add("items", input)
}

// sectionSchema is what Pillion reads beside the entries of a file.
func sectionSchema() *object {
	defaults := &object{}
	for _, s := range settings.EntryOptions() {
		switch s.Name {
		case settings.AliasOf, settings.Description, settings.ImportedFrom: // for one connector
		default:
			defaults.add(string(s.Name), settingSchema(s))
		}
	}
	names := (&object{}).add("type", "array").add("items", (&object{}).add("type", "string")).
		add("description", "The entries of the profile by name, \"*\" for all.")
	profile := (&object{}).add("anyOf", []*object{names, described("object", "The entries of the profile, with what it is for.").
		add("properties", (&object{}).add("connectors", names).add("description", described("string", "What the profile is for.")))})
	return described("object", "What holds for all entries of this file; Pillion alone reads it.").add("properties", (&object{}).
		add("defaults", described("object", "Options of every entry that does not set them itself.").add("properties", defaults)).
		add("profiles", described("object", "Subsets of the entries, by name.").add("additionalProperties", profile)))
}

// settingSchema is what a value can be.
func settingSchema(s settings.Setting) *object {
	o := valueSchema(s)
	if s.Default != "" {
		o.add("default", jsontext.Value(s.Default))
	}
	return o.add("description", flat(settingDoc(s)))
}

// absolutePattern is a whole path of any platform.
const absolutePattern = `^(/|[A-Za-z]:[\\/]|\\\\)`

func valueSchema(s settings.Setting) *object {
	o := &object{}
	switch s.Kind {
	case settings.Bool:
		o.add("type", "boolean")
	case settings.Word:
		o.add("type", "string").add("enum", s.Words()).add("enumDescriptions", meanings(s))
	case settings.Duration:
		o.add("type", []string{"string", "number"}).add("pattern", durationPattern)
		if s.Min > 0 {
			o.add("exclusiveMinimum", 0)
		} else {
			o.add("minimum", 0)
		}
	case settings.Count, settings.Bytes:
		o.add("type", "integer").add("minimum", s.Min)
		if s.Max > 0 {
			o.add("maximum", s.Max)
		}
	case settings.Names, settings.Patterns:
		item := (&object{}).add("type", "string")
		if s.Owner != settings.OfFormat {
			item.add("minLength", 1) // but an argument may be empty
		}
		o.add("type", "array").add("items", item)
	case settings.NameLists:
		o.add("type", "object").add("additionalProperties", (&object{}).add("type", "array").add("items", (&object{}).add("type", "string").add("minLength", 1)))
	case settings.Path:
		o.add("type", "string")
		if s.Owner != settings.OfPlugin { // where an empty one is none
			o.add("pattern", absolutePattern)
		}
	case settings.Object:
		o.add("type", "object")
		if len(s.Members) > 0 {
			members := &object{}
			for _, member := range s.Members {
				members.add(string(member.Name), valueSchema(member).add("description", member.Line))
			}
			o.add("properties", members).add("additionalProperties", false)
		}
	case settings.Variables:
		o.add("type", "object").add("additionalProperties", (&object{}).add("type", "string"))
	default:
		o.add("type", "string")
	}
	return o
}

func meanings(s settings.Setting) []string {
	var all []string
	for _, choice := range s.Choices {
		all = append(all, choice.Meaning)
	}
	return all
}

// vscodeConfiguration is contributes.configuration of the VS Code extension.
//
// A repository brings settings of its own with it. So that it changes neither
// what is trusted nor how its user is asked, every setting is of the application
// (S3); the program that is started is of the machine.
func vscodeConfiguration() []byte {
	properties := &object{}
	order := 0
	for _, s := range settings.All() {
		if !s.Has(settings.Configuration) {
			continue
		}
		scope := "application"
		if s.Owner == settings.OfPlugin {
			scope = "machine"
		}
		order++
		o := valueSchema(s)
		switch {
		case s.IsTrust:
			// A default that is sent like a choice would look like one that adds.
			o = (&object{}).add("type", []string{"boolean", "null"}).add("default", nil)
		case s.Default != "":
			o.add("default", jsontext.Value(s.Default))
		default:
			o.add("default", "")
		}
		properties.add("pillion."+string(s.Name), o.add("markdownDescription", mdCode(flat(settingDoc(s)))).add("scope", scope).add("order", order))
	}
	return (&object{}).add("title", "Pillion").add("properties", properties).file()
}
