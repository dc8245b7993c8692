package configdoc

import (
	"go.lsp.dev/protocol"

	"pillion/mcp/config"
)

// Folds are the objects and lists that take several lines.
func Folds(d *Document) []protocol.FoldingRange {
	folds := []protocol.FoldingRange{}
	var visit func(n *config.Node)
	visit = func(n *config.Node) {
		if r := d.rangeOf(n.Span); (n.Kind == '{' || n.Kind == '[') && r.End.Line > r.Start.Line+1 {
			folds = append(folds, protocol.FoldingRange{StartLine: r.Start.Line, EndLine: r.End.Line - 1})
		}
		for _, child := range n.Children {
			visit(child)
		}
	}
	if root := d.Draft.Outline(); root != nil {
		visit(root)
	}
	return folds
}
