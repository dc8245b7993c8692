// Package place says where a path lies on the disk, by its name and by where links lead.
// It opens nothing, changes nothing, and does not judge what a place means.
package place

import (
	"path/filepath"
	"sync"
)

// LiesIn reports whether an absolute path is a folder or lies in it, by name or by where the links of either lead.
func LiesIn(path, folder string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	return isWithin(filepath.Clean(path), folder) || NewFolder(folder).Has(path)
}

// Folder is a folder as it was found on the disk once, for many paths to be compared with.
type Folder struct {
	path, real string
	memo       *Memo
}

// NewFolder looks where the links of a path lead.
func NewFolder(path string) Folder { return (*Memo)(nil).Folder(path) }

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
	real := f.memo.resolved(path)
	return isWithin(path, f.real) || isWithin(real, f.path) || isWithin(real, f.real)
}

// Memo remembers where links led, for one look at many paths: what is asked of it is asked of the disk once. Nil remembers nothing.
// Its methods may be called at once.
type Memo struct{ known sync.Map } // of strings by strings

// Folder is [NewFolder].
func (m *Memo) Folder(path string) Folder { return Folder{path, m.resolved(path), m} }

func (m *Memo) resolved(path string) string {
	if m == nil {
		return Resolved(path)
	}
	if real, isKnown := m.known.Load(path); isKnown {
		return real.(string)
	}
	real := Resolved(path)
	m.known.Store(path, real)
	return real
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
