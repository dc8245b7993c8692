package configdoc

import (
	"path/filepath"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/mcp/config"
)

// Definition is where that stands which an offset refers to: the script of an entry, the entry that is used in place of
// another, the one that an alias or a profile names, the description of an input. It is empty where nothing is referred to.
func Definition(d *Document, f Facts, offset int) []protocol.Location {
	if e := d.Draft.AliasAt(offset); e != nil {
		return []protocol.Location{{URI: d.URI, Range: d.rangeOf(e.KeySpan)}}
	}
	node, isKey := d.Draft.Outline().At(offset)
	if node == nil {
		return nil
	}
	e := d.entryOf(node)
	if e == nil {
		return nil
	}
	if c := f.Connectors[e.Name]; isKey && len(node.Path()) == 2 && c.Shadow != nil {
		return []protocol.Location{*c.Shadow}
	}
	if ref, isThere := d.Draft.ReferenceAt(e, node, offset); isThere && ref.IsInput {
		return d.inputPlace(ref.Name)
	}
	return d.scriptPlace(f, e, offset)
}

func (d *Document) inputPlace(id string) []protocol.Location {
	list := d.Draft.Outline().Member("inputs")
	if list == nil {
		return nil
	}
	for _, input := range list.Children {
		if at := input.Member("id"); at != nil && at.Text == id {
			return []protocol.Location{{URI: d.URI, Range: d.rangeOf(at.Span)}}
		}
	}
	return nil
}

func (d *Document) scriptPlace(f Facts, e *config.Entry, offset int) []protocol.Location {
	for at, name := range scripts(e) {
		span, isThere := e.Field(at)
		if isThere && span.Start <= offset && offset <= span.End && f.HasFile != nil && f.HasFile(name) {
			return []protocol.Location{{URI: uri.File(filepath.Join(e.File.Root, name))}}
		}
	}
	return nil
}
