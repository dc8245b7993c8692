package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// EffectiveEntry is one entry with what the other files make of it.
type EffectiveEntry struct {
	Entry *Entry
	// ShadowedBy is the ID of the entry that is used instead; empty for an
	// entry that counts.
	ShadowedBy string
	// Disabled is true when the entry or, for a user's entry, any project says so.
	Disabled bool
	// ExcludeTools are the entry's own and, for a user's entry, every project's.
	ExcludeTools []string
	// Profiles are those of its file that the entry belongs to; one without any
	// is in whichever is chosen.
	Profiles []string
	// IsBelieved says that the connector's read-only hints are: those of the user's
	// own are unless its entry says otherwise, those of a project's where the user's
	// file says so (E2).
	IsBelieved bool
}

// Offers reports whether a tool passes the entry's own lists and what projects
// exclude.
func (e EffectiveEntry) Offers(tool string) bool {
	return e.Entry.Options.Offers(tool) &&
		!slices.ContainsFunc(e.ExcludeTools, func(pattern string) bool { return MatchesTool(pattern, tool) })
}

// OffersAll reports whether nothing is left out, whatever the connector lists.
func (e EffectiveEntry) OffersAll() bool {
	return e.Entry.Options.Tools == nil && len(e.Entry.Options.ExcludeTools) == 0 && len(e.ExcludeTools) == 0
}

// Effective puts the files together: the user's entry wins on a shared name,
// narrowed by what projects disable and exclude (A2, S4); a name in two
// folders is two connectors, except that of nested folders with one definition
// the outer counts (U33). user may be nil, and so may a project. The order is
// the user's file, then the projects as given.
func Effective(user *Document, projects []*Document) []EffectiveEntry {
	var list []EffectiveEntry
	projects = slices.DeleteFunc(slices.Clone(projects), func(d *Document) bool { return d == nil })
	if user != nil {
		for _, e := range user.Entries {
			if e.Vouches {
				continue // of a connector of another file
			}
			list = append(list, narrowed(e, user, projects))
		}
	}
	for i, d := range projects {
		for _, e := range d.Entries {
			effective := narrowed(e, d, nil)
			var own *Entry
			if user != nil {
				own = user.Entry(e.Name)
			}
			if own != nil && own.Vouches {
				effective.IsBelieved, own = true, nil
			}
			switch outer := sharedWith(e, slices.Concat(projects[:i], projects[i+1:])); {
			case own != nil:
				if e.Narrows {
					continue // it is part of the user's entry, not one of its own
				}
				effective.ShadowedBy = own.ID
			case outer != nil:
				effective.ShadowedBy = outer.ID
			}
			list = append(list, effective)
		}
	}
	return list
}

// narrowed applies to a user's entry what projects take away from it. What is
// taken from an entry is taken from its aliases as well.
func narrowed(e *Entry, of *Document, projects []*Document) EffectiveEntry {
	effective := EffectiveEntry{Entry: e, Disabled: e.Disabled, ExcludeTools: slices.Clone(e.Options.ExcludeTools), Profiles: of.Belongs(e)}
	effective.IsBelieved = e.File.Source != SourceProject && !e.Options.DoubtReadOnly
	names := []string{e.Name}
	if e.aliased != nil {
		effective.Disabled = effective.Disabled || e.aliased.Disabled
		names = append(names, e.aliased.Name)
	}
	for _, d := range projects {
		for _, name := range names {
			effective.Disabled = effective.Disabled || d.DisabledNames[name]
			effective.ExcludeTools = append(effective.ExcludeTools, d.ExcludedTools[name]...)
		}
	}
	return effective
}

// sharedWith returns the same entry of a folder around the entry's own.
func sharedWith(e *Entry, projects []*Document) *Entry {
	for _, d := range projects {
		if d.File.Root == e.File.Root || !contains(d.File.Root, e.File.Root) {
			continue
		}
		if outer := d.Entry(e.Name); outer != nil && outer.Fault == nil && e.Fault == nil &&
			outer.Disabled == e.Disabled && outer.Hash() == e.Hash() {
			return outer
		}
	}
	return nil
}

// contains reports, by the names alone, whether a path is a folder or lies in it.
func contains(folder, path string) bool {
	if folder == "" || path == "" {
		return false
	}
	relative, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(relative)
}

// ProjectFiles returns the project file of each workspace folder: at its root
// and nowhere above, never for the home folder or a file system's root (U33),
// each folder once. It looks at nothing on the disk.
func ProjectFiles(folders []string, home string) []File {
	var files []File
	for _, folder := range folders {
		if !filepath.IsAbs(folder) {
			continue
		}
		folder = filepath.Clean(folder)
		if folder == filepath.Dir(folder) || home != "" && samePath(folder, filepath.Clean(home)) {
			continue
		}
		if slices.ContainsFunc(files, func(f File) bool { return samePath(f.Root, folder) }) {
			continue
		}
		files = append(files, File{Path: filepath.Join(folder, ProjectFileName), Source: SourceProject, Root: folder})
	}
	return files
}

// samePath compares two clean paths as the platform's file systems usually do.
func samePath(a, b string) bool {
	return a == b || foldsCase && strings.EqualFold(a, b)
}
