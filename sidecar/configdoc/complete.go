package configdoc

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"pillion/mcp/config"
	"pillion/mcp/settings"
)

// Complete proposes what could stand at an offset of a text that may be half written.
func Complete(d *Document, f Facts, offset int) []protocol.CompletionItem {
	c := config.CursorAt(d.text(), offset)
	w := &completer{d: d, f: f, c: c, items: []protocol.CompletionItem{}}
	if !c.IsKey && w.reference(offset) {
		return w.items
	}
	if c.IsKey {
		w.keys()
	} else {
		w.values()
	}
	return w.items
}

type completer struct {
	d     *Document
	f     Facts
	c     config.Cursor
	items []protocol.CompletionItem
}

// under reports whether the path is of this shape; "*" is any name.
func (w *completer) under(shape ...string) bool {
	return slices.EqualFunc(w.c.Path, shape, func(key, want string) bool { return want == "*" || key == want })
}

func (w *completer) keys() {
	switch {
	case w.under():
		w.key("mcpServers", "The connectors, by name.", "{}")
		w.key("pillion", "What holds for all entries of this file, and profiles.", "{}")
		if w.d.Draft.Document.File.Source == config.SourceUser {
			w.key("inputs", "Values that entries refer to as ${input:id}.", "[]")
		}
	case w.under("mcpServers"):
		for _, name := range w.f.Names {
			w.key(name, "A connector of your own, which this file can narrow or switch off.", "{}")
		}
	case w.under("mcpServers", "*"):
		w.settings(settings.EntryKeys())
	case w.under("mcpServers", "*", "pillion"):
		w.settings(settings.EntryOptions())
	case w.under("mcpServers", "*", "env"):
		for _, name := range w.variables() {
			w.key(name, "A variable of your environment.", `"${`+name+`}"`)
		}
	case w.under("mcpServers", "*", "headers"):
		w.key("Authorization", "Who sends it.", `"Bearer ${TOKEN}"`)
	case w.under("pillion"):
		w.key("defaults", "Options of every entry that does not set them itself.", "{}")
		w.key("profiles", "Subsets of the entries, by name.", "{}")
	case w.under("pillion", "defaults"):
		w.settings(settings.EntryOptions())
	case w.under("pillion", "profiles", "*"):
		w.key("connectors", "The entries of the profile.", "[]")
		w.key("description", "What the profile is for.", `""`)
	case w.under("inputs", "#"):
		w.key("id", "What ${input:…} refers to.", `""`)
		w.key("type", "How it is asked for.", `"promptString"`)
		w.key("description", "What is asked for.", `""`)
		w.key("password", "Whether it is a secret.", "true")
		w.key("options", "What may be chosen.", "[]")
		w.key("default", "What is offered.", `""`)
	}
}

// settings proposes keys as they are declared, without those that the file cannot set (S4).
func (w *completer) settings(declared []settings.Setting) {
	channel := settings.ProjectEntry
	if w.d.Draft.Document.File.Source == config.SourceUser {
		channel = settings.UserEntry
	}
	for _, s := range declared {
		if s.Has(channel) && !s.IsAhead {
			w.key(string(s.Name), s.Line, sample(s))
		}
	}
}

// sample is what a value begins as.
func sample(s settings.Setting) string {
	switch s.Kind {
	case settings.Bool:
		return "true"
	case settings.Names, settings.Patterns:
		return "[]"
	case settings.Variables, settings.Object:
		return "{}"
	case settings.Count, settings.Bytes:
		return cmp.Or(s.Default, "1")
	}
	return cmp.Or(s.Default, `""`)
}

func (w *completer) variables() []string {
	if w.f.Variables == nil {
		return nil
	}
	return w.f.Variables()
}

// key proposes a key that is not there yet, with its quotes, colon and the beginning of a value as far as they are missing.
func (w *completer) key(key, line, value string) {
	object := w.object()
	if object != nil && object.Member(key) != nil && object.Member(key).KeySpan.Start != w.c.Span.Start-1 {
		return
	}
	at, text := w.c.Span, quoted(key)
	if w.c.HasOpening {
		text = text[1:]
	}
	if w.c.HasClosing && w.c.HasColon {
		text = text[:len(text)-1]
	} else if w.c.HasClosing {
		at.End++
	}
	if !w.c.HasColon {
		text += ": " + value
		if w.c.NeedsComma {
			text += ","
		}
	}
	w.add(key, line, protocol.CompletionItemKindProperty, at, text)
}

// object is the object around the cursor, as far as it can be read.
func (w *completer) object() *config.Node {
	node, _ := w.d.Draft.Outline().At(w.c.Span.Start)
	for node != nil && node.Kind != '{' {
		node = node.Parent
	}
	if node == nil || !slices.Equal(pathOf(node), w.c.Path) {
		return nil
	}
	return node
}

func pathOf(n *config.Node) []string {
	path := n.Path()
	if path == nil {
		path = []string{}
	}
	return path
}

func quoted(text string) string {
	literal, err := json.Marshal(text)
	if err != nil { // text is a string
		return `""`
	}
	return string(literal)
}

func (w *completer) add(label, line string, kind protocol.CompletionItemKind, at config.Span, text string) {
	item := protocol.CompletionItem{
		Label: label, Kind: kind, Documentation: protocol.String(line), FilterText: protocol.NewOptional(label),
		TextEdit: &protocol.TextEdit{Range: w.d.rangeOf(at), NewText: text},
	}
	if w.c.CommaAt >= 0 && w.c.IsKey {
		end := config.Span{Start: w.c.CommaAt, End: w.c.CommaAt}
		item.AdditionalTextEdits = w.d.edits([]config.Edit{{Span: end, Text: ","}})
	}
	w.items = append(w.items, item)
}

func (w *completer) values() {
	switch {
	case w.under("mcpServers", "*") && w.c.Key == "command":
		runners := config.Runners()
		for _, name := range slices.Sorted(maps.Keys(runners)) {
			w.text(name, "It "+runners[name]+".")
		}
		w.text("node", "It runs a script of JavaScript.")
		w.text("python", "It runs a script of Python.")
	case w.under("mcpServers", "*"):
		w.choices(settings.EntryKeys())
	case w.under("mcpServers", "*", "pillion") && w.c.Key == "aliasOf":
		w.names("A connector of this file.")
	case w.under("mcpServers", "*", "pillion"), w.under("pillion", "defaults"):
		w.choices(settings.EntryOptions())
	case w.under("mcpServers", "*", "pillion", "profiles", "#"):
		for _, p := range w.d.Draft.Document.Profiles {
			w.text(p.Name, cmp.Or(p.Description, "A profile of this file."))
		}
	case w.under("mcpServers", "*", "pillion", "inheritEnv", "#"):
		for _, name := range w.variables() {
			w.text(name, "A variable of your environment.")
		}
	case w.under("pillion", "profiles", "*", "#"), w.under("pillion", "profiles", "*", "connectors", "#"):
		w.names("A connector of this file.")
	case w.under("mcpServers", "*", "env"):
		for _, name := range w.variables() {
			w.text("${"+name+"}", "The variable of your environment.")
		}
	case w.under("inputs", "#") && w.c.Key == "type":
		w.text("promptString", "It is typed.")
		w.text("pickString", "It is chosen from options.")
	}
}

func (w *completer) names(line string) {
	for _, e := range w.d.Draft.Document.Entries {
		w.text(e.Name, line)
	}
}

// choices are the words that the value of the cursor's key can be.
func (w *completer) choices(declared []settings.Setting) {
	for _, s := range declared {
		if string(s.Name) != w.c.Key {
			continue
		}
		if s.Kind == settings.Bool {
			w.add("true", s.Line, protocol.CompletionItemKindValue, w.c.Span, "true")
			w.add("false", s.Line, protocol.CompletionItemKindValue, w.c.Span, "false")
		}
		for _, choice := range s.Choices {
			w.text(choice.Word, choice.Meaning)
		}
	}
}

// text proposes a string, with its quotes as far as they are missing.
func (w *completer) text(value, line string) {
	text := quoted(value)
	if w.c.HasOpening {
		text = text[1:]
	}
	if w.c.HasClosing {
		text = text[:len(text)-1]
	}
	w.add(value, line, protocol.CompletionItemKindValue, w.c.Span, text)
}

// reference proposes what a ${ could name, where one is begun before the cursor.
func (w *completer) reference(offset int) bool {
	i := strings.LastIndex(w.c.Prefix, "${")
	if i < 0 || strings.Contains(w.c.Prefix[i:], "}") || !w.c.HasOpening {
		return false
	}
	at := config.Span{Start: offset - len(w.c.Prefix) + i + len("${"), End: offset}
	rest := string(w.d.text()[offset:w.c.Span.End])
	name := rest[:len(rest)-len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"))]
	at.End += len(name)
	closing := "}"
	if strings.HasPrefix(rest[len(name):], "}") {
		closing = ""
	}
	propose := func(name, line string) { w.add(name, line, protocol.CompletionItemKindVariable, at, name+closing) }
	propose("workspaceFolder", "The folder of the workspace.")
	propose("userHome", "Your home folder.")
	for _, name := range w.variables() {
		propose(name, "A variable of your environment.")
	}
	for _, id := range w.d.inputs() {
		propose("input:"+id, "A value that is asked for when the connector starts.")
	}
	return true
}

// inputs are the ids that a user's file describes.
func (d *Document) inputs() []string {
	var ids []string
	if list := d.Draft.Outline().Member("inputs"); list != nil && d.Draft.Document.File.Source == config.SourceUser {
		for _, input := range list.Children {
			if id := input.Member("id"); id != nil && id.Kind == '"' {
				ids = append(ids, id.Text)
			}
		}
	}
	return ids
}
