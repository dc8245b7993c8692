package core

import (
	"log/slog"
	"path/filepath"

	"pillion/mcp/config"
	"pillion/sidecar/watch"
)

// Watch has the files watched from [Core.Start] on and read again whenever one of them changes, until [Core.Close].
// tell is given a sentence for the user when something cannot be watched.
func (c *Core) Watch(log *slog.Logger, tell func(sentence string)) {
	c.watcher = watch.New(watch.Options{Logger: log, Tell: tell, Changed: func([]string) {
		select {
		case <-c.started: // not before it has begun
			c.Reload()
		case <-c.closing:
		}
	}})
}

// Start is [host.Host.Start], once. What is watched is watched before it is read: no change falls between.
func (c *Core) Start() {
	if c.watcher != nil {
		c.watcher.Start(c.watched(c.given))
	}
	c.Host.Start()
	if c.watcher != nil {
		c.follow(c.Roots())        // those of them that are served
		c.settings.Load(c.Roots()) // again: the first time was before the watch
		c.ApplySettings()
	}
	close(c.started)
}

// follow watches the files of these workspace folders instead of those of others.
func (c *Core) follow(roots []string) {
	if c.watcher != nil {
		c.watcher.Follow(c.watched(roots))
	}
}

// watched are the files that decide what runs. Those in the state folder are written by every window.
func (c *Core) watched(roots []string) []watch.File {
	files := []watch.File{{Path: c.Folders.UserFile}, {Path: c.Folders.Settings}}
	for _, path := range c.StoreFiles() {
		files = append(files, watch.File{Path: path})
	}
	for _, policy := range policiesIn(c.settings.Resolved(), c.environ) {
		if filepath.IsAbs(policy.Path) {
			files = append(files, watch.File{Path: policy.Path})
		}
	}
	for _, root := range roots {
		files = append(files, watch.File{Path: filepath.Join(root, config.ProjectFileName), Root: root})
	}
	return files
}
