package configdoc

import (
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/editors"
	"pillion/mcp/config"
	"pillion/rpc/message"
)

// Foreign is a file of another program that names connectors of its own.
type Foreign struct {
	*Document
	// Program is whose file it is, Key the key that its connectors stand under.
	Program, Key string
	// Into is where a conversion writes.
	Into string
}

// Findings are those of a document that is read elsewhere.
func Findings(u uri.URI, document *config.Document, units Units) []protocol.Diagnostic {
	d := &Document{URI: u, units: units, lines: config.NewLines(document.Text)}
	diagnostics := make([]protocol.Diagnostic, len(document.Findings))
	for i, f := range document.Findings {
		diagnostics[i] = d.diagnostic(problem{Finding: f, related: d.related(f)})
	}
	return diagnostics
}

// ForeignDiagnostics say of a file of another program what keeps it from being read, and that its connectors are not run from
// there. The rest is that program's affair.
func ForeignDiagnostics(f *Foreign) []protocol.Diagnostic {
	diagnostics := []protocol.Diagnostic{}
	if document := f.Draft.Document; !document.Parsed {
		for _, one := range document.Findings {
			if one.Code == config.CodeSyntax || one.Code == config.CodeEncoding || one.Code == config.CodeTooLarge {
				diagnostics = append(diagnostics, f.diagnostic(problem{Finding: one, related: f.related(one)}))
			}
		}
		return diagnostics
	}
	if finding, isThere := f.notice(); isThere {
		diagnostics = append(diagnostics, f.diagnostic(problem{Finding: finding}))
	}
	return diagnostics
}

func (f *Foreign) notice() (config.Finding, bool) {
	servers := f.Draft.Outline().Member(f.Key)
	if servers == nil || len(servers.Children) == 0 {
		return config.Finding{}, false
	}
	return config.Finding{
		Code: "other-program", Severity: config.Hint, Span: servers.KeySpan,
		Message: fmt.Sprintf("these are connectors of %s; Pillion runs none of them from here", f.Program), Fix: "convert them into " + editors.Visible(f.Into),
	}, true
}

// Conversions bring what stands in a file of another program into Pillion's own: all of it, or the entry of the range. A report
// says what could not be carried over, and nothing runs for it.
func Conversions(f *Foreign, at protocol.Range) []protocol.CodeAction {
	finding, isThere := f.notice()
	if !isThere || !f.Draft.Document.Parsed {
		return nil
	}
	var actions []protocol.CodeAction
	offer := func(title string, names ...string) {
		kind := protocol.CodeActionKindQuickFix
		actions = append(actions, protocol.CodeAction{
			Title: title, Kind: &kind, Diagnostics: []protocol.Diagnostic{f.diagnostic(problem{Finding: finding})},
			Command: Command(title, message.CommandImport, message.ImportArguments{URI: f.URI, Names: names}),
		})
	}
	span := f.spanOf(at)
	for _, child := range f.Draft.Outline().Member(f.Key).Children {
		if touches(f.linesOf(config.Span{Start: child.KeySpan.Start, End: child.Span.End}), span) {
			offer("Convert "+editors.Quoted(child.Key)+" for Pillion, with a report", child.Key)
		}
	}
	offer("Convert all connectors of " + f.Program + " for Pillion, with a report")
	return actions
}
