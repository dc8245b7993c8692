package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// maxRounds bounds how often the ways are gone again because they changed meanwhile.
const maxRounds = 5

// watched is a folder as it was when its watch was added. A watch is on the folder, not on its name.
type watched struct {
	info   fs.FileInfo
	polled string // why it is looked at instead, or as well; else empty
}

// arrange watches the folders that the ways to the files lead through now, and returns what the files look like after that:
// whatever happens later is heard. w.mu is held.
func (w *Watcher) arrange() map[string]stamp {
	w.open()
	var trails []trail
	isSteady := false
	for round := 0; round < maxRounds && !isSteady; round++ {
		trails = trails[:0]
		for _, file := range w.files {
			trails = append(trails, trailOf(file))
		}
		w.route(trails)
		isSteady = !w.watchFolders(foldersOf(trails))
	}
	stamps := make(map[string]stamp, len(w.files))
	for i, file := range w.files {
		stamps[file.Path] = stampOf(trails[i])
	}
	w.isPolling = w.notify == nil || !isSteady
	for _, folder := range w.folders {
		w.isPolling = w.isPolling || folder.polled != ""
	}
	return stamps
}

// open tries to get what the system watches with; w.mu is held.
func (w *Watcher) open() {
	if w.notify != nil {
		return
	}
	notify, err := w.system.newWatcher()
	if err != nil {
		w.say("no watcher", fmt.Sprintf("Configuration files cannot be watched (%s) and are looked at every %s instead. %s", err, w.times.poll, remedy(err)))
		return
	}
	w.notify, w.folders = notify, map[string]watched{}
	w.workers.Add(1)
	go w.hear(notify)
}

// route makes known what is of interest; w.mu is held.
func (w *Watcher) route(trails []trail) {
	routes := map[string]bool{}
	for _, t := range trails {
		for _, p := range t.places {
			for _, path := range []string{p.folder, filepath.Join(p.folder, p.name)} {
				if name := folded(path); !routes[name] {
					routes[name] = false
				}
			}
		}
	}
	for _, t := range trails {
		if t.path != "" {
			routes[folded(t.path)] = true
		}
	}
	w.heardMu.Lock()
	w.routes = routes
	w.heardMu.Unlock()
}

// watchFolders watches these folders and no others, and reports whether anything had to be done for it; w.mu is held.
func (w *Watcher) watchFolders(wanted map[string]bool) (isChanged bool) {
	if w.notify == nil {
		return false
	}
	present := w.notify.WatchList()
	for folder, was := range w.folders {
		now, err := os.Lstat(folder)
		isStale := err != nil || !os.SameFile(was.info, now) || !was.isAgain() && !slices.Contains(present, folder)
		if !wanted[folder] || isStale {
			_ = w.notify.Remove(folder) // it may have lost it already
			delete(w.folders, folder)
			isChanged = isChanged || wanted[folder]
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(wanted)) {
		if was, isWatched := w.folders[folder]; !isWatched || was.isAgain() {
			isChanged = w.watchFolder(folder) || isChanged
		}
	}
	return isChanged
}

// isAgain reports whether the watch of a folder is to be tried again.
func (f watched) isAgain() bool { return f.polled == pollsUnwatched }

const (
	pollsUnwatched = "unwatched"
	pollsRemote    = "remote"
)

// watchFolder adds the watch of a folder and reports whether it is new; w.mu is held.
func (w *Watcher) watchFolder(folder string) bool {
	info, err := os.Lstat(folder)
	if err != nil {
		return true // it went just now
	}
	_, wasTried := w.folders[folder]
	if err := w.system.add(w.notify, folder); err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsnotify.ErrClosed) {
			return true
		}
		w.folders[folder] = watched{info, pollsUnwatched}
		w.say("unwatched", fmt.Sprintf("The folder %s cannot be watched (%s): the configuration files that depend on it are looked at every %s instead. %s",
			folder, err, w.times.poll, remedy(err)))
		return !wasTried
	}
	polled := ""
	if kind := w.system.remoteKind(folder); kind != "" {
		polled = pollsRemote
		w.say("remote", fmt.Sprintf("The folder %s lies on a file system (%s) that may not tell of changes made elsewhere: its configuration files are looked at every %s as well. "+
			"A file that is saved in this editor is read at once.", folder, kind, w.times.poll))
	}
	w.folders[folder] = watched{info, polled}
	return true
}

// remedy says what to do about an error of watching.
func remedy(err error) string {
	linux := runtime.GOOS == "linux"
	switch {
	case linux && errors.Is(err, syscall.ENOSPC):
		return "To have changes seen at once, raise the limit fs.inotify.max_user_watches with sysctl."
	case linux && errors.Is(err, syscall.EMFILE):
		return "To have changes seen at once, raise the limit fs.inotify.max_user_instances with sysctl, or end other programs that watch files."
	case errors.Is(err, fs.ErrPermission):
		return "To have changes seen at once, allow yourself to read the folder."
	}
	return "A file that is saved in this editor is read at once."
}

// say tells the user something once; w.mu is held.
func (w *Watcher) say(reason, sentence string) {
	if w.told[reason] {
		return
	}
	w.told[reason] = true
	w.options.Logger.Warn("files are looked at instead of watched", "reason", sentence)
	if w.options.Tell != nil {
		w.options.Tell(sentence)
	}
}

func foldersOf(trails []trail) map[string]bool {
	folders := map[string]bool{}
	for _, t := range trails {
		for _, p := range t.places {
			folders[p.folder] = true
		}
	}
	return folders
}
