package main

import (
	"sync"

	"pillion/editors"
	"pillion/rpc/message"
)

type refreshVerb struct {
	Connectors []string `arg:"" optional:"" name:"connector" help:"Connectors, by name or id; without any, all that may run."`
}

// Help explains the verb.
func (refreshVerb) Help() string {
	return `Starts connectors that do not run, so that what they list is known anew: pillion ls, search, types, schema and catalog answer from it, and editors know it before anything runs. Only connectors that may run are started; one that needs permission is named. In an editor's window that is open on this folder they stay up until they are idle; else they end with this program. Nothing is called.

On a terminal it is a table. In a pipe it is one connector a line, with tabs between name, state, tools and what keeps it from running. With --json: {"window": string, "connectors": [Connector]}. The code is 4 where one does not run, 3 where one that was named needs permission.`
}

// refreshAtOnce is how many are started at the same time.
const refreshAtOnce = 8

// Run starts them.
func (v refreshVerb) Run(p *program) error {
	return p.forConnectors(func(h hub, all []message.Connector) error { return v.refresh(p, h, all) })
}

func (v refreshVerb) refresh(p *program, h hub, all []message.Connector) error {
	chosen, err := v.choose(all)
	if err != nil {
		return err
	}
	if p.isTerminal && len(chosen) > 0 && !p.isJSON {
		p.sayf("Starting %s …", editors.Counted(len(chosen), "connector"))
	}
	refreshed, err := p.refreshed(h, chosen)
	if err != nil {
		return err
	}
	return v.report(p, h.window(), refreshed)
}

// choose are those that are named, or all that may run.
func (v refreshVerb) choose(all []message.Connector) ([]message.Connector, error) {
	var chosen []message.Connector
	for _, name := range v.Connectors {
		one, err := connectorNamed(all, name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, one)
	}
	if len(v.Connectors) > 0 {
		return chosen, nil
	}
	for _, c := range all {
		switch c.State {
		case message.ConnectorWaiting, message.ConnectorDenied, message.ConnectorDisabled:
		default:
			chosen = append(chosen, c)
		}
	}
	return chosen, nil
}

// refreshed starts connectors, some at a time, and returns them as they are then, in their order.
func (p *program) refreshed(h hub, chosen []message.Connector) ([]message.Connector, error) {
	refreshed, failures := make([]message.Connector, len(chosen)), make([]error, len(chosen))
	room := make(chan struct{}, refreshAtOnce)
	var all sync.WaitGroup
	for i, c := range chosen {
		room <- struct{}{}
		all.Go(func() {
			defer func() { <-room }()
			refreshed[i], failures[i] = h.start(p.ctx, c)
		})
	}
	all.Wait()
	for _, err := range failures {
		if err != nil {
			return nil, err
		}
	}
	return refreshed, nil
}

func (v refreshVerb) report(p *program, window string, refreshed []message.Connector) error {
	code := exitOK
	rows := make([][]string, len(refreshed))
	for i, c := range refreshed {
		row := connectorRow(c)
		rows[i] = []string{c.Name, row[1], row[3], row[problemColumn]}
		switch {
		case c.State == message.ConnectorReady:
		case code != exitDown && (c.State == message.ConnectorWaiting || c.State == message.ConnectorDenied || c.State == message.ConnectorDisabled):
			code = exitNotAllowed
		default:
			code = exitDown
		}
	}
	if p.isJSON {
		if err := p.printJSON(listShape{window, refreshed}); err != nil {
			return err
		}
		return ended(code)
	}
	heading := []string{"CONNECTOR", "STATE", "TOOLS", "WHY IT DOES NOT RUN"}
	if !p.isTerminal {
		heading = nil
	}
	if len(rows) > 0 {
		p.table(heading, rows)
	}
	if p.isTerminal && code == exitNotAllowed {
		p.say("What needs permission is reviewed with: pillion mcp approve")
	}
	return ended(code)
}
