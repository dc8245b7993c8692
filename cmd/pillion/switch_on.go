package main

import (
	"fmt"

	"pillion/mcp/config"
	"pillion/mcp/state"
	"pillion/rpc/message"
)

// switchOn shows an entry of the user's own file that is off, and switches it on if a person says yes.
func (p *program) switchOn(d *device, c message.Connector) (bool, error) {
	file := config.File{Path: c.URI.FsPath(), Source: config.SourceUser}
	entry, _, err := readEntry(file, c.Name)
	if err != nil {
		return false, err
	}
	if !entry.Disabled {
		return false, fail(exitNotAllowed, nil, "the connector %q is switched off by this folder's %s", c.Name, config.ProjectFileName)
	}
	isYes, err := d.approves(p.ctx, addQuestion(entry))
	if err != nil || !isYes {
		return false, err
	}
	now, text, err := readEntry(file, c.Name)
	if err != nil {
		return false, err
	}
	if now.Text != entry.Text {
		return false, fmt.Errorf("the entry of the connector %q was changed while it was shown; nothing was decided", c.Name)
	}
	edited, err := config.SetDisabled(text, c.Name, false)
	if err != nil {
		return false, err
	}
	path, err := config.WritePath(file)
	if err != nil {
		return false, err
	}
	return true, state.WriteFile(path, edited, 0o600)
}

func readEntry(file config.File, name string) (*config.Entry, []byte, error) {
	text, err := config.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	entry := config.Parse(file, text).Entry(name)
	if entry == nil {
		return nil, nil, fmt.Errorf("the connector %q is no longer in %s", name, file.Path)
	}
	return entry, text, nil
}
