package settings

import (
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestDeclarationsAreWhole(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	once := func(kind, text string) {
		if owner, isTaken := seen[kind+text]; isTaken {
			t.Errorf("%s %s stands for %s too", kind, text, owner)
		}
		seen[kind+text] = text
	}
	for _, s := range All() {
		once("name", string(s.Name))
		once("variable", s.Variable())
		once("flag", s.Flag())
		if s.Owner == 0 || s.Kind == 0 || len(s.From) == 0 {
			t.Errorf("%s: owner %d, kind %d, from %v", s.Name, s.Owner, s.Kind, s.From)
		}
		if !strings.HasSuffix(s.Line, ".") || strings.Count(s.Line, ". ") > 0 {
			t.Errorf("%s: the line is no sentence: %q", s.Name, s.Line)
		}
		if (s.Paragraph == "") != s.IsAhead || s.Paragraph != "" && !strings.HasSuffix(s.Paragraph, ".") {
			t.Errorf("%s: the paragraph is %q", s.Name, s.Paragraph)
		}
		if _, faults := s.Decode([]byte(s.Default)); s.Default != "" && len(faults) > 0 {
			t.Errorf("%s: the default %s: %v", s.Name, s.Default, faults)
		}
		if (s.Kind == Word) != (len(s.Choices) > 0) {
			t.Errorf("%s: kind %d with the words %v", s.Name, s.Kind, s.Words())
		}
		if s.IsTrust && !s.Has(s.Granter()) || !s.IsTrust && s.Narrows != NoDirection {
			t.Errorf("%s: trust %v, granter %s, narrows %d", s.Name, s.IsTrust, s.Granter(), s.Narrows)
		}
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	if s, ok := Lookup(LogLevel); !ok || s.Variable() != "PILLION_LOG" || s.Flag() != "log-level" {
		t.Errorf("%v %+v", ok, s)
	}
	if s, ok := Lookup(TrustReadOnly); !ok || s.Variable() != "PILLION_TRUST_READ_ONLY" || s.Flag() != "trust-read-only" {
		t.Errorf("%v %+v", ok, s)
	}
	if s, ok := Lookup(Format); !ok || s.Variable() != "PILLION_FORMAT" || s.Flag() != "format-files" {
		t.Errorf("%v %+v", ok, s)
	}
	if _, ok := Lookup("Ask"); ok {
		t.Error("a name in another case is known")
	}
	for misspelt, want := range map[string]Name{"notification": Notifications, "log_level": LogLevel, "calltimeout": CallTimeout, "colour": ""} {
		if got, ok := Suggest(misspelt); got != want || ok != (want != "") {
			t.Errorf("%s: %q", misspelt, got)
		}
	}
}

func TestWhatIsReturnedIsTheCallers(t *testing.T) {
	t.Parallel()
	All()[0].Name = "changed"
	if All()[0].Name == "changed" {
		t.Error("a caller changed the declarations")
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name Name
		text string
		want string // the value as a file writes it
		bad  string // else the fault
	}{
		{Trusted, `true`, `true`, ""},
		{Trusted, ` /* no */ false // never`, `false`, ""},
		{Trusted, `"true"`, "", "is a string"},
		{Trusted, `null`, "", "is null"},
		{Ask, `"prompt"`, `"prompt"`, ""},
		{Ask, `"Prompt"`, "", "is none of the words it can be"},
		{Ask, `true`, "", "is none of the words it can be"},
		{Ask, `tru`, "", "is not JSON"},
		{Ask, ``, "", "is not JSON"},
		{CallTimeout, `"90s"`, `"1m30s"`, ""},
		{CallTimeout, `1500`, `"1.5s"`, ""},
		{CallTimeout, `0.5`, `"500µs"`, ""},
		{CallTimeout, `"2h"`, `"2h"`, ""},
		{CallTimeout, `"1h30m"`, `"1h30m"`, ""},
		{CallTimeout, `0`, "", "is zero"},
		{IdleTimeout, `0`, `"0s"`, ""},
		{IdleTimeout, `-1`, "", "is not a duration that can be"},
		{IdleTimeout, `1e300`, "", "is not a duration that can be"},
		{IdleTimeout, `"9000h"`, "", "is not a duration that can be"},
		{IdleTimeout, `"5"`, "", "is not a duration that can be"},
		{IdleTimeout, `[5]`, "", "is an array"},
		{MaxConcurrent, `1000`, `1000`, ""},
		{MaxConcurrent, `1001`, "", "cannot be that"},
		{MaxConcurrent, `0`, "", "cannot be that"},
		{MaxConcurrent, `1.0`, "", "cannot be that"},
		{MaxConcurrent, `"4"`, "", "cannot be that"},
		{Tools, `["get_*", "/^a/", /* and */ "b",]`, `["get_*","/^a/","b"]`, ""},
		{Tools, `[]`, `[]`, ""},
		{Tools, `"a"`, "", "is a string"},
		{Tools, `["a", 1, "[b"]`, `["a"]`, `1: is a number; 2: is "[b", which is not a glob`},
		{InheritEnv, `["A=B"]`, `[]`, `0: is "A=B", which is not a name that can be`},
		{Description, `"a \"b\""`, `"a \"b\""`, ""},
		{Description, "\"a\xff\"", "", "is not JSON"},
		{Reconnect, `{ "attempts": 3, /* and */ "delay": "2s" }`, `{"attempts":3,"delay":"2s"}`, ""},
		{Reconnect, `{"attempts":-1}`, `{"attempts":-1}`, `of "attempts" cannot be that`},
		{Reconnect, `{"tries":1}`, `{"tries":1}`, `has "tries", which it knows nothing of`},
		{Reconnect, `1`, "", "is a number"},
		{ConfigFolder, `"relative"`, "", "is not an absolute path"},
		{Trace, `"relative"`, `"relative"`, ""},
	}
	for _, test := range tests {
		value, faults := declared(test.name).Decode([]byte(test.text))
		var said []string
		for _, fault := range faults {
			if fault.Item >= 0 {
				said = append(said, strconv.Itoa(fault.Item)+": "+fault.Message)
			} else {
				said = append(said, fault.Message)
			}
		}
		if bad := strings.Join(said, "; "); bad != test.bad {
			t.Errorf("%s: %s: %q, want %q", test.name, test.text, bad, test.bad)
		}
		if test.want == "" {
			test.want = "null"
		}
		if string(value.JSON()) != test.want {
			t.Errorf("%s: %s: %s, want %s", test.name, test.text, value.JSON(), test.want)
		}
	}
}

// What a value is written as reads as that value again.
func TestValuesSurviveWriting(t *testing.T) {
	t.Parallel()
	for _, s := range All() {
		for _, v := range samples(s) {
			again, faults := s.Decode(v.JSON())
			if len(faults) > 0 || !again.Equal(v) {
				t.Errorf("%s: %s reads as %s, %v", s.Name, v, again, faults)
			}
		}
	}
}

func TestDecodeWord(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name Name
		word string
		want string
	}{
		{Trusted, "false", "false"}, {Trusted, "no", "unset"}, {Ask, "prompt", `"prompt"`}, {Ask, `"prompt"`, "unset"},
		{CallTimeout, "90s", `"1m30s"`}, {CallTimeout, "1500", `"1.5s"`}, {CallTimeout, "soon", "unset"},
		{MaxConcurrent, "4", "4"}, {MaxConcurrent, "four", "unset"}, {Tools, "a,b*", `["a","b*"]`}, {Tools, "", "[]"},
	} {
		if v, faults := declared(test.name).DecodeWord(test.word); v.String() != test.want || v.IsSet() == (len(faults) > 0) {
			t.Errorf("%s: %q: %s %v", test.name, test.word, v, faults)
		}
	}
}

func TestNameListsKeepWhatIsGood(t *testing.T) {
	t.Parallel()
	v, faults := declared(ToolTags).Decode([]byte(`{"a": ["x", "y"], "b*": [], "c": "z", "d": [1, "w"]}`))
	want := map[string][]string{"a": {"x", "y"}, "b*": {}, "d": {"w"}}
	if !maps.EqualFunc(v.Lists(), want, slices.Equal) || len(faults) != 2 {
		t.Errorf("%v, %v", v.Lists(), faults)
	}
}

// samples are values that a setting can have, all different.
func samples(s Setting) []Value {
	var texts []string
	switch s.Kind {
	case Bool:
		texts = []string{`true`, `false`}
	case Text:
		texts = []string{`"a"`, `"b"`}
	case Word:
		for _, word := range s.Words() {
			texts = append(texts, string(quote(word)))
		}
	case Duration:
		texts = []string{`"1s"`, `90000`, `"2h"`}
	case Count, Bytes:
		texts = []string{`1`, `7`, `1000`}
	case Names, Patterns:
		texts = []string{`[]`, `["a"]`, `["b"]`, `["a","b"]`}
	case Path, File:
		texts = []string{string(quote(somePath())), string(quote(somePath() + "2"))}
	case NameLists:
		texts = []string{`{}`, `{"a":["b"]}`}
	case Object:
		texts = []string{`{}`, `{"attempts":1}`}
	}
	var values []Value
	for _, text := range texts {
		v, _ := s.Decode([]byte(text))
		values = append(values, v)
	}
	return values
}

func somePath() string {
	if os.PathSeparator == '\\' {
		return `C:\pillion`
	}
	return "/pillion"
}

// The leaf costs nothing at the start of a program that links it.
func TestInitIsCheap(t *testing.T) {
	if os.Getenv("GODEBUG") == "inittrace=1" {
		return
	}
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(executable, "-test.run=^$")
	command.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "init ") {
		t.Fatalf("%v\n%s", err, out)
	}
	found := regexp.MustCompile(`(?m)^init pillion/mcp/settings @.*, ([0-9.]+) ms clock, ([0-9]+) bytes, ([0-9]+) allocs`).FindStringSubmatch(string(out))
	if found == nil {
		return // it has nothing to do
	}
	if allocs, _ := strconv.Atoi(found[3]); allocs > 20 {
		t.Errorf("the package's init makes %d allocations: %s", allocs, found[0])
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"start", "startTimeout", "tools"}
	for key, want := range map[string]string{"Start": "start", "start_timeout": "startTimeout", "tolos": "tools", "x": "", strings.Repeat("a", 40): ""} {
		if got, ok := Nearest(key, known); got != want || ok != (want != "") {
			t.Errorf("%s: %q", key, got)
		}
	}
	if slices.Contains(known, "") {
		t.Error("the list was changed")
	}
}
