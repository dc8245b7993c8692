// Package place says where a path lies on the disk, by its name and by where links lead.
// It opens nothing, changes nothing, and does not judge what a place means.
package place

import "path/filepath"

// LiesIn reports whether an absolute path is a folder or lies in it, by name or by where the links of either lead.
func LiesIn(path, folder string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	if path = filepath.Clean(path); isWithin(path, folder) {
		return true
	}
	real, outer := Resolved(path), Resolved(folder)
	return isWithin(path, outer) || isWithin(real, folder) || isWithin(real, outer)
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
