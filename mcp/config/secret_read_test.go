package config

import (
	"slices"
	"strings"
	"testing"
)

func TestS11_WhichReferencesAreSecrets(t *testing.T) {
	t.Parallel()
	namesSecret := func(name string) bool { return strings.Contains(strings.ToLower(name), "token") }
	for text, want := range map[string][]string{
		`{"command":"x","env":{"A":"${TOKEN}","B":"${PLAIN}"}}`:                              {"TOKEN"},
		`{"command":"x","env":{"MY_TOKEN":"${A}-${B:-c}"}}`:                                  {"A", "B"},
		`{"command":"x","args":["--token","${A}","${B}","--token=${C}","-v","${D}"]}`:        {"A", "C"},
		`{"command":"x","args":["--level=1","${A}"]}`:                                        nil,
		`{"type":"http","url":"https://h/${TOKEN}","headers":{"X-Token":"Bearer ${A}"}}`:     {"A", "TOKEN"},
		`{"command":"${CLAUDE_PROJECT_DIR}/x","env":{"TOKEN":"${CLAUDE_PROJECT_DIR}"}}`:      nil,
		`{"command":"x","env":{"A":"literal","TOKEN":"$HOME"},"args":["--token","literal"]}`: nil,
	} {
		e := projectEntryOf(t, text)
		if got := e.SecretReads(namesSecret); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
