//go:build !windows && !darwin

package core

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"
)

func TestL2_WindowsAreFoundWithoutTheVariable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mine, open, link := filepath.Join(dir, "private"), filepath.Join(dir, "open"), filepath.Join(dir, "link")
	for folder, mode := range map[string]os.FileMode{mine: 0o700, open: 0o750} {
		if err := os.Mkdir(folder, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(mine, link); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{mine: mine, open: "", link: "", filepath.Join(dir, "none"): ""} {
		if got := private(folder); got != want {
			t.Errorf("of %s %q is private", folder, got)
		}
	}
	own := filepath.Join("/state", "run")
	usual := cmp.Or(usualRuntime(), own)
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
