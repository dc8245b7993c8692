package config

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
}

// Effective puts the files together: the user's entry wins on a shared name,
// narrowed by what projects disable and exclude (A2, S4); a name in two
// folders is two connectors, except that of nested folders with one definition
// the outer counts (U33). user may be nil. The order is the user's file, then
// the projects as given.
func Effective(user *Document, projects []*Document) []EffectiveEntry { panic("unfinished") }

// ProjectFiles returns the project file of each workspace folder: at its root
// and nowhere above, never for the home folder or a file system's root (U33),
// each folder once. It looks at nothing on the disk.
func ProjectFiles(folders []string, home string) []File { panic("unfinished") }
