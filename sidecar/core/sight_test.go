package core

import (
	"os"
	"path/filepath"
	"testing"

	"pillion/mcp/config"
)

func put(t *testing.T, mode os.FileMode, text string, parts ...string) string {
	t.Helper()
	path := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestS24_AFileBehindALinkOutIsNotLookedAt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	put(t, 0o644, "", root, "there.js")
	if err := os.Symlink(dir, filepath.Join(root, "out")); err != nil {
		t.Skip(err)
	}
	for name, want := range map[string]bool{
		"there.js": true, "gone.js": false, filepath.Join("no", "such.js"): false,
		filepath.Join("out", "gone.js"): true, filepath.Join("..", "gone.js"): true, // nothing is said of what is not looked at
	} {
		if got := HasFile(root, name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestInstalledVersionIsTheNewestOfTheCache(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	put(t, 0o644, `{"version": "1.2.3"}`, home, ".npm", "_npx", "aa", "node_modules", "@scope", "x", "package.json")
	c := &Core{environ: []string{"HOME=" + home}}
	for name, want := range map[string]string{"@scope/x": "1.2.3", "y": "", "../../x": "", "": ""} {
		if got := c.InstalledVersion(config.Package{Runner: "npx", Name: name}); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := c.InstalledVersion(config.Package{Runner: "docker", Name: "@scope/x"}); got != "" {
		t.Errorf("docker: %q", got)
	}
}
