package main

import (
	"fmt"
	"go/format"
	"slices"
	"strings"

	"pillion/mcp/settings"
)

// settingsFiles returns every file that comes from the declarations of
// mcp/settings, by its path below root.
func settingsFiles() (map[string][]byte, error) {
	flags, err := settingFlags()
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"cmd/pillion/flags_generated.go":                    flags,
		"docs/settings.md":                                  settingsPage(),
		"docs/settings.schema.json":                         settingsSchema(),
		"docs/mcp.schema.json":                              connectorsSchema(),
		"vscode-extension/src/generated/configuration.json": vscodeConfiguration(),
		"vscode-extension/src/generated/settings.ts":        settingsTypescript(),
		"nvim-plugin/lua/pillion/settings.lua":              settingsLua(),
	}, nil
}

// settingsFrom returns the settings that a channel may set.
func settingsFrom(c settings.Channel) []settings.Setting {
	return slices.DeleteFunc(settings.All(), func(s settings.Setting) bool { return !s.Has(c) })
}

// settingDoc is the line and the paragraph of a setting.
func settingDoc(s settings.Setting) []block {
	doc := sentence(s.Line)
	if s.IsAhead {
		doc[0].text += " It is accepted and has no effect yet."
	}
	return append(doc, sentence(s.Paragraph)...)
}

// fieldDoc is the same for a member of an object, with what its absence means.
func fieldDoc(s settings.Setting) string {
	if s.Default == "" {
		return s.Line
	}
	return s.Line + " Absent: " + s.Default + "."
}

// settingFlags writes the flags of the command line, for its parser.
func settingFlags() ([]byte, error) {
	w := &writer{}
	w.linef("// %s\n\npackage main", generatedBy)
	w.linef("\nimport (\n\"strconv\"\n\n\"pillion/mcp/settings\"\n)")
	w.linef("\n// settingFlags are the settings that the command line may set.\ntype settingFlags struct {")
	for _, s := range settingsFrom(settings.Flag) {
		kind, more := "*string", fmt.Sprintf("placeholder:%q", flagValue(s))
		if s.Kind == settings.Bool {
			kind, more = "*bool", `negatable:""`
		}
		w.linef("%s %s `name:%q group:\"Settings\" %s help:%q`", goName(s), kind, s.Flag(), more, s.Line)
	}
	w.linef("}")
	w.linef("\n// words are the flags that were given, as they were written.")
	w.linef("func (f settingFlags) words() map[settings.Name]string {\nwords := map[settings.Name]string{}")
	for _, s := range settingsFrom(settings.Flag) {
		word := "*f." + goName(s)
		if s.Kind == settings.Bool {
			word = "strconv.FormatBool(" + word + ")"
		}
		w.linef("if f.%s != nil {\nwords[%q] = %s\n}", goName(s), s.Name, word)
	}
	w.linef("return words\n}")
	return format.Source([]byte(w.String()))
}

func goName(s settings.Setting) string { return capitalized(string(s.Name)) }

// flagValue is how a flag's value is called in help.
func flagValue(s settings.Setting) string {
	switch s.Kind {
	case settings.Word:
		return strings.Join(s.Words(), "|")
	case settings.Path, settings.File:
		return "FILE"
	case settings.Duration:
		return "TIME"
	case settings.Count, settings.Bytes:
		return "N"
	}
	return "TEXT"
}

// settingsTypescript writes what the editor's settings and an entry's options
// are.
func settingsTypescript() []byte {
	w := &writer{}
	w.linef("// %s", generatedBy)
	tsSettings(w, "Settings", "What may stand in initializationOptions and in the section pillion of the editor's settings.", settingsFrom(settings.Initialize))
	tsSettings(w, "PluginSettings", "What stands in the editor's settings for the plugin alone.", owned(settings.OfPlugin))
	tsSettings(w, "EntryOptions", "What may stand under the key pillion of an entry.", settings.EntryOptions())
	w.linef("\n/** What holds where nothing is set. */\nexport const settingDefaults = {")
	for _, s := range settingsFrom(settings.Initialize) {
		if s.Default != "" {
			w.linef("  %s: %s,", s.Name, s.Default)
		}
	}
	w.linef("} as const satisfies Settings;")
	return []byte(w.String())
}

func owned(o settings.Owner) []settings.Setting {
	return slices.DeleteFunc(settings.All(), func(s settings.Setting) bool { return s.Owner != o })
}

func tsSettings(w *writer, name, doc string, list []settings.Setting) {
	w.linef("\n/** %s */\nexport interface %s {", doc, name)
	for _, s := range list {
		tsDoc(w, "  ", sentence(fieldDoc(s)))
		w.linef("  %s?: %s;", s.Name, tsSetting(s))
	}
	w.linef("}")
}

func tsSetting(s settings.Setting) string {
	switch s.Kind {
	case settings.Bool:
		return "boolean"
	case settings.Word:
		return `"` + strings.Join(s.Words(), `" | "`) + `"`
	case settings.Duration:
		return "string | number"
	case settings.Count, settings.Bytes:
		return "number"
	case settings.Names, settings.Patterns:
		return "string[]"
	case settings.Object:
		return "Record<string, unknown>"
	case settings.NameLists:
		return "Record<string, string[]>"
	}
	return "string"
}

// settingsLua writes the same for Lua, with what a plugin checks its own
// options by.
func settingsLua() []byte {
	w := &writer{}
	w.linef("-- %s", generatedBy)
	w.linef("-- luacheck: no max line length")
	luaSettings(w, "Settings", "pillion.Settings are what may stand in init_options and in settings.pillion.", settingsFrom(settings.Initialize))
	luaSettings(w, "EntryOptions", "pillion.EntryOptions are what may stand under the key pillion of an entry.", settings.EntryOptions())
	w.linef("\nlocal M = {}")
	w.linef("\n---What holds where nothing is set.\n---@type pillion.Settings\nM.defaults = {")
	for _, s := range settingsFrom(settings.Initialize) {
		if s.Default != "" {
			w.linef("  %s = %s,", s.Name, luaLiteral(s.Default))
		}
	}
	w.linef("}\n\n---The words that a setting can be, by its name.\n---@type table<string, string[]>\nM.words = {")
	for _, s := range settingsFrom(settings.Initialize) {
		if s.Kind == settings.Word {
			words := s.Words()
			for i, word := range words {
				words[i] = luaString(word)
			}
			w.linef("  %s = { %s },", s.Name, strings.Join(words, ", "))
		}
	}
	w.linef("}\n\nreturn M")
	return []byte(w.String())
}

func luaSettings(w *writer, name, doc string, list []settings.Setting) {
	w.linef("\n---%s\n---@class (exact) %s%s", doc, luaPrefix, name)
	for _, s := range list {
		luaDoc(w, "", sentence(fieldDoc(s)))
		w.linef("---@field %s? %s", s.Name, luaSetting(s))
	}
}

func luaSetting(s settings.Setting) string {
	switch s.Kind {
	case settings.Bool:
		return "boolean"
	case settings.Word:
		return `"` + strings.Join(s.Words(), `"|"`) + `"`
	case settings.Duration:
		return "string|integer"
	case settings.Count, settings.Bytes:
		return "integer"
	case settings.Names, settings.Patterns:
		return "string[]"
	case settings.Object:
		return "table<string, any>"
	case settings.NameLists:
		return "table<string, string[]>"
	}
	return "string"
}
