package configdoc

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"pillion/editors"
	"pillion/mcp/config"
	"pillion/mcp/host"
)

// source names Pillion in a list of problems.
const source = "pillion"

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

// Diagnostics are the findings of a document and, where its text is what runs, the states of its connectors.
// Faults of the text are errors and warnings; everything else informs (U23).
func Diagnostics(document *config.Document, connectors []host.Connector, u Units) []protocol.Diagnostic {
	lines := config.NewLines(document.Text)
	diagnostics := make([]protocol.Diagnostic, 0, len(document.Findings)+len(connectors))
	for _, finding := range document.Findings {
		diagnostics = append(diagnostics, diagnostic(u.Range(lines, finding.Span), finding.Severity, finding.Code, finding.Text()))
	}
	for _, connector := range connectors {
		entry := document.Entry(connector.Name)
		if entry == nil || entry.Fault != nil {
			continue // the fault is a finding already
		}
		if code, text := stateText(connector); text != "" {
			diagnostics = append(diagnostics, diagnostic(u.Range(lines, entry.KeySpan), config.Information, code, text))
		}
	}
	return diagnostics
}

func diagnostic(r protocol.Range, severity config.Severity, code, text string) protocol.Diagnostic {
	return protocol.Diagnostic{
		Range: r, Severity: protocol.DiagnosticSeverity(severity), Code: protocol.String(code),
		Source: protocol.NewOptional(source), Message: protocol.String(text),
	}
}

// stateText says what a person should know of a connector; empty where all is well.
func stateText(c host.Connector) (code, text string) {
	name := editors.Quoted(c.Name)
	switch {
	case c.IsSelf:
		return "self", fmt.Sprintf("%s is Pillion, for other agents; it is not started here", name)
	case c.ShadowedBy != "":
		return "shadowed", fmt.Sprintf("%s of your own mcp.json is used in place of this one", name)
	case c.State == host.StateWaiting && c.Permission == "changed":
		return "needs-permission", fmt.Sprintf("%s needs permission: it changed since it was allowed. Review and allow it with a code action", name)
	case c.State == host.StateWaiting:
		return "needs-permission", fmt.Sprintf("%s needs permission before it may run. Review and allow it with a code action", name)
	case c.State == host.StateDenied:
		return "blocked", fmt.Sprintf("%s is blocked by you", name)
	case c.State == host.StateLogin && c.Problem != nil:
		return "needs-login", fmt.Sprintf("%s needs a sign-in: %s. %s", name, editors.Visible(c.Problem.Reason), steps(c.Problem.Steps))
	case c.State == host.StateFailed && c.Problem != nil && c.Problem.Kind != "config":
		return "problem-" + c.Problem.Kind, fmt.Sprintf("%s does not run: %s. %s", name, editors.Visible(c.Problem.Reason), steps(c.Problem.Steps))
	case c.State == host.StateFailed && c.Problem != nil:
		return "not-started", fmt.Sprintf("%s is not started: %s. %s", name, editors.Visible(c.Problem.Reason), steps(c.Problem.Steps))
	}
	return "", ""
}

func steps(all []string) string {
	numbered := make([]string, len(all))
	for i, step := range all {
		numbered[i] = fmt.Sprintf("%d. %s", i+1, editors.Visible(step))
	}
	return strings.Join(numbered, " ")
}
