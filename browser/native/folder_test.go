package native

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestC21_SweepRemovesWhatNobodyUses(t *testing.T) {
	place := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", place)
	used, err := newFolder()
	if err != nil {
		t.Fatal(err)
	}
	defer used.remove()
	left := filepath.Join(place, folderPrefix+"left")
	young := filepath.Join(place, folderPrefix+"young")
	other := filepath.Join(place, "other")
	for _, path := range []string{left, young, other} {
		if err := os.MkdirAll(filepath.Join(path, "browser"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	before := time.Now().Add(-2 * youngAge)
	for _, path := range []string{used.path, left, other} {
		if err := os.Chtimes(path, before, before); err != nil {
			t.Fatal(err)
		}
	}
	sweep(place)
	for path, want := range map[string]bool{used.path: true, left: false, young: true, other: true} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A socket's name has some hundred bytes at most, and the folder of the system for such things may have nearly as many.
func TestC21_PrivateFoldersHaveShortNames(t *testing.T) {
	long := filepath.Join(t.TempDir(), "a-folder-with-a-name-that-leaves-no-room-for-any-socket")
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", long)
	t.Setenv("TMPDIR", long)
	path, remove, err := PrivateFolder()
	if err != nil {
		t.Skip("there is no other place: ", err) // on Windows
	}
	defer remove()
	if len(filepath.Dir(path)) > maxPlaceBytes {
		t.Error(path)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info, err)
	}
}
