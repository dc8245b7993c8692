package main

import (
	"slices"
	"time"

	"pillion/editors"
	"pillion/rpc/message"
)

type permissionsListVerb struct{}

// Help explains the verb.
func (permissionsListVerb) Help() string {
	return `Lists every standing permission and refusal of calls: those that are stored, and where an editor's window is open on this folder those of its sessions too. A permission that is suspended was given for another definition of the connector or the tool; it allows nothing until that comes back.

On a terminal it is one rule a line. In a pipe it is one rule a line, with tabs between id, decision, scope, connector, tool, time, by and label. With --json: {"window": string, "rules": [PermissionRule]}, in the shape of the editor protocol.`
}

// permissionsShape is what permissions --json prints.
type permissionsShape struct {
	Window string                   `json:"window"` // empty where no window is open
	Rules  []message.PermissionRule `json:"rules"`
}

// Run lists them.
func (permissionsListVerb) Run(p *program) error {
	h, err := p.open(p.ctx, ownOptions{})
	if err != nil {
		return err
	}
	defer h.close()
	rules, err := h.rules(p.ctx)
	if err != nil {
		return err
	}
	switch {
	case p.isJSON:
		return p.printJSON(permissionsShape{h.window(), rules})
	case !p.isTerminal:
		rows := make([][]string, len(rules))
		for i, r := range rules {
			rows[i] = ruleRow(r)
		}
		if len(rows) == 0 {
			p.say(nothingStands)
		}
		p.table(nil, rows)
	case len(rules) == 0:
		p.print(nothingStands)
	default:
		for _, r := range rules {
			p.print(editors.RuleLine(r))
		}
		p.print("\nTake one back: pillion permissions remove <id>")
	}
	return nil
}

func ruleRow(r message.PermissionRule) []string {
	tool := ""
	if r.Tool != nil {
		tool = *r.Tool
	}
	return []string{string(r.ID), string(r.Decision), string(r.Scope), r.Name, tool, r.At.UTC().Format(time.RFC3339), r.By, r.Label}
}

type permissionsRemoveVerb struct {
	ID string `arg:"" name:"id" help:"The rule, by its id; see pillion permissions."`
}

// Help explains the verb.
func (permissionsRemoveVerb) Help() string {
	return `Takes one standing rule back. To take a permission back needs no question. One of an editor's session is taken back there. To take back what refuses or asks every time gives more: that is shown and asked for on the terminal itself, and in the editor's window that is open on this folder, where the first answer counts. Without a terminal nothing is changed and the exit code is 75.

With --json: {"removed": PermissionRule}.`
}

// removedShape is what permissions remove --json prints.
type removedShape struct {
	Removed message.PermissionRule `json:"removed"`
}

// Run takes it back.
func (v permissionsRemoveVerb) Run(p *program) error {
	if err := forPeople(); err != nil {
		return err
	}
	h, err := p.open(p.ctx, ownOptions{})
	if err != nil {
		return err
	}
	defer h.close()
	rule, err := v.find(p, h)
	if err != nil {
		return err
	}
	if err := p.takeBack(rule); err != nil {
		return err
	}
	if p.isJSON {
		return p.printJSON(removedShape{rule})
	}
	p.print("Taken back: " + editors.Visible(rule.Label) + ".")
	return nil
}

func (v permissionsRemoveVerb) find(p *program, h hub) (message.PermissionRule, error) {
	rules, err := h.rules(p.ctx)
	if err != nil {
		return message.PermissionRule{}, err
	}
	for _, r := range rules {
		if string(r.ID) == v.ID {
			return r, nil
		}
	}
	return message.PermissionRule{}, fail(exitUsage, []string{"See what stands: pillion permissions"}, "there is no standing rule %q here", v.ID)
}

// takeBack removes a rule; one that takes away only if a person says so. One that gives it takes out of the store itself: a window
// that is open reads it again.
func (p *program) takeBack(rule message.PermissionRule) error {
	if rule.Scope == message.PermissionSession {
		return fail(exitNotAllowed, []string{"Take it back in the editor: pillion.server.permission.remove"}, "the rule %q is of the editor's session", rule.ID)
	}
	return p.withOwnHost(func(own *ownHub) error {
		if rule.Decision == message.PermissionAllow {
			return own.RemoveRule(p.ctx, string(rule.ID))
		}
		h, leave := p.whereAsked(own)
		defer leave()
		return p.widen(h, message.WantedChange{RemoveRule: rule.ID}, func() (bool, error) {
			rules, err := h.rules(p.ctx)
			return !slices.ContainsFunc(rules, func(r message.PermissionRule) bool { return r.ID == rule.ID }), err
		})
	})
}

const nothingStands = "Nothing stands. A call asks, but for one that only reads, of a connector that you added yourself or said to trust."
