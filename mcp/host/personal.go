package host

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pillion/mcp/config"
	"pillion/mcp/consent"
	"pillion/mcp/personal"
	"pillion/mcp/state"
	"pillion/mcp/why"
)

// factsOf is what the files say of a connector.
func factsOf(e config.EffectiveEntry) personal.Entry {
	return personal.Entry{
		Source: string(e.Entry.File.Source), Name: e.Entry.Name, Root: e.Entry.File.Root, Hash: e.Entry.Hash(),
		IsOff: e.Entry.Disabled, IsOffByProject: e.Disabled && !e.Entry.Disabled, Reads: e.Entry.Reads(), Profiles: e.Profiles,
		IsOffWithoutProfile: e.Entry.Options.IsOffByDefault,
	}
}

// foldersOf looks which folders stand at the roots.
func foldersOf(roots []string) []personal.Folder {
	folders := make([]personal.Folder, len(roots))
	for i, root := range roots {
		folders[i] = personal.Folder{Path: root, ID: consent.RootID(root)}
	}
	return folders
}

// wishFolders are where a wish about a connector of a root counts: that folder for a project's; all of the window for one of
// the user's own, and everywhere where no folder is open. h.mu is held.
func (h *Host) wishFolders(root string) []personal.Folder {
	if root != "" {
		return slices.DeleteFunc(slices.Clone(h.folders), func(f personal.Folder) bool { return f.Path != root })
	}
	if len(h.folders) == 0 {
		return []personal.Folder{{}}
	}
	return h.folders
}

// ConnectorWish is what a user wants of a connector, for himself and in this workspace; nil leaves it.
type ConnectorWish struct {
	Enabled *bool
	Profile *string // empty: that of the folder
	Pinned  *bool
	// ShownHash is that of the definition that a person was shown and wants on; empty where none was.
	ShownHash string
}

// UnshownError says that somebody has to see a definition before it is switched on (S6).
type UnshownError struct{ Connector string }

func (e *UnshownError) Error() string {
	return fmt.Sprintf("the connector %q is switched off, so its definition has to be seen first: run %s in a terminal", e.Connector, EnableCommand(e.Connector))
}

// SetConnector changes what a user wants of a connector, in no file but his own state (A12). Switching one on takes back what
// was said before, and goes before what a file or a profile has off; it still needs every permission. What somebody else than
// the user has off is switched on by a person who was shown it alone: else an [*UnshownError].
func (h *Host) SetConnector(ctx context.Context, id string, wish ConnectorWish) (Connector, error) {
	if err := h.checkProfile(wish.Profile); err != nil {
		return Connector{}, err
	}
	var facts personal.Entry
	var change personal.ConnectorChange
	var in []personal.Folder
	err := h.stepOn(id, func(s *slot) (err error) {
		facts, in = s.facts, h.wishFolders(s.facts.Root)
		change, err = h.changeFor(s, wish)
		return err
	})
	if err == nil {
		err = h.personal.SetConnector(ctx, in, facts.Source, facts.Name, change)
	}
	if err != nil && !state.IsUnsaved(err) {
		return Connector{}, err
	}
	if wish.Enabled != nil {
		h.recordRule(facts.Name, "", onOff(*wish.Enabled), "the whole connector")
	}
	h.restand(nobody)
	view, viewErr := h.Connector(id)
	if viewErr != nil {
		return Connector{}, viewErr
	}
	return view, err
}

// stepOn does something with the slot of an id, under the lock.
func (h *Host) stepOn(id string, do func(*slot) error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, err := h.findSlot(id)
	if err != nil {
		return err
	}
	return do(s)
}

// changeFor is what is kept for a wish; h.mu is held.
func (h *Host) changeFor(s *slot, wish ConnectorWish) (personal.ConnectorChange, error) {
	change := personal.ConnectorChange{Profile: wish.Profile, Pinned: wish.Pinned}
	if wish.Enabled == nil {
		return change, nil
	}
	now := personal.Off
	if *wish.Enabled {
		now = ""
		off := h.layer.Following(s.facts, h.wishFolders(s.facts.Root)).Apply(s.facts).OffBy
		if len(off) > 0 && wish.ShownHash != s.facts.Hash {
			return change, &UnshownError{Connector: s.entry.Name}
		}
		if len(off) > 0 {
			now, change.Hash = personal.On, s.facts.Hash
		}
	}
	change.Switch = &now
	return change, nil
}

func onOff(isOn bool) string {
	if isOn {
		return string(personal.On)
	}
	return string(personal.Off)
}

// SetTool switches a tool on or off for the user; isEverywhere says in all workspaces, which is for connectors of the user's
// own alone. A tool that was never listed may be named by its label.
func (h *Host) SetTool(ctx context.Context, name string, isOn, isEverywhere bool) (Tool, error) {
	var facts personal.Entry
	var in []personal.Folder
	known, err := h.knownTool(name)
	if err != nil {
		return Tool{}, err
	}
	err = h.stepOn(known.connector, func(s *slot) error {
		facts, in = s.facts, h.wishFolders(s.facts.Root)
		if isEverywhere && facts.Root != "" {
			return &ScopeError{Connector: facts.Name}
		}
		if isEverywhere {
			in = []personal.Folder{{}}
		}
		return nil
	})
	if err == nil {
		err = h.personal.SetTool(ctx, in, facts.Source, facts.Name, known.name, personal.Switch(onOff(isOn)))
	}
	if err != nil && !state.IsUnsaved(err) {
		return Tool{}, err
	}
	h.recordRule(facts.Name, known.name, onOff(isOn), "the tool, whoever calls it")
	h.restand(nobody)
	tool, toolErr := h.toolOf(known)
	if toolErr != nil {
		return Tool{}, toolErr
	}
	return tool, err
}

// ScopeError says that something of a project was to be changed for all workspaces.
type ScopeError struct{ Connector string }

func (e *ScopeError) Error() string {
	return fmt.Sprintf("the connector %q is the project's: what is wanted of it counts in this workspace alone", e.Connector)
}

// Workspace is what the user wants of a workspace folder as a whole.
func (h *Host) Workspace(root string) (personal.Workspace, error) {
	folder, err := h.folderAt(root)
	if err != nil {
		return personal.Workspace{}, err
	}
	return h.personal.Workspace(folder), nil
}

// SetWorkspace changes it. Connectors whose variables come from elsewhere by then are other definitions, and wait (S2).
func (h *Host) SetWorkspace(ctx context.Context, root string, change personal.WorkspaceChange) error {
	folder, err := h.folderAt(root)
	if err != nil {
		return err
	}
	if err := h.checkProfile(change.Profile); err != nil {
		return err
	}
	if err = h.personal.SetWorkspace(ctx, folder, change); err != nil && !state.IsUnsaved(err) {
		return err
	}
	var said []string
	if change.Profile != nil {
		said = append(said, fmt.Sprintf("profile %q", *change.Profile))
	}
	if change.Env != nil {
		said = append(said, fmt.Sprintf("%d variables", len(change.Env)))
	}
	h.recordRule("", "", "workspace", folder.Path+": "+strings.Join(said, ", "))
	h.restand(nobody)
	return err
}

// checkProfile refuses one that nothing here belongs to.
func (h *Host) checkProfile(chosen *string) error {
	if chosen == nil || *chosen == "" {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var known []string
	for _, s := range h.present() {
		known = append(known, s.facts.Profiles...)
	}
	if slices.Contains(known, *chosen) {
		return nil
	}
	return &UnknownError{What: "profile", Name: *chosen, Nearest: why.Near(*chosen, known)}
}

func (h *Host) folderAt(root string) (personal.Folder, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, folder := range h.folders {
		if folder.Path == root {
			return folder, nil
		}
	}
	return personal.Folder{}, &UnknownError{What: "workspace folder", Name: root}
}
