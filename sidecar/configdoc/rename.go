package configdoc

import (
	"go.lsp.dev/protocol"

	"pillion/mcp/config"
)

// Renamable is the connector whose name stands at an offset, with the range of the name without its quotes; nil where none does.
func Renamable(d *Document, offset int) (*config.Entry, protocol.Range) {
	if e := d.Draft.AliasAt(offset); e != nil {
		node, _ := d.Draft.Outline().At(offset)
		return e, d.inner(node.Span)
	}
	e := d.Draft.Document.EntryAt(offset)
	if e == nil || offset > e.KeySpan.End {
		return nil, protocol.Range{}
	}
	return e, d.inner(e.KeySpan)
}

func (d *Document) inner(literal config.Span) protocol.Range {
	if literal.End-literal.Start >= 2 {
		literal.Start, literal.End = literal.Start+1, literal.End-1
	}
	return d.rangeOf(literal)
}

// Rename gives a connector another name, everywhere in its file. The error says why it cannot be called so.
func Rename(d *Document, e *config.Entry, to string) (*protocol.WorkspaceEdit, error) {
	edits, err := d.Draft.Renamed(e.Name, to)
	if err != nil {
		return nil, err
	}
	return d.workspaceEdit(edits), nil
}
