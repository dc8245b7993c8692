package watch

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// foldsCase is set where file systems usually take two spellings for one name; an event may come under either.
const foldsCase = runtime.GOOS == "darwin" || runtime.GOOS == "windows"

// keepsFiles is set where watching a folder opens every file in it: parents are watched there only where something is missing.
// Elsewhere they always are: of a folder that is removed while a program still works in it, inotify tells its parent alone.
const keepsFiles = runtime.GOOS != "linux" && runtime.GOOS != "windows"

// maxLinks is how many links are followed before a circle is assumed.
const maxLinks = 40

func folded(path string) string {
	if foldsCase {
		return strings.ToLower(path)
	}
	return path
}

// place is a name in a folder that no link leads to; what stands there matters, or that nothing does.
type place struct{ folder, name string }

// trail is what the way to one file leads through.
type trail struct {
	places []place
	links  []string // each link with where it leads
	// folder and path are where the file lies or would lie, links followed; empty where the way ends before.
	folder, path string
	left         int // links that may still be followed
}

// trailOf goes the way to a file as it is now.
func trailOf(f File) trail {
	t := trail{left: maxLinks}
	if f.Root == "" {
		t.toFile(start(f.Path), names(f.Path), nil)
		return t
	}
	relative, err := filepath.Rel(f.Root, f.Path)
	if err != nil || !filepath.IsLocal(relative) || relative == "." {
		return t
	}
	root, isThere := t.walk(start(f.Root), names(f.Root), nil)
	if !isThere {
		return t
	}
	t.noteParent(root)
	t.toFile(root, strings.Split(relative, string(filepath.Separator)), &confine{f.Root, root})
	return t
}

// confine is the folder that a way must not leave, by its own name and by the one that its links lead to.
type confine struct{ name, real string }

// inside returns where in the folder an absolute path leads.
func (c *confine) inside(path string) (string, bool) {
	for _, folder := range []string{c.name, c.real} {
		if relative, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(relative) {
			return relative, true
		}
	}
	return "", false
}

// toFile goes the way to the folder of a file and then to the file, through the links that it is.
func (t *trail) toFile(folder string, way []string, within *confine) {
	last := len(way) - 1
	name := way[last]
	folder, isThere := t.walk(folder, way[:last], within)
	if !isThere || name == "" || name == "." || name == ".." {
		return
	}
	t.note(folder, name)
	path := filepath.Join(folder, name)
	target, isLink := t.link(path)
	if !isLink {
		t.noteParent(folder)
		t.folder, t.path = folder, path
		return
	}
	if folder, way, isThere = t.follow(folder, target, within); isThere {
		t.toFile(folder, way, within)
	}
}

// walk goes along folders, through links, and returns the last of them; false where the way ends before.
func (t *trail) walk(folder string, way []string, within *confine) (string, bool) {
	for len(way) > 0 {
		name := way[0]
		way = way[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			folder = filepath.Dir(folder)
			if within != nil {
				if _, isInside := within.inside(folder); !isInside {
					return "", false
				}
			}
			continue
		}
		path := filepath.Join(folder, name)
		target, isLink := t.link(path)
		if !isLink {
			if _, err := os.Lstat(path); err != nil {
				t.note(folder, name)
				t.noteParent(folder)
				return "", false
			}
			folder = path
			continue
		}
		t.note(folder, name)
		next, rest, isThere := t.follow(folder, target, within)
		if !isThere {
			return "", false
		}
		folder, way = next, append(rest, way...)
	}
	return folder, true
}

// link reads a link, if there is one.
func (t *trail) link(path string) (string, bool) {
	target, err := os.Readlink(path)
	if err != nil {
		return "", false
	}
	t.links = append(t.links, path+"\x00"+target)
	return target, true
}

// follow says where a link leads from its folder; false for one that is not followed.
func (t *trail) follow(folder, target string, within *confine) (string, []string, bool) {
	if t.left--; t.left < 0 {
		return "", nil, false
	}
	if !filepath.IsAbs(target) {
		return folder, strings.Split(filepath.FromSlash(target), string(filepath.Separator)), true
	}
	if within == nil {
		return start(target), names(target), true
	}
	relative, isInside := within.inside(filepath.Clean(target))
	return within.real, strings.Split(relative, string(filepath.Separator)), isInside
}

func (t *trail) note(folder, name string) {
	if name != "" && name != string(filepath.Separator) {
		t.places = append(t.places, place{folder, name})
	}
}

func (t *trail) noteParent(folder string) {
	if !keepsFiles {
		t.note(filepath.Dir(folder), filepath.Base(folder))
	}
}

// start is the folder that an absolute path begins at.
func start(path string) string { return filepath.VolumeName(path) + string(filepath.Separator) }

// names are what an absolute path leads through from there.
func names(path string) []string {
	return strings.Split(filepath.Clean(path)[len(filepath.VolumeName(path)):], string(filepath.Separator))
}
