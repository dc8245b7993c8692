package configdoc

import (
	"bytes"
	"encoding/json"
	"strings"

	"go.lsp.dev/protocol"

	"pillion/editors"
	"pillion/mcp/config"
)

// Fixes are the quick fixes for what is to be said about a range. Each is an edit of the text and nothing more: what it makes
// of an entry is a definition like any other, and needs its permission.
func Fixes(d *Document, f Facts, at protocol.Range) []protocol.CodeAction {
	span := d.spanOf(at)
	var actions []protocol.CodeAction
	for _, p := range problems(d, f) {
		if !touches(d.linesOf(p.Span), span) {
			continue
		}
		for _, fix := range d.fixes(p.Finding, f) {
			kind, isPreferred := protocol.CodeActionKindQuickFix, fix.isSure
			action := protocol.CodeAction{Title: fix.title, Kind: &kind, Diagnostics: []protocol.Diagnostic{d.diagnostic(p)}, Edit: d.workspaceEdit(fix.edits)}
			if isPreferred {
				action.IsPreferred = &isPreferred
			}
			actions = append(actions, action)
		}
	}
	return actions
}

// fix is one way to mend something.
type fix struct {
	title  string
	edits  []config.Edit
	isSure bool // it does nothing but mend
}

func (d *Document) fixes(f config.Finding, facts Facts) []fix {
	switch f.Code {
	case config.CodeSecret:
		if f.Edit != nil {
			return []fix{{title: "Replace the secret with " + strings.Trim(f.Edit.Text, `"`), edits: []config.Edit{*f.Edit}}}
		}
		return nil
	case config.CodeUnpinned:
		return d.pin(f, facts)
	case config.CodePlainHTTP:
		return d.toHTTPS(f)
	case config.CodeShellLine:
		return d.splitCommand(f)
	case config.CodeDuplicateKey, config.CodeDuplicateName:
		return append(d.removal("Remove this one", f.Span), d.removeRelated(f)...)
	case config.CodeConflict:
		if f.Edit == nil {
			return d.removal("Remove "+d.shown(f.Span), f.Span)
		}
	case config.CodeOtherHosts:
		if f.Edit == nil {
			return d.removeComment(f)
		}
	case config.CodeIgnoredKey, config.CodeUnusedKey, config.CodeTrust, config.CodeUnsupported, config.CodeUnknownKey, config.CodeInput:
		if f.Edit == nil {
			return d.removal("Remove "+d.shown(f.Span), f.Span)
		}
	}
	if f.Edit == nil {
		return nil
	}
	return []fix{{title: sentence(f.Fix), edits: []config.Edit{*f.Edit}, isSure: f.Code != config.CodeOtherHosts}}
}

// sentence begins a text with a capital letter.
func sentence(text string) string {
	if text == "" {
		return "Correct it"
	}
	before, _, _ := strings.Cut(text, ", and ")
	if !strings.Contains(before, "{") {
		before, _, _ = strings.Cut(before, ": ")
	}
	return strings.ToUpper(before[:1]) + before[1:]
}

// shown is what stands at a span.
func (d *Document) shown(span config.Span) string {
	return editors.Visible(string(d.text()[span.Start:span.End]))
}

// removal takes out the member whose key stands at a span.
func (d *Document) removal(title string, key config.Span) []fix {
	edits := d.Draft.Without(key)
	if len(edits) == 0 {
		return nil
	}
	return []fix{{title: title, edits: edits}}
}

func (d *Document) removeRelated(f config.Finding) []fix {
	if len(f.Related) == 0 {
		return nil
	}
	return d.removal("Remove the other one", f.Related[0])
}

// removeComment takes out a comment, with its line where it stands alone.
func (d *Document) removeComment(f config.Finding) []fix {
	text := d.text()
	start, end := f.Span.Start, f.Span.End
	if !bytes.HasPrefix(text[start:], []byte("//")) && !bytes.HasPrefix(text[start:], []byte("/*")) {
		return nil
	}
	before := len(bytes.TrimRight(text[:start], " \t"))
	after := end + len(text[end:]) - len(bytes.TrimLeft(text[end:], " \t"))
	isFirst := before == 0 || text[before-1] == '\n'
	isLast := after == len(text) || text[after] == '\n' || text[after] == '\r'
	switch {
	case isFirst && isLast:
		start, end = before, after
		if bytes.HasPrefix(text[end:], []byte("\r\n")) {
			end += 2
		} else if end < len(text) {
			end++
		}
	case isLast:
		start = before
	}
	return []fix{{title: "Remove the comment", edits: []config.Edit{{Span: config.Span{Start: start, End: end}}}}}
}

// pin writes the version that is there already.
func (d *Document) pin(f config.Finding, facts Facts) []fix {
	e := d.Draft.Document.Entry(f.Entry)
	if e == nil || facts.Version == nil {
		return nil
	}
	p, ok := e.Package()
	version := ""
	if ok {
		version = facts.Version(e, p)
	}
	if version == "" {
		return nil
	}
	literal, err := json.Marshal(p.Name + p.Mark + version)
	if err != nil {
		return nil
	}
	return []fix{{title: "Pin " + editors.Quoted(p.Name) + " to " + editors.Visible(version) + ", which is installed", edits: []config.Edit{{Span: f.Span, Text: string(literal)}}}}
}

func (d *Document) toHTTPS(f config.Finding) []fix {
	const scheme = "http"
	if at := f.Span.Start + 1; strings.EqualFold(string(d.text()[at:min(at+len(scheme), f.Span.End)]), scheme) {
		return []fix{{title: "Write https", edits: []config.Edit{{Span: config.Span{Start: at, End: at + len(scheme)}, Text: "https"}}}}
	}
	return nil
}

// splitCommand makes a program and arguments of a line, where its words are told by blanks alone.
func (d *Document) splitCommand(f config.Finding) []fix {
	e := d.Draft.Document.Entry(f.Entry)
	if e == nil || strings.ContainsAny(e.Command, "\"'\\`$&|;<>()*?") {
		return nil
	}
	words := strings.Fields(e.Command)
	literals := make([]string, len(words))
	for i, word := range words {
		literal, err := json.Marshal(word)
		if err != nil {
			return nil
		}
		literals[i] = string(literal)
	}
	text := literals[0] + `, "args": [` + strings.Join(literals[1:], ", ") + "]"
	return []fix{{title: "Write the words as args", edits: []config.Edit{{Span: f.Span, Text: text}}, isSure: true}}
}
