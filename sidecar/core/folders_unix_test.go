//go:build !windows && !darwin

package core

import (
	"os"
	"path/filepath"
	"testing"
)

func TestL2_WindowsAreFoundWithoutTheVariable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	private, open, link := filepath.Join(dir, "private"), filepath.Join(dir, "open"), filepath.Join(dir, "link")
	for folder, mode := range map[string]os.FileMode{private: 0o700, open: 0o750} {
		if err := os.Mkdir(folder, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(private, link); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]bool{private: true, open: false, link: false, filepath.Join(dir, "none"): false, "": false} {
		if got := isPrivate(folder); got != want {
			t.Errorf("%s is private: %v", folder, got)
		}
	}
	own := filepath.Join("/state", "run")
	usual := own
	if isPrivate(usualRuntime()) {
		usual = usualRuntime()
	}
	for _, c := range []struct {
		value string
		isSet bool
		want  string
	}{{"/given", true, "/given"}, {"", true, own}, {"relative", true, own}, {"", false, usual}} {
		if got := runtimeFolder(func(string) (string, bool) { return c.value, c.isSet }, "/state"); got != c.want {
			t.Errorf("%q, set %v: %s, want %s", c.value, c.isSet, got, c.want)
		}
	}
}
