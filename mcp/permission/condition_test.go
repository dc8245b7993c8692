package permission

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// disk is a file system of folders without links but for those it names.
type disk map[string]string // where a link leads, by its path

func (d disk) Real(path string) (string, bool) {
	for link, to := range d {
		if path == link || strings.HasPrefix(path, link+string(filepath.Separator)) {
			return to + strings.TrimPrefix(path, link), to != ""
		}
	}
	return path, true
}

func (d disk) IsLink(path string) bool { _, isLink := d[path]; return isLink }

// abs is a path as this system writes it.
func abs(path string) string {
	if filepath.Separator == '\\' {
		return `C:` + filepath.FromSlash(path)
	}
	return path
}

func quoted(text string) string {
	raw, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func TestE10_Equals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path, equals, arguments string
		want                    bool
	}{
		{"/a", `"x"`, `{"a":"x"}`, true},
		{"/a", `"x"`, `{"a":"\u0078"}`, true},
		{"/a", `"\u0078"`, `{"b":1,"a":"x"}`, true},
		{"/a", `"x"`, `{"a":"X"}`, false},
		{"/a", `"x"`, `{"a":"x "}`, false},
		{"/a", `"x"`, `{"A":"x"}`, false},
		{"/a", `"x"`, `{}`, false},
		{"/a", `"x"`, `{"a":["x"]}`, false},
		{"/a", `"x"`, `{"a":{"":"x"}}`, false},
		{"/a", `"5"`, `{"a":5}`, false},
		{"/a", `5`, `{"a":"5"}`, false},
		{"/a", `5`, `{"a":5}`, true},
		{"/a", `1`, `{"a":1.0}`, false},
		{"/a", `9007199254740992`, `{"a":9007199254740993}`, false},
		{"/a", `9007199254740993`, `{"a":9007199254740993}`, true},
		{"/a", `true`, `{"a":true}`, true},
		{"/a", `true`, `{"a":false}`, false},
		{"/a", `null`, `{"a":null}`, true},
		{"/a", `null`, `{}`, false},
		{"/a", `""`, `{"a":""}`, true},
		{"/a/b", `1`, `{"a":{"c":2,"b":1}}`, true},
		{"/a/1/b", `1`, `{"a":[0,{"b":1}]}`, true},
		{"/a/01/b", `1`, `{"a":[0,{"b":1}]}`, false},
		{"/a/-", `1`, `{"a":[1]}`, false},
		{"/a~1b/c~0d", `1`, `{"a/b":{"c~d":1}}`, true},
		{"/~01", `1`, `{"~1":1}`, true},
		{"/", `1`, `{"":1}`, true},
		{"/a/", `1`, `{"a":{"":1}}`, true},
		{"/a", `1`, `{"a":1,"a":1}`, false},
		{"/a", `1`, `{"a":1,"b":{"c":1,"c":2}}`, false},
		{"/a", `1`, `{"a":1}x`, false},
		{"/a", `1`, `{"a":1`, false},
		{"/0", `1`, `[1]`, false},
		{"/a", `1`, ``, false},
	} {
		c := []Condition{{Path: test.path, Equals: jsontext.Value(test.equals)}}
		if _, err := CheckConditions(c, disk{}); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		if got := Hold(c, []byte(test.arguments), disk{}); got != test.want {
			t.Errorf("%s equals %s of %s: %v", test.path, test.equals, test.arguments, got)
		}
	}
}

func TestE10_Glob(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		glob, text string
		want       bool
	}{
		{"*.md", "x.md", true}, {"*.md", "a/x.md", false}, {"**/*.md", "a/b/x.md", true}, {"*.md", "x.MD", false}, {"*.md", "x.md.exe", false},
		{"docs/**", "docs/a/b", true}, {"docs/**", "docs/../secret", false}, {"docs/**", `docs\..\secret`, false}, {"docs/**", "docs/..", false},
		{"docs/**", "docs/a..b", true}, {"feature/*", "feature/x", true}, {"feature/*", "main", false}, {"{a,b}", "b", true}, {"a", "a\x00", false},
	} {
		if got := Hold([]Condition{{Path: "/a", Glob: test.glob}}, []byte(`{"a":`+quoted(test.text)+`}`), nil); got != test.want {
			t.Errorf("%q of %q: %v", test.glob, test.text, got)
		}
	}
	if Hold([]Condition{{Path: "/a", Glob: "*"}}, []byte(`{"a":5}`), nil) {
		t.Error("a number matches a glob")
	}
}

func TestE10_Under(t *testing.T) {
	t.Parallel()
	d := disk{abs("/w/docs/out"): abs("/etc"), abs("/w/link"): abs("/w/docs"), abs("/w/dangling"): "", abs("/w/docs/gone"): ""}
	checked, err := CheckConditions([]Condition{{Path: "/path", Under: abs("/w/docs/")}}, d)
	if err != nil || checked[0].Under != abs("/w/docs") {
		t.Fatalf("%+v, %v", checked, err)
	}
	for _, test := range []struct {
		path string
		want bool
	}{
		{abs("/w/docs"), true}, {abs("/w/docs/"), true}, {abs("/w/docs/a/b.md"), true}, {abs("/w/docs/..."), true},
		{abs("/w/docs/../x"), false}, {abs("/w/docs/a/../b"), false}, {abs("/w/docs/./b"), false}, {abs("/w/docs//b"), false},
		{abs("/w/docsx"), false}, {abs("/w"), false}, {abs("/"), false}, {abs("/W/Docs/a"), false}, {abs("/w/Docs/a"), false},
		{"docs/a", false}, {"a", false}, {"", false}, {".", false}, {"~/docs", false}, {"file:///w/docs/a", false},
		{abs("/w/docs/out"), false}, {abs("/w/docs/out/passwd"), false}, {abs("/w/docs/gone"), false}, {abs("/w/link/a"), false},
		{abs("/w/docs/a") + "\x00", false}, {abs("/w/docs/" + strings.Repeat("x", maxPathBytes)), false},
	} {
		if got := Hold(checked, []byte(`{"path":`+quoted(test.path)+`}`), d); got != test.want {
			t.Errorf("%q: %v", test.path, got)
		}
	}
	inside := []byte(`{"path":` + quoted(abs("/w/docs/a")) + `}`)
	if Hold(checked, inside, disk{abs("/w/docs"): abs("/etc")}) {
		t.Error("the folder has become a link to another one")
	}
	if Hold(checked, inside, nil) || Hold(checked, nil, d) {
		t.Error("it holds of nothing")
	}
	throughLink, err := CheckConditions([]Condition{{Path: "/path", Under: abs("/w/link")}}, d)
	if err != nil || !Hold(throughLink, []byte(`{"path":`+quoted(abs("/w/link/a"))+`}`), d) {
		t.Errorf("a folder that was given by a link: %+v, %v", throughLink, err)
	}
}

func TestE10_ConditionsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, c := range []Condition{
		{}, {Path: "/a"}, {Path: "/a", Glob: "*", Equals: jsontext.Value(`1`)}, {Path: "/a", Glob: "*", Under: abs("/w")},
		{Path: "", Glob: "*"}, {Path: "a", Glob: "*"}, {Path: "/a~", Glob: "*"}, {Path: "/a~2", Glob: "*"}, {Path: "/a", Glob: "["},
		{Path: "/a", Equals: jsontext.Value(`{}`)}, {Path: "/a", Equals: jsontext.Value(`[]`)}, {Path: "/a", Equals: jsontext.Value(`x`)},
		{Path: "/a", Under: "docs"}, {Path: "/a", Under: "."}, {Path: "/a", Under: abs("/gone")}, {Path: "/a", Glob: strings.Repeat("x", maxConditionBytes)},
	} {
		_, err := CheckConditions([]Condition{c}, disk{abs("/gone"): ""})
		var wrong *ConditionError
		if !errors.As(err, &wrong) || wrong.Path != c.Path {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := CheckConditions(make([]Condition, maxConditions+1), disk{}); err == nil {
		t.Error("any number of conditions is taken")
	}
}

// conditional is a rule that allows the tool of writing on a condition.
func conditional() Rule {
	return rule(allow(), func(r *Rule) { r.Where = []Condition{{Path: "/a", Equals: jsontext.Value(`1`)}} })
}

func TestE10_ARuleHoldsOfSuchArgumentsAlone(t *testing.T) {
	t.Parallel()
	with := func(arguments string) Subject {
		return subject(writing(), func(s *Subject) { s.Arguments = []byte(arguments) })
	}
	check(t, []judgement{
		{name: "such", rules: []Rule{conditional()}, subject: with(`{"a":1}`), want: Auto, by: ByRule, reason: "arguments such as these"},
		{name: "others", rules: []Rule{conditional()}, subject: with(`{"a":2}`), want: Ask, reason: "other arguments"},
		{name: "no call", rules: []Rule{conditional()}, subject: writing(), want: Ask, reason: "other arguments"},
		{name: "two conditions", rules: []Rule{rule(conditional(), func(r *Rule) {
			r.Where = append(r.Where, Condition{Path: "/b", Equals: jsontext.Value(`1`)})
		})}, subject: with(`{"a":1}`), want: Ask},
		{name: "another rule allows it", rules: []Rule{conditional(), allow()}, subject: with(`{"a":2}`), want: Auto, by: ByRule},
		{name: "refused", rules: []Rule{conditional(), {ID: "n", Source: "project", Root: "/w", Connector: "c", Tool: "t", Decision: RuleDeny, Scope: ScopeProject}}, subject: with(`{"a":1}`), want: Deny, by: ByRule},
		{name: "changed tool", rules: []Rule{conditional()}, subject: subject(with(`{"a":1}`), func(s *Subject) { s.ToolHash = "h9" }), want: Ask, reason: "has changed"},
		{name: "plan", mode: ModePlan, rules: []Rule{conditional()}, subject: with(`{"a":1}`), want: Deny, by: ByMode},
	})
}

func TestE10_TheStoreKeepsConditions(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	s := window(t, dir)
	first := mustAdd(t, s, conditional())
	second := mustAdd(t, s, rule(conditional(), func(r *Rule) { r.Where = []Condition{{Path: "/b", Glob: "x*"}} }))
	again := mustAdd(t, s, conditional())
	if got := ids(window(t, dir).Rules()); len(got) != 2 || got[0] != again.ID || got[1] != second.ID || first.ID == again.ID {
		t.Errorf("kept: %q", got)
	}
	for name, change := range map[string]func(*Rule){
		"refusal":            func(r *Rule) { r.Decision = RuleDeny },
		"asking":             func(r *Rule) { r.Decision = RuleAsk },
		"all tools":          func(r *Rule) { r.Tool = "" },
		"none in a list":     func(r *Rule) { r.Where = []Condition{} },
		"folder not checked": func(r *Rule) { r.Where = []Condition{{Path: "/a", Under: abs("/w")}} },
	} {
		if got, err := s.Add(t.Context(), rule(conditional(), change)); err == nil {
			t.Errorf("%s: %+v was taken", name, got)
		}
	}
}

// A condition never holds of a path that leaves its folder, however it is spelt.
func TestE10_NoSpellingLeavesTheFolder(t *testing.T) {
	t.Parallel()
	if filepath.Separator != '/' {
		t.Skip("the spellings are those of slashes")
	}
	checked, err := CheckConditions([]Condition{{Path: "/p", Under: "/w/d"}}, disk{})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"w", "d", "..", ".", "", "D", "x", "/"}), 0, 8).Draw(t, "parts")
		text := strings.Join(parts, "/")
		if Hold(checked, []byte(`{"p":`+quoted(text)+`}`), disk{}) {
			clean := filepath.Clean(text)
			if clean != "/w/d" && !strings.HasPrefix(clean, "/w/d/") || strings.Contains(text, "..") {
				t.Fatalf("%q lies in /w/d", text)
			}
		}
	})
}

func FuzzE10_Hold(f *testing.F) {
	f.Add("/a/0", `{"a":["x"]}`)
	f.Add("/a~1b", `{"a/b":1,"c":{"d":[]}}`)
	f.Fuzz(func(t *testing.T, path, arguments string) {
		value := valueAt([]byte(arguments), path)
		if len(value) == 0 {
			return
		}
		if _, err := CheckArguments([]byte(arguments)); err != nil {
			t.Fatalf("%q has a value at %q: %s, though %v", arguments, path, value, err)
		}
		if !strings.Contains(arguments, string(value)) {
			t.Fatalf("%q at %q: %s", arguments, path, value)
		}
	})
}

// What a call's judgement costs among a thousand rules; it must stay below 10 µs, a twentieth of a call.
func BenchmarkJudgeThousandRules(b *testing.B) {
	s := manyRules(b)
	call := subject(writing(), func(s *Subject) { s.Arguments = []byte(`{"path":"/w/docs/x.md","limit":10}`) })
	b.ReportAllocs()
	for b.Loop() {
		rules, health := s.RulesConcerning(call.Connector, call.Tool)
		if v := Judge(rules, ModeAsk, call, health == nil); v.Decision != Auto {
			b.Fatal(v)
		}
	}
}

// manyRules is a store with rules of many connectors, of which the oldest allows the call of writing.
func manyRules(t testing.TB) *Store {
	t.Helper()
	rules := []Rule{}
	for i := range 999 {
		r := rule(allow(), func(r *Rule) {
			r.ID, r.Connector, r.Tool = fmt.Sprint(i), fmt.Sprint("connector-", i/20), fmt.Sprint("tool-", i%20)
		})
		r.ToolHashes = map[string]string{r.Tool: "h1"}
		rules = append(rules, r)
	}
	s := window(t, filepath.Join(t.TempDir(), "state"))
	rules = append(rules, rule(allow(), func(r *Rule) { r.ID = "last" }))
	if err := s.kept.Change(t.Context(), func(file) file { return file{Rules: rules} }); err != nil {
		t.Fatal(err)
	}
	mustAdd(t, s, rule(allowAll(), func(r *Rule) { r.Scope, r.SessionID = ScopeSession, "another" }))
	return s
}

// about are the rules about all tools of a connector, as the index has them.
func about(s *Store, connector string) []Rule {
	kept := s.kept.Value().Rules
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.indexOf(kept).about[connector]
}

func TestS8_RulesAboutAConnectorAreAllThatConcernIt(t *testing.T) {
	t.Parallel()
	s := manyRules(t)
	concerning := func(connector, tool string) []Rule {
		rules, health := s.RulesConcerning(connector, tool)
		if health != nil {
			t.Error(health)
		}
		return rules
	}
	for _, connector := range []string{"c", "connector-7", "C", ""} {
		var want []string
		for _, r := range s.Rules() {
			if r.Connector == connector {
				want = append(want, r.ID)
			}
		}
		for range 2 {
			if got := ids(about(s, connector)); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%q: %q, want %q", connector, got, want)
			}
		}
	}
	for _, tool := range []string{"send", "", "Send", "*"} {
		var want []string
		for _, r := range about(s, "c") {
			if r.Tool == "" || r.Tool == tool {
				want = append(want, r.ID)
			}
		}
		for range 2 {
			if got := ids(concerning("c", tool)); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%q: %q, want %q", tool, got, want)
			}
		}
	}
	added := mustAdd(t, s, rule(allow(), func(r *Rule) { r.Connector = "connector-7" }))
	if got := concerning("connector-7", added.Tool); len(got) == 0 || got[0].ID != added.ID {
		t.Errorf("after an addition: %q", ids(got))
	}
	if got := about(s, "connector-7"); len(got) != 21 || got[0].ID != added.ID {
		t.Errorf("after an addition: %q", ids(got))
	}
	if err := s.Remove(t.Context(), added.ID); err != nil || len(about(s, "connector-7")) != 20 {
		t.Errorf("after a removal: %v", err)
	}
}
