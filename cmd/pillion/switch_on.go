package main

import (
	"fmt"

	"pillion/mcp/config"
	"pillion/mcp/host"
	"pillion/mcp/state"
	"pillion/rpc/message"
	"pillion/sidecar/core"
)

// switchOn shows an entry of the user's own file that is off, and switches it on if a person says yes.
func (p *program) switchOn(d *device, c message.Connector) (bool, error) {
	file := config.File{Path: c.URI.FsPath(), Source: config.SourceUser}
	entry, err := readEntry(file, c.Name)
	if err != nil {
		return false, err
	}
	if !entry.Disabled {
		return false, fail(exitNotAllowed, nil, "the connector %q is switched off by this folder's %s", c.Name, config.ProjectFileName)
	}
	isYes, err := d.approves(p.ctx, ownQuestion(entry, "that file", "as it stands there",
		"With a yes it is switched on there, so in every folder. With anything else it stays off: nothing runs and nothing is sent."))
	if err != nil || !isYes {
		return false, err
	}
	folders, err := core.FindFolders(p.environ)
	if err != nil {
		return false, err
	}
	folder, err := state.Open(folders.State)
	if err != nil {
		return false, err
	}
	err = host.Rewrite(p.ctx, folder, file, func(text []byte) ([]byte, error) {
		now := config.Parse(file, text).Entry(c.Name)
		if now == nil || now.Text != entry.Text {
			return nil, fmt.Errorf("the entry of the connector %q was changed while it was shown; nothing was decided", c.Name)
		}
		return config.SetDisabled(text, c.Name, false)
	})
	return err == nil, err
}

func readEntry(file config.File, name string) (*config.Entry, error) {
	text, err := config.ReadFile(file)
	if err != nil {
		return nil, err
	}
	entry := config.Parse(file, text).Entry(name)
	if entry == nil {
		return nil, fmt.Errorf("the connector %q is no longer in %s", name, file.Path)
	}
	return entry, nil
}
