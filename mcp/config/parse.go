package config

// Source says whose file an entry stands in.
type Source string

// Only entries of the user's own file and the built-in ones may run without
// consent; an imported file that lives in a repository is a project file.
const (
	SourceUser    Source = "user"
	SourceProject Source = "project"
	SourceImport  Source = "import"
	SourceBuiltin Source = "builtin"
)

// ProjectFileName is the name of the project file at a workspace folder's root.
const ProjectFileName = ".mcp.json"

// The bounds of a file; what lies beyond is a finding, never a crash.
const (
	MaxFileBytes = 4 << 20
	MaxEntries   = 10_000
	MaxDepth     = 64
	MaxFindings  = 1_000
	MaxNameRunes = 128
)

// File is where a text comes from. Root is the workspace folder of a project
// file and empty for every other source.
type File struct {
	Path   string
	Source Source
	Root   string
}

// Document is one file as it was understood. It is immutable.
type Document struct {
	File File
	Text []byte
	// Parsed is false when the text is not JSON with comments, or beyond a
	// bound: there are no entries then, exactly one finding says where and why,
	// and the host keeps the last good state.
	Parsed bool
	// Entries are in the order of the file, invalid ones (Entry.Fault) among
	// them; names are unique.
	Entries []*Entry
	// Findings are in the order of the text. Those of disabled entries are left
	// out (U23); Entry.Findings has them.
	Findings []Finding
	// DisabledNames and ExcludedTools are what the file takes away by name,
	// whether or not the entry that says so could run by itself. A project file
	// narrows the user's connectors by them (S4).
	DisabledNames map[string]bool
	ExcludedTools map[string][]string
}

// Parse reads a file's text. It never panics, whatever the text, and keeps no
// reference to anything but text itself, which must not change afterwards.
func Parse(f File, text []byte) *Document { panic("unfinished") }

// Entry returns the entry of a name, or nil.
func (d *Document) Entry(name string) *Entry { panic("unfinished") }

// EntryAt returns the entry whose key or value holds a byte offset, or nil.
func (d *Document) EntryAt(offset int) *Entry { panic("unfinished") }

// UnsetVariables returns an Information for every reference to a variable that
// has neither a value nor a default, in entries that are not disabled.
func (d *Document) UnsetVariables(lookup func(name string) (string, bool)) []Finding {
	panic("unfinished")
}
