package consent

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func files(sums ...string) map[string]string {
	all := map[string]string{}
	for _, one := range sums {
		path, sum, _ := strings.Cut(one, "=")
		all[path] = sum
	}
	return all
}

func TestS2_WhatAYesCovers(t *testing.T) {
	t.Parallel()
	given := Code{Ref: "main", Files: files("a.js=1", "package.json=1")}
	started := Code{Ref: "main", Files: given.Files, Program: "/usr/bin/node", Values: map[string]string{"args[0]": "a.js", "env.TOKEN": "s3cret-value"}}
	for _, test := range []struct {
		name    string
		covers  []Code // one after the other
		now     Code
		follows bool
		want    []string
	}{
		{name: "nothing changed", covers: []Code{given}, now: given},
		{name: "nothing was covered", now: given, want: []string{"checked-out branch", "a.js", "package.json"}},
		{name: "a named file", covers: []Code{given}, now: Code{Ref: "main", Files: files("a.js=2", "package.json=1")}, want: []string{"a.js"}},
		{name: "a new file", covers: []Code{given}, now: Code{Ref: "main", Files: files("a.js=1", "package.json=1", ".npmrc=1")}, want: []string{".npmrc"}},
		{name: "a file that is gone", covers: []Code{given}, now: Code{Ref: "main", Files: files("a.js=1")}, want: []string{"package.json"}},
		{name: "another branch", covers: []Code{given}, now: Code{Ref: "evil", Files: given.Files}, want: []string{"checked-out branch"}},
		{name: "followed", covers: []Code{given}, now: Code{Ref: "feature", Files: files("a.js=2")}, follows: true},
		{name: "back to what was allowed before", covers: []Code{given, {Ref: "feature", Files: files("a.js=2")}}, now: given},
		{name: "what was allowed on another branch", covers: []Code{given, {Ref: "feature", Files: files("a.js=2")}}, now: Code{Ref: "main", Files: files("a.js=2")}},
		{name: "a mixture of two", covers: []Code{given, {Ref: "main", Files: files("a.js=2", "package.json=2")}}, now: Code{Ref: "main", Files: files("a.js=2", "package.json=1")}, want: []string{"package.json"}},
		{name: "before the first start", covers: []Code{given}, now: started},
		{name: "after it", covers: []Code{started}, now: started},
		{name: "another program", covers: []Code{started}, now: Code{Ref: "main", Files: given.Files, Program: "/tmp/node", Values: started.Values}, want: []string{"program"}},
		{name: "another program though followed", covers: []Code{started}, now: Code{Program: "/tmp/node", Values: started.Values}, follows: true, want: []string{"program"}},
		{name: "another value", covers: []Code{started}, now: Code{Ref: "main", Files: given.Files, Program: started.Program, Values: map[string]string{"args[0]": "b.js", "env.TOKEN": "s3cret-value"}}, want: []string{"args[0]"}},
		{name: "not looked up yet", covers: []Code{started}, now: given},
		{name: "allowed again without a start", covers: []Code{started, given}, now: started},
	} {
		var c covered
		for _, code := range test.covers {
			c = c.and(code)
		}
		var got []string
		for _, difference := range c.differences(test.now, test.follows) {
			got = append(got, difference.Path)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestS2_ValuesAreKeptAsHashes(t *testing.T) {
	t.Parallel()
	code := Code{Program: "/usr/bin/node", Values: map[string]string{"env.TOKEN": "s3cret-value"}}
	a, _ := json.Marshal(covered{}.and(code))
	b, _ := json.Marshal(covered{}.and(code))
	if strings.Contains(string(a), "s3cret") || string(a) == string(b) {
		t.Errorf("kept as %s and %s", a, b)
	}
}

func TestS2_WhatIsRememberedIsBounded(t *testing.T) {
	t.Parallel()
	var c covered
	for i := range 3 * maxRefs {
		c = c.and(Code{Ref: fmt.Sprint(i), Files: files(fmt.Sprintf("a=%d", i))})
	}
	if len(c.Refs) != maxRefs || len(c.Snapshots) != maxSnapshots || last(c.Refs) != fmt.Sprint(3*maxRefs-1) {
		t.Errorf("%d branches, %d snapshots, the last %q", len(c.Refs), len(c.Snapshots), last(c.Refs))
	}
}

func TestU11_AFileThatTheUserSaved(t *testing.T) {
	t.Parallel()
	s := window(t, filepath.Join(t.TempDir(), "state"))
	k := key("/w", "build")
	given := Code{Ref: "main", Files: files("a.js=1", "package.json=1")}
	if err := s.Decide(t.Context(), k, "h", "", given, Allow); err != nil {
		t.Fatal(err)
	}
	for path, sum := range map[string]string{"a.js": "2", "elsewhere.js": "1"} {
		if err := s.CoverFile(t.Context(), k, "h", path, sum); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name string
		now  Code
		want int
	}{
		{"as it was", given, 0},
		{"as saved", Code{Ref: "main", Files: files("a.js=2", "package.json=1")}, 0},
		{"saved again elsewhere", Code{Ref: "main", Files: files("a.js=3", "package.json=1")}, 1},
		{"what was never named", Code{Ref: "main", Files: files("a.js=2", "package.json=1", "elsewhere.js=1")}, 1},
	} {
		if got := s.Decisions().Uncovered(k, "h", test.now); len(got) != test.want {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
	if err := s.CoverFile(t.Context(), k, "other", "a.js", "9"); err != nil {
		t.Fatal(err)
	}
	if got := s.Decisions().Uncovered(k, "other", given); got != nil {
		t.Errorf("of what nobody allowed: %+v", got)
	}
}

func TestS2_TheFirstStartIsCoveredOnce(t *testing.T) {
	t.Parallel()
	s := window(t, filepath.Join(t.TempDir(), "state"))
	k := key("/w", "build")
	given := Code{Ref: "main", Files: files("a.js=1")}
	if err := s.Decide(t.Context(), k, "h", "", given, Allow); err != nil {
		t.Fatal(err)
	}
	start := func(program string) Code { return Code{Ref: "main", Files: given.Files, Program: program} }
	for _, program := range []string{"/usr/bin/node", "/tmp/node"} {
		if err := s.CoverStart(t.Context(), k, "h", start(program)); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Decisions().Uncovered(k, "h", start("/usr/bin/node")); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if got := s.Decisions().Uncovered(k, "h", start("/tmp/node")); len(got) != 1 || got[0].Path != DifferentProgram {
		t.Errorf("%+v", got)
	}
	if err := s.Decide(t.Context(), k, "h", "", start("/tmp/node"), Allow); err != nil {
		t.Fatal(err)
	}
	if got := s.Decisions().Uncovered(k, "h", start("/tmp/node")); len(got) != 0 {
		t.Errorf("allowed, and still %+v", got)
	}
}
