package host

import (
	"context"
	"fmt"

	"pillion/mcp/config"
	"pillion/mcp/state"
)

// AddEntry writes an entry into a configuration file, which need not exist, and reads the files again.
// A file that does not parse is left as it is; so is one that names the connector already, unless it is to be replaced.
func (h *Host) AddEntry(file config.File, name string, definition []byte, isReplacing bool) (*config.Entry, error) {
	document, there, err := h.AddEntries(file, config.Batch{Entries: []config.NewEntry{{Name: name, Definition: definition}}, IsReplacing: isReplacing})
	if err != nil {
		return nil, err
	}
	if len(there) > 0 {
		return nil, fmt.Errorf("add connector %q to %s: %w", name, file.Path, config.ErrExists)
	}
	entry := document.Entry(name)
	if entry == nil {
		return nil, fmt.Errorf("add connector %q to %s: it is not in the file afterwards", name, file.Path)
	}
	return entry, nil
}

// AddEntries writes entries, and the inputs that they refer to, into a configuration file by one edit, and reads the files again
// once. It returns the names that were there already and stay, and the document as it is then.
func (h *Host) AddEntries(file config.File, batch config.Batch) (document *config.Document, there []string, err error) {
	err = h.rewrite(file, func(text []byte) (edited []byte, err error) {
		edited, there, err = batch.Write(text, true)
		return edited, err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("add connectors to %s: %w", file.Path, err)
	}
	h.Reload()
	for _, read := range h.Documents() {
		if read.File.Path == file.Path {
			return read, there, nil
		}
	}
	return nil, nil, fmt.Errorf("add connectors to %s: the file is not there afterwards", file.Path)
}

// RemoveEntry takes a connector's entry out of its file and reads the files again.
func (h *Host) RemoveEntry(id string) error {
	entry, err := h.entryOf(id)
	if err != nil {
		return err
	}
	file, name := entry.File, entry.Name
	err = h.rewrite(file, func(text []byte) ([]byte, error) { return config.Remove(text, name) })
	if err != nil {
		return fmt.Errorf("remove connector %q from %s: %w", name, file.Path, err)
	}
	h.Reload()
	return nil
}

func (h *Host) entryOf(id string) (*config.Entry, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.slotOf(id)
	if s == nil {
		return nil, &UnknownError{What: "connector", Name: id}
	}
	return s.entry, nil
}

func (h *Host) rewrite(file config.File, edit func([]byte) ([]byte, error)) error {
	return Rewrite(h.lifetime, h.options.Folder, file, edit)
}

// Rewrite is [config.Rewrite], one process of the user's at a time: folder is the state folder that they share.
// It waits until ctx ends, ten seconds at most.
func Rewrite(ctx context.Context, folder *state.Folder, file config.File, edit func([]byte) ([]byte, error)) error {
	unlock, err := folder.Lock(ctx, "edits.lock")
	if err != nil {
		return err
	}
	defer unlock()
	return config.Rewrite(file, edit)
}

// SwitchedOff is a definition with "disabled" set.
func SwitchedOff(definition []byte) ([]byte, error) {
	const name = "x"
	text, err := config.Insert(nil, name, definition, true)
	if err == nil {
		text, err = config.SetDisabled(text, name, true)
	}
	if err != nil {
		return nil, err
	}
	return []byte(config.Parse(config.File{Source: config.SourceUser}, text).Entry(name).Text), nil
}
