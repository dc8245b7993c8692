package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// becomes is an edit that gives a text whatever there was.
func becomes(text string) func([]byte) ([]byte, error) {
	return func([]byte) ([]byte, error) { return []byte(text), nil }
}

func textOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// noneBeside holds that no temporary file was left in a folder.
func noneBeside(t *testing.T, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".tmp") {
			t.Errorf("%s was left", entry.Name())
		}
	}
}

func TestRewrite(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(root string) (File, os.FileMode){
		"project": func(root string) (File, os.FileMode) { return projectFile(root), 0o644 },
		"project, deeper": func(root string) (File, os.FileMode) {
			return File{Path: filepath.Join(root, "sub", "mcp.json"), Source: SourceProject, Root: root}, 0o644
		},
		"user": func(root string) (File, os.FileMode) {
			return File{Path: filepath.Join(root, "mcp.json"), Source: SourceUser}, 0o600
		},
		"user, new folder": func(root string) (File, os.FileMode) {
			return File{Path: filepath.Join(root, "a", "b", "mcp.json"), Source: SourceUser}, 0o600
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			if err := os.Mkdir(filepath.Join(root, "sub"), 0o755); err != nil {
				t.Fatal(err)
			}
			f, mode := of(root)
			for i, text := range []string{"1", "22", ""} {
				var seen string
				err := Rewrite(f, func(before []byte) ([]byte, error) { seen = string(before); return []byte(text), nil })
				if want := []string{"", "1", "22"}[i]; err != nil || seen != want || textOf(t, f.Path) != text {
					t.Errorf("saw %q, want %q: %v", seen, want, err)
				}
			}
			info, err := os.Stat(f.Path)
			if err != nil || runtime.GOOS != "windows" && info.Mode() != mode {
				t.Errorf("%v %v", info.Mode(), err)
			}
			no := errors.New("no")
			if err := Rewrite(f, func([]byte) ([]byte, error) { return []byte("x"), no }); !errors.Is(err, no) || textOf(t, f.Path) != "" {
				t.Errorf("a refused edit: %v", err)
			}
			noneBeside(t, filepath.Dir(f.Path))
		})
	}
}

func TestRewriteKeepsAProjectFilesMode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no modes")
	}
	f := projectFile(t.TempDir())
	write(t, f.Path, "{}")
	if err := os.Chmod(f.Path, 0o664); err != nil {
		t.Fatal(err)
	}
	if err := Rewrite(f, becomes("{ }")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(f.Path); err != nil || info.Mode() != 0o664 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

func TestRewriteLeavesAFileThatStaysTheSame(t *testing.T) {
	t.Parallel()
	f := projectFile(t.TempDir())
	write(t, f.Path, "{}")
	before, err := os.Stat(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Rewrite(f, becomes("{}")); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(f.Path); err != nil || !os.SameFile(before, after) {
		t.Errorf("it was written: %v", err)
	}
}

func TestS24_ProjectFileIsNeverWrittenThroughALink(t *testing.T) {
	t.Parallel()
	for name, arrange := range map[string]func(t *testing.T, root, outside string) File{
		"the file leads out": func(t *testing.T, root, outside string) File {
			link(t, filepath.Join(outside, "c.json"), filepath.Join(root, ProjectFileName))
			return projectFile(root)
		},
		"the file is a link inside": func(t *testing.T, root, _ string) File {
			write(t, filepath.Join(root, "c.json"), "inside")
			link(t, "c.json", filepath.Join(root, ProjectFileName))
			return projectFile(root)
		},
		"the file is a link to nothing": func(t *testing.T, root, _ string) File {
			link(t, "none", filepath.Join(root, ProjectFileName))
			return projectFile(root)
		},
		"a folder leads out": func(t *testing.T, root, outside string) File {
			link(t, outside, filepath.Join(root, "sub"))
			return File{Path: filepath.Join(root, "sub", "c.json"), Source: SourceProject, Root: root}
		},
		"a folder leads out by its name": func(t *testing.T, root, outside string) File {
			link(t, filepath.Join("..", filepath.Base(outside)), filepath.Join(root, "sub"))
			return File{Path: filepath.Join(root, "sub", "new.json"), Source: SourceProject, Root: root}
		},
		"the path leads out": func(_ *testing.T, root, outside string) File {
			return File{Path: filepath.Join(outside, "c.json"), Source: SourceProject, Root: root}
		},
		"the file is a folder": func(t *testing.T, root, _ string) File {
			write(t, filepath.Join(root, ProjectFileName, "x"), "")
			return projectFile(root)
		},
		"there is no root": func(_ *testing.T, _, outside string) File {
			return File{Path: filepath.Join(outside, "c.json"), Source: SourceProject}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			root, outside := filepath.Join(base, "root"), filepath.Join(base, "outside")
			write(t, filepath.Join(root, "other"), "")
			write(t, filepath.Join(outside, "c.json"), "outside")
			f := arrange(t, root, outside)
			err := Rewrite(f, func([]byte) ([]byte, error) { t.Error("it was read"); return []byte("written"), nil })
			if !isRefused(err) {
				t.Errorf("%v", err)
			}
			if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 || textOf(t, filepath.Join(outside, "c.json")) != "outside" {
				t.Errorf("outside is %v, %v", entries, err)
			}
			noneBeside(t, root)
		})
	}
}

// Between the look and the write somebody puts a link in the place of the file or of a folder.
func TestS24_ASwapBeforeTheWriteLeadsNowhere(t *testing.T) {
	t.Parallel()
	for name, swap := range map[string]func(t *testing.T, root, outside string){
		"of the file": func(t *testing.T, root, outside string) {
			path := filepath.Join(root, "sub", ProjectFileName)
			remove(t, path)
			link(t, filepath.Join(outside, ProjectFileName), path)
		},
		"of the file that was not there": func(t *testing.T, root, outside string) {
			path := filepath.Join(root, "sub", ProjectFileName)
			_ = os.Remove(path)
			link(t, filepath.Join(outside, "new"), path)
		},
		"of the folder": func(t *testing.T, root, outside string) {
			move(t, filepath.Join(root, "sub"), filepath.Join(root, "moved"))
			link(t, outside, filepath.Join(root, "sub"))
		},
		"of the root": func(t *testing.T, root, outside string) {
			move(t, root, root+"-moved")
			write(t, filepath.Join(outside, "sub", ProjectFileName), "outside")
			link(t, outside, root)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" {
				t.Skip("an open folder is not moved")
			}
			base := t.TempDir()
			root, outside := filepath.Join(base, "root"), filepath.Join(base, "outside")
			f := File{Path: filepath.Join(root, "sub", ProjectFileName), Source: SourceProject, Root: root}
			write(t, f.Path, "inside")
			write(t, filepath.Join(outside, ProjectFileName), "outside")
			isSwapped := false
			err := Rewrite(f, func([]byte) ([]byte, error) {
				if !isSwapped {
					isSwapped = true
					swap(t, root, outside)
				}
				return []byte("written"), nil
			})
			if err != nil && !isRefused(err) {
				t.Errorf("%v", err)
			}
			for _, folder := range []string{outside, filepath.Join(outside, "sub")} {
				path := filepath.Join(folder, ProjectFileName)
				if _, err := os.Stat(path); err == nil && textOf(t, path) != "outside" {
					t.Errorf("%s was written", path)
				}
			}
			if _, err := os.Stat(filepath.Join(outside, "new")); err == nil {
				t.Error("a file was made outside")
			}
		})
	}
}

func TestRewriteFollowsTheUsersLink(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	target, path := filepath.Join(folder, "dotfiles", "c.json"), filepath.Join(folder, "config", "mcp.json")
	write(t, target, "1")
	write(t, filepath.Join(folder, "config", "other"), "")
	link(t, "../dotfiles/c.json", path)
	f := File{Path: path, Source: SourceUser}
	if err := Rewrite(f, becomes("2")); err != nil || textOf(t, target) != "2" {
		t.Error(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	link(t, "none", filepath.Join(folder, "broken"))
	for _, path := range []string{filepath.Join(folder, "broken"), folder} {
		if err := Rewrite(File{Path: path, Source: SourceUser}, becomes("x")); !isRefused(err) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestRewriteTakesWhatWasSavedMeanwhile(t *testing.T) {
	t.Parallel()
	f := projectFile(t.TempDir())
	write(t, f.Path, "old")
	saves := 0
	err := Rewrite(f, func(text []byte) ([]byte, error) {
		if saves++; saves <= 2 {
			write(t, f.Path, fmt.Sprint("saved ", saves))
		}
		return append(text, '!'), nil
	})
	if err != nil || textOf(t, f.Path) != "saved 2!" {
		t.Errorf("%q, %v", textOf(t, f.Path), err)
	}
	saves = 0
	err = Rewrite(f, func(text []byte) ([]byte, error) {
		saves++
		write(t, f.Path, strings.Repeat("x", saves))
		return append(text, '!'), nil
	})
	if !errors.Is(err, ErrBusy) || textOf(t, f.Path) != strings.Repeat("x", saves) {
		t.Errorf("%q, %v", textOf(t, f.Path), err)
	}
	noneBeside(t, f.Root)
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}
