//go:build unix

package place

import (
	"os"
	"path/filepath"
	"testing"
)

// tree is a folder "work" with a folder in it, one "work-tools" beside it, and links between them.
func tree(t *testing.T) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"work/in", "work-tools"} {
		if err := os.MkdirAll(filepath.Join(top, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"alias": "work", "into": "work/in", "work/out": filepath.Join(top, "work-tools"), "work/dangling": "nowhere",
	} {
		if err := os.Symlink(target, filepath.Join(top, link)); err != nil {
			t.Fatal(err)
		}
	}
	return top
}

func TestS1_LiesIn(t *testing.T) {
	t.Parallel()
	top := tree(t)
	for path, want := range map[string]bool{
		"work": true, "work/in": true, "work/no/such": true, "work/in/../x": true, "work/dangling": true,
		"into": true, "into/no/such": true, "alias": true, "alias/in": true,
		"work/out": true, // by its name
		"":         false, "work-tools": false, "work/../x": false, "work-tools/work": false,
	} {
		if got := LiesIn(filepath.Join(top, path), filepath.Join(top, "work")); got != want {
			t.Errorf("%s lies in work: %v", path, got)
		}
	}
	if !LiesIn(filepath.Join(top, "work", "in"), filepath.Join(top, "alias")) {
		t.Error("what lies where a link leads does not lie in the link")
	}
	if LiesIn("work/in", top) || LiesIn("", "") {
		t.Error("a relative path lies somewhere")
	}
}

func TestResolved(t *testing.T) {
	t.Parallel()
	top := tree(t)
	for path, want := range map[string]string{
		"into/no/such": "work/in/no/such", "work/out": "work-tools", "no/such": "no/such", "work/dangling/x": "work/dangling/x",
	} {
		if got := Resolved(filepath.Join(top, path)); got != filepath.Join(top, want) {
			t.Errorf("%s leads to %s, want %s", path, got, want)
		}
	}
}
