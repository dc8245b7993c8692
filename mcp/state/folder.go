// Package state keeps Pillion's own files: atomic, locked between windows, versioned, private to the user (O2).
// It does not know what is in them.
package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockWait bounds the wait for a lock: updates take milliseconds, so one that is held longer belongs to a stuck window.
const lockWait = 10 * time.Second

// Folder is a private folder of the user's.
type Folder struct {
	path string
	wait time.Duration
}

// Open returns the folder at path, an absolute one, and makes it with mode 0700 where it is absent. It refuses one that
// the user does not own, that others may write to, that is a link or no folder (S3).
func Open(path string) (*Folder, error) {
	if !filepath.IsAbs(path) {
		return nil, fmt.Errorf("open folder %q: it must be an absolute path", path)
	}
	path = filepath.Clean(path)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		info, err = makeFolder(path)
	}
	if err != nil {
		return nil, fmt.Errorf("open folder %s: %w", path, err)
	}
	switch {
	case info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0:
		err = errors.New("it is a link, which may lead anywhere: name the folder itself")
	case !info.IsDir():
		err = errors.New("it is no folder")
	default:
		err = checkAccess(path, info)
	}
	if err != nil {
		return nil, fmt.Errorf("open folder %s: %w", path, err)
	}
	return &Folder{path: path, wait: lockWait}, nil
}

func makeFolder(path string) (fs.FileInfo, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return os.Lstat(path)
}

// Path returns the path of elem below the folder.
func (f *Folder) Path(elem ...string) string {
	return filepath.Join(append([]string{f.path}, elem...)...)
}

// Lock takes the kernel's lock on the file of that name in the folder, which is made and stays, and returns what gives
// it back. It waits until ctx ends, at most 10 s. The lock of a process that dies is free at once.
func (f *Folder) Lock(ctx context.Context, name string) (unlock func(), err error) {
	lock := flock.New(f.Path(name))
	ctx, cancel := context.WithTimeout(ctx, f.wait)
	defer cancel()
	for pause := time.Millisecond; ; pause = min(2*pause, 32*time.Millisecond) {
		locked, err := lock.TryLock()
		switch {
		case err != nil:
			_ = lock.Close()
			return nil, fmt.Errorf("lock %s: %w", f.Path(name), err)
		case locked:
			return func() { _ = lock.Close() }, nil
		}
		select {
		case <-ctx.Done():
			_ = lock.Close()
			return nil, fmt.Errorf("lock %s, which another window holds: %w", f.Path(name), ctx.Err())
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}
