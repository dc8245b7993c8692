package watch

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patient is how long a test waits for what must come.
const patient = 20 * time.Second

// probe is a watcher with what it told.
type probe struct {
	*Watcher
	t     *testing.T
	told  chan []string
	mu    sync.Mutex
	count map[string]int
	said  []string
}

func newProbe(t *testing.T, change ...func(*Watcher)) *probe {
	t.Helper()
	p := &probe{t: t, told: make(chan []string, 1000), count: map[string]int{}}
	p.Watcher = New(Options{
		Logger: slog.New(slog.DiscardHandler),
		Changed: func(paths []string) {
			p.mu.Lock()
			for _, path := range paths {
				p.count[path]++
			}
			p.mu.Unlock()
			p.told <- paths
		},
		Tell: func(sentence string) { p.said = append(p.said, sentence) }, // with Watcher.mu held
	})
	p.times = times{settle: 20 * time.Millisecond, patience: time.Second, absent: 60 * time.Millisecond, poll: time.Hour}
	for _, f := range change {
		f(p.Watcher)
	}
	t.Cleanup(p.Close)
	return p
}

// slowly lets a save take its time on a busy machine and still be one.
func slowly(w *Watcher) {
	w.times.settle, w.times.patience, w.times.absent = 250*time.Millisecond, 10*time.Second, 500*time.Millisecond
}

// expect waits until a file is told.
func (p *probe) expect(path string) {
	p.t.Helper()
	deadline := time.After(patient)
	for {
		select {
		case paths := <-p.told:
			if slices.Contains(paths, path) {
				return
			}
		case <-deadline:
			p.t.Fatalf("no change of %s was told", path)
		}
	}
}

// timesTold is how often a file was told, once everything that happened before is told: fence is changed for that.
func (p *probe) timesTold(path, fence string) int {
	p.t.Helper()
	write(p.t, fence, time.Now().String())
	p.expect(fence)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count[path]
}

func (p *probe) folderCount() int {
	p.lock().Lock()
	defer p.lock().Unlock()
	return len(p.notify.WatchList())
}

func (p *probe) lock() *sync.Mutex { return &p.Watcher.mu }

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

// replace writes a file as careful editors do.
func replace(t testing.TB, path, text string) {
	t.Helper()
	write(t, path+".tmp", text)
	must(t, os.Rename(path+".tmp", path))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// world is a root with a file in it, and a fence beside it.
func world(t *testing.T) (file File, fence File) {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	root := filepath.Join(folder, "root")
	must(t, os.Mkdir(root, 0o755))
	fence = File{Path: filepath.Join(folder, "fence", "fence")}
	write(t, fence.Path, "")
	return File{Path: filepath.Join(root, ".mcp.json"), Root: root}, fence
}

func TestA8_OneEventASave(t *testing.T) {
	t.Parallel()
	for name, save := range map[string]func(t *testing.T, path string){
		"in place":       func(t *testing.T, path string) { write(t, path, "new") },
		"the same bytes": func(t *testing.T, path string) { write(t, path, "old") },
		"with the old size and time": func(t *testing.T, path string) {
			info, err := os.Stat(path)
			must(t, err)
			write(t, path, "new")
			must(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
		},
		"replaced by rename":        func(t *testing.T, path string) { replace(t, path, "new") },
		"removed":                   func(t *testing.T, path string) { must(t, os.Remove(path)) },
		"moved away":                func(t *testing.T, path string) { must(t, os.Rename(path, path+".old")) },
		"made a folder":             func(t *testing.T, path string) { must(t, os.Remove(path)); must(t, os.Mkdir(path, 0o755)) },
		"removed and written again": func(t *testing.T, path string) { must(t, os.Remove(path)); write(t, path, "new") },
		"backup, write, remove backup": func(t *testing.T, path string) {
			must(t, os.Rename(path, path+"~"))
			write(t, path, "new")
			must(t, os.Remove(path+"~"))
		},
		"in pieces": func(t *testing.T, path string) {
			f, err := os.OpenFile(path, os.O_TRUNC|os.O_WRONLY, 0)
			must(t, err)
			for range 100 {
				_, err = f.WriteString("piece\n")
				must(t, err)
			}
			must(t, f.Close())
		},
		"made a link": func(t *testing.T, path string) {
			write(t, filepath.Join(filepath.Dir(path), "sub", "c.json"), "new")
			must(t, os.Remove(path))
			must(t, os.Symlink("sub/c.json", path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, fence := world(t)
			write(t, file.Path, "old")
			p := newProbe(t, slowly)
			p.Start([]File{file, fence})
			save(t, file.Path)
			p.expect(file.Path)
			if n := p.timesTold(file.Path, fence.Path); n != 1 {
				t.Errorf("it was told %d times", n)
			}
		})
	}
}

func TestA8_CreatedAndRemovedAgainAndAgain(t *testing.T) {
	t.Parallel()
	file, _ := world(t)
	p := newProbe(t)
	p.Start([]File{file})
	for range 3 {
		write(t, file.Path, "x")
		p.expect(file.Path)
		must(t, os.Remove(file.Path))
		p.expect(file.Path)
	}
}

func TestA8_AFolderThatDidNotExist(t *testing.T) {
	t.Parallel()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	path := filepath.Join(folder, "a", "b", "c", "mcp.json")
	p := newProbe(t)
	p.Start([]File{{Path: path}})
	write(t, path, "at once")
	p.expect(path)
	must(t, os.RemoveAll(filepath.Join(folder, "a")))
	p.expect(path)
	for _, step := range []string{"a", "a/b", "a/b/c"} { // one by one, each seen before the next
		must(t, os.Mkdir(filepath.Join(folder, step), 0o755))
		p.until("the folder "+step+" is watched", func(list []string) bool { return slices.Contains(list, filepath.Join(folder, step)) })
	}
	write(t, path, "in the end")
	p.expect(path)
}

// What is made in a folder just before its watch is added is heard by nobody.
func TestA8_FoldersMadeWhileTheyAreBeingWatched(t *testing.T) {
	t.Parallel()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	path := filepath.Join(folder, "a", "b", "mcp.json")
	p := newProbe(t, func(w *Watcher) {
		w.system.add = func(n *fsnotify.Watcher, added string) error {
			switch added {
			case filepath.Join(folder, "a"):
				_ = os.Mkdir(filepath.Join(folder, "a", "b"), 0o755)
			case filepath.Join(folder, "a", "b"):
				_ = os.WriteFile(path, nil, 0o600)
			}
			return n.Add(added)
		}
	})
	p.Start([]File{{Path: path}})
	must(t, os.Mkdir(filepath.Join(folder, "a"), 0o755))
	p.expect(path)
	write(t, path, "and on")
	p.expect(path)
}

// until waits for a condition on the watched folders.
func (p *probe) until(what string, holds func(folders []string) bool) {
	p.t.Helper()
	p.waitFor(what, func() bool { return holds(p.notify.WatchList()) })
}

// While a program works in a folder, inotify does not tell of its removal to who watches the folder itself.
func TestA8_ARootRemovedAndMadeAgain(t *testing.T) {
	t.Parallel()
	for name, isHeld := range map[string]bool{"empty": false, "while a program works in it": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, _ := world(t)
			write(t, file.Path, "x")
			p := newProbe(t)
			p.Start([]File{file})
			if isHeld {
				held, err := os.Open(file.Root)
				must(t, err)
				defer held.Close()
			}
			for range 3 {
				// The file goes first and is told; what happens to its folder comes later.
				must(t, os.Remove(file.Path))
				p.expect(file.Path)
				must(t, os.Remove(file.Root))
				p.until("the parent alone is watched", func(list []string) bool { return !slices.Contains(list, file.Root) })
				write(t, file.Path, "again")
				p.expect(file.Path)
			}
		})
	}
}

func TestA8_AFolderInTheRootsPlace(t *testing.T) {
	t.Parallel()
	file, _ := world(t)
	write(t, file.Path, "old")
	p := newProbe(t)
	p.Start([]File{file})
	parent := filepath.Dir(file.Root)
	for i := range 3 {
		next := filepath.Join(parent, "next")
		write(t, filepath.Join(next, ".mcp.json"), "new")
		must(t, os.Rename(file.Root, filepath.Join(parent, fmt.Sprint("old", i))))
		must(t, os.Rename(next, file.Root))
		p.expect(file.Path)
		replace(t, file.Path, "in the new folder")
		p.expect(file.Path)
	}
	// The same for the folder around it, at once: the old root is watched still, under the name of the new one.
	write(t, filepath.Join(parent+"-next", "root", ".mcp.json"), "newer")
	must(t, os.Rename(parent, parent+"-old"))
	must(t, os.Rename(parent+"-next", parent))
	p.expect(file.Path)
	replace(t, file.Path, "in the newer folder")
	p.expect(file.Path)
	must(t, os.Rename(parent, parent+"-away"))
	p.expect(file.Path)
	write(t, file.Path, "all made again")
	p.expect(file.Path)
	must(t, os.RemoveAll(parent+"-away"))
	must(t, os.RemoveAll(parent+"-old"))
}

func TestC10_LinkRetargeted(t *testing.T) {
	t.Parallel()
	file, _ := world(t)
	in := func(name string) string { return filepath.Join(file.Root, name) }
	write(t, in("d1/c.json"), "1")
	write(t, in("d2/c.json"), "2")
	must(t, os.Symlink("d1/c.json", file.Path))
	p := newProbe(t)
	p.Start([]File{file})
	watches := p.folderCount()
	step := func(what string, f func()) {
		t.Helper()
		f()
		p.expect(file.Path)
		if n := p.folderCount(); n != watches {
			t.Errorf("%s: %d folders are watched, were %d", what, n, watches)
		}
	}
	retarget := func(target string) {
		must(t, os.Symlink(target, in("next")))
		must(t, os.Rename(in("next"), file.Path))
	}
	step("edit", func() { replace(t, in("d1/c.json"), "1, changed") })
	for range 3 {
		step("retarget", func() { retarget("d2/c.json") })
		step("rename", func() { replace(t, in("d2/c.json"), "2, changed") })
		step("delete", func() { must(t, os.Remove(in("d2/c.json"))) })
		step("recreate", func() { write(t, in("d2/c.json"), "2, again") })
		step("retarget, absolute", func() { retarget(in("d1/c.json")) })
		step("edit", func() { write(t, in("d1/c.json"), "1, in place") })
	}
	// A folder on the way may be a link too.
	must(t, os.Symlink("d1", in("d")))
	step("through a linked folder", func() { retarget("d/c.json") })
	must(t, os.Symlink("d2", in("next")))
	step("the linked folder retargeted", func() { must(t, os.Rename(in("next"), in("d"))) })
	step("edit there", func() { replace(t, in("d2/c.json"), "2, at last") })
}

func TestC10_NoFlappingInTheGapOfASave(t *testing.T) {
	t.Parallel()
	file, fence := world(t)
	write(t, file.Path, "old")
	var seen []bool
	p := newProbe(t, func(w *Watcher) { w.times.absent = 10 * time.Second })
	changed := p.options.Changed
	p.options.Changed = func(paths []string) {
		if slices.Contains(paths, file.Path) {
			_, err := os.Stat(file.Path)
			seen = append(seen, err == nil)
		}
		changed(paths)
	}
	p.Start([]File{file, fence})
	must(t, os.Remove(file.Path))
	p.waitFor("the file is missed", func() bool { return !p.absent.IsZero() })
	write(t, file.Path, "new")
	p.expect(file.Path)
	if n := p.timesTold(file.Path, fence.Path); n != 1 || !slices.Equal(seen, []bool{true}) {
		t.Errorf("told %d times, the file was there: %v", n, seen)
	}
}

// waitFor waits for a condition on the watcher's own state, of which nothing tells; it is looked at under the lock.
func (p *probe) waitFor(what string, holds func() bool) {
	p.t.Helper()
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	deadline := time.After(patient)
	for {
		p.lock().Lock()
		isSo := holds()
		p.lock().Unlock()
		if isSo {
			return
		}
		select {
		case <-again.C:
		case <-deadline:
			p.t.Fatalf("it did not come about that %s; watched are %q", what, p.notify.WatchList())
		}
	}
}

func TestA8_TheUsersFileBehindLinks(t *testing.T) {
	t.Parallel()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	in := func(name string) string { return filepath.Join(folder, name) }
	write(t, in("dotfiles/pillion/real.json"), "1")
	must(t, os.Symlink("real.json", in("dotfiles/pillion/mcp.json")))
	must(t, os.Mkdir(in("config"), 0o755))
	must(t, os.Symlink(in("dotfiles/pillion"), in("config/pillion")))
	path := in("config/pillion/mcp.json")
	p := newProbe(t)
	p.Start([]File{{Path: path}})
	replace(t, in("dotfiles/pillion/real.json"), "2")
	p.expect(path)
	must(t, os.Remove(in("config/pillion")))
	p.expect(path)
	write(t, path, "a folder of its own")
	p.expect(path)
}

func TestS24_NothingOutsideIsLookedAt(t *testing.T) {
	t.Parallel()
	file, _ := world(t)
	outside := filepath.Join(filepath.Dir(file.Root), "outside")
	write(t, filepath.Join(outside, "c.json"), "secret")
	in := func(name string) string { return filepath.Join(file.Root, name) }
	must(t, os.Mkdir(in("sub"), 0o755))
	must(t, os.Symlink(outside, in("away")))
	must(t, os.Symlink("loop", in("loop")))
	for _, target := range []string{"../outside/c.json", filepath.Join(outside, "c.json"), "away/c.json", "sub/../../outside/c.json", "..", "/", "loop", "loop/c.json"} {
		must(t, os.Symlink(target, file.Path))
		way := trailOf(file)
		if way.path != "" {
			t.Errorf("a link to %s leads to %s", target, way.path)
		}
		if !slices.Contains(way.places, place{file.Root, ".mcp.json"}) {
			t.Errorf("a link to %s: that it is retargeted would go unseen", target)
		}
		for _, at := range way.places {
			if at.folder != file.Root && at.folder != filepath.Dir(file.Root) || strings.HasPrefix(at.name, "outside") {
				t.Errorf("a link to %s: %+v is looked at", target, at)
			}
		}
		must(t, os.Remove(file.Path))
	}
	p := newProbe(t)
	must(t, os.Symlink("away/c.json", file.Path))
	p.Start([]File{file})
	must(t, os.Remove(file.Path))
	must(t, os.Symlink("sub/c.json", file.Path))
	p.expect(file.Path)
	write(t, in("sub/c.json"), "inside again")
	p.expect(file.Path)
}

func TestS3_ChangedPermissionsAreTold(t *testing.T) {
	t.Parallel()
	file, _ := world(t)
	write(t, file.Path, "x")
	p := newProbe(t)
	p.Start([]File{file})
	must(t, os.Chmod(file.Path, 0o666))
	p.expect(file.Path)
	must(t, os.Chmod(file.Root, 0o777))
	p.expect(file.Path)
	must(t, os.Chmod(file.Root, 0o755))
	p.expect(file.Path)
}

// What is read after Start or Follow is what stands there, or its change is told.
func TestA8_NoEditIsMissedBeforeTheFirstRead(t *testing.T) {
	t.Parallel()
	file, fence := world(t)
	for i := range 60 {
		write(t, file.Path, "old")
		p := newProbe(t)
		var writer sync.WaitGroup
		writer.Go(func() {
			if i%2 == 0 {
				replace(t, file.Path, "new")
			} else {
				write(t, file.Path, "new")
			}
		})
		if i%3 == 0 {
			p.Start([]File{fence})
			p.Follow([]File{file, fence})
		} else {
			p.Start([]File{file})
		}
		text, _ := os.ReadFile(file.Path)
		writer.Wait()
		if string(text) != "new" {
			p.expect(file.Path)
		}
		p.Close()
	}
}

func TestA8_FollowKeepsWhatIsNotToldYet(t *testing.T) {
	t.Parallel()
	file, fence := world(t)
	write(t, file.Path, "old")
	p := newProbe(t)
	p.Start([]File{file})
	replace(t, file.Path, "new")
	p.Follow([]File{file, fence})
	p.expect(file.Path)
	write(t, fence.Path, "followed too")
	p.expect(fence.Path)
	p.Follow([]File{fence})
	replace(t, file.Path, "followed no more")
	p.mu.Lock()
	told := p.count[file.Path]
	p.mu.Unlock()
	if n := p.timesTold(file.Path, fence.Path); n != told {
		t.Errorf("a file that is not followed was told %d times", n-told)
	}
	p.until("its folder is let go", func(list []string) bool { return !slices.Contains(list, file.Root) })
}

func TestA8_LostEventsReadEverythingAgain(t *testing.T) {
	t.Parallel()
	file, fence := world(t)
	write(t, file.Path, "old")
	p := newProbe(t)
	p.Start([]File{file, fence})
	p.lock().Lock()
	must(t, p.notify.Remove(file.Root)) // deaf
	replace(t, file.Path, "unheard")
	p.lock().Unlock()
	p.notify.Errors <- fsnotify.ErrEventOverflow
	p.expect(file.Path)
	replace(t, file.Path, "heard again")
	p.expect(file.Path)
	if n := p.timesTold(fence.Path, fence.Path); n != 1 {
		t.Errorf("a file that nothing happened to was told %d times", n-1)
	}
}

// A checkout of thousands of files beside the one that matters is no reason to tell anything.
func TestA8_AStormOfOtherFiles(t *testing.T) {
	t.Parallel()
	file, fence := world(t)
	write(t, file.Path, "x")
	p := newProbe(t)
	p.Start([]File{file, fence})
	other := filepath.Join(file.Root, "other")
	write(t, other, "x")
	for i := range 20000 {
		next := filepath.Join(file.Root, fmt.Sprint("other", i%2))
		must(t, os.Rename(other, next))
		other = next
	}
	if n := p.timesTold(file.Path, fence.Path); n != 0 {
		t.Errorf("it was told %d times", n)
	}
	replace(t, file.Path, "and still heard")
	p.expect(file.Path)
}

func TestA8_AFileThatIsNeverLeftAlone(t *testing.T) {
	t.Parallel()
	file, _ := world(t)
	write(t, file.Path, "x")
	p := newProbe(t, func(w *Watcher) { w.times.settle, w.times.patience = 5*time.Second, 50*time.Millisecond })
	p.Start([]File{file})
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				write(t, file.Path, fmt.Sprint(i))
			}
		}
	})
	p.expect(file.Path)
	close(stop)
	writer.Wait()
}

func TestA8_LookedAtWhereNothingCanBeWatched(t *testing.T) {
	t.Parallel()
	file, fence := world(t)
	write(t, file.Path, "x")
	var isPossible sync.Mutex // held while it is not
	isPossible.Lock()
	p := newProbe(t, func(w *Watcher) {
		w.times.poll = 10 * time.Millisecond
		w.system.newWatcher = func() (*fsnotify.Watcher, error) {
			if !isPossible.TryLock() {
				return nil, os.NewSyscallError("inotify_init1", syscall.EMFILE)
			}
			defer isPossible.Unlock()
			return fsnotify.NewWatcher()
		}
	})
	p.Start([]File{file, fence})
	replace(t, file.Path, "new")
	p.expect(file.Path)
	must(t, os.Remove(file.Path))
	p.expect(file.Path)
	if n := p.timesTold(file.Path, fence.Path); n != 2 {
		t.Errorf("it was told %d times", n)
	}
	if said := strings.Join(p.said, "|"); len(p.said) != 1 || !strings.Contains(said, "every 10ms") || !strings.Contains(said, "fs.inotify.max_user_instances") {
		t.Errorf("the user was told %q", said)
	}
	isPossible.Unlock()
	p.waitFor("the files are watched after all", func() bool { return p.notify != nil && !p.isPolling })
	write(t, file.Path, "watched")
	p.expect(file.Path)
}

func TestA8_LookedAtWhereAFolderCannotBeWatched(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		add    func(*fsnotify.Watcher, string) error
		remote string
		words  []string
	}{
		"no watches left": {add: func(*fsnotify.Watcher, string) error { return syscall.ENOSPC }, words: []string{"cannot be watched", "max_user_watches"}},
		"network":         {add: (*fsnotify.Watcher).Add, remote: "NFS", words: []string{"(NFS)", "every 10ms as well"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, fence := world(t)
			p := newProbe(t, func(w *Watcher) {
				w.times.poll = 10 * time.Millisecond
				w.system.add = func(n *fsnotify.Watcher, folder string) error {
					if folder == file.Root {
						return test.add(n, folder)
					}
					return n.Add(folder)
				}
				w.system.remoteKind = func(folder string) string {
					if folder == file.Root {
						return test.remote
					}
					return ""
				}
			})
			p.Start([]File{file, fence})
			replace(t, file.Path, "x") // at once: one change is told once
			p.expect(file.Path)
			if n := p.timesTold(file.Path, fence.Path); n != 1 {
				t.Errorf("it was told %d times", n)
			}
			if !p.polls() {
				t.Error("the files are not looked at")
			}
			if len(p.said) != 1 {
				t.Fatalf("the user was told %q", p.said)
			}
			for _, word := range test.words {
				if !strings.Contains(p.said[0], word) {
					t.Errorf("%q does not say %q", p.said[0], word)
				}
			}
		})
	}
}

func TestCloseEndsEverything(t *testing.T) {
	t.Parallel()
	file, _ := world(t)
	unstarted := newProbe(t)
	unstarted.Follow([]File{file})
	unstarted.Close()
	unstarted.Start([]File{file})
	p := newProbe(t)
	p.Start([]File{file})
	write(t, file.Path, "x")
	p.Close()
	p.Close()
	p.mu.Lock()
	told := p.count[file.Path]
	p.mu.Unlock()
	write(t, file.Path, "y")
	p.Follow([]File{file})
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count[file.Path] != told {
		t.Error("something was told after the end")
	}
}

// BenchmarkStorm is what an event of another file in a watched folder costs, beside the rename itself.
func BenchmarkStorm(b *testing.B) {
	for name, isWatched := range map[string]bool{"watched": true, "unwatched": false} {
		b.Run(name, func(b *testing.B) {
			root := b.TempDir()
			w := New(Options{Logger: slog.New(slog.DiscardHandler), Changed: func([]string) {}})
			if isWatched {
				w.Start([]File{{Path: filepath.Join(root, ".mcp.json"), Root: root}})
			}
			defer w.Close()
			paths := []string{filepath.Join(root, "a"), filepath.Join(root, "b")}
			write(b, paths[0], "x")
			for i := 0; b.Loop(); i++ {
				must(b, os.Rename(paths[i%2], paths[1-i%2]))
			}
		})
	}
}
