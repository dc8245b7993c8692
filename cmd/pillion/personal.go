package main

import (
	"context"
	"errors"
	"slices"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/mcp/state"
	"pillion/rpc/message"
	"pillion/sidecar"
)

type enableVerb struct {
	Name string `arg:"" help:"The connector, by its name or id."`
}

// Help explains the verb.
func (enableVerb) Help() string {
	return `Switches a connector on for you, in this folder, and writes no file but Pillion's own state: it goes before your own earlier disable, and before what the connector's file, the project or a profile has off. Its whole definition is shown and a yes is asked on the terminal itself; without a terminal nothing changes and the exit code is 75. Where an editor's window is open on this folder, the question is the window's too, and the first answer counts. A connector of the project still needs permission: pillion mcp approve. To switch one of your own on in its file, for every folder, is pillion mcp approve as well.

With --json: {"connector": Connector}.`
}

type disableVerb struct {
	Name string `arg:"" help:"The connector, by its name or id."`
}

// Help explains the verb.
func (disableVerb) Help() string {
	return `Switches a connector off for you, in this folder, and writes no file but Pillion's own state: it stops, is not listed to anybody, and costs no tokens. In no folder it is off everywhere. That takes away and needs no question.

With --json: {"connector": Connector}.`
}

// connectorShape is what mcp enable and disable --json print.
type connectorShape struct {
	Connector message.Connector `json:"connector"`
}

// Run asks and switches it on.
func (v enableVerb) Run(p *program) error {
	return p.withOwnHost(func(h *ownHub) error {
		found, err := h.Connector(v.Name)
		switch {
		case err != nil:
			return misuse(err)
		case len(found.OffBy) == 0:
			return p.printConnector(sidecar.ConnectorMessage(found), "is on already")
		}
		asked, leave := p.whereAsked(h)
		defer leave()
		var now message.Connector
		err = p.widen(asked, message.WantedChange{Connector: message.ConnectorRef(found.ID)}, func() (bool, error) {
			all, err := asked.connectors(p.ctx)
			for _, c := range all {
				if string(c.ID) == found.ID {
					now = c
				}
			}
			return now.ID != "" && len(now.DisabledBy) == 0, err
		})
		if err != nil {
			return p.saidUnsaved(err)
		}
		return p.printConnector(now, "is on in this folder, for you alone")
	})
}

// Run switches it off.
func (v disableVerb) Run(p *program) error {
	return p.withOwnHost(func(h *ownHub) error {
		found, err := h.Connector(v.Name)
		if err != nil {
			return misuse(err)
		}
		isOn := false
		set, err := h.SetConnector(p.ctx, found.ID, host.ConnectorWish{Enabled: &isOn})
		if err != nil {
			return p.saidUnsaved(err)
		}
		return p.printConnector(sidecar.ConnectorMessage(set), "is off in this folder, for you alone")
	})
}

type toolsGrammar struct {
	On  toolOnVerb  `cmd:"" help:"Switch a tool on again."`
	Off toolOffVerb `cmd:"" help:"Switch a tool off: it is not listed, and costs nothing."`
}

type toolOnVerb struct {
	Tool       string `arg:"" help:"The tool, by its label, such as notes.delete_note."`
	Everywhere bool   `help:"In all folders; for connectors of your own file."`
}

// Help explains the verb.
func (toolOnVerb) Help() string {
	return `Takes back that you switched a tool off. A yes is asked on the terminal itself, and in the editor's window that is open on this folder, where the first answer counts; without a terminal nothing changes and the exit code is 75. What the files leave out stays out, and calls ask as before.

With --json: {"tool": Tool}.`
}

type toolOffVerb struct {
	Tool       string `arg:"" help:"The tool, by its label, such as notes.delete_note."`
	Everywhere bool   `help:"In all folders; for connectors of your own file."`
}

// Help explains the verb.
func (toolOffVerb) Help() string {
	return `Switches a tool off for you, in this folder, and writes no file but Pillion's own state: nobody is shown it, and it costs no tokens. A tool that was never listed may be named as well. That takes away and needs no question.

With --json: {"tool": Tool}.`
}

// toolShape is what tools on and off --json print.
type toolShape struct {
	Tool message.Tool `json:"tool"`
}

// Run asks and switches it on.
func (v toolOnVerb) Run(p *program) error {
	return p.withOwnHost(func(h *ownHub) error {
		asked, leave := p.whereAsked(h)
		defer leave()
		change := message.WantedChange{Tool: message.ToolRef(v.Tool)}
		if v.Everywhere {
			change.ToolScope = message.ToolScopeUser
		}
		if _, err := asked.tool(p.ctx, v.Tool); err != nil {
			return misuse(err)
		}
		var now message.Tool
		err := p.widen(asked, change, func() (isOn bool, err error) {
			if now, err = asked.tool(p.ctx, v.Tool); err != nil || now.State != message.ToolOff {
				return err == nil, err
			}
			return isOnForUser(p.ctx, asked, now)
		})
		if err != nil {
			return p.saidUnsaved(misuse(err))
		}
		return p.printTool(now, true)
	})
}

// Run switches it off.
func (v toolOffVerb) Run(p *program) error {
	return p.withOwnHost(func(h *ownHub) error { return p.switchTool(h, v.Tool, false, v.Everywhere) })
}

func (p *program) switchTool(h *ownHub, name string, isOn, isEverywhere bool) error {
	tool, err := h.SetTool(p.ctx, name, isOn, isEverywhere)
	var scope *host.ScopeError
	switch {
	case errors.As(err, &scope):
		return fail(exitUsage, nil, "%w", err)
	case err != nil:
		return p.saidUnsaved(misuse(err))
	}
	return p.printTool(sidecar.ToolMessage(tool, message.ToolSummary), isOn)
}

// isOnForUser reports whether a tool that is off is so by others than the user: by the files, or with its whole connector.
func isOnForUser(ctx context.Context, h hub, tool message.Tool) (bool, error) {
	connectors, err := h.connectors(ctx)
	if err != nil {
		return false, err
	}
	of := slices.IndexFunc(connectors, func(c message.Connector) bool { return c.ID == tool.Connector })
	if of >= 0 && len(connectors[of].DisabledBy) > 0 {
		return true, nil // of the tool alone nothing can be seen
	}
	result, err := h.why(ctx, message.WhyParams{Tool: message.ToolRef(tool.ID)})
	return !slices.ContainsFunc(result.Reasons, func(r message.Reason) bool { return r.Kind == message.ReasonDisabled }), err
}

func (p *program) printTool(tool message.Tool, isOn bool) error {
	if p.isJSON {
		return p.printJSON(toolShape{tool})
	}
	words := map[bool]string{true: "is on", false: "is off, for you alone"}[isOn]
	if tool.State == message.ToolOff && isOn {
		words = "is on for you, but something else leaves it out; see pillion why"
	}
	p.print(editors.Quoted(tool.Label) + " " + words + ".")
	return nil
}

// saidUnsaved tells what could not be kept: this program ends, and the wish with it.
func (p *program) saidUnsaved(err error) error {
	if state.IsUnsaved(err) {
		return fail(exitFailed, nil, "it could not be kept: %w", err)
	}
	return err
}

func (p *program) printConnector(c message.Connector, words string) error {
	if p.isJSON {
		return p.printJSON(connectorShape{c})
	}
	p.print(editors.Quoted(c.Name) + " " + words + ": " + editors.StateWords(c.State) + ".")
	return nil
}
