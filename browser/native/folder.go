package native

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/gofrs/flock"
)

const (
	folderPrefix = "pillion-browser-"
	lockName     = "lock"
	youngAge     = time.Minute // a folder that somebody may be about to lock
)

// folder is all that a browser has on the disk. Its lock is held for as long as this process uses it.
type folder struct {
	path string
	lock *flock.Flock
}

// folderError is that there is nowhere for a browser to keep its things.
type folderError struct{ err error }

func (e *folderError) Error() string {
	return "make the private folder of the browser: " + e.err.Error()
}

func (e *folderError) Unwrap() error { return e.err }

// newFolder makes the folder of one browser, in memory where the system has a place there that is the user's alone, and removes
// those that nobody uses any more.
func newFolder() (*folder, error) { return newFolderIn(places()) }

func newFolderIn(places []string) (*folder, error) {
	var err error
	for _, place := range places {
		sweep(place)
		var path string
		if path, err = os.MkdirTemp(place, folderPrefix+"*"); err != nil {
			continue
		}
		made := &folder{path: path, lock: flock.New(filepath.Join(path, lockName))}
		if _, err = made.lock.TryLock(); err == nil {
			return made, nil
		}
		made.remove()
	}
	return nil, err
}

// places are where such a folder may be, the best first.
func places() []string {
	if private := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(private) {
		return []string{private, os.TempDir()}
	}
	return []string{os.TempDir()}
}

// maxPlaceBytes leaves room in the name of a socket for what lies below such a place.
const maxPlaceBytes = 32

// shortPlaces are those whose names are short enough for sockets, which have names of some hundred bytes at most.
func shortPlaces() []string {
	found := slices.DeleteFunc(places(), func(place string) bool { return len(place) > maxPlaceBytes })
	if runtime.GOOS != "windows" && !slices.Contains(found, "/tmp") {
		found = append(found, "/tmp")
	}
	return found
}

func (f *folder) downloads() string { return filepath.Join(f.path, "downloads") }

func (f *folder) remove() {
	_ = f.lock.Close()
	_ = os.RemoveAll(f.path)
}

// sweep removes the folders whose process was killed.
func sweep(place string) {
	found, _ := filepath.Glob(filepath.Join(place, folderPrefix+"*"))
	for _, path := range found {
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < youngAge {
			continue
		}
		old := &folder{path: path, lock: flock.New(filepath.Join(path, lockName))}
		if isFree, err := old.lock.TryLock(); err == nil && isFree {
			old.remove()
		}
	}
}
