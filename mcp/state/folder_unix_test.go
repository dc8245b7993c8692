//go:build unix

package state

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestS3_OpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(path("good"), 0o700))
	must(os.Symlink(path("good"), path("link")))
	must(os.WriteFile(path("file"), nil, 0o600))
	for _, mode := range []os.FileMode{0o702, 0o720, 0o777} {
		must(os.Mkdir(path(mode.String()), 0o700))
		must(os.Chmod(path(mode.String()), mode))
	}
	tests := map[string]string{
		"link":       "link",
		"file":       "no folder",
		"file/below": "not a directory",
		"-rwx----w-": "chmod 700",
		"-rwx-w----": "chmod 700",
		"-rwxrwxrwx": "chmod 700",
	}
	if os.Geteuid() == 0 {
		must(os.Mkdir(path("foreign"), 0o700))
		must(os.Chown(path("foreign"), 12345, 12345))
		tests["foreign"] = "belongs to user 12345"
	}
	for name, want := range tests {
		if _, err := Open(path(name)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path(name)) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if _, err := Open("relative"); err == nil {
		t.Error("a relative path was taken")
	}
	f, err := Open(path("a/b/c"))
	must(err)
	for _, made := range []string{"a", "a/b", "a/b/c"} {
		if info, err := os.Stat(path(made)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", made, info, err)
		}
	}
	if got := f.Path("x", "y"); got != path("a/b/c/x/y") {
		t.Errorf("got %s", got)
	}
	if _, err := Open(path("a/b/c") + "/"); err != nil {
		t.Errorf("a second time: %v", err)
	}
}

func TestS24_WriteFileDoesNotFollowLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(link, []byte("new"), 0o640); err != nil {
		t.Fatal(err)
	}
	if raw, _ := os.ReadFile(target); string(raw) != "old" {
		t.Errorf("the target became %q", raw)
	}
	if info, err := os.Lstat(link); err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != 0o640 {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
}
