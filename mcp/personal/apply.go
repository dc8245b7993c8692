package personal

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// Switch says whether something is on. Empty, nothing was said: it is as the files have it.
type Switch string

// The switches, as they are kept.
const (
	On  Switch = "on"
	Off Switch = "off"
)

// By says who keeps a connector off.
type By string

// Those who may, in the order in which one meets them.
const (
	ByFile    By = "file"    // its own entry
	ByProject By = "project" // a project's file, about a connector of the user's own
	ByUser    By = "user"    // the personal layer
	ByProfile By = "profile" // the profile that is chosen, or none being chosen
)

// Folder is a workspace folder. Without a path it stands for everywhere.
type Folder struct {
	Path string
	ID   string // which folder stands there, as consent.RootID has it; empty where that cannot be told
}

// Entry is what the files say of one connector.
type Entry struct {
	Source, Name string
	// Root is the folder of a project's connector; empty for one of the user's own.
	Root string
	// Hash is that of the definition as the files have it.
	Hash string
	// IsOff and IsOffByProject say who of the files has it off.
	IsOff, IsOffByProject bool
	// Profiles are those that it belongs to; without one it belongs to all.
	Profiles []string
	// IsOffWithoutProfile is set for one that is on only where a profile says so.
	IsOffWithoutProfile bool
	// Reads are the variables that the definition refers to.
	Reads []string
}

// isOwn reports whether the entry is of no repository: what is said for everywhere is for those alone.
func (e Entry) isOwn() bool { return e.Root == "" }

// Effective is a connector with what the user wants of it.
type Effective struct {
	// OffBy are those who keep it off; it is on without any.
	OffBy []By
	// Profile is the one that counts for it, empty for none.
	Profile  string
	IsPinned bool
	// Env are the references of those variables that the definition reads, by their names.
	Env map[string]string
	// Hash is that of the definition with the references: other ones are another definition (S2).
	Hash string

	tools map[string]Switch
}

// IsOff reports whether somebody keeps the connector off.
func (e Effective) IsOff() bool { return len(e.OffBy) > 0 }

// Offers reports whether the user wants a tool, by its raw name.
func (e Effective) Offers(tool string) bool { return e.tools[tool] != Off }

// OffersAll reports whether the user has nothing to say about any tool.
func (e Effective) OffersAll() bool { return len(e.tools) == 0 }

// Layer is what the user wants in the folders of one window, as it was read at one moment. A value: it does not change, and
// asking it reads no file. The zero Layer wants nothing.
type Layer struct {
	folders    []record // in the order of the window's folders
	everywhere record
	health     error
}

// Health is what [Store.Health] was then. Of a store that cannot be read the layer is empty.
func (l Layer) Health() error { return l.health }

// Apply says what becomes of a connector.
func (l Layer) Apply(e Entry) Effective {
	said := l.about(e)
	effective := Effective{
		Profile: l.profileOf(e, said), IsPinned: slices.ContainsFunc(said, wish.isPinned),
		Env: l.envOf(e), tools: toolsOf(said),
	}
	effective.Hash = hashWith(e.Hash, effective.Env)
	wanted, isLifting := switchOf(said, e.Hash)
	if e.IsOff && !isLifting {
		effective.OffBy = append(effective.OffBy, ByFile)
	}
	if e.IsOffByProject && !isLifting {
		effective.OffBy = append(effective.OffBy, ByProject)
	}
	if wanted == Off {
		effective.OffBy = append(effective.OffBy, ByUser)
	}
	if !isLifting && !e.isIn(effective.Profile) {
		effective.OffBy = append(effective.OffBy, ByProfile)
	}
	return effective
}

// isIn reports whether the entry belongs to the profile that is chosen, empty for none.
func (e Entry) isIn(profile string) bool {
	if profile == "" {
		return !e.IsOffWithoutProfile
	}
	return len(e.Profiles) == 0 || slices.Contains(e.Profiles, profile)
}

// wish is what was said about one connector in one place.
type wish struct {
	connector
	isEverywhere bool
	isSame       bool // said in the folder that stands there now
}

func (w wish) isPinned() bool { return w.Pinned }

// about is what was said about the entry, that of folders first.
func (l Layer) about(e Entry) []wish {
	var said []wish
	for _, folder := range l.folders {
		if !e.isOwn() && folder.Root != e.Root {
			continue
		}
		if c, isSaid := folder.find(e.Source, e.Name); isSaid {
			said = append(said, wish{connector: c, isSame: folder.isSame})
		}
	}
	if c, isSaid := l.everywhere.find(e.Source, e.Name); isSaid && e.isOwn() {
		said = append(said, wish{connector: c, isEverywhere: true, isSame: true})
	}
	return said
}

// switchOf is what was said of the connector as a whole; isLifting reports whether it goes before what the files say. A yes
// that lifts something is one to a definition, in the folder where it was given.
func switchOf(said []wish, hash string) (wanted Switch, isLifting bool) {
	for _, w := range said {
		if w.isEverywhere && wanted != "" {
			break // a repository goes before it
		}
		switch {
		case w.Switch == Off:
			return Off, false
		case w.Switch == On:
			wanted = On
			isLifting = isLifting || w.isSame && w.Hash != "" && w.Hash == hash
		}
	}
	return wanted, isLifting
}

func toolsOf(said []wish) map[string]Switch {
	tools := map[string]Switch{}
	for _, w := range said {
		for name, now := range w.Tools {
			was, isSaid := tools[name]
			if w.isEverywhere && isSaid || was == Off {
				continue
			}
			tools[name] = now
		}
	}
	return tools
}

// profileOf is the profile that counts for the entry: its own, else that of its folder, else that of everywhere.
func (l Layer) profileOf(e Entry, said []wish) string {
	for _, w := range said {
		if w.Profile != "" {
			return w.Profile
		}
	}
	for _, folder := range l.folders {
		if (e.isOwn() || folder.Root == e.Root) && folder.Profile != "" {
			return folder.Profile
		}
	}
	return l.everywhere.Profile
}

// envOf are the references that the repository's connector is given of those variables that it reads.
func (l Layer) envOf(e Entry) map[string]string {
	var env map[string]string
	for _, folder := range l.folders {
		if e.isOwn() || folder.Root != e.Root || !folder.isSame {
			continue
		}
		for _, name := range e.Reads {
			if reference, isSaid := folder.Env[name]; isSaid {
				if env == nil {
					env = map[string]string{}
				}
				env[name] = reference
			}
		}
	}
	return env
}

// hashWith is the hash of a definition whose variables come from elsewhere. Without any it is the definition's own.
func hashWith(hash string, env map[string]string) string {
	if len(env) == 0 {
		return hash
	}
	names := make([]string, 0, len(env))
	for name := range env {
		names = append(names, name)
	}
	slices.SortFunc(names, cmp.Compare[string])
	h := sha256.New()
	h.Write([]byte(hash))
	for _, name := range names {
		h.Write([]byte("\x00" + name + "\x00" + env[name]))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Following is the layer in which these folders say nothing of whether the connector as a whole is on.
func (l Layer) Following(e Entry, in []Folder) Layer {
	without := func(r record) record {
		if !slices.ContainsFunc(in, func(f Folder) bool { return f.Path == r.Root }) {
			return r
		}
		r.Connectors = slices.Clone(r.Connectors)
		for i, c := range r.Connectors {
			if c.Source == e.Source && c.Name == e.Name {
				r.Connectors[i].Switch, r.Connectors[i].Hash = "", ""
			}
		}
		return r
	}
	following := Layer{everywhere: without(l.everywhere), health: l.health}
	for _, folder := range l.folders {
		following.folders = append(following.folders, without(folder))
	}
	return following
}
