package watch

import (
	"io/fs"
	"os"
	"slices"
)

// stamp is what a file looks like from outside.
type stamp struct {
	path         string // of the file itself, as [Watcher.concerns] spells it
	links        []string
	folder, file fs.FileInfo // nil where there is none
}

func stampOf(t trail) stamp {
	s := stamp{path: folded(t.path), links: t.links}
	if t.path == "" {
		return s
	}
	s.folder, _ = os.Lstat(t.folder)
	s.file, _ = os.Lstat(t.path)
	return s
}

func (s stamp) equal(other stamp) bool {
	return slices.Equal(s.links, other.links) && isSame(s.folder, other.folder) && s.hasSameModes(other) &&
		isSame(s.file, other.file) && (s.file == nil || s.file.Size() == other.file.Size() && s.file.ModTime().Equal(other.file.ModTime()))
}

// hasSameModes compares who may read and write: a file is refused where others may write it.
func (s stamp) hasSameModes(other stamp) bool {
	return modeOf(s.folder) == modeOf(other.folder) && modeOf(s.file) == modeOf(other.file)
}

func modeOf(info fs.FileInfo) fs.FileMode {
	if info == nil {
		return 0
	}
	return info.Mode()
}

// isSame reports whether both are there and one file, or neither is there.
func isSame(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b)
}
