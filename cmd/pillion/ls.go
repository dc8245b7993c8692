package main

import (
	"fmt"
	"strconv"
	"time"

	"pillion/editors"
	"pillion/mcp/catalog"
	"pillion/mcp/host"
	"pillion/rpc/message"
)

type lsVerb struct {
	Connector string `arg:"" optional:"" help:"A connector, by its name or id: its tools are listed."`
	Context   int    `placeholder:"TOKENS" help:"The size of a context: say what share of it all definitions take, and warn where that is much."`
}

// Help explains the verb.
func (lsVerb) Help() string {
	return `Lists connectors with how many tools they have and about how many tokens those cost a model that is given their definitions; with a connector, its tools. It starts nothing: what a connector listed in an earlier session is shown with its age, also when its program is gone. pillion refresh lists it anew, and a call always does.

  pillion ls                     what there is, and what it costs
  pillion ls --context 32000     and how much of a context of that size
  pillion ls linear              the tools of one connector

On a terminal it is a table. In a pipe it is one a line with tabs between: name, state, tools, tokens, when it was listed, and the share in percent where a context is given; for tools label, permission, tokens and summary. With --json: {"window", "connectors": [Connector], "tools", "tokens", "warnings"} or {"window", "tools": [Tool]}, as in the editor protocol. Tokens are an estimate, within a tenth of what common tokenizers make of a definition.`
}

// lsShape is what ls --json prints.
type lsShape struct {
	Window     string              `json:"window"` // empty where no window is open
	Connectors []message.Connector `json:"connectors"`
	Tools      int                 `json:"tools"`
	Tokens     int                 `json:"tokens"` // about what all definitions cost
	Warnings   []string            `json:"warnings"`
}

// lsToolsShape is what ls --json prints of one connector.
type lsToolsShape struct {
	Window string         `json:"window"`
	Tools  []message.Tool `json:"tools"`
}

// Run lists them.
func (v lsVerb) Run(p *program) error {
	if v.Context < 0 {
		return fail(exitUsage, nil, "--context is %d: it must not be negative", v.Context)
	}
	depth := host.Counts
	if v.Connector != "" {
		depth = host.Words
	}
	h, err := p.open(p.ctx, ownOptions{depth: depth})
	if err != nil {
		return err
	}
	defer h.close()
	connectors, err := h.connectors(p.ctx)
	if err != nil {
		return err
	}
	if v.Connector != "" {
		return v.tools(p, h, connectors)
	}
	shape := lsShape{Window: h.window(), Connectors: connectors}
	for _, c := range connectors {
		shape.Tools += c.Tools
		shape.Tokens += c.Tokens
	}
	shape.Warnings = catalog.Warnings(shape.Tokens, v.Context)
	if p.isJSON {
		return p.printJSON(shape)
	}
	v.print(p, shape, time.Now())
	return nil
}

func (v lsVerb) print(p *program, shape lsShape, now time.Time) {
	heading := []string{"CONNECTOR", "STATE", "TOOLS", "TOKENS", "LISTED"}
	if v.Context > 0 {
		heading = append(heading, "SHARE")
	}
	rows := make([][]string, len(shape.Connectors))
	for i, c := range shape.Connectors {
		rows[i] = v.row(p, c, now)
	}
	if len(rows) == 0 && p.isTerminal {
		p.print("There are no connectors. Add one: pillion mcp add <name> -- <command>")
		return
	}
	if !p.isTerminal {
		heading = nil
	}
	p.table(heading, rows)
	if p.isTerminal {
		total := fmt.Sprintf("\n%s in all, about %d tokens", editors.Counted(shape.Tools, "tool"), shape.Tokens)
		if v.Context > 0 {
			total += fmt.Sprintf(", %.1f %% of %d", catalog.Share(shape.Tokens, v.Context), v.Context)
		}
		p.print(total + ".")
	}
	for _, warning := range shape.Warnings {
		p.say(warning)
	}
}

func (v lsVerb) row(p *program, c message.Connector, now time.Time) []string {
	state := connectorRow(c)[1]
	tools, tokens, listed := "-", "-", ""
	if c.Generation > 0 {
		tools, tokens = strconv.Itoa(c.Tools), strconv.Itoa(c.Tokens)
	}
	if c.ListedAt != nil {
		listed = c.ListedAt.Format(time.RFC3339)
		if p.isTerminal {
			listed = ageWords(now.Sub(*c.ListedAt), c.Stale)
		}
	}
	row := []string{c.Name, state, tools, tokens, listed}
	if v.Context > 0 {
		row = append(row, fmt.Sprintf("%.1f", catalog.Share(c.Tokens, v.Context)))
	}
	return row
}

// ageWords say how old a list is; one of this session is looked after.
func ageWords(age time.Duration, isStale bool) string {
	switch days := int(age.Hours() / 24); {
	case !isStale:
		return "in this session"
	case age < time.Hour:
		return "within the hour"
	case days == 0:
		return "today"
	case days == 1:
		return "a day ago"
	default:
		return strconv.Itoa(days) + " days ago"
	}
}

func (v lsVerb) tools(p *program, h hub, connectors []message.Connector) error {
	one, err := connectorNamed(connectors, v.Connector)
	if err != nil {
		return err
	}
	tools, err := toolsOf(p.ctx, h, message.ToolsParams{Connector: message.ConnectorRef(one.ID)})
	if err != nil {
		return misuse(err)
	}
	if p.isJSON {
		if tools == nil {
			tools = []message.Tool{}
		}
		return p.printJSON(lsToolsShape{h.window(), tools})
	}
	rows := make([][]string, len(tools))
	for i, tool := range tools {
		rows[i] = []string{tool.Label, string(tool.Permission), strconv.Itoa(tool.Tokens), tool.Summary}
	}
	if len(rows) == 0 {
		p.sayUnlisted(h, one)
		return nil
	}
	heading := []string{"TOOL", "A CALL", "TOKENS", "WHAT IT DOES"}
	if !p.isTerminal {
		heading = nil
	}
	p.table(heading, rows)
	return nil
}

// sayUnlisted says on standard error why a connector shows no tools.
func (p *program) sayUnlisted(h hub, c message.Connector) {
	if found, err := h.why(p.ctx, message.WhyParams{Connector: message.ConnectorRef(c.ID)}); err == nil {
		for _, reason := range found.Reasons {
			p.say(editors.Visible(reason.Text))
		}
	}
	if c.Generation == 0 && (c.State == message.ConnectorIdle || c.State == message.ConnectorFailed) {
		p.say("To have it started and listed: " + host.RefreshCommand(c.Name))
	}
}
