package main

import (
	"pillion/editors"
	"pillion/rpc/message"
)

type pendingVerb struct{}

// Help explains the verb.
func (pendingVerb) Help() string {
	return `Shows the questions that are open in the editor's window on this folder, and the connectors that need permission; where no window is open, those alone. The exit code is 0 whether or not there are any.

With --json: {"window": string, "asks": [Ask], "waiting": [Connector]}, in the shapes of the editor protocol; each question is there whole.`
}

// pendingShape is what pending --json prints.
type pendingShape struct {
	Window  string              `json:"window"` // empty where no window is open
	Asks    []message.Ask       `json:"asks"`
	Waiting []message.Connector `json:"waiting"`
}

// Run shows them.
func (pendingVerb) Run(p *program) error {
	h, err := p.open(p.ctx, ownOptions{})
	if err != nil {
		return err
	}
	defer h.close()
	shape := pendingShape{Window: h.window(), Waiting: []message.Connector{}}
	if shape.Asks, err = h.asks(p.ctx); err != nil {
		return err
	}
	connectors, err := h.connectors(p.ctx)
	if err != nil {
		return err
	}
	for _, c := range connectors {
		if c.State == message.ConnectorWaiting {
			shape.Waiting = append(shape.Waiting, c)
		}
	}
	if p.isJSON {
		return p.printJSON(shape)
	}
	p.printPending(shape)
	return nil
}

func (p *program) printPending(shape pendingShape) {
	rows := make([][]string, len(shape.Asks))
	for i, ask := range shape.Asks {
		rows[i] = []string{string(ask.AskID), string(ask.Kind), editors.Prompt(ask)}
	}
	if !p.isTerminal {
		for _, c := range shape.Waiting {
			rows = append(rows, []string{"", "waiting", c.Name, c.URI.FsPath()})
		}
		if len(rows) == 0 {
			p.say("Nothing is asked and nothing needs permission.")
		}
		p.table(nil, rows)
		return
	}
	if len(rows) > 0 {
		p.table([]string{"ID", "KIND", "QUESTION"}, rows)
		p.print("\nSee one whole and answer it: pillion answer <id>")
	}
	for _, c := range shape.Waiting {
		p.print(editors.Quoted(c.Name) + " of " + editors.Visible(c.URI.FsPath()) + " needs permission.")
	}
	switch {
	case len(shape.Waiting) > 0:
		p.print("Review and allow: pillion mcp approve")
	case len(rows) == 0:
		p.print("Nothing is asked and nothing needs permission.")
	}
}
