package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skipf("no links here: %v", err)
	}
}

func projectFile(root string) File {
	return File{Path: filepath.Join(root, ProjectFileName), Source: SourceProject, Root: root}
}

func isRefused(err error) bool {
	var refused *RefusedError
	return errors.As(err, &refused)
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	f := projectFile(root)
	if _, err := ReadFile(f); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	write(t, f.Path, "{}")
	if text, err := ReadFile(f); err != nil || string(text) != "{}" {
		t.Errorf("%q, %v", text, err)
	}
	write(t, f.Path, strings.Repeat(" ", MaxFileBytes+1))
	if _, err := ReadFile(f); !isRefused(err) {
		t.Errorf("too large: %v", err)
	}
	if _, err := ReadFile(File{Path: filepath.Join(root, "none"), Source: SourceUser}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent user file: %v", err)
	}
}

func TestS24_ProjectFileStaysInsideItsRoot(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "c.json")
	write(t, outside, "outside")
	tests := []struct {
		name    string
		prepare func(t *testing.T, root string)
		want    string
	}{
		{"link inside", func(t *testing.T, root string) {
			write(t, filepath.Join(root, "d/c.json"), "inside")
			link(t, "d/c.json", filepath.Join(root, ProjectFileName))
		}, "inside"},
		{"absolute link inside", func(t *testing.T, root string) {
			write(t, filepath.Join(root, "d/c.json"), "inside")
			link(t, filepath.Join(root, "d/c.json"), filepath.Join(root, ProjectFileName))
		}, "inside"},
		{"link to a link inside", func(t *testing.T, root string) {
			write(t, filepath.Join(root, "d/c.json"), "inside")
			link(t, "c.json", filepath.Join(root, "d/l.json"))
			link(t, "d/l.json", filepath.Join(root, ProjectFileName))
		}, "inside"},
		{"through a folder that is a link inside", func(t *testing.T, root string) {
			write(t, filepath.Join(root, "d/c.json"), "inside")
			link(t, "d", filepath.Join(root, "e"))
			link(t, "e/c.json", filepath.Join(root, ProjectFileName))
		}, "inside"},
		{"absolute link out", func(t *testing.T, root string) { link(t, outside, filepath.Join(root, ProjectFileName)) }, ""},
		{"link to a device", func(t *testing.T, root string) { link(t, "/dev/zero", filepath.Join(root, ProjectFileName)) }, ""},
		{"link to nothing outside", func(t *testing.T, root string) {
			link(t, "../none/.mcp.json", filepath.Join(root, ProjectFileName))
		}, ""},
		{"relative link out", func(t *testing.T, root string) {
			relative, err := filepath.Rel(root, outside)
			if err != nil {
				t.Fatal(err)
			}
			link(t, relative, filepath.Join(root, ProjectFileName))
		}, ""},
		{"through a folder that is a link out", func(t *testing.T, root string) {
			link(t, filepath.Dir(outside), filepath.Join(root, "e"))
			link(t, "e/c.json", filepath.Join(root, ProjectFileName))
		}, ""},
		{"circle", func(t *testing.T, root string) {
			link(t, ".other", filepath.Join(root, ProjectFileName))
			link(t, ProjectFileName, filepath.Join(root, ".other"))
		}, ""},
		{"folder", func(t *testing.T, root string) {
			if err := os.Mkdir(filepath.Join(root, ProjectFileName), 0o700); err != nil {
				t.Fatal(err)
			}
		}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			test.prepare(t, root)
			text, err := ReadFile(projectFile(root))
			if test.want == "" && !isRefused(err) {
				t.Errorf("%q, %v", text, err)
			}
			if test.want != "" && (err != nil || string(text) != test.want) {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
	root := t.TempDir()
	for _, path := range []string{outside, filepath.Join(root, "../x"), "relative"} {
		if _, err := ReadFile(File{Path: path, Source: SourceProject, Root: root}); !isRefused(err) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := ReadFile(File{Path: outside, Source: SourceProject}); !isRefused(err) {
		t.Errorf("no root: %v", err)
	}
}

func TestS24_RootMayItselfBeALink(t *testing.T) {
	t.Parallel()
	target := t.TempDir()
	write(t, filepath.Join(target, "c.json"), "inside")
	link(t, filepath.Join(target, "c.json"), filepath.Join(target, ProjectFileName))
	root := filepath.Join(t.TempDir(), "l")
	link(t, target, root)
	if text, err := ReadFile(projectFile(root)); err != nil || string(text) != "inside" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestUserFile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the table holds Linux paths")
	}
	tests := []struct {
		variables  map[string]string
		home, want string
	}{
		{map[string]string{"PILLION_MCP_CONFIG": "/c/m.json", "PILLION_CONFIG_DIR": "/d"}, "/h", "/c/m.json"},
		{map[string]string{"PILLION_CONFIG_DIR": "/d", "XDG_CONFIG_HOME": "/x"}, "/h", "/d/mcp.json"},
		{map[string]string{"XDG_CONFIG_HOME": "/x"}, "/h", "/x/pillion/mcp.json"},
		{map[string]string{"XDG_CONFIG_HOME": "x", "PILLION_MCP_CONFIG": ""}, "/h", "/h/.config/pillion/mcp.json"},
		{nil, "/h", "/h/.config/pillion/mcp.json"},
		{nil, "", ""},
		{map[string]string{"PILLION_MCP_CONFIG": "m.json"}, "/h", ""},
		{map[string]string{"PILLION_CONFIG_DIR": "./d"}, "/h", ""},
	}
	for _, test := range tests {
		got, err := UserFile(lookupIn(test.variables), test.home)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%v: %q, %v", test.variables, got, err)
		}
	}
}

func TestUserConfigFolder(t *testing.T) {
	t.Parallel()
	lookup := lookupIn(map[string]string{"APPDATA": `C:\A`, "XDG_CONFIG_HOME": "/x"})
	for system, want := range map[string]string{"windows": `C:\A`, "darwin": filepath.Join("/h", "Library", "Application Support"), "freebsd": "/x"} {
		if got := userConfigFolder(system, lookup, "/h"); got != want {
			t.Errorf("%s: %q", system, got)
		}
	}
}

func TestS3_UserFileInsideAWorkspaceIsRefused(t *testing.T) {
	t.Parallel()
	root, home := t.TempDir(), t.TempDir()
	write(t, filepath.Join(root, "mcp.json"), "{}")
	write(t, filepath.Join(home, "own.json"), "{}")
	link(t, filepath.Join(root, "mcp.json"), filepath.Join(home, "mcp.json"))
	link(t, root, filepath.Join(home, "ws"))
	for _, path := range []string{filepath.Join(root, "mcp.json"), filepath.Join(root, "none/mcp.json"), filepath.Join(home, "mcp.json"), filepath.Join(home, "ws/none.json")} {
		if err := CheckUserFile(path, []string{"/elsewhere", root}); !isRefused(err) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := CheckUserFile(filepath.Join(home, "own.json"), []string{root}); err != nil {
		t.Error(err)
	}
}

func TestSameProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "pillion"), "x")
	write(t, filepath.Join(dir, "other"), "x")
	link(t, "pillion", filepath.Join(dir, "alias"))
	for name, want := range map[string]bool{"pillion": true, "alias": true, "other": false, "none": false} {
		if got := SameProgram(filepath.Join(dir, name), filepath.Join(dir, "pillion")); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
