package configdoc

import (
	"go.lsp.dev/protocol"
)

// source names Pillion in a list of problems.
const source = "pillion"

// Diagnostics are everything to say about a document.
func Diagnostics(d *Document, f Facts) []protocol.Diagnostic {
	all := problems(d, f)
	diagnostics := make([]protocol.Diagnostic, len(all))
	for i, one := range all {
		diagnostics[i] = d.diagnostic(one)
	}
	return diagnostics
}

func (d *Document) diagnostic(p problem) protocol.Diagnostic {
	return protocol.Diagnostic{
		Range: d.rangeOf(p.Span), Severity: protocol.DiagnosticSeverity(p.Severity), Code: protocol.String(p.Code),
		Source: protocol.NewOptional(source), Message: protocol.String(p.Text()), RelatedInformation: p.related,
	}
}
