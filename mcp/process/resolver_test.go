package process

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// place writes a file, with the folders it needs.
func place(t *testing.T, mode fs.FileMode, elem ...string) string {
	t.Helper()
	path := filepath.Join(elem...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func pathList(entries ...string) string {
	return strings.Join(entries, string(filepath.ListSeparator))
}

// expectLook checks what a look-up finds, or that its error holds every one of the words.
func expectLook(t *testing.T, r Resolver, program, dir, want string, words ...string) {
	t.Helper()
	got, err := r.Look(program, dir)
	if want != "" {
		if got != want || err != nil {
			t.Errorf("%q: %q, %v, want %q", program, got, err, want)
		}
		return
	}
	var missing *NotFoundError
	if !errors.As(err, &missing) {
		t.Errorf("%q: %q, %v", program, got, err)
		return
	}
	for _, word := range append(words, strconv.Quote(program)) {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v, want %q in it", program, err, word)
		}
	}
}

func TestC12_Look(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("about modes and slashes")
	}
	root := t.TempDir()
	first, second, work := filepath.Join(root, "first"), filepath.Join(root, "second"), filepath.Join(root, "work")
	tool := place(t, 0o755, second, "tool")
	place(t, 0o644, first, "tool")
	place(t, 0o755, first, "folder", "x")
	place(t, 0o644, first, "data")
	script := place(t, 0o755, work, "bin", "serve")
	trap := place(t, 0o755, work, "node_modules", ".bin", "npx")
	linked := filepath.Join(second, "linked")
	if err := os.Symlink(tool, linked); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(trap)) // what a relative entry would mean
	r := Resolver{Path: pathList("", ".", "node_modules/.bin", first, second, "/no/such/folder")}
	expectLook(t, r, "tool", work, tool) // past a file of that name that may not be executed
	expectLook(t, r, "linked", work, linked)
	expectLook(t, r, tool, work, tool)
	expectLook(t, r, "./bin/serve", work, script)
	expectLook(t, r, "bin/serve", work, script)
	expectLook(t, r, "../second/tool", work, tool)
	// S1: what lies where Pillion was started is not meant by a relative entry.
	expectLook(t, r, "npx", work, "", "not found in PATH="+r.Path)
	expectLook(t, r, "absent", work, "", "not found in PATH="+r.Path)
	expectLook(t, r, "data", work, "", "may not be executed")
	expectLook(t, r, "folder", work, "", "not found in PATH=")
	expectLook(t, r, "..", work, "", "not found in PATH=")
	expectLook(t, r, "", work, "", "not found in PATH=")
	expectLook(t, r, "a\x00b", work, "", "not found in PATH=")
	expectLook(t, r, "./absent", work, "", "there is no program "+filepath.Join(work, "absent"))
	expectLook(t, r, "/no/such/program", work, "", "there is no program")
	expectLook(t, r, first+"/data", work, "", "may not be executed")
	expectLook(t, Resolver{}, "tool", work, "", "not found in PATH=")
}

func TestNotFoundError_Reason(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	place(t, 0o644, root, "data")
	r := Resolver{Path: root}
	if _, err := r.Look("absent", root); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, program := range []string{"data", "./data"} {
		if _, err := r.Look(program, root); !errors.Is(err, fs.ErrPermission) {
			t.Error(err)
		}
	}
}

func TestC11_LookByExtension(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	one, two := filepath.Join(root, "one"), filepath.Join(root, "two")
	place(t, 0o755, one, "npx") // a shell script for other systems
	npx := place(t, 0o644, one, "npx.cmd")
	node := place(t, 0o644, two, "node.exe")
	place(t, 0o644, two, "node.cmd")
	dotted := place(t, 0o644, two, "tool.v2.exe")
	r := Resolver{Path: pathList(one, two), Ext: []string{".exe", ".cmd"}}
	expectLook(t, r, "npx", root, npx)
	expectLook(t, r, "npx.cmd", root, npx)
	expectLook(t, r, "node", root, node) // in PATHEXT's order
	expectLook(t, r, "tool.v2", root, dotted)
	expectLook(t, r, filepath.Join(".", "one")+string(filepath.Separator)+"npx", root, npx)
	expectLook(t, r, filepath.Join(one, "npx"), root, npx)
	expectLook(t, r, "absent", root, "", "not found in PATH=")
}
