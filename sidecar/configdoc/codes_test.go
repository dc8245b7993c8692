package configdoc

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every code that mcp/config gives stands in an archive, or here with the reason why it cannot.
func TestMarkersKnowEveryCode(t *testing.T) {
	elsewhere := map[string]string{
		"encoding": "an archive is UTF-8", "too-large": "an archive is small", "narrows-only": "it is nothing to say, and only keeps the entry from running",
		"no-folder": "it is found where an entry is expanded", "env-file": "it is found where an entry is expanded", "cwd": "it is found where an entry is expanded",
	}
	source, err := os.ReadFile("../../mcp/config/finding.go")
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range archives {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		said.Write(text)
	}
	codes := regexp.MustCompile(`Code\w+ += "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(codes) < 30 {
		t.Fatalf("%d codes", len(codes))
	}
	for _, code := range codes {
		isThere := regexp.MustCompile(`(?m)^diagnostic \S+ \w+ ` + code[1] + ":").MatchString(said.String())
		if elsewhere[code[1]] == "" && !isThere {
			t.Errorf("no archive has a diagnostic of the code %s", code[1])
		}
	}
	for _, code := range []string{"program-not-found", "script-not-found", "needs-permission", "blocked", "shadowed", "tools-changed", "problem-exited", "other-program"} {
		if !strings.Contains(said.String(), " "+code+":") {
			t.Errorf("no archive has a diagnostic of the code %s", code)
		}
	}
}
