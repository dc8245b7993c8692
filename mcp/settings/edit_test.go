package settings

import (
	"strings"
	"testing"
)

func TestEdit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                  "{\n  \"browserAuto\": true\n}\n",
		"{}":                "{\n  \"browserAuto\": true\n}",
		"{\n}\n":            "{\n  \"browserAuto\": true\n}\n",
		`{"ask": "prompt"}`: "{\n  \"browserAuto\": true,\"ask\": \"prompt\"}",
		"// {mine}\n{\n  \"ask\": \"prompt\", // so\n}\n":             "// {mine}\n{\n  \"browserAuto\": true,\n  \"ask\": \"prompt\", // so\n}\n",
		"{\n  \"browserAuto\" : false, // no\n  \"trusted\": true\n}": "{\n  \"browserAuto\": true, // no\n  \"trusted\": true\n}",
		"{ /* nothing */ }": "{\n  \"browserAuto\": true\n /* nothing */ }",
	} {
		got, err := Edit([]byte(text), BrowserAuto, "true")
		if err != nil || string(got) != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
		given, findings, ok := FromFile("f", got)
		if !ok || len(findings) > 0 || !Resolve(given...).Bool(BrowserAuto) || strings.Contains(text, "ask") != (Resolve(given...).Word(Ask) == AskByPrompt) {
			t.Errorf("%q: %v, %v", got, findings, ok)
		}
	}
	for _, text := range []string{"[]", "{", `{"trusted":true,"trusted":false}`, "\xff"} {
		if got, err := Edit([]byte(text), BrowserAuto, "true"); err == nil {
			t.Errorf("%q was made %q", text, got)
		}
	}
}
