package personal

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

const hash = "h1"

func own() Entry     { return Entry{Source: "user", Name: "notes", Hash: hash} }
func project() Entry { return Entry{Source: "project", Name: "notes", Root: "/w", Hash: hash} }

func folder(root string, isSame bool, c connector) record {
	c.Name = "notes"
	if c.Source == "" {
		c.Source = "user"
	}
	return record{Root: root, Connectors: []connector{c}, isSame: isSame}
}

func TestA12_WhoKeepsAConnectorOff(t *testing.T) {
	t.Parallel()
	on, off := connector{Switch: On, Hash: hash}, connector{Switch: Off}
	ofProject := func(c connector) connector { c.Source = "project"; return c }
	with := func(e Entry, change func(*Entry)) Entry { change(&e); return e }
	isOff := func(e *Entry) { e.IsOff = true }
	for _, test := range []struct {
		name  string
		layer Layer
		entry Entry
		want  []By
	}{
		{"nothing said", Layer{}, own(), nil},
		{"off in its file", Layer{}, with(own(), isOff), []By{ByFile}},
		{"off by a project", Layer{}, with(own(), func(e *Entry) { e.IsOffByProject = true }), []By{ByProject}},
		{"off here", Layer{folders: []record{folder("/w", true, off)}}, own(), []By{ByUser}},
		{"off in another of the window's folders", Layer{folders: []record{folder("/v", true, on), folder("/w", true, off)}}, own(), []By{ByUser}},
		{"off in a folder that was made anew", Layer{folders: []record{folder("/w", false, off)}}, own(), []By{ByUser}},
		{"off everywhere", Layer{everywhere: folder("", true, off)}, own(), []By{ByUser}},
		{"off everywhere, on here", Layer{folders: []record{folder("/w", true, on)}, everywhere: folder("", true, off)}, own(), nil},
		{"off everywhere says nothing of a project's", Layer{everywhere: folder("", true, ofProject(off))}, project(), nil},
		{"one of another source", Layer{folders: []record{folder("/w", true, off)}}, project(), nil},
		{"a project's of another folder", Layer{folders: []record{folder("/v", true, ofProject(off))}}, project(), nil},
		{"a project's", Layer{folders: []record{folder("/w", true, ofProject(off))}}, project(), []By{ByUser}},
		{"off by everybody", Layer{folders: []record{folder("/w", true, off)}}, with(own(), func(e *Entry) { e.IsOff, e.IsOffByProject, e.IsOffWithoutProfile = true, true, true }),
			[]By{ByFile, ByProject, ByUser, ByProfile}},
		{"on though its file has it off", Layer{folders: []record{folder("/w", true, on)}}, with(own(), isOff), nil},
		{"on for another definition", Layer{folders: []record{folder("/w", true, connector{Switch: On, Hash: "h0"})}}, with(own(), isOff), []By{ByFile}},
		{"on without a definition", Layer{folders: []record{folder("/w", true, connector{Switch: On})}}, with(own(), isOff), []By{ByFile}},
		{"on in a folder that was made anew", Layer{folders: []record{folder("/w", false, on)}}, with(own(), isOff), []By{ByFile}},
		{"on though it is off by a project", Layer{folders: []record{folder("/w", true, on)}}, with(own(), func(e *Entry) { e.IsOffByProject = true }), nil},
		{"a profile's, none chosen", Layer{}, with(own(), func(e *Entry) { e.IsOffWithoutProfile = true }), []By{ByProfile}},
		{"not of the profile", Layer{folders: []record{{Root: "/w", Profile: "work"}}}, with(own(), func(e *Entry) { e.Profiles = []string{"play"} }), []By{ByProfile}},
		{"of the profile", Layer{folders: []record{{Root: "/w", Profile: "work"}}}, with(own(), func(e *Entry) { e.Profiles = []string{"play", "work"} }), nil},
		{"of no profile", Layer{folders: []record{{Root: "/w", Profile: "work"}}}, own(), nil},
		{"with a profile of its own", Layer{folders: []record{folder("/w", true, connector{Profile: "play"})}, everywhere: record{Profile: "work"}},
			with(own(), func(e *Entry) { e.Profiles = []string{"play"} }), nil},
		{"a profile everywhere", Layer{everywhere: record{Profile: "work"}}, with(project(), func(e *Entry) { e.Profiles = []string{"play"} }), []By{ByProfile}},
	} {
		if got := test.layer.Apply(test.entry).OffBy; !slices.Equal(got, test.want) {
			t.Errorf("%s: off by %q, want %q", test.name, got, test.want)
		}
	}
}

func TestA12_WhichToolsAreOff(t *testing.T) {
	t.Parallel()
	tool := func(now Switch) connector { return connector{Tools: map[string]Switch{"write": now}} }
	for _, test := range []struct {
		name  string
		layer Layer
		want  bool // offered
	}{
		{"nothing said", Layer{}, true},
		{"off here", Layer{folders: []record{folder("/w", true, tool(Off))}}, false},
		{"off in a folder that was made anew", Layer{folders: []record{folder("/w", false, tool(Off))}}, false},
		{"off in one of two", Layer{folders: []record{folder("/v", true, tool(Off)), folder("/w", true, tool(On))}}, false},
		{"off everywhere", Layer{everywhere: folder("", true, tool(Off))}, false},
		{"off everywhere, on here", Layer{folders: []record{folder("/w", true, tool(On))}, everywhere: folder("", true, tool(Off))}, true},
	} {
		e := test.layer.Apply(own())
		if e.Offers("write") != test.want || !e.Offers("read") || e.IsOff() {
			t.Errorf("%s: write %v, read %v, off by %q", test.name, e.Offers("write"), e.Offers("read"), e.OffBy)
		}
	}
}

func TestS2_OtherReferencesAreAnotherDefinition(t *testing.T) {
	t.Parallel()
	layer := func(isSame bool, env map[string]string) Layer {
		return Layer{folders: []record{{Root: "/w", isSame: isSame, Env: env}}}
	}
	e := project()
	e.Reads = []string{"TOKEN"}
	work := layer(true, map[string]string{"TOKEN": "${WORK}", "OTHER": "${X}"}).Apply(e)
	home := layer(true, map[string]string{"TOKEN": "${HOME_TOKEN}"}).Apply(e)
	if work.Env["TOKEN"] != "${WORK}" || len(work.Env) != 1 {
		t.Errorf("references %q", work.Env)
	}
	if work.Hash == hash || work.Hash == home.Hash || home.Hash == hash {
		t.Errorf("hashes %q, %q of %q", work.Hash, home.Hash, hash)
	}
	for name, same := range map[string]Effective{
		"a variable that is not read":      layer(true, map[string]string{"OTHER": "${X}"}).Apply(e),
		"a folder that was made anew":      layer(false, map[string]string{"TOKEN": "${WORK}"}).Apply(e),
		"no reference":                     Layer{}.Apply(e),
		"a connector of the user's own":    layer(true, map[string]string{"TOKEN": "${WORK}"}).Apply(Entry{Source: "user", Name: "notes", Hash: hash, Reads: e.Reads}),
		"a connector of another's project": layer(true, map[string]string{"TOKEN": "${WORK}"}).Apply(Entry{Source: "project", Name: "notes", Root: "/v", Hash: hash, Reads: e.Reads}),
	} {
		if same.Hash != hash || len(same.Env) != 0 {
			t.Errorf("%s: hash %q, references %q", name, same.Hash, same.Env)
		}
	}
}

// Whatever was said, a repository's record without an on never adds to what the files offer.
func TestS4_WithoutAYesALayerOnlyTakesAway(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		switches := rapid.SampledFrom([]Switch{"", Off})
		said := func(root string) record {
			return folder(root, rapid.Bool().Draw(t, "same"), connector{
				Switch: switches.Draw(t, "switch"), Profile: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "profile"),
				Tools: map[string]Switch{"t": rapid.SampledFrom([]Switch{On, Off}).Draw(t, "tool")},
			})
		}
		layer := Layer{folders: []record{said("/v"), said("/w")}, everywhere: said("")}
		e := own()
		e.IsOff, e.IsOffByProject = rapid.Bool().Draw(t, "off"), rapid.Bool().Draw(t, "by project")
		without, with := Layer{}.Apply(e), layer.Apply(e)
		if without.IsOff() && !with.IsOff() {
			t.Fatalf("%+v is on", e)
		}
	})
}

func TestOnlyReferencesAreTaken(t *testing.T) {
	t.Parallel()
	for reference, want := range map[string]string{"${A}": "A", "${env:A_1}": "A_1"} {
		if got, err := Variable(reference); err != nil || got != want {
			t.Errorf("%s: %q, %v", reference, got, err)
		}
	}
	for _, value := range []string{"", "A", "$A", "${}", "${A", "${A:-secret}", "x${A}", "${A}x", "${A}${B}", "${input:a}", "${cmd:a}", "${1}", "ghp_secret"} {
		if name, err := Variable(value); err == nil {
			t.Errorf("%q names %q", value, name)
		}
	}
}
