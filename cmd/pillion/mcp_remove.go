package main

import (
	"pillion/editors"
	"pillion/rpc/message"
)

type removeVerb struct {
	Name    string `arg:"" help:"The connector, by its name or id."`
	User    bool   `help:"The one of your own file." xor:"file"`
	Project bool   `help:"The one of this folder's .mcp.json." xor:"file"`
}

// Help explains the verb.
func (removeVerb) Help() string {
	return `Takes the entry out of its file and leaves everything else in the file as it is, comments too; a file that cannot be read is not written to. A window that is open stops the connector.

With --json: {"removed": Connector}.`
}

// removeShape is what mcp remove --json prints.
type removeShape struct {
	Removed message.Connector `json:"removed"`
}

// Run removes it.
func (v removeVerb) Run(p *program) error {
	return p.withOwnHost(func(h *ownHub) error { return v.remove(p, h) })
}

func (v removeVerb) remove(p *program, h *ownHub) error {
	all, err := h.connectors(p.ctx)
	if err != nil {
		return err
	}
	c, err := connectorNamed(v.among(all), v.Name)
	if err != nil {
		return err
	}
	if err := h.RemoveEntry(string(c.ID)); err != nil {
		return err
	}
	if p.isJSON {
		return p.printJSON(removeShape{c})
	}
	p.print(editors.Quoted(c.Name) + " is no longer in " + editors.Visible(c.URI.FsPath()) + ".")
	return nil
}

// among are the connectors of the file that is meant; in one file every entry counts, shadowed or not.
func (v removeVerb) among(all []message.Connector) []message.Connector {
	var among []message.Connector
	for _, c := range all {
		isMeant := !v.User && !v.Project
		if v.User && isOwn(c) || v.Project && c.Source == message.SourceProject {
			c.ShadowedBy = ""
			isMeant = true
		}
		if isMeant {
			among = append(among, c)
		}
	}
	return among
}
