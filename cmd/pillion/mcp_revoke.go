package main

import (
	"time"

	"pillion/editors"
	"pillion/mcp/consent"
	"pillion/rpc/message"
)

type revokeVerb struct {
	Name string `arg:"" help:"The connector, by its name."`
}

// Help explains the verb.
func (revokeVerb) Help() string {
	return `Takes back every decision about whether a connector may run in this folder, yes or no: it stops where it runs and waits again. That takes away and needs no question. What stands for its calls is named, and counts again once it may run: pillion permissions remove.

With --json: {"revoked": [{"root", "name", "hash", "decision", "at"}]}.`
}

// revokeShape is what mcp revoke --json prints.
type revokeShape struct {
	Revoked []revokedShape `json:"revoked"`
}

type revokedShape struct {
	Root     string `json:"root"` // path of the folder
	Name     string `json:"name"`
	Hash     string `json:"hash"`
	Decision string `json:"decision"` // what was taken back
	At       string `json:"at"`       // when it was decided
}

// Run takes it back. It writes the store itself: a window that is open reads it again.
func (v revokeVerb) Run(p *program) error {
	return p.withOwnHost(func(h *ownHub) error { return v.revoke(p, h) })
}

func (v revokeVerb) revoke(p *program, h *ownHub) error {
	records := v.records(h)
	if _, err := h.Connector(v.Name); err != nil && len(records) == 0 {
		return misuse(err)
	}
	if len(records) == 0 {
		return fail(exitFailed, nil, "nothing was decided about a connector %q in this folder", v.Name)
	}
	shape := revokeShape{Revoked: []revokedShape{}}
	revoked := map[string]bool{}
	for _, record := range records {
		if !revoked[record.Root] {
			if err := h.Revoke(p.ctx, record.Root, record.Connector); err != nil {
				return err
			}
			revoked[record.Root] = true
		}
		shape.Revoked = append(shape.Revoked, revokedShape{
			record.Root, record.Connector, record.Hash, string(record.Decision), record.At.UTC().Format(time.RFC3339),
		})
	}
	if p.isJSON {
		return p.printJSON(shape)
	}
	p.print("What was decided about " + editors.Quoted(v.Name) + " in this folder is taken back; it waits again.")
	return v.nameRules(p, h)
}

// nameRules says what still stands for the connector's calls.
func (v revokeVerb) nameRules(p *program, h *ownHub) error {
	rules, err := h.rules(p.ctx)
	if err != nil {
		return err
	}
	for _, r := range rules {
		if r.Name == v.Name && r.Decision == message.PermissionAllow {
			p.print("This still stands for its calls, once it runs again: " + editors.RuleLine(r))
		}
	}
	return nil
}

// records are the decisions about the connector in the folders that are served here.
func (v revokeVerb) records(h *ownHub) []consent.Record {
	name := v.Name
	if found, err := h.Connector(v.Name); err == nil {
		name = found.Name
	}
	roots := map[string]bool{}
	for _, root := range h.Roots() {
		roots[root] = true
	}
	var records []consent.Record
	for _, record := range h.Consents() {
		if record.Connector == name && roots[record.Root] {
			records = append(records, record)
		}
	}
	return records
}
