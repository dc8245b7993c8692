// Package place says where a path lies on the disk, by its name and by where links lead.
// It opens nothing, changes nothing, and does not judge what a place means.
package place

import "path/filepath"

// LiesIn reports whether an absolute path is a folder or lies in it, by name or by where the links of either lead.
func LiesIn(path, folder string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	return isWithin(filepath.Clean(path), folder) || NewFolder(folder).Has(path)
}

// Folder is a folder as it was found on the disk once, for many paths to be compared with.
type Folder struct{ path, real string }

// NewFolder looks where the links of a path lead.
func NewFolder(path string) Folder { return Folder{path, Resolved(path)} }

// Path is the folder as it was named.
func (f Folder) Path() string { return f.path }

// Real is where its links lead.
func (f Folder) Real() string { return f.real }

// Has is [LiesIn].
func (f Folder) Has(path string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	if path = filepath.Clean(path); isWithin(path, f.path) {
		return true
	}
	real := Resolved(path)
	return isWithin(path, f.real) || isWithin(real, f.path) || isWithin(real, f.real)
}

func isWithin(path, folder string) bool {
	relative, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(relative)
}

// Resolved follows the links of the longest part of a path that is there.
func Resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(Resolved(parent), filepath.Base(path))
}
