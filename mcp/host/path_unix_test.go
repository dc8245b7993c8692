//go:build unix

package host

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pillion/mcp/config"
)

func TestS1_PathLeavesOutTheWorkspace(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	root, tools := filepath.Join(top, "repo"), filepath.Join(top, "repo-tools")
	bin, link := filepath.Join(root, "bin"), filepath.Join(top, "link")
	for _, folder := range []string{bin, tools} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(bin, link); err != nil {
		t.Fatal(err)
	}
	h := newHouse(t)
	h.options.Environ = []string{"PATH=" + bin + ":.::" + link + ":node_modules/.bin:" + tools + ":" + tools + ":/usr/bin"}
	mine := &config.Entry{File: config.File{Source: config.SourceUser}}
	if got, want := filepath.SplitList(h.childPath(subject{entry: mine, roots: []string{root}})), []string{tools, "/usr/bin"}; !slices.Equal(got, want) {
		t.Errorf("the user's own connector is looked up in %q, want %q", got, want)
	}
	theirs := &config.Entry{File: config.File{Source: config.SourceProject, Root: root}}
	if got, want := filepath.SplitList(h.childPath(subject{entry: theirs, roots: []string{root}})), []string{bin, link, tools, "/usr/bin"}; !slices.Equal(got, want) {
		t.Errorf("the project's is looked up in %q, want %q", got, want)
	}
}
