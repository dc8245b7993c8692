package configdoc

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"pillion/editors"
	"pillion/mcp/config"
	"pillion/mcp/host"
	"pillion/rpc/message"
)

// Lenses show above each entry its state with the action that it calls for, and a second one. Each is a code action of the
// entry as well, since most editors show no lenses (U17).
func Lenses(d *Document, f Facts) []protocol.CodeLens {
	lenses := []protocol.CodeLens{}
	for _, e := range d.Draft.Document.Entries {
		c, isKnown := f.connector(e)
		if !isKnown || c.IsSelf {
			continue
		}
		at := d.rangeOf(e.KeySpan)
		list := commands(c.Connector)
		for i, command := range list[:min(2, len(list))] {
			if i == 0 {
				command.Title = stateLine(c.Connector) + ": " + lower(lensTitle(command.Title, c.Name))
			} else {
				command.Title = lensTitle(command.Title, c.Name)
			}
			lenses = append(lenses, protocol.CodeLens{Range: at, Command: command})
		}
	}
	return lenses
}

// Hints show behind each name what its tools cost an agent, or its state.
func Hints(d *Document, f Facts, at protocol.Range) []protocol.InlayHint {
	hints := []protocol.InlayHint{}
	span, yes := d.spanOf(at), true
	for _, e := range d.Draft.Document.Entries {
		c, isKnown := f.connector(e)
		if !isKnown || e.Fault != nil || !touches(e.KeySpan, span) {
			continue
		}
		label := stateLine(c.Connector)
		hints = append(hints, protocol.InlayHint{
			Position: d.rangeOf(config.Span{Start: e.Span.Start, End: e.Span.Start}).Start, Label: protocol.String(label), PaddingRight: &yes,
		})
	}
	return hints
}

// stateLine is a state in the words of U6, with what the tools of a connector that runs cost.
func stateLine(c host.Connector) string {
	words := editors.StateWords(message.ConnectorState(c.State))
	switch {
	case c.State == host.StateDisabled && c.ShadowedBy != "":
		return "not used"
	case c.State == host.StateDisabled:
		by := make([]message.DisabledBy, len(c.OffBy))
		for i, one := range c.OffBy {
			by[i] = message.DisabledBy(one)
		}
		return editors.OffWords(by)
	case c.Tools > 0:
		return fmt.Sprintf("%s, %s", words, cost(c))
	}
	return words
}

func cost(c host.Connector) string {
	noun := "tools"
	if c.Tools == 1 {
		noun = "tool"
	}
	return fmt.Sprintf("%d %s, about %d tokens", c.Tools, noun, c.Tokens)
}

// lensTitle leaves the name out: a lens stands at it.
func lensTitle(title, name string) string {
	title = strings.Replace(title, " "+editors.Quoted(name), "", 1)
	return strings.TrimSuffix(strings.TrimSuffix(title, ":"), " to")
}

func lower(title string) string { return strings.ToLower(title[:1]) + title[1:] }
