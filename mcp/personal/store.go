package personal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"pillion/mcp/state"
)

const (
	fileName = "personal.json"
	version  = 2 // 2: seals

	// maxFolders bounds the repositories remembered; those changed longest ago are forgotten first.
	maxFolders   = 2000
	maxVariables = 100
	maxNameBytes = 512
)

// file is what the store holds, the folder that was changed last at the end.
type file struct {
	Folders []record `json:"folders"`
}

// record is what is wanted in one folder, or with an empty Root everywhere.
type record struct {
	Root       string            `json:"root,omitzero"`
	RootID     string            `json:"rootId,omitzero"`
	Profile    string            `json:"profile,omitzero"`
	Env        map[string]string `json:"env,omitempty"`
	Connectors []connector       `json:"connectors,omitempty"`
	At         time.Time         `json:"at"`
	Seal       string            `json:"seal,omitzero"` // shows that Pillion wrote the record as it stands (S20)

	isSame bool // the folder that stands at Root is the one that was meant
}

// connector is what is wanted of one connector.
type connector struct {
	Source  string            `json:"source"`
	Name    string            `json:"name"`
	Switch  Switch            `json:"switch,omitzero"`
	Hash    string            `json:"hash,omitzero"` // of the definition that was switched on
	Profile string            `json:"profile,omitzero"`
	Pinned  bool              `json:"pinned,omitzero"`
	Tools   map[string]Switch `json:"tools,omitempty"` // by raw name
}

func (c connector) isEmpty() bool {
	return c.Switch == "" && c.Profile == "" && !c.Pinned && len(c.Tools) == 0
}

func (r record) isEmpty() bool { return r.Profile == "" && len(r.Env) == 0 && len(r.Connectors) == 0 }

func (r record) find(source, name string) (connector, bool) {
	for _, c := range r.Connectors {
		if c.Source == source && c.Name == name {
			return c, true
		}
	}
	return connector{}, false
}

// Validate refuses what Pillion does not write: an unclear wish makes the store broken, and then every call asks (S20).
func (f *file) Validate() error {
	for i, r := range f.Folders {
		if err := r.validate(); err != nil {
			return fmt.Errorf("folder %d: %w", i, err)
		}
	}
	return nil
}

func (r record) validate() error {
	if r.Root == "" && len(r.Env) > 0 {
		return errors.New("variables are given to the connectors of a folder")
	}
	if err := checkEnv(r.Env); err != nil {
		return err
	}
	for i, c := range r.Connectors {
		switch {
		case c.Source == "" || c.Name == "":
			return fmt.Errorf("connector %d: a member is empty", i)
		case c.Switch != "" && c.Switch != On && c.Switch != Off:
			return fmt.Errorf("connector %d: unknown switch %q", i, c.Switch)
		}
		for tool, now := range c.Tools {
			if tool == "" || now != On && now != Off {
				return fmt.Errorf("connector %d: unknown switch %q of tool %q", i, now, tool)
			}
		}
	}
	return nil
}

// Store is the store of what the user wants, shared by all windows. Its methods may be called at once.
type Store struct {
	*grants
	kept  *state.Kept[file]
	sieve *state.Sieve[record]
}

// New returns the store in the folder; what gives is sealed with the key, and nil is for none. Nothing is read yet.
func New(f *state.Folder, key state.SealKey) *Store {
	empty := func() file { return file{Folders: []record{}} }
	kept, sieve := state.NewKept(state.NewStore(f, fileName, version, empty)), state.NewSieve(key, sealable)
	return &Store{kept: kept, sieve: sieve, grants: &grants{
		Kept: kept, Sieve: sieve, Records: func(f file) []record { return f.Folders }, With: func(folders []record) file { return file{Folders: folders} },
	}}
}

// Layer reads what is wanted in these folders, in whichever window it was said.
func (s *Store) Layer(in []Folder) Layer {
	f, health := s.kept.Snapshot()
	layer, records := Layer{health: health}, s.sieve.Sift(f.Folders).Records
	for _, folder := range in {
		if r, isThere := find(records, folder.Path); isThere && folder.Path != "" {
			r.isSame = folder.ID != "" && r.RootID == folder.ID
			layer.folders = append(layer.folders, r)
		}
	}
	layer.everywhere, _ = find(records, "")
	return layer
}

func find(records []record, root string) (record, bool) {
	i := slices.IndexFunc(records, func(r record) bool { return r.Root == root })
	if i < 0 {
		return record{}, false
	}
	return records[i], true
}

// Workspace is what is wanted of a folder as a whole.
type Workspace struct {
	Profile string            // empty for none
	Env     map[string]string // references by the names of variables; never nil, and not to be modified
}

// Workspace reads it.
func (s *Store) Workspace(of Folder) Workspace {
	r, _ := find(s.sieve.Sift(s.kept.Value().Folders).Records, of.Path)
	w := Workspace{Profile: r.Profile, Env: map[string]string{}}
	if of.ID != "" && r.RootID == of.ID && r.Env != nil {
		w.Env = r.Env
	}
	return w
}

// RefusedError says what is wrong with what was wanted.
type RefusedError struct{ reason string }

func (e *RefusedError) Error() string { return e.reason }

// WorkspaceChange is what a user wants changed of a folder as a whole; nil leaves it.
type WorkspaceChange struct {
	Profile *string           // empty for none
	Env     map[string]string // all of the references from now on; empty for none
}

// SetWorkspace changes what is wanted of a folder. The error is a *RefusedError, or a *state.UnsavedError that says that it holds in this process alone.
func (s *Store) SetWorkspace(ctx context.Context, in Folder, change WorkspaceChange) error {
	if len(change.Env) > 0 && (in.Path == "" || in.ID == "") {
		return &RefusedError{fmt.Sprintf("set variables in %q: which folder it is cannot be told", in.Path)}
	}
	if err := checkEnv(change.Env); err != nil {
		return &RefusedError{fmt.Sprintf("set variables in %q: %s", in.Path, err)}
	}
	env := maps.Clone(change.Env)
	return s.change(ctx, []Folder{in}, len(env) > 0, func(r *record) {
		if change.Profile != nil {
			r.Profile = *change.Profile
		}
		if env != nil {
			r.Env = env
		}
	})
}

// ConnectorChange is what a user wants changed of a connector; nil leaves it.
type ConnectorChange struct {
	Switch  *Switch // empty: as the files have it
	Hash    string  // of the definition that is switched on; only such an on goes before what the files say
	Profile *string // empty: that of the folder
	Pinned  *bool
}

// SetConnector changes what is wanted of a connector in these folders. The error is that of [Store.SetWorkspace].
func (s *Store) SetConnector(ctx context.Context, in []Folder, source, name string, change ConnectorChange) error {
	return s.change(ctx, in, change.Switch != nil && *change.Switch == On, func(r *record) {
		c, _ := r.find(source, name)
		c.Source, c.Name = source, name
		if change.Switch != nil {
			c.Switch, c.Hash = *change.Switch, ""
			if c.Switch == On {
				c.Hash = change.Hash
			}
		}
		if change.Profile != nil {
			c.Profile = *change.Profile
		}
		if change.Pinned != nil {
			c.Pinned = *change.Pinned
		}
		r.put(c)
	})
}

// SetTool switches a tool, by its raw name, in these folders. On in a folder goes before an off of everywhere; On everywhere
// takes the off of everywhere back. The error is that of [Store.SetWorkspace].
func (s *Store) SetTool(ctx context.Context, in []Folder, source, name, tool string, now Switch) error {
	if tool == "" || now != On && now != Off {
		return &RefusedError{fmt.Sprintf("switch tool %q of connector %q: %q is not on or off", tool, name, now)}
	}
	isOffEverywhere := func(f file) bool {
		everywhere, _ := find(f.Folders, "")
		c, _ := everywhere.find(source, name)
		return c.Tools[tool] == Off
	}
	return s.changeFile(ctx, in, now == On, func(f file, r *record) {
		c, _ := r.find(source, name)
		c.Source, c.Name, c.Tools = source, name, maps.Clone(c.Tools)
		if c.Tools == nil {
			c.Tools = map[string]Switch{}
		}
		if now == Off || r.Root != "" && isOffEverywhere(f) {
			c.Tools[tool] = now
		} else {
			delete(c.Tools, tool)
		}
		r.put(c)
	})
}

// Rename lets what is wanted of a connector in these folders count under another name; what is wanted of that one already stays.
// The error is that of [Store.SetWorkspace].
func (s *Store) Rename(ctx context.Context, in []Folder, source, from, to string) error {
	return s.change(ctx, in, false, func(r *record) { r.rename(source, from, to) })
}

// RenameEverywhere is [Store.Rename] in all folders that anything is wanted in, those of other windows and what is wanted
// everywhere among them: for a connector of the user's own, whose name is another in all of them.
func (s *Store) RenameEverywhere(ctx context.Context, source, from, to string) error {
	sealer := s.sieve.Sealer(false)
	err := s.kept.Change(ctx, func(f file) file {
		changed := file{Folders: slices.Clone(f.Folders)}
		for i, r := range changed.Folders {
			holds := sealer.Holds(r)
			if !r.rename(source, from, to) {
				continue
			}
			if r.Seal = ""; holds {
				r = sealer.Sealed(r)
			}
			changed.Folders[i] = r
		}
		return changed
	})
	if err != nil {
		return fmt.Errorf("change the personal layer: %w", err)
	}
	return nil
}

// rename reports whether there was anything to rename.
func (r *record) rename(source, from, to string) bool {
	c, isKnown := r.find(source, from)
	if _, isTaken := r.find(source, to); !isKnown || isTaken {
		return false
	}
	r.put(connector{Source: source, Name: from})
	c.Name = to
	r.put(c)
	return true
}

// put takes the place of what was said of the connector; the list of the record before stays as it is.
func (r *record) put(c connector) {
	r.Connectors = slices.DeleteFunc(slices.Clone(r.Connectors), func(old connector) bool { return old.Source == c.Source && old.Name == c.Name })
	if !c.isEmpty() {
		r.Connectors = append(r.Connectors, c)
	}
}

func (s *Store) change(ctx context.Context, in []Folder, gives bool, change func(*record)) error {
	return s.changeFile(ctx, in, gives, func(_ file, r *record) { change(r) })
}

// changeFile changes the records of these folders; gives says whether that gives anything. What is not believed in a record is
// not sealed by the way: it stays as it is, or goes where something is given beside it.
func (s *Store) changeFile(ctx context.Context, in []Folder, gives bool, change func(file, *record)) error {
	now := time.Now().UTC()
	sealer := s.sieve.Sealer(gives)
	err := s.kept.Change(ctx, func(f file) file {
		changed := file{Folders: slices.Clone(f.Folders)}
		for _, folder := range in {
			r, _ := find(changed.Folders, folder.Path)
			holds := sealer.Holds(r)
			if !holds && gives {
				r = r.withoutGifts()
			}
			r = r.in(folder)
			change(f, &r)
			r.At = now
			if r.Seal = ""; holds || gives {
				r = sealer.Sealed(r)
			}
			changed.Folders = slices.DeleteFunc(changed.Folders, func(old record) bool { return old.Root == folder.Path })
			if !r.isEmpty() {
				changed.Folders = append(changed.Folders, r)
			}
		}
		return changed.bounded()
	})
	if err != nil {
		return fmt.Errorf("change the personal layer: %w", err)
	}
	return nil
}

// bounded forgets the folders that were changed longest ago, never what was said for everywhere.
func (f file) bounded() file {
	surplus := len(f.Folders) - maxFolders
	f.Folders = slices.DeleteFunc(f.Folders, func(r record) bool {
		if surplus <= 0 || r.Root == "" {
			return false
		}
		surplus--
		return true
	})
	return f
}

// in is the record for the folder that stands at its path now: what an earlier one was given is not handed on.
func (r record) in(folder Folder) record {
	r.Root = folder.Path
	if r.RootID == folder.ID {
		return r
	}
	kept := r.withoutSwitches()
	kept.RootID = folder.ID
	return kept
}

// withoutSwitches is the record without what gives in one folder alone: variables, and connectors that are on.
func (r record) withoutSwitches() record {
	r.Env = nil
	r.Connectors = slices.Clone(r.Connectors)
	for i, c := range r.Connectors {
		if c.Switch == On {
			r.Connectors[i].Switch, r.Connectors[i].Hash = "", ""
		}
	}
	r.Connectors = slices.DeleteFunc(r.Connectors, connector.isEmpty)
	return r
}

// Path is the path of the store's file.
func (s *Store) Path() string { return s.kept.Path() }

// Health is nil, or why every call must ask until Confirm (S20): a *state.NewerError, a *state.BrokenError, or that the
// file can't be read.
func (s *Store) Health() error { return s.kept.Health() }

// Confirm records that the user knows what Health says and wants to go on.
func (s *Store) Confirm(ctx context.Context) error {
	if err := s.kept.Confirm(ctx); err != nil {
		return fmt.Errorf("confirm the personal layer: %w", err)
	}
	return nil
}
