package configdoc

import (
	"go.lsp.dev/protocol"

	"pillion/editors"
	"pillion/mcp/config"
)

// Symbols are the entries and profiles of a document.
func Symbols(d *Document) []protocol.DocumentSymbol {
	symbols := []protocol.DocumentSymbol{}
	for _, e := range d.Draft.Document.Entries {
		detail := e.Transport
		symbols = append(symbols, protocol.DocumentSymbol{
			Name: shownName(e.Name), Detail: &detail, Kind: protocol.SymbolKindModule,
			Range: d.rangeOf(config.Span{Start: e.KeySpan.Start, End: e.Span.End}), SelectionRange: d.rangeOf(e.KeySpan),
		})
	}
	for _, p := range d.Draft.Document.Profiles {
		if p.Span.End > p.Span.Start {
			symbols = append(symbols, protocol.DocumentSymbol{Name: shownName(p.Name), Kind: protocol.SymbolKindNamespace, Range: d.rangeOf(p.Span), SelectionRange: d.rangeOf(p.Span)})
		}
	}
	return symbols
}

// shownName is never blank, which a symbol's name must not be.
func shownName(name string) string {
	if shown := editors.Visible(name); shown != "" && shown != " " {
		return shown
	}
	return editors.Quoted(name)
}
