package core

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"pillion/mcp/state"
)

// places are the folders that a session works in.
type places struct {
	folder  *state.Folder
	results string
	// scratch is a folder for this session alone, where the state folder cannot be written to; else empty.
	scratch string
	notice  string
}

// openPlaces opens the state folder and makes the session's own in it. Where they cannot be written to, as on a disk that is
// read-only, the session goes on in a folder that ends with it: what was kept before is still read, nothing more is kept (C76).
// A folder that is refused for what it is stays refused (S3).
func openPlaces(path, window string) (places, error) {
	folder, err := state.Open(path)
	if err == nil {
		results := folder.Path("results", window)
		if err = os.MkdirAll(results, 0o700); err == nil {
			return places{folder: folder, results: results}, nil
		}
	}
	if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return places{}, fmt.Errorf("open the state folder: %w", err)
	}
	p := places{folder: folder, notice: fmt.Sprintf("nothing can be kept in %s, so what you decide holds in this window only: %v", path, err)}
	if p.scratch, err = os.MkdirTemp("", "pillion-"); err != nil {
		return places{}, fmt.Errorf("make a folder for this session: %w", err)
	}
	if p.folder == nil {
		p.folder, err = state.Open(filepath.Join(p.scratch, "state"))
	}
	p.results = filepath.Join(p.scratch, "results")
	if err = errors.Join(err, os.Mkdir(p.results, 0o700)); err != nil {
		_ = os.RemoveAll(p.scratch)
		return places{}, fmt.Errorf("make a folder for this session: %w", err)
	}
	return p, nil
}
