package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestA6_DefaultsHoldWhereNothingIsSet(t *testing.T) {
	t.Parallel()
	// Wherever the section stands.
	for _, text := range []string{
		`{"pillion":{"defaults":%s},"mcpServers":{%s}}`, `{"mcpServers":{%[2]s},"pillion":{"defaults":%[1]s}}`,
	} {
		d := parseUser(t, fmt.Sprintf(text, `{"callTimeout":"2m","idleTimeout":0,"start":"eager","excludeTools":["rm"],"inheritEnv":["A"],"trustReadOnly":true,"tools":["a","b"],"seat":"browser"}`,
			`"bare":{"command":"x"},"own":{"command":"x","pillion":{"callTimeout":"5s","excludeTools":[],"trustReadOnly":false,"start":"lazy"}},"alias":{"pillion":{"aliasOf":"own"}}`))
		bare, own, alias := d.Entry("bare").Options, d.Entry("own").Options, d.Entry("alias").Options
		if bare.CallTimeout != 2*time.Minute || bare.IdleTimeout != -1 || bare.Start != StartEager || !slices.Equal(bare.ExcludeTools, []string{"rm"}) ||
			!slices.Equal(bare.InheritEnv, []string{"A"}) || !bare.TrustReadOnly || len(bare.Tools) != 2 {
			t.Errorf("%+v", bare)
		}
		if own.CallTimeout != 5*time.Second || own.Start != StartLazy || len(own.ExcludeTools) != 0 || own.TrustReadOnly || own.IdleTimeout != -1 {
			t.Errorf("%+v", own)
		}
		if alias.CallTimeout != 5*time.Second || alias.TrustReadOnly || alias.IdleTimeout != -1 {
			t.Errorf("%+v", alias)
		}
		if bare.Seat != "browser" || alias.Seat != "browser" {
			t.Errorf("seats %q and %q", bare.Seat, alias.Seat)
		}
	}
}

// TestS2_DefaultsCountInTheHash, those without a meaning yet as well.
func TestS2_DefaultsCountInTheHash(t *testing.T) {
	t.Parallel()
	hash := func(defaults string) string {
		return parseUser(t, `{"pillion":{"defaults":`+defaults+`},"mcpServers":{"a":{"command":"x"}}}`).Entry("a").Hash()
	}
	plain := entryOf(t, `{"command":"x"}`).Hash()
	if hash(`{}`) != plain || hash(`{"profiles":["p"]}`) != plain {
		t.Error("what changes nothing changes the hash")
	}
	for _, defaults := range []string{`{"callTimeout":"1s"}`, `{"inheritEnv":["A"]}`, `{"later":1}`, `{"sharing":"exclusive"}`} {
		if hash(defaults) == plain {
			t.Errorf("%s does not count", defaults)
		}
	}
}

func TestA6_DefaultsAtFault(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, defaults string
		code           string
		severity       Severity
		isFault        bool
	}{
		{"a pattern that is none", `{"excludeTools":["["]}`, CodeValue, Error, true},
		{"no object", `[]`, CodeType, Error, false},
		{"a time that is none", `{"callTimeout":"soon"}`, CodeValue, Warning, false},
		{"an alias", `{"aliasOf":"a"}`, CodeUnusedKey, Hint, false},
		{"a misspelling that would narrow", `{"excludeTool":["a"]}`, CodeUnknownKey, Error, true},
		{"a key twice", `{"start":"eager","start":"lazy"}`, CodeDuplicateKey, Error, false},
		{"too much", `{"x":"` + strings.Repeat("y", maxDefaultsBytes) + `"}`, CodeTooLarge, Error, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := parseUser(t, `{"pillion":{"defaults":`+test.defaults+`},"mcpServers":{"a":{"command":"x"},"b":{"command":"x","pillion":{"excludeTools":[],"excludeTool":[]}}}}`)
			if f := finding(t, d.Findings, test.code); f.Severity != test.severity {
				t.Errorf("%v %s", f.Severity, f.Text())
			}
			if a := d.Entry("a"); (a.Fault != nil) != test.isFault {
				t.Errorf("fault %+v", a.Fault)
			}
		})
	}
}

// TestS4_ProjectsDefaults touch the project's own entries alone, and set nothing
// that is for the user.
func TestS4_ProjectsDefaults(t *testing.T) {
	t.Parallel()
	user := parseUser(t, `{"mcpServers":{"a":{"command":"x"},"own":{"command":"x"}}}`)
	project := parseProject(t, "/ws", `{"pillion":{"defaults":{"excludeTools":["rm"],"callTimeout":"1s","trustReadOnly":true,"inheritEnv":["A"],"seat":"s"},"profiles":{"p":["own"]}},
		"mcpServers":{"a":{"command":"y"},"b":{"command":"y"}}}`)
	if b := project.Entry("b").Options; b.TrustReadOnly || b.InheritEnv != nil || b.CallTimeout != time.Second {
		t.Errorf("%+v", b)
	}
	if n := strings.Count(strings.Join(codes(project.Findings), " "), CodeTrust); n != 3 {
		t.Errorf("%d findings: %q", n, codes(project.Findings))
	}
	for _, e := range Effective(user, []*Document{project}) {
		isUsers := e.Entry.File.Source == SourceUser
		if isUsers && (len(e.ExcludeTools) > 0 || e.Entry.Options.CallTimeout != 0 || e.Disabled || len(e.Profiles) > 0) {
			t.Errorf("the user's %s: %+v", e.Entry.Name, e)
		}
		if !isUsers && (!slices.Equal(e.ExcludeTools, []string{"rm"})) {
			t.Errorf("the project's %s: %+v", e.Entry.Name, e)
		}
	}
}

func TestA7_ProfilesSelect(t *testing.T) {
	t.Parallel()
	user := parseUser(t, `{"pillion":{"profiles":{"work":["jira","gone"],"all":{"connectors":["*"],"description":"everything"}}},
		"mcpServers":{"jira":{"command":"x"},"games":{"command":"x","pillion":{"profiles":["play"]}},"notes":{"command":"x","pillion":{"profiles":["*"]}},"none":{"command":"x"}}}`)
	project := parseProject(t, "/ws", `{"mcpServers":{"build":{"command":"y"}}}`)
	list := Effective(user, []*Document{project})
	for i, want := range [][]string{{"all", "work"}, {"all", "play"}, {"all", "play", "work"}, {"all"}, nil} {
		if !slices.Equal(list[i].Profiles, want) {
			t.Errorf("%s belongs to %q, want %q", list[i].Entry.Name, list[i].Profiles, want)
		}
	}
	if len(user.Profiles) != 3 || user.Profiles[0].Description != "everything" {
		t.Errorf("%+v", user.Profiles)
	}
	said := 0
	for _, f := range user.Findings {
		if f.Code == CodeProfile && f.Severity == Hint {
			said++
		}
	}
	if said != 2 { // "gone" is no connector, "play" is not described
		t.Errorf("%q", codes(user.Findings))
	}
}

func TestA7_ProfilesAtFault(t *testing.T) {
	t.Parallel()
	for text, code := range map[string]string{
		`{"profiles":[]}`:                        CodeType,
		`{"profiles":{"p":7}}`:                   CodeType,
		`{"profiles":{"p":[7]}}`:                 CodeType,
		`{"profiles":{"":[]}}`:                   CodeProfile,
		`{"profiles":{"p":{"connector":["a"]}}}`: CodeUnknownKey,
		`{"profiles":{"p":[],"p":[]}}`:           CodeDuplicateKey,
		`{"profile":{}}`:                         CodeUnknownKey,
		`7`:                                      CodeType,
	} {
		d := parseUser(t, `{"pillion":`+text+`,"mcpServers":{"a":{"command":"x"}}}`)
		finding(t, d.Findings, code)
		sound(t, d.Entry("a"))
	}
}
