// Package watch tells when one of a few files changed, whichever way an editor, a person or a tool changes files.
// It reads none of them, watches no folders but those that the way to them leads through, and never looks below those.
package watch

import (
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// The times of a [Watcher].
const (
	// settleTime is how long a file is left alone before a change of it is told: one save is several events.
	settleTime = 100 * time.Millisecond
	// patience bounds that for a file that is never left alone.
	patience = time.Second
	// absentTime is how long a file must be gone before that is told: a save may remove it before it writes it.
	absentTime = 300 * time.Millisecond
	// pollTime is how often is looked where nothing can be watched.
	pollTime = 2 * time.Second
)

// File is a file to watch; it need not exist, nor its folder.
type File struct {
	// Path is absolute.
	Path string
	// Root, if set, is a folder outside of which no link is followed: what lies there is not even looked at.
	Root string
}

// Options say whom a watcher tells.
type Options struct {
	Logger *slog.Logger
	// Changed is told the paths of files that were made, written, replaced, removed or made accessible; one call at a time.
	Changed func(paths []string)
	// Tell is given a sentence for the user, once for each reason for which files are looked at instead of watched.
	Tell func(sentence string)
}

// Watcher watches a few files. All its methods may be called at once.
type Watcher struct {
	options Options
	system  system
	times   times

	// news says that the files are to be looked at.
	news    chan struct{}
	closing chan struct{}
	workers sync.WaitGroup

	// heard is apart from mu: what hears events must never wait for what adds watches, see [Watcher.hear].
	heardMu sync.Mutex
	routes  map[string]bool // what is of interest by its whole path; true for a file itself
	heard   map[string]bool // of routes, the files that something happened to

	mu        sync.Mutex
	isStarted bool
	isClosed  bool
	files     []File
	notify    *fsnotify.Watcher // nil while there can be none
	folders   map[string]watched
	stamps    map[string]stamp
	absent    time.Time // since when a file is missed, while that is not told yet
	told      map[string]bool
	isPolling bool
}

type times struct{ settle, patience, absent, poll time.Duration }

// system is what may be otherwise on another machine.
type system struct {
	newWatcher func() (*fsnotify.Watcher, error)
	add        func(*fsnotify.Watcher, string) error
	remoteKind func(folder string) string
}

// New returns a watcher that does nothing until [Watcher.Start].
func New(o Options) *Watcher {
	return &Watcher{
		options: o,
		system:  system{newWatcher: fsnotify.NewWatcher, add: (*fsnotify.Watcher).Add, remoteKind: remoteKind},
		times:   times{settle: settleTime, patience: patience, absent: absentTime, poll: pollTime},
		news:    make(chan struct{}, 1),
		closing: make(chan struct{}),
		heard:   map[string]bool{},
		folders: map[string]watched{},
		told:    map[string]bool{},
	}
}

// Start watches these files. What happens to one of them after it has returned is told: who reads it then misses nothing.
func (w *Watcher) Start(files []File) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isStarted || w.isClosed {
		return
	}
	w.isStarted = true
	w.files = slices.Clone(files)
	w.stamps = w.arrange()
	w.workers.Add(1)
	go w.run()
}

// Follow watches these files from now on, and no others, as [Watcher.Start] does.
// What happened since to a file that was watched before is told still.
func (w *Watcher) Follow(files []File) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.isStarted || w.isClosed {
		return
	}
	w.files = slices.Clone(files)
	before := w.stamps
	w.stamps = w.arrange()
	for path := range w.stamps {
		if old, isOld := before[path]; isOld {
			w.stamps[path] = old
		}
	}
	w.wake()
}

// Close ends the watch. When it has returned nothing is told any more.
func (w *Watcher) Close() {
	w.mu.Lock()
	if !w.isClosed {
		w.isClosed = true
		close(w.closing)
		if w.notify != nil {
			_ = w.notify.Close()
		}
	}
	w.mu.Unlock()
	w.workers.Wait()
}

// run looks when what was heard has settled, and now and then where nothing can be heard.
func (w *Watcher) run() {
	defer w.workers.Done()
	settled, poll := time.NewTimer(w.times.settle), time.NewTicker(w.times.poll)
	defer settled.Stop()
	defer poll.Stop()
	settled.Stop()
	var first time.Time // of the news that are not looked at yet
	for {
		select {
		case <-w.closing:
			return
		case <-w.news:
			if first.IsZero() {
				first = time.Now()
			}
			settled.Reset(max(0, min(w.times.settle, time.Until(first.Add(w.times.patience)))))
			continue
		case <-poll.C:
			if !w.polls() {
				continue
			}
		case <-settled.C:
		}
		first = time.Time{}
		if again := w.look(); again > 0 {
			settled.Reset(again)
		}
	}
}

// look finds out what changed and tells it. It returns when to look again, 0 for when something happens.
func (w *Watcher) look() time.Duration {
	w.mu.Lock()
	if w.isClosed {
		w.mu.Unlock()
		return 0
	}
	heard := w.takeHeard()
	now := w.arrange()
	changed, isMissed := differences(w.stamps, now, heard)
	if wait := w.awaits(isMissed); wait > 0 {
		w.giveBack(heard)
		w.mu.Unlock()
		return wait
	}
	w.stamps = now
	w.mu.Unlock()
	if len(changed) > 0 {
		w.options.Logger.Debug("files changed", "files", changed)
		w.options.Changed(changed)
	}
	return 0
}

// differences lists the files that changed or that something was heard of, and reports whether one of them was there and is not.
func differences(before, after map[string]stamp, heard map[string]bool) (changed []string, isMissed bool) {
	for path, now := range after {
		old := before[path]
		if old.equal(now) && !(now.file != nil && heard[now.path]) {
			continue
		}
		changed = append(changed, path)
		isMissed = isMissed || old.file != nil && now.file == nil
	}
	slices.Sort(changed)
	return changed, isMissed
}

// awaits is how long a file that is missed may yet come back.
func (w *Watcher) awaits(isMissed bool) time.Duration {
	switch {
	case !isMissed:
		w.absent = time.Time{}
		return 0
	case w.absent.IsZero():
		w.absent = time.Now()
	}
	wait := time.Until(w.absent.Add(w.times.absent))
	if wait <= 0 {
		w.absent = time.Time{}
	}
	return wait
}

// wake has the files looked at once nothing more happens.
func (w *Watcher) wake() {
	select {
	case w.news <- struct{}{}:
	default:
	}
}

func (w *Watcher) polls() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.isPolling
}

// hear sorts what happens in the watched folders. It never waits: on Windows a watch is added by the goroutine that sends
// events, and whoever adds one would wait for a reader that waits for them.
func (w *Watcher) hear(notify *fsnotify.Watcher) {
	defer w.workers.Done()
	for {
		select {
		case <-w.closing:
			return
		case event, isOpen := <-notify.Events:
			if !isOpen {
				return
			}
			if w.concerns(event) {
				w.wake()
			}
		case err, isOpen := <-notify.Errors:
			if !isOpen {
				return
			}
			// Events were lost, which ones nobody knows: all files are looked at.
			w.options.Logger.Info("some changes of files went unheard", "error", err)
			w.wake()
		}
	}
}

// concerns reports whether an event may matter. Of thousands of files that change in a folder it costs one look-up each.
func (w *Watcher) concerns(event fsnotify.Event) bool {
	name := folded(event.Name)
	w.heardMu.Lock()
	defer w.heardMu.Unlock()
	isFile, isRoute := w.routes[name]
	switch {
	case !isRoute:
		return false
	case !isFile:
		return event.Op != fsnotify.Write // that only says that something in a folder changed
	case event.Op != fsnotify.Chmod: // that alone shows in the stamp, if it matters
		w.heard[name] = true
	}
	return true
}

func (w *Watcher) takeHeard() map[string]bool {
	w.heardMu.Lock()
	defer w.heardMu.Unlock()
	heard := w.heard
	w.heard = map[string]bool{}
	return heard
}

func (w *Watcher) giveBack(heard map[string]bool) {
	w.heardMu.Lock()
	defer w.heardMu.Unlock()
	for path := range heard {
		w.heard[path] = true
	}
}
