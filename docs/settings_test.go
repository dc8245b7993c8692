package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pillion/mcp/settings"
)

// TestEveryVariableIsDeclared holds that the program reads no variable of its own that is no declared setting, and that a
// declared place is read under the name that it is declared with.
func TestEveryVariableIsDeclared(t *testing.T) {
	declared := map[string]bool{}
	for _, s := range settings.All() {
		if s.Has(settings.Environment) {
			declared[s.Variable()] = true
		}
	}
	// They mark what Pillion starts, or are for its tests and measurements; no user sets them.
	internal := regexp.MustCompile(`^PILLION_(CONNECTOR|DEMO_DIR|BROWSER_\w+|DEV_CACHE|LEGS|FAKE_\w+)$`)
	literal := regexp.MustCompile(`"(PILLION_[A-Z_]+)"`)
	read := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, found := range literal.FindAllStringSubmatch(string(text), -1) {
			name := found[1]
			read[name] = true
			if !declared[name] && !internal.MatchString(name) {
				t.Errorf("%s reads %s, which is no declared setting", path, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []settings.Name{settings.ConfigFolder, settings.StateFolder, settings.CacheFolder, settings.ConnectorFile} {
		if s, _ := settings.Lookup(name); !read[s.Variable()] {
			t.Errorf("nothing reads %s", s.Variable())
		}
	}
}
