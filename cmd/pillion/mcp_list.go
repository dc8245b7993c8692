package main

import (
	"strconv"

	"pillion/editors"
	"pillion/rpc/message"
)

type listVerb struct{}

// Help explains the verb.
func (listVerb) Help() string {
	return `Lists what the editor's window that is open on this folder has, or what the files say where none is open; nothing is started for it.

On a terminal it is a table. In a pipe it is one connector a line, with tabs between name, state, transport, tools, source, file and problem. With --json: {"window": string, "connectors": [Connector]}, where window is empty without one and Connector is that of the editor protocol.`
}

// listShape is what mcp list --json prints.
type listShape struct {
	Window     string              `json:"window"` // empty where no window is open
	Connectors []message.Connector `json:"connectors"`
}

// Run lists them.
func (listVerb) Run(p *program) error {
	h, err := p.open(p.ctx, ownOptions{})
	if err != nil {
		return err
	}
	defer h.close()
	connectors, err := h.connectors(p.ctx)
	if err != nil {
		return err
	}
	faults := p.faults()
	if err := p.list(h.window(), connectors, len(faults) > 0); err != nil || len(faults) == 0 {
		return err
	}
	return fail(exitFailed, nil, "%d of the files cannot be used", len(faults))
}

// list prints the connectors.
func (p *program) list(window string, connectors []message.Connector, isPartial bool) error {
	if p.isJSON {
		return p.printJSON(listShape{window, connectors})
	}
	rows := make([][]string, len(connectors))
	for i, c := range connectors {
		rows[i] = connectorRow(c)
	}
	if !p.isTerminal {
		p.table(nil, rows)
		return nil
	}
	if len(rows) == 0 && isPartial {
		return nil
	}
	if len(rows) == 0 {
		p.print("There are no connectors. Add one: pillion mcp add <name> -- <command>")
		return nil
	}
	p.table([]string{"NAME", "STATE", "TRANSPORT", "TOOLS", "SOURCE", "FILE"}, withoutProblems(rows))
	p.explain(connectors)
	return nil
}

const problemColumn = 6

func connectorRow(c message.Connector) []string {
	tools := "-" // never listed
	if c.Generation > 0 {
		tools = strconv.Itoa(c.Tools)
	}
	state := editors.StateWords(c.State)
	if len(c.DisabledBy) > 0 {
		state = editors.OffWords(c.DisabledBy)
	}
	if c.ShadowedBy != "" {
		state = "not used: another of its name is"
	}
	row := []string{c.Name, state, string(c.Transport), tools, string(c.Source), c.URI.FsPath(), ""}
	if c.Problem != nil {
		row[problemColumn] = c.Problem.Reason
	}
	return row
}

func withoutProblems(rows [][]string) [][]string {
	short := make([][]string, len(rows))
	for i, row := range rows {
		short[i] = row[:problemColumn]
	}
	return short
}

// explain says why what does not run does not, and what to do about it (D1, D2).
func (p *program) explain(connectors []message.Connector) {
	waiting := 0
	for _, c := range connectors {
		if c.State == message.ConnectorWaiting {
			waiting++
		}
		if c.Problem == nil {
			continue
		}
		width := p.width()
		p.print("\n" + wrapped("", editors.Quoted(c.Name)+" does not run: "+editors.Visible(c.Problem.Reason), width))
		for i, step := range c.Problem.Steps {
			p.print(wrapped("  "+strconv.Itoa(i+1)+". ", editors.Visible(step), width))
		}
	}
	if waiting > 0 {
		need := " need permission"
		if waiting == 1 {
			need = " needs permission"
		}
		p.print("\n" + strconv.Itoa(waiting) + need + ". Review and allow: pillion mcp approve")
	}
}
