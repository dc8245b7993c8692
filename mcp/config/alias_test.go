package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestA7_AnAliasIsTheOtherUnderASecondName(t *testing.T) {
	t.Parallel()
	d := parseUser(t, `{"mcpServers":{
		"gh-issues":{"timeout":1000,"pillion":{"aliasOf":"github","tools":["issue_*"],"excludeTools":["issue_delete"],"description":"issues","callTimeout":"9s"}},
		"github":{"command":"gh","args":["${A}"],"env":{"T":"${T}"},"timeout":2000,"description":"all","pillion":{"excludeTools":["admin_*"],"era":"modern","callTimeout":"5s","tools":["x"],"later":1}},
		"plain":{"pillion":{"aliasOf":"github"}}}}`)
	github, issues, plain := d.Entry("github"), d.Entry("gh-issues"), d.Entry("plain")
	for _, e := range d.Entries {
		sound(t, e)
	}
	if issues.AliasOf != github.ID || github.AliasOf != "" || issues.ID == github.ID {
		t.Errorf("alias of %q", issues.AliasOf)
	}
	o := issues.Options
	if issues.Command != "gh" || !slices.Equal(issues.Reads(), []string{"A", "T"}) || o.Era != EraModern || o.CallTimeout != 9*time.Second ||
		o.Description != "issues" || issues.Timeout != time.Second {
		t.Errorf("%+v", issues)
	}
	if !o.Offers("issue_list") || o.Offers("issue_delete") || o.Offers("admin_x") || o.Offers("x") {
		t.Errorf("offers by %v without %v", o.Tools, o.ExcludeTools)
	}
	if plain.Hash() != github.Hash() || plain.ProcessHash() != github.ProcessHash() || issues.ProcessHash() != github.ProcessHash() {
		t.Error("what runs is not the same")
	}
	if issues.Hash() == github.Hash() {
		t.Error("another set of tools has the same hash (S2)")
	}
	if plain.Options.Description != "all" {
		t.Errorf("%+v", plain.Options)
	}
	// A value that stands in the other entry is pointed at there.
	unset := issues.UnsetVariables(nothingSet)
	if len(unset) != 2 || textAt(d, unset[0].Span) != `"${A}"` {
		t.Errorf("%+v", unset)
	}
}

func TestA7_WhatShapesTheProcess(t *testing.T) {
	t.Parallel()
	for option, isShared := range map[string]bool{
		`"tools":["a"]`: true, `"excludeTools":["a"]`: true, `"callTimeout":"1s"`: true, `"description":"d"`: true, `"trustReadOnly":true`: true,
		`"profiles":["a"]`: true, `"era":"modern"`: false, `"inheritEnv":["A"]`: false, `"startTimeout":"1s"`: false, `"maxConcurrent":1`: false,
		`"idleTimeout":0`: true, `"start":"eager"`: true,
	} {
		d := parseUser(t, `{"mcpServers":{"a":{"command":"x"},"b":{"pillion":{"aliasOf":"a",`+option+`}}}}`)
		a, b := d.Entry("a"), d.Entry("b")
		if got := a.ProcessHash() == b.ProcessHash(); got != isShared || (b.ProcessID() == a.ID) != isShared || a.ProcessID() != a.ID {
			t.Errorf("%s: shared %v, process of %s", option, got, b.ProcessID())
		}
	}
}

func TestA7_AliasesThatCannotBe(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, entries string
		code          string
		part, fixed   string // of the message, and the text that the edit writes
	}{
		{"of nothing", `"a":{"pillion":{"aliasOf":"githup"}},"github":{"command":"x"}`, CodeAlias, "no connector", `"github"`},
		{"of an alias", `"a":{"pillion":{"aliasOf":"b"}},"b":{"pillion":{"aliasOf":"c"}},"c":{"command":"x"}`, CodeAlias, "is an alias itself", `"c"`},
		{"of an alias of an alias", `"a":{"pillion":{"aliasOf":"b"}},"b":{"pillion":{"aliasOf":"c"}},"c":{"pillion":{"aliasOf":"d"}},"d":{"url":"https://h"}`, CodeAlias, "is an alias itself", `"d"`},
		{"of itself", `"a":{"pillion":{"aliasOf":"a"}}`, CodeAliasCycle, `"a" → "a"`, ""},
		{"in a circle", `"a":{"pillion":{"aliasOf":"b"}},"b":{"pillion":{"aliasOf":"a"}}`, CodeAliasCycle, `"a" → "b" → "a"`, ""},
		{"into a circle", `"a":{"pillion":{"aliasOf":"b"}},"b":{"pillion":{"aliasOf":"c"}},"c":{"pillion":{"aliasOf":"b"}}`, CodeAliasCycle, `"b" → "c" → "b"`, ""},
		{"of an alias of nothing", `"a":{"pillion":{"aliasOf":"b"}},"b":{"pillion":{"aliasOf":"zzzzzz"}}`, CodeAlias, "is an alias itself", ""},
		{"with a program", `"a":{"command":"y","pillion":{"aliasOf":"b"}},"b":{"command":"x"}`, CodeConflict, "no command of its own", ""},
		{"with variables", `"a":{"env":{"A":"b"},"pillion":{"aliasOf":"b"}},"b":{"command":"x"}`, CodeConflict, "no env of its own", ""},
		{"of one that cannot run", `"a":{"pillion":{"aliasOf":"b"}},"b":{"command":7}`, CodeAlias, "cannot run", ""},
		{"of Pillion", `"a":{"pillion":{"aliasOf":"b"}},"b":{"command":"pillion"}`, CodeAlias, "cannot run", ""},
		{"of another type", `"a":{"pillion":{"aliasOf":7}}`, CodeType, "no connector's name", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := parseUser(t, `{"mcpServers":{`+test.entries+`}}`)
			a := d.Entry("a")
			fault(t, a, test.code)
			f := finding(t, d.Findings, test.code)
			if !strings.Contains(a.Fault.Message, test.part) {
				t.Errorf("%s", a.Fault.Text())
			}
			if test.fixed == "" && f.Edit != nil || test.fixed != "" && (f.Edit == nil || f.Edit.Text != test.fixed) {
				t.Errorf("edit %+v", f.Edit)
			}
			if f.Edit != nil {
				if mended := parseUser(t, apply(string(d.Text), *f.Edit)); mended.Entry("a").Fault != nil {
					t.Errorf("still %s", mended.Entry("a").Fault.Text())
				}
			}
		})
	}
}

// TestA9_ABrokenAliasTakesNobodyDown and a target knows nothing of its aliases.
func TestA9_ABrokenAliasTakesNobodyDown(t *testing.T) {
	t.Parallel()
	d := parseUser(t, `{"mcpServers":{"a":{"pillion":{"aliasOf":"a"}},"b":{"command":"x"}}}`)
	sound(t, d.Entry("b"))
}

func TestA7_ManyAliases(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range MaxEntries {
		fmt.Fprintf(&b, `"a%d":{"pillion":{"aliasOf":"a%d"}},`, i, i+1)
	}
	d := parseUser(t, `{"mcpServers":{`+b.String()+`"z":{"command":"x"}}}`)
	for _, e := range d.Entries {
		if e.alias != "" && e.Fault == nil {
			t.Fatalf("%s runs", e.Name)
		}
	}
}

// TestS4_AProjectTakesFromAliasesToo: what a project takes from a connector of
// the user's it takes from the second names of that connector as well.
func TestS4_AProjectTakesFromAliasesToo(t *testing.T) {
	t.Parallel()
	user := parseUser(t, `{"mcpServers":{"a":{"command":"x"},"b":{"pillion":{"aliasOf":"a"}},"off":{"command":"x","disabled":true},"c":{"pillion":{"aliasOf":"off"}}}}`)
	excluding := parseProject(t, "/ws", `{"mcpServers":{"a":{"pillion":{"excludeTools":["rm"]}}}}`)
	got := describe(Effective(user, []*Document{excluding}))
	if want := []string{"user  a without [rm]", "user  b without [rm]", "user  off off", "user  c off"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	disabling := parseProject(t, "/ws", `{"mcpServers":{"a":{"disabled":true}}}`)
	if got := describe(Effective(user, []*Document{disabling})); got[1] != "user  b off" {
		t.Errorf("got %q", got)
	}
	// An alias of a project never reaches the user's connector, nor the other way round.
	project := parseProject(t, "/ws", `{"mcpServers":{"theirs":{"pillion":{"aliasOf":"a"}},"narrow":{"pillion":{"aliasOf":"a","excludeTools":["x"]}}}}`)
	for _, e := range project.Entries {
		fault(t, e, CodeAlias)
		if e.Narrows || e.Command != "" {
			t.Errorf("%+v", e)
		}
	}
}
