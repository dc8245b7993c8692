package imports

import (
	"errors"
	"io/fs"
	"slices"

	"pillion/mcp/config"
	"pillion/mcp/place"
)

// maxFileBytes bounds a file. That of Claude Code keeps much else beside the
// connectors.
const maxFileBytes = 32 << 20

// Found is a file that is there.
type Found struct {
	Place Place
	// Names are those of its connectors, in the order of the file.
	Names []string
	// Problem says why nothing can be brought in from the file; nil mostly.
	Problem error
}

// Read reads the file of a place. An absent file is fs.ErrNotExist. A file in
// one of the folders that leads outside of it, one of the user's that leads
// into a folder, and what is no regular file or too large, is a
// *config.RefusedError.
func Read(p Place, m Machine) ([]byte, error) {
	file := config.File{Path: p.Path, Source: config.SourceImport}
	if p.Root != "" {
		file.Source, file.Root = config.SourceProject, p.Root
	} else if slices.ContainsFunc(m.roots(), func(root string) bool { return place.LiesIn(p.Path, root) }) {
		return nil, &config.RefusedError{Path: p.Path, Reason: "leads into a workspace folder, whose files are imported under their own names"}
	}
	return config.ReadFileUpTo(file, maxFileBytes)
}

// Open reads and parses the file of a place.
func Open(p Place, m Machine) (*Document, error) {
	text, err := Read(p, m)
	if err != nil {
		return nil, err
	}
	return Parse(p, m.Folders, text)
}

// Find lists the files that are there and name connectors, or cannot be read.
func Find(m Machine) []Found {
	var found []Found
	for _, p := range Places(m) {
		d, err := Open(p, m)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			found = append(found, Found{Place: p, Problem: err})
		case len(d.Entries) > 0:
			found = append(found, Found{Place: p, Names: d.Names()})
		}
	}
	return found
}
