package main

import (
	"errors"
	"slices"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/rpc/message"
)

type approveVerb struct {
	Name string `arg:"" optional:"" help:"The connector, by its name or id; all that wait without one."`
}

// Help explains the verb.
func (approveVerb) Help() string {
	return `Shows the whole definition of each connector that needs permission and asks for a yes on the terminal itself; nothing else is one, neither an argument nor a pipe. A yes counts for exactly this definition, in this folder. The same question stands in the editor's window that is open on this folder, and the first answer counts.

A connector of your own needs no permission but the one of when it is added: one that add or import wrote switched off is shown in the same way, by its name, and with a yes it is switched on in its file, so in every folder. To have one on in this folder alone, and to write no file: pillion mcp enable.

Without a terminal nothing is decided and the exit code is 75. For one run of a script, allow one definition by its hash: pillion call --allow HASH.

With --json: {"decided": [{"connector", "name", "hash", "decision"}]}, where decision is allow or none.`
}

// approveShape is what mcp approve --json prints.
type approveShape struct {
	Decided []decidedShape `json:"decided"`
}

type decidedShape struct {
	Connector message.ConnectorID `json:"connector"`
	Name      string              `json:"name"`
	Hash      string              `json:"hash"`
	Decision  string              `json:"decision"` // allow, or none
	// file is where a connector of the user's own was switched on, empty for another.
	file string
}

// Run shows and asks.
func (v approveVerb) Run(p *program) error {
	return p.forConnectors(func(h hub, all []message.Connector) error { return v.approve(p, h, all) })
}

func (v approveVerb) approve(p *program, h hub, all []message.Connector) error {
	waiting, err := v.waiting(all)
	if err != nil {
		return err
	}
	if len(waiting) == 0 {
		p.say(v.idleWords(all))
		return p.printDecided(approveShape{Decided: []decidedShape{}})
	}
	d, err := openDevice()
	if err != nil {
		return unasked(h, err, waiting)
	}
	return p.approveAll(h, d, waiting)
}

// waiting are the connectors to ask about.
func (v approveVerb) waiting(all []message.Connector) ([]message.Connector, error) {
	if v.Name != "" {
		c, err := connectorNamed(all, v.Name)
		if err != nil {
			return nil, err
		}
		if isSwitchedOff(c) || c.State == message.ConnectorWaiting || c.State == message.ConnectorDenied {
			return []message.Connector{c}, nil
		}
		if len(c.DisabledBy) > 0 {
			return nil, fail(exitNotAllowed, []string{"Switch it on: " + host.EnableCommand(c.Name)}, "the connector %q is %s", c.Name, editors.OffWords(c.DisabledBy))
		}
		return nil, nil
	}
	var waiting []message.Connector
	for _, c := range all {
		if c.State == message.ConnectorWaiting {
			waiting = append(waiting, c)
		}
	}
	return waiting, nil
}

// idleWords say why there is nothing to ask about.
func (v approveVerb) idleWords(all []message.Connector) string {
	c, err := connectorNamed(all, v.Name)
	if v.Name == "" || err != nil {
		return "Nothing needs permission."
	}
	words := editors.Quoted(c.Name) + " waits for no permission: it " + map[bool]string{true: "", false: "is "}[c.State == message.ConnectorFailed] + editors.StateWords(c.State) + "."
	if c.Problem != nil {
		words += " Why: " + editors.Visible(c.Problem.Reason) + "."
	}
	return words
}

// isSwitchedOff reports whether the user's own entry is off in its file.
func isSwitchedOff(c message.Connector) bool {
	return c.State == message.ConnectorDisabled && isOwn(c) && c.ShadowedBy == "" && slices.Equal(c.DisabledBy, []message.DisabledBy{message.DisabledByFile})
}

// isOwn reports whether a connector stands in the user's own file.
func isOwn(c message.Connector) bool {
	return c.Source == message.SourceUser || c.Source == message.SourceImport
}

// unasked is the failure where a question could not be put.
func unasked(h hub, err error, waiting []message.Connector) error {
	if errors.Is(err, errOfConnector) {
		return fail(exitNotAllowed, nil, "%w", err)
	}
	steps := []string{"Run this in a terminal: pillion mcp approve"}
	for _, c := range waiting {
		if once := h.allowance(c); once != "" {
			steps = append(steps, "Or allow "+editors.Quoted(c.Name)+" for one run: pillion call --allow "+once+" <tool>")
		}
	}
	return fail(exitUnanswered, steps, "%w; nothing was decided", err)
}

func (p *program) approveAll(h hub, d *device, waiting []message.Connector) error {
	shape := approveShape{Decided: []decidedShape{}}
	code := exitOK
	for _, c := range waiting {
		isAllowed, hash, err := p.approveOne(h, d, c)
		switch {
		case decidedElsewhere(d, err):
			continue
		case errors.Is(err, errUndecided), p.ctx.Err() != nil:
			_ = p.printDecided(shape)
			return fail(exitUnanswered, nil, "%w", errUndecided)
		case err != nil:
			return err
		}
		decided := decidedShape{Connector: c.ID, Name: c.Name, Hash: hash, Decision: "none"}
		if isSwitchedOff(c) {
			decided.file = c.URI.FsPath()
		}
		if isAllowed {
			decided.Decision = string(message.ConsentAllow)
		} else {
			code = exitNotAllowed
		}
		shape.Decided = append(shape.Decided, decided)
	}
	if err := p.printDecided(shape); err != nil {
		return err
	}
	return ended(code)
}

func (p *program) approveOne(h hub, d *device, c message.Connector) (isAllowed bool, hash string, err error) {
	if isSwitchedOff(c) {
		isAllowed, err = p.switchOn(d, c)
		return isAllowed, c.Hash, err
	}
	hash, isAllowed, err = p.allow(p.ctx, h, d, c)
	return isAllowed, hash, err
}

func (p *program) printDecided(shape approveShape) error {
	if p.isJSON {
		return p.printJSON(shape)
	}
	for _, decided := range shape.Decided {
		isAllowed := decided.Decision == string(message.ConsentAllow)
		switch {
		case isAllowed && decided.file != "":
			p.print(editors.Quoted(decided.Name) + " is on in " + editors.Visible(decided.file) + ", for every folder.")
		case isAllowed:
			p.print(editors.Quoted(decided.Name) + " is allowed in this folder.")
		case decided.file != "":
			p.print(editors.Quoted(decided.Name) + " was not allowed; it stays switched off.")
		default:
			p.print(editors.Quoted(decided.Name) + " was not allowed; it goes on waiting.")
		}
	}
	return nil
}
