package configdoc

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"pillion/editors"
	"pillion/mcp/config"
	"pillion/mcp/host"
)

// state says what a person should know of a connector as it is; nothing where all is well, or where a fault of the text says
// it already.
func state(e *config.Entry, f Facts) []problem {
	c, isKnown := f.connector(e)
	if !isKnown || e.Fault != nil {
		return nil
	}
	var list []problem
	add := func(code, text string, related ...protocol.DiagnosticRelatedInformation) {
		list = append(list, problem{
			Finding: config.Finding{Code: code, Severity: config.Information, Span: e.KeySpan, Entry: e.Name, Message: text}, related: related,
		})
	}
	if code, text := stateText(c.Connector); text != "" {
		var related []protocol.DiagnosticRelatedInformation
		if c.Shadow != nil {
			related = append(related, protocol.DiagnosticRelatedInformation{Location: *c.Shadow, Message: "the one that is used"})
		}
		add(code, text, related...)
	}
	if len(c.ChangedTools) > 0 {
		names := make([]string, len(c.ChangedTools))
		for i, name := range c.ChangedTools {
			names[i] = editors.Quoted(name)
		}
		add("tools-changed", fmt.Sprintf("%s: these tools changed since you permitted them, and ask again: %s", editors.Quoted(c.Name), strings.Join(names, ", ")))
	}
	return list
}

// stateText says what a person should know of a connector; empty where all is well.
func stateText(c host.Connector) (code, text string) {
	name := editors.Quoted(c.Name)
	switch {
	case c.IsSelf:
		return "self", fmt.Sprintf("%s is Pillion, for other agents; it is not started here", name)
	case c.ShadowedBy != "":
		return "shadowed", fmt.Sprintf("%s is not used: another one of this name goes before it", name)
	case c.State == host.StateWaiting && c.Permission == host.MissingTrust:
		return "needs-permission", fmt.Sprintf("%s waits until this workspace is trusted in the editor", name)
	case c.State == host.StateWaiting && c.Permission == host.MissingAgain:
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
