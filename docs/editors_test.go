package docs

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the screens of the tests into editors.md")

// screenMark is what stands before the fence that holds a screen, by its name.
var screenMark = regexp.MustCompile("(?s)(<!-- screen: ([a-z-]+) -->\n```\n).*?(```\n)")

// TestScreensOfTheNeovimPlugin holds that the screens of editors.md are those that the plugin's tests compare real Neovims with.
func TestScreensOfTheNeovimPlugin(t *testing.T) {
	const page = "editors.md"
	before, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	after := screenMark.ReplaceAllStringFunc(string(before), func(found string) string {
		count++
		parts := screenMark.FindStringSubmatch(found)
		return parts[1] + pageOnScreen(t, parts[2]) + parts[3]
	})
	if count == 0 {
		t.Errorf("%s has no screen", page)
	}
	switch {
	case after == string(before):
	case *update:
		if err := os.WriteFile(page, []byte(after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("a screen of %s is not that of the tests: go test ./docs -run TestScreensOfTheNeovimPlugin -update", page)
	}
}

// pageOnScreen is the lower window of a kept screen: without the empty one above it, the command line and what fills up lines.
func pageOnScreen(t *testing.T, name string) string {
	t.Helper()
	kept, err := os.ReadFile(filepath.Join("..", "nvim-plugin", "tests", "screens", name))
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(kept), "\n\n") // the highlights follow
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		number, cells, isLine := strings.Cut(line, "|")
		if !isLine || strings.HasPrefix(number, "-") {
			continue
		}
		lines = append(lines, strings.TrimRight(cells, " "))
	}
	if len(lines) < 2 {
		t.Fatalf("the screen %s has no lines", name)
	}
	lines = lines[:len(lines)-1]
	for i, line := range lines {
		if strings.HasPrefix(line, "[No Name]") || strings.HasPrefix(line, "readme.md") || strings.HasPrefix(line, ".mcp.json") {
			lines = lines[i+1:]
			break
		}
	}
	return withoutRunsOfBlanks(lines)
}

func withoutRunsOfBlanks(lines []string) string {
	var out strings.Builder
	for i, line := range lines {
		if line == "" && i > 0 && lines[i-1] == "" {
			continue
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}
