package connector

import (
	"runtime"
	"strings"
	"testing"
)

func TestS17_ACommandToPasteIsOneCommand(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("only words that mean nothing to any shell are shown there")
	}
	for line, words := range map[string][]string{
		"npx -y server@1.0":                  {"npx", "-y", "server@1.0"},
		"sh -c 'exit 3; rm -rf ~'":           {"sh", "-c", "exit 3; rm -rf ~"},
		`x 'it'\''s' '$(id)' '' '` + "`id`'": {"x", "it's", "$(id)", "", "`id`"},
		"":                                   {"x", "a\nb"},
	} {
		if got := shellLine(words); got != line {
			t.Errorf("%q is %s, not %s", words, got, line)
		}
	}
	if got := shellLine([]string{"x", strings.Repeat("a", maxReasonBytes)}); got != "" {
		t.Errorf("a part of a line: %s", got)
	}
}
