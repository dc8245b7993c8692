package config

import (
	"fmt"
	"slices"
	"testing"
)

func describe(list []EffectiveEntry) []string {
	var out []string
	for _, e := range list {
		line := fmt.Sprintf("%s %s %s", e.Entry.File.Source, e.Entry.File.Root, e.Entry.Name)
		if e.ShadowedBy != "" {
			line += " shadowed"
		}
		if e.Disabled {
			line += " off"
		}
		if len(e.ExcludeTools) > 0 {
			line += fmt.Sprint(" without ", e.ExcludeTools)
		}
		out = append(out, line)
	}
	return out
}

func TestA2_TheUsersEntryWinsAndIsNarrowed(t *testing.T) {
	t.Parallel()
	user := parseUser(t, `{"mcpServers":{
		"github":{"command":"mine","pillion":{"excludeTools":["a"]}},
		"off":{"command":"mine","disabled":true},
		"slack":{"command":"mine"},
		"linear":{"command":"mine"},
		"own":{"command":"mine"}}}`)
	project := parseProject(t, "/ws", `{"mcpServers":{
		"github":{"command":"theirs","pillion":{"excludeTools":["b"]}},
		"off":{"command":"theirs","disabled":false},
		"slack":{"disabled":true},
		"linear":{"pillion":{"excludeTools":["c"]}},
		"build":{"command":"make"}}}`)
	got := describe(Effective(user, []*Document{project}))
	want := []string{
		"user  github without [a b]", "user  off off", "user  slack off", "user  linear without [c]", "user  own",
		"project /ws github shadowed without [b]", "project /ws off shadowed", "project /ws build",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if e := Effective(user, []*Document{project})[5]; e.ShadowedBy != user.Entry("github").ID {
		t.Errorf("shadowed by %q", e.ShadowedBy)
	}
}

func TestC08_ProjectSwitchesTheUsersEntryOff(t *testing.T) {
	t.Parallel()
	user := parseUser(t, `{"mcpServers":{"a":{"command":"x","enabled":true},"b":{"command":"x"},"c":{"command":"x"}}}`)
	project := parseProject(t, "/ws", `{"mcpServers":{"a":{"command":"y","disabled":true},"b":{"enabled":false},"c":{"disabled":"yes"}}}`)
	for _, e := range Effective(user, []*Document{project})[:3] {
		if !e.Disabled {
			t.Errorf("%s is on", e.Entry.Name)
		}
	}
}

func TestS4_AProjectCanOnlyNarrowTheUsersEntry(t *testing.T) {
	t.Parallel()
	const entry = `{"command":"mine","args":["a"],"env":{"A":"1"},"pillion":{"tools":["t"],"excludeTools":["e"]}}`
	user := parseUser(t, `{"mcpServers":{"a":`+entry+`}}`)
	before := Effective(user, nil)[0]
	for _, option := range []string{`"start":"eager"`, `"era":"legacy"`, `"callTimeout":"1h"`, `"maxConcurrent":99`, `"inheritEnv":["X"]`,
		`"trustReadOnly":true`, `"tools":["t","u"]`, `"excludeTools":[]`, `"seat":"browser"`, `"description":"d"`} {
		for _, rest := range []string{`"disabled":false`, `"enabled":true`, `"command":"theirs"`, `"url":"https://h/"`} {
			project := parseProject(t, "/ws", `{"mcpServers":{"a":{`+rest+`,"pillion":{`+option+`}}}}`)
			after := Effective(user, []*Document{project})[0]
			if after.Entry != before.Entry || after.Entry.Hash() != before.Entry.Hash() || after.Disabled || !slices.Equal(after.ExcludeTools, before.ExcludeTools) {
				t.Errorf("%s and %s change the user's entry: %+v", rest, option, after)
			}
		}
	}
}

func TestS4_NarrowingAloneIsNoConnector(t *testing.T) {
	t.Parallel()
	project := parseProject(t, "/ws", `{"mcpServers":{"a":{"pillion":{"excludeTools":["x"]}},"b":{"disabled":true}}}`)
	if len(project.Findings) != 0 {
		t.Errorf("findings %v", project.Findings)
	}
	for _, e := range project.Entries {
		fault(t, e, CodeNarrowsOnly)
		if !e.Narrows {
			t.Errorf("%s does not narrow", e.Name)
		}
	}
	if got := describe(Effective(nil, []*Document{project})); len(got) != 2 {
		t.Errorf("without the user's entries: %q", got)
	}
	fault(t, entryOf(t, `{"disabled":true}`), CodeIncomplete)
	fault(t, projectEntryOf(t, `{"pillion":{"start":"eager"}}`), CodeIncomplete)
}

func TestC09_OneNameInTwoFoldersIsTwoConnectors(t *testing.T) {
	t.Parallel()
	a := parseProject(t, "/a", `{"mcpServers":{"build":{"command":"make"}}}`)
	b := parseProject(t, "/b", `{"mcpServers":{"build":{"command":"make"}}}`)
	list := Effective(nil, []*Document{a, nil, b})
	if got, want := describe(list), []string{"project /a build", "project /b build"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if list[0].Entry.ID == list[1].Entry.ID {
		t.Error("both have one ID")
	}
}

func TestU33_NestedFoldersShareAnEntry(t *testing.T) {
	t.Parallel()
	inner := parseProject(t, "/a/inner", `{"mcpServers":{"same":{"command":"make"},"other":{"command":"make"}}}`)
	outer := parseProject(t, "/a", `{"mcpServers":{"same":{"command":"make"},"other":{"command":"ninja"}}}`)
	got := describe(Effective(nil, []*Document{inner, outer}))
	want := []string{"project /a/inner same shadowed", "project /a/inner other", "project /a same", "project /a other"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestU33_ProjectFiles(t *testing.T) {
	t.Parallel()
	var got []string
	for _, f := range ProjectFiles([]string{"/home/u/repo/", "/home/u", "/", "/home/u/repo", "relative", "", "/srv/x/../y"}, "/home/u/") {
		if f.Source != SourceProject {
			t.Errorf("source %q", f.Source)
		}
		got = append(got, f.Root+" "+f.Path)
	}
	if want := []string{"/home/u/repo /home/u/repo/.mcp.json", "/srv/y /srv/y/.mcp.json"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if files := ProjectFiles(nil, "/home/u"); files != nil {
		t.Errorf("no folder open: %v", files)
	}
}

func TestEffectiveOffers(t *testing.T) {
	t.Parallel()
	user := parseUser(t, `{"mcpServers":{"a":{"command":"x","pillion":{"tools":["get_*","set_*"]}}}}`)
	project := parseProject(t, "/ws", `{"mcpServers":{"a":{"pillion":{"excludeTools":["set_*"]}}}}`)
	e := Effective(user, []*Document{project})[0]
	for tool, want := range map[string]bool{"get_a": true, "set_a": false, "other": false} {
		if e.Offers(tool) != want {
			t.Errorf("offers %s: %v", tool, !want)
		}
	}
}
