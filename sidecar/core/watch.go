package core

import (
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"pillion/mcp/config"
)

// settleTime is how long a file must be left alone before it is read again: one save is several events.
const settleTime = 100 * time.Millisecond

// watcher tells when one of a few files changed. It watches their folders: a watch on a file ends with its first atomic save.
type watcher struct {
	notify  *fsnotify.Watcher
	log     *slog.Logger
	changed func()

	mu    sync.Mutex
	files map[string]bool
	done  chan struct{}
}

// Watch reads the files again whenever one of them changes, until [Core.Close].
func (c *Core) Watch(log *slog.Logger) {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		log.Warn("files are not watched; a save in the editor still counts", "error", err)
		return
	}
	w := &watcher{notify: notify, log: log, changed: c.Reload, files: map[string]bool{}, done: make(chan struct{})}
	c.watchMu.Lock()
	if c.isClosed {
		c.watchMu.Unlock()
		_ = notify.Close()
		return
	}
	c.watcher = w
	go w.run()
	c.watchMu.Unlock()
	c.Rewatch()
}

// Rewatch brings the watched folders in line with the workspace.
func (c *Core) Rewatch() {
	c.watchMu.Lock()
	w := c.watcher
	c.watchMu.Unlock()
	if w == nil {
		return
	}
	files := append([]string{c.Folders.UserFile, c.Folders.Settings}, c.StoreFiles()...)
	for _, root := range c.Roots() {
		files = append(files, filepath.Join(root, config.ProjectFileName))
	}
	w.follow(files)
}

func (w *watcher) follow(files []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files = make(map[string]bool, len(files))
	var folders []string
	for _, file := range files {
		w.files[file] = true
		folder := filepath.Dir(file)
		if !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	for _, folder := range w.notify.WatchList() {
		if !slices.Contains(folders, folder) {
			_ = w.notify.Remove(folder)
		}
	}
	for _, folder := range folders {
		if err := w.notify.Add(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.log.Warn("folder is not watched", "folder", folder, "error", err)
		}
	}
}

func (w *watcher) run() {
	defer close(w.done)
	settled := time.NewTimer(settleTime)
	settled.Stop()
	for {
		select {
		case event, isOpen := <-w.notify.Events:
			if !isOpen {
				return
			}
			if w.follows(event.Name) {
				settled.Reset(settleTime)
			}
		case err, isOpen := <-w.notify.Errors:
			if !isOpen {
				return
			}
			// Events were lost: everything is read again.
			w.log.Warn("watch lost events", "error", err)
			settled.Reset(settleTime)
		case <-settled.C:
			w.changed()
		}
	}
}

func (w *watcher) follows(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.files[name]
}

func (w *watcher) close() {
	_ = w.notify.Close()
	<-w.done
}
