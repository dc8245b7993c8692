package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWhatSecurityNamesIsThere holds that every test that security.md names is one, and that make redteam plays it.
func TestWhatSecurityNamesIsThere(t *testing.T) {
	page, err := os.ReadFile("security.md")
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile(filepath.Join("..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	_, played, _ := strings.Cut(string(makefile), "-tests redteam go test")
	played, _, _ = strings.Cut(played, "\n\n")
	declared := map[string]string{} // the folders, by the test
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err = filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range function.FindAllStringSubmatch(string(text), -1) {
			declared[found[1]] = strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(page), -1)
	if len(named) < 20 {
		t.Errorf("it names %d tests", len(named))
	}
	for _, found := range named {
		folder, isDeclared := declared[found[1]]
		top, _, _ := strings.Cut(folder, "/")
		isPlayed := strings.Contains(played, "./"+folder+" ") || strings.Contains(played, "./"+top+"/...")
		if !isDeclared || !isPlayed {
			t.Errorf("%s is declared: %t; make redteam plays %q: %t", found[1], isDeclared, folder, isPlayed)
		}
	}
}
