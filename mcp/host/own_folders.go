package host

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/config"
	"pillion/mcp/permission"
	"pillion/mcp/place"
)

// ownFolders are where Pillion keeps its grants and its keys; no standing yes covers a call that names them (S20).
type ownFolders struct {
	paths  []string
	spelt  permission.Folders
	exempt string // the folder in them where connectors work: it is theirs
}

func (h *Host) findOwnFolders() ownFolders {
	paths := append([]string{h.options.Folder.Path()}, h.options.OwnFolders...)
	if h.options.UserFile != "" {
		paths = append(paths, filepath.Dir(h.options.UserFile))
	}
	return ownFolders{paths, permission.NewFolders(paths...), h.scratch(workFolder)}
}

// maxPathBytes is the longest text that is looked up as a path; longer ones are none on any system.
const maxPathBytes = 4096

// maxQuotedPathBytes is the longest such text in quotes: an escape has six bytes.
const maxQuotedPathBytes = 6*maxPathBytes + 2

// reachesOwnFolder reports whether arguments name one of Pillion's own folders, or a path that leads into one: from the folder
// that the connector works in, or through links, which a repository may hold.
func (h *Host) reachesOwnFolder(base string, arguments []byte) bool {
	own := h.own()
	if own.spelt.AreNamedIn(arguments) {
		return true
	}
	if !bytes.ContainsAny(arguments, `/\.`) {
		return false
	}
	// A buffer, unlike a reader, is decoded where it lies.
	for decoder := jsontext.NewDecoder(bytes.NewBuffer(arguments)); ; {
		if decoder.PeekKind() != '"' {
			if _, err := decoder.ReadToken(); err != nil {
				return false // the arguments were checked: this is their end
			}
			continue
		}
		quoted, err := decoder.ReadValue()
		if err != nil {
			return false
		}
		if len(quoted) > maxQuotedPathBytes {
			continue
		}
		text, _ := jsontext.AppendUnquote(nil, quoted)
		if leadsInto(string(text), base, own.paths, own.exempt) {
			return true
		}
	}
}

// leadsInto reports whether a text is a path that lies, links followed, in one of the folders and not in the free one.
func leadsInto(text, base string, folders []string, free string) bool {
	if len(text) > maxPathBytes || !strings.ContainsAny(text, `/\.`) || strings.ContainsAny(text, "\x00\n") {
		return false
	}
	path := strings.TrimPrefix(text, "file://")
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	return slices.ContainsFunc(folders, func(folder string) bool { return place.LiesIn(path, folder) }) && !place.LiesIn(path, free)
}

// workingBase is the folder that a connector's relative paths are meant in.
func (h *Host) workingBase(at subject) string {
	entry := at.entry
	switch {
	case filepath.IsAbs(entry.Cwd):
		return entry.Cwd
	case entry.File.Source == config.SourceProject:
		return filepath.Join(entry.File.Root, entry.Cwd)
	case entry.Cwd != "":
		return filepath.Join(at.project(), entry.Cwd)
	}
	return h.ownFolder(entry)
}
