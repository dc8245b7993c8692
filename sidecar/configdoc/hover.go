package configdoc

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"pillion/editors"
	"pillion/mcp/config"
	"pillion/mcp/host"
	"pillion/mcp/settings"
)

// Hover says what stands under an offset: a connector, a key, an option with what holds, or whether a variable is set; nil
// where there is nothing to say, and nobody is told that (U14).
func Hover(d *Document, f Facts, offset int, isMarkdown bool) *protocol.Hover {
	node, isKey := d.Draft.Outline().At(offset)
	if node == nil {
		return nil
	}
	t := &prose{isMarkdown: isMarkdown}
	at := node.Span
	if isKey {
		at = node.KeySpan
	}
	e := d.entryOf(node)
	switch path := node.Path(); {
	case !isKey && node.Kind == '"' && d.hoverReference(t, f, e, node, offset):
	case e == nil:
		d.hoverRoot(t, path, isKey)
	case len(path) == 2 && isKey:
		d.hoverConnector(t, f, e)
	case len(path) == 3 && (isKey || node.Kind != '{' && node.Kind != '['):
		hoverKey(t, settings.EntryKeys(), path[2])
	case len(path) == 4 && path[2] == "pillion" && (isKey || node.Kind != '{'):
		d.hoverOption(t, e, path[3])
	}
	if t.isEmpty() {
		return nil
	}
	r := d.rangeOf(at)
	return &protocol.Hover{Contents: t.contents(), Range: &r}
}

// entryOf is the entry that a node is of, or lies in.
func (d *Document) entryOf(node *config.Node) *config.Entry {
	if path := node.Path(); len(path) >= 2 && path[0] == "mcpServers" {
		return d.Draft.Document.Entry(path[1])
	}
	return nil
}

func (d *Document) hoverRoot(t *prose, path []string, isKey bool) {
	docs := map[string]string{
		"mcpServers": "The connectors, by name.", "inputs": "Values that entries refer to as ${input:id}; they are asked for when a connector starts.",
		"pillion":          "What holds for all entries of this file, and profiles; Pillion alone reads it.",
		"pillion/defaults": "Options of every entry that does not set them itself.", "pillion/profiles": "Subsets of the entries, by name.",
	}
	if len(path) == 3 && path[0] == "pillion" && path[1] == "defaults" {
		hoverKey(t, settings.EntryOptions(), path[2])
		return
	}
	if line := docs[strings.Join(path, "/")]; line != "" && isKey {
		t.say(line)
	}
}

func hoverKey(t *prose, keys []settings.Setting, name string) (settings.Setting, bool) {
	for _, key := range keys {
		if string(key.Name) != name {
			continue
		}
		t.say(key.Line)
		for _, choice := range key.Choices {
			t.say(fmt.Sprintf("- %s: %s", choice.Word, choice.Meaning))
		}
		if key.Paragraph != "" {
			t.say(key.Paragraph)
		}
		return key, true
	}
	return settings.Setting{}, false
}

// hoverOption says what an option is for, what of it holds, and what that overrode.
func (d *Document) hoverOption(t *prose, e *config.Entry, name string) {
	option, isKnown := hoverKey(t, settings.EntryOptions(), name)
	if !isKnown {
		return
	}
	own, isSet := e.Field("pillion." + name)
	if !isSet {
		return
	}
	t.say("What holds here:")
	t.foreign(string(d.text()[own.Start:own.End]))
	if general := d.Draft.Outline().Member("pillion").Member("defaults").Member(name); general != nil {
		t.say("It goes before the default of this file:")
		t.foreign(string(d.text()[general.Span.Start:general.Span.End]))
	} else if option.Default != "" {
		t.say("It goes before what holds where nothing is said: " + option.Default)
	}
}

// hoverReference says whether a variable has a value, and never which.
func (d *Document) hoverReference(t *prose, f Facts, e *config.Entry, node *config.Node, offset int) bool {
	if e == nil {
		return false
	}
	ref, isThere := d.Draft.ReferenceAt(e, node, offset)
	if !isThere {
		return false
	}
	switch {
	case ref.IsInput:
		t.say("A value that is asked for when the connector starts, and kept for it alone.")
		t.foreign(ref.Name)
	case ref.IsVariable:
		t.foreign(ref.Name)
		switch isSet := f.IsSet != nil && f.IsSet(e, ref.Name); {
		case f.IsSet == nil:
			t.say("A variable of the environment.")
		case isSet:
			t.say("This variable is set. Its value is not shown.")
		case ref.HasDefault:
			t.say("This variable is not set; what follows :- is used.")
		default:
			t.say("This variable is not set, and the connector does not start without it. Set it where the editor is started.")
		}
	default:
		t.say("A place that Pillion knows: the workspace folder, the home folder or the path separator.")
	}
	return true
}

// maxHoverTools bounds how many tools are listed.
const maxHoverTools = 50

func (d *Document) hoverConnector(t *prose, f Facts, e *config.Entry) {
	c, isKnown := f.Connectors[e.Name]
	switch {
	case !isKnown && d.Draft.Document.File.Path == "":
		return
	case !isKnown:
		t.say("This connector is not known yet: save the file.")
		return
	}
	t.say("Connector: " + stateLine(c.Connector))
	if !c.IsCurrent {
		t.say("The entry was edited since: this is of the text that was saved last.")
	}
	facts := []string{"transport: " + orUnknown(e.Transport)}
	if s := c.Server; s.Name != "" {
		facts = append(facts, "server: "+s.Name+" "+s.Version, "MCP: "+orUnknown(s.ProtocolVersion))
	}
	if description := e.Options.Description; description != "" {
		facts = append(facts, "description: "+description)
	}
	t.foreign(facts...)
	if _, text := stateText(c.Connector); text != "" {
		t.foreign(text)
	}
	if len(c.ChangedTools) > 0 {
		t.say("These tools changed since you permitted them, and ask again:")
		t.foreign(c.ChangedTools...)
	}
	if f.Tools != nil && c.Tools > 0 {
		hoverTools(t, f.Tools(c.ID))
	}
}

func orUnknown(text string) string {
	if text == "" {
		return "unknown"
	}
	return text
}

func hoverTools(t *prose, tools []host.Tool) {
	lines := make([]string, 0, min(len(tools), maxHoverTools))
	for _, tool := range tools[:min(len(tools), maxHoverTools)] {
		line := tool.Name
		if tool.Summary != "" {
			line += ": " + tool.Summary
		}
		lines = append(lines, line)
	}
	t.say("Tools:")
	t.foreign(lines...)
	if more := len(tools) - len(lines); more > 0 {
		t.say(fmt.Sprintf("and %d more; pillion tools lists them all", more))
	}
}

// prose is a text in which Pillion's words and foreign ones cannot be mistaken for each other: foreign text stands in a code
// fence longer than any inside it, or after a mark (S17, S23).
type prose struct {
	isMarkdown bool
	strings.Builder
}

func (t *prose) isEmpty() bool { return t.Len() == 0 }

func (t *prose) say(line string) {
	if t.isMarkdown && t.Len() > 0 {
		t.WriteByte('\n')
	}
	if t.isMarkdown {
		line = plainMarkdown(line)
	}
	t.WriteString(line + "\n")
}

// plainMarkdown keeps Pillion's own words from being markup, which names in quotes and ${…} could be.
func plainMarkdown(line string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "<", `\<`, "$", `\$`).Replace(line)
}

func (t *prose) foreign(lines ...string) {
	if len(lines) == 0 {
		return
	}
	var shown []string
	for _, line := range lines {
		for part := range strings.SplitSeq(strings.TrimRight(line, "\r\n"), "\n") {
			shown = append(shown, editors.Visible(strings.TrimSuffix(part, "\r")))
		}
	}
	if !t.isMarkdown {
		for _, line := range shown {
			t.WriteString("| " + line + "\n")
		}
		return
	}
	fence := fenceFor(shown)
	fmt.Fprintf(t, "\n%stext\n%s\n%s\n", fence, strings.Join(shown, "\n"), fence)
}

// fenceFor is a code fence that is longer than any in the lines.
func fenceFor(lines []string) string {
	longest := 2
	for _, line := range lines {
		run := 0
		for i := range len(line) {
			if run++; line[i] != '`' {
				run = 0
			}
			longest = max(longest, run)
		}
	}
	return strings.Repeat("`", longest+1)
}

func (t *prose) contents() protocol.HoverContents {
	kind := protocol.MarkupKindPlainText
	if t.isMarkdown {
		kind = protocol.MarkupKindMarkdown
	}
	return &protocol.MarkupContent{Kind: kind, Value: strings.Trim(t.String(), "\n")}
}
