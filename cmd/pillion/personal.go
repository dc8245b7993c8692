package main

import (
	"errors"
	"fmt"
	"strings"

	"pillion/editors"
	"pillion/mcp/config"
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
	return `Switches a connector on for you, in this folder, and writes no file but Pillion's own state: it goes before your own earlier disable, and before what the connector's file, the project or a profile has off. Its whole definition is shown and a yes is asked on the terminal itself; without a terminal nothing changes and the exit code is 75. A connector of the project still needs permission: pillion mcp approve.

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
			return p.printConnector(found, "is on already")
		}
		entry := entryOf(h, found)
		if entry == nil {
			return fmt.Errorf("the connector %q is no longer in %s", found.Name, found.File)
		}
		if err := p.askToWiden(enableQuestion(entry)); err != nil {
			return err
		}
		isOn := true
		set, err := h.SetConnector(p.ctx, found.ID, host.ConnectorWish{Enabled: &isOn, ShownHash: entry.Hash()})
		if err != nil {
			return p.saidUnsaved(err)
		}
		return p.printConnector(set, "is on in this folder")
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
		return p.printConnector(set, "is off in this folder, for you alone")
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
	return `Takes back that you switched a tool off. A yes is asked on the terminal itself; without a terminal nothing changes and the exit code is 75. What the files leave out stays out, and calls ask as before.

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
		known, err := h.AnyTool(v.Tool)
		if err != nil {
			return misuse(err)
		}
		question := "Pillion asks: may this tool be listed again, to your editor and to agents? Calls of it ask as before.\n| " + editors.Visible(known.Label)
		if err := p.askToWiden(question); err != nil {
			return err
		}
		return p.switchTool(h, v.Tool, true, v.Everywhere)
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
	if p.isJSON {
		return p.printJSON(toolShape{sidecar.ToolMessage(tool, message.ToolSummary)})
	}
	words := map[bool]string{true: "is on", false: "is off, for you alone"}[isOn]
	if tool.State == host.ToolOff && isOn {
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

func (p *program) printConnector(c host.Connector, words string) error {
	if p.isJSON {
		return p.printJSON(connectorShape{sidecar.ConnectorMessage(c)})
	}
	p.print(editors.Quoted(c.Name) + " " + words + ": " + editors.StateWords(message.ConnectorState(c.State)) + ".")
	return nil
}

// entryOf is the entry of a connector in its file, or nil.
func entryOf(h *ownHub, c host.Connector) *config.Entry {
	for _, document := range h.Documents() {
		if document.File.Path == c.File {
			return document.Entry(c.Name)
		}
	}
	return nil
}

// enableQuestion shows an entry, whole (S17).
func enableQuestion(entry *config.Entry) string {
	var b strings.Builder
	say := func(lines ...string) { b.WriteString(strings.Join(lines, "\n") + "\n") }
	say("Pillion asks: may this connector be on for you, in this folder?",
		`Lines that begin with "| " are not Pillion's words: they come from the file.`,
		"A connector that you allow runs as you: it can read your files and keys. Allow what you know.", "")
	say("connector", "| "+editors.Visible(entry.Name))
	if reads := entry.Shown().Reads; len(reads) > 0 {
		say("variables of yours that it reads", "| "+editors.Visible(strings.Join(reads, ", ")))
	}
	say("in the file", "| "+editors.Visible(entry.File.Path), "as it stands there")
	b.WriteString(editors.Lines(dedented(entry.Text)))
	if entry.File.Source == config.SourceProject {
		say("", "It is of this repository: it runs once it has permission, too.")
	}
	return b.String()
}
