package main

import (
	"strings"

	"pillion/mcp/settings"
)

// settingsPage writes the page of settings, one sentence a line.
func settingsPage() []byte {
	w := &writer{}
	w.linef("<!-- %s -->\n", generatedBy)
	w.linef("# Settings\n")
	mdText(w, sentence("Few things can be set, and what holds without it is meant to be right. "+
		"The page is generated from the Go package `mcp/settings`, as are the schemas beside it, the flags and the settings of the editor plugins."))
	precedence(w)
	pageSection(w, "Of a session", "", func(s settings.Setting) bool { return s.Owner == settings.OfSession && s.Has(settings.UserFile) })
	pageSection(w, "Where things lie", "They are looked up before any file is read, so no file can name them.",
		func(s settings.Setting) bool {
			return s.Owner == settings.OfPlugin || s.Owner == settings.OfSession && !s.Has(settings.UserFile)
		})
	pageSection(w, "Of an entry", "These stand under the key `pillion` of an entry in `mcp.json` or `.mcp.json`; other hosts ignore them. "+
		"A project's file sets them for its own entries alone: from a connector of your own it can only take tools away, or switch it off.",
		func(s settings.Setting) bool { return s.Owner == settings.OfEntry && !s.IsAhead })
	ahead(w)
	return tidy(w.String())
}

func precedence(w *writer) {
	w.linef("## What goes before what\n")
	mdText(w, sentence("The later in this list goes before the earlier:"))
	for i, c := range append([]settings.Channel{settings.Default}, settings.Channels()...) {
		if c < settings.UserEntry {
			w.linef("%d. %s", i+1, c)
		}
	}
	mdText(w, sentence("A value keeps where it came from and what it overrode: `pillion config` lists all of them, and `pillion config --explain NAME` tells of one. "+
		"Your own file is `settings.json` in your configuration folder, JSON with comments."))
	mdText(w, sentence("A setting about **trust** is different: your own file alone can allow more. "+
		"Every other channel can only take away, and what would add is told to you and changes nothing."))
	mdText(w, sentence("A duration is a string with units, such as `\"90s\"` or `\"5m\"`, or a number of milliseconds."))
}

func pageSection(w *writer, title, intro string, isOf func(settings.Setting) bool) {
	w.linef("## %s\n", title)
	if intro != "" {
		mdText(w, sentence(intro))
	}
	for _, s := range settings.All() {
		if isOf(s) {
			pageSetting(w, s)
		}
	}
}

func pageSetting(w *writer, s settings.Setting) {
	w.linef("### `%s`\n", s.Name)
	mdText(w, settingDoc(s))
	for _, choice := range s.Choices {
		w.linef("- `%s`: %s", choice.Word, choice.Meaning)
	}
	w.linef("")
	facts := capitalized(kindWords(s)) + "."
	if s.Default != "" {
		facts += " Default: `" + s.Default + "`."
	}
	if s.IsTrust {
		facts += " About trust: " + s.Granter().String() + " alone can allow more."
	}
	mdText(w, sentence(facts))
	mdText(w, sentence("Set by "+ways(s)+"."))
}

func kindWords(s settings.Setting) string {
	switch s.Kind {
	case settings.Bool:
		return "`true` or `false`"
	case settings.Word:
		return "one of these words"
	case settings.Duration:
		return "a duration"
	case settings.Count, settings.Bytes:
		return "a whole number"
	case settings.Names:
		return "a list of strings"
	case settings.Patterns:
		return "a list of exact names, globs and `/regular expressions/`"
	case settings.Path:
		return "an absolute path"
	case settings.File:
		return "a path"
	case settings.Object:
		return "an object"
	case settings.NameLists:
		return "an object of lists of strings"
	}
	return "a string"
}

// ways says by what a setting is set, as it is written there.
func ways(s settings.Setting) string {
	var all []string
	for _, c := range s.From {
		switch c {
		case settings.Environment:
			all = append(all, "the variable `"+s.Variable()+"`")
		case settings.Flag:
			all = append(all, "the flag `--"+s.Flag()+"`")
		default:
			all = append(all, mdCode(c.String()))
		}
	}
	return strings.Join(all, ", ")
}

// ahead lists what is accepted and does nothing yet.
func ahead(w *writer) {
	w.linef("## Accepted in an entry, without effect yet\n")
	mdText(w, sentence("They count in the definition that a permission is given to."))
	w.linef("| option | kind | what it will be for |")
	w.linef("|---|---|---|")
	for _, s := range settings.EntryOptions() {
		if s.IsAhead {
			w.linef("| `%s` | %s | %s |", s.Name, kindWords(s), s.Line)
		}
	}
}
