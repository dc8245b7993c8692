package settings

import (
	"slices"
	"strings"
	"testing"
)

func TestFromFile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		what, text string
		given      string // name=value@line, in order
		said       string // code and the text that it points at
		ok         bool
	}{
		{"nothing", ``, "", "", true},
		{"comments alone", "// none yet\n", "", "", true},
		{"JSON with comments", "\ufeff{\r\n  // at once\r\n  \"ask\": \"prompt\",\r\n}\r\n", `ask="prompt"@3`, "", true},
		{"schema", `{"$schema": "x", "trusted": false}`, `trusted=false@1`, "", true},
		{"misspelt", `{"notification": "none"}`, "", `unknown-key "notification"`, true},
		{"unknown", `{"colour": 1}`, "", `unknown-key "colour"`, true},
		{"bad word", `{"ask": "always", "logLevel": "debug"}`, `logLevel="debug"@1`, `bad-value "ask": "always"`, true},
		{"trust that cannot be read", `{"trusted": "yes"}`, `trusted=false@1`, `wrong-type "trusted": "yes"`, true},
		{"not for this file", `{"callTimeout": "1m"}`, `callTimeout="1m"@1`, `refused "callTimeout": "1m"`, true},
		{"trust of an entry", `{"trustReadOnly": true}`, `trustReadOnly=true@1`, `refused "trustReadOnly": true`, true},
		{"twice", `{"ask": "prompt", "ask": "command"}`, "", "syntax", false},
		{"twice below", `{"reconnect": {"a": 1, "a": 2}}`, "", "syntax", false},
		{"cut", `{"ask": "prompt"`, "", "syntax", false},
		{"two", `{} {}`, "", "syntax", false},
		{"a list", `[]`, "", "syntax", false},
		{"not UTF-8", "{\"ask\": \"\xff\"}", "", "syntax", false},
	}
	for _, test := range tests {
		given, findings, ok := FromFile("settings.json", []byte(test.text))
		if got := list(given); got != test.given || ok != test.ok {
			t.Errorf("%s: %s, %v", test.what, got, ok)
		}
		said := ""
		for _, f := range findings {
			said += f.Code
			if f.Code != CodeSyntax {
				said += " " + test.text[f.Start:f.End]
			}
		}
		if said != test.said {
			t.Errorf("%s: said %s, want %s: %v", test.what, said, test.said, findings)
		}
	}
}

func list(given []Given) string {
	var all []string
	for _, g := range given {
		text := string(g.Name) + "=" + g.Value.String()
		if _, line, ok := strings.Cut(g.Where, ":"); ok {
			text += "@" + line
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

func TestFromObject(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, given string
		findings    int
	}{
		{``, "", 0},
		{`null`, "", 0},
		{`{}`, "", 0},
		{`{"other":{"tool":1},"ask":null,"trusted":null}`, "", 0},
		{`{"trusted":true,"ask":"prompt","notifications":"none"}`, `trusted=true ask="prompt" notifications="none"`, 0},
		{`{"trusted":false}`, `trusted=false`, 0},
		{`{"serverPath":"","trusted":true}`, `trusted=true`, 0},
		{`{"trusted":"true"}`, `trusted=false`, 1},
		{`{"trusted":1}`, `trusted=false`, 1},
		{`{"Trusted":false}`, "", 1},
		{`{"ask":"Prompt","notifications":3}`, "", 2},
		{`[]`, `trusted=false browserAuto=false`, 1},
		{`"trusted"`, `trusted=false browserAuto=false`, 1},
		{`{"trusted":true,"trusted":true}`, `trusted=false browserAuto=false`, 1},
		{`{`, `trusted=false browserAuto=false`, 1},
		{`{"ask":"prompt", // no comments on the wire`, `trusted=false browserAuto=false`, 1},
	} {
		given, findings := FromObject(Initialize, []byte(test.text))
		if got := list(given); got != test.given || len(findings) != test.findings {
			t.Errorf("%s: %s, %v", test.text, got, findings)
		}
	}
}

func TestFromEnvironment(t *testing.T) {
	t.Parallel()
	given, findings := FromEnvironment([]string{"PILLION_LOG=debug", "PILLION_ASK=", "PILLION_NOTIFICATIONS=loud", "PILLION_LOGS=x", "PILLION_TRUSTED=1",
		"PILLION_LOG=warn", "PILLION_TRUST_READ_ONLY=true"})
	if got, want := list(given), `trusted=false logLevel="warn" trustReadOnly=true`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if len(findings) != 2 || findings[0].Name != Notifications || !strings.Contains(findings[0].Text(), "PILLION_NOTIFICATIONS is none of the words") {
		t.Errorf("%v", findings)
	}
	if refusals := Resolve(given...).Refusals(); len(refusals) != 1 || refusals[0].Given.Name != TrustReadOnly {
		t.Errorf("%v", refusals)
	}
}

func TestFromFlags(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		arguments     []string
		given, others string
		bad           string
	}{
		{[]string{"--stdio", "--ask", "prompt", "--log-level=debug"}, `ask="prompt" logLevel="debug"`, "--stdio", ""},
		{[]string{"--no-trusted"}, `trusted=false`, "", ""},
		{[]string{"--trusted"}, `trusted=true`, "", ""},
		{[]string{"--trusted=false", "-ask"}, `trusted=false`, "-ask", ""},
		{[]string{"x", "--", "--ask", "prompt"}, ``, "x -- --ask prompt", ""},
		{[]string{"--trust-read-only"}, ``, "--trust-read-only", ""},
		{[]string{"--ask"}, "", "", "--ask has no value"},
		{[]string{"--ask=always"}, "", "", `--ask is none of the words it can be: write "command" or "prompt"`},
	} {
		given, others, err := FromFlags(test.arguments)
		if err != nil {
			if err.Error() != test.bad {
				t.Errorf("%v: %v", test.arguments, err)
			}
			continue
		}
		if list(given) != test.given || strings.Join(others, " ") != test.others || test.bad != "" {
			t.Errorf("%v: %s, others %v", test.arguments, list(given), others)
		}
	}
}

func TestFaultsHaveTheirPlace(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{\n\n  \"ask\": prompt\n}":                    "settings.json:3:10: this is not JSON",
		"{\n  \"a\": 1,\n  \"a\": 2\n}":                "settings.json:3:3: one name stands here twice",
		"{\n  \"reconnect\": {\"b\": 1,\n\"b\": 2}\n}": "settings.json:3:1: one name stands here twice",
		"{\n  \"ask\":":                                "settings.json:2:9: the text ends too early",
		"\n[]":                                         "settings.json:2:3: the text holds an array in place of an object",
		"{}\n{}":                                       "settings.json:2:2: something follows the object",
		"{\n\"ask\": 7}":                               `settings.json:2: ask is none of the words it can be, and has no effect: write "command" or "prompt"`,
		"{\n\"trusted\": 7}":                           "settings.json:2: trusted is a number, and counts as false: write true or false",
	} {
		_, findings, _ := FromFile("settings.json", []byte(text))
		if len(findings) != 1 || findings[0].Text() != want {
			t.Errorf("%q: %v", text, findings)
		}
	}
}

// FuzzFromFile holds that no text is a panic, that findings lie in it, and that what cannot be read never widens.
func FuzzFromFile(f *testing.F) {
	f.Add([]byte(`{"ask": "prompt", "trusted": false, /* x */ }`))
	f.Add([]byte(`{"trusted": "x", "tools": ["[", 1], "callTimeout": 1e9}`))
	f.Add([]byte("\ufeff{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		given, findings, ok := FromFile("settings.json", text)
		if !ok && (len(given) > 0 || len(findings) != 1) {
			t.Errorf("%q: %v %v", text, given, findings)
		}
		for _, finding := range findings {
			if finding.Start < 0 || finding.Start > finding.End || finding.End > len(text) {
				t.Errorf("%q: %+v", text, finding)
			}
		}
		object, more := FromObject(Initialize, text)
		if len(more) > 0 && slices.ContainsFunc(more, func(f Finding) bool { return f.Code == CodeSyntax }) && Resolve(object...).Bool(Trusted) {
			t.Errorf("%q: cannot be read, and is trusted", text)
		}
	})
}
