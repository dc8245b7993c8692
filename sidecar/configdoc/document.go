package configdoc

import (
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/mcp/config"
)

// Units say how positions are counted.
type Units struct{ IsUTF16 bool }

// Range is a span of a text as LSP has it.
func (u Units) Range(lines *config.Lines, span config.Span) protocol.Range {
	return protocol.Range{Start: u.position(lines, span.Start), End: u.position(lines, span.End)}
}

func (u Units) position(lines *config.Lines, offset int) protocol.Position {
	line, character := lines.Position(offset, u.IsUTF16)
	return protocol.Position{Line: uint32(line), Character: uint32(character)}
}

// Document is a configuration file as an editor shows it. It does not change, and may be asked by several at once.
type Document struct {
	URI   uri.URI
	Draft *config.Draft
	units Units
	lines *config.Lines
}

// New is a document of a text that was read.
func New(u uri.URI, draft *config.Draft, units Units) *Document {
	return &Document{URI: u, Draft: draft, units: units, lines: config.NewLines(draft.Document.Text)}
}

func (d *Document) text() []byte { return d.Draft.Document.Text }

func (d *Document) rangeOf(span config.Span) protocol.Range { return d.units.Range(d.lines, span) }

// Offset is where a position lies in the text.
func (d *Document) Offset(p protocol.Position) int {
	return d.lines.Offset(int(p.Line), int(p.Character), d.units.IsUTF16)
}

func (d *Document) spanOf(r protocol.Range) config.Span {
	start := d.Offset(r.Start)
	return config.Span{Start: start, End: max(start, d.Offset(r.End))}
}

func touches(a, b config.Span) bool { return a.Start <= b.End && b.Start <= a.End }

// linesOf widens a span to whole lines.
func (d *Document) linesOf(span config.Span) config.Span {
	r := d.rangeOf(span)
	return config.Span{
		Start: d.lines.Offset(int(r.Start.Line), 0, d.units.IsUTF16),
		End:   max(span.End, d.lines.Offset(int(r.End.Line)+1, 0, d.units.IsUTF16)-1),
	}
}

func (d *Document) edits(edits []config.Edit) []protocol.TextEdit {
	list := make([]protocol.TextEdit, len(edits))
	for i, e := range edits {
		list[i] = protocol.TextEdit{Range: d.rangeOf(e.Span), NewText: e.Text}
	}
	return list
}

func (d *Document) workspaceEdit(edits []config.Edit) *protocol.WorkspaceEdit {
	return &protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{d.URI: d.edits(edits)}}
}
