package personal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pillion/mcp/state"
)

// window is a store as one window sees it.
func window(t *testing.T, dir string) *Store {
	t.Helper()
	f, err := state.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return New(f, nil)
}

var here = Folder{Path: "/w", ID: "1"}

func (s *Store) apply(e Entry) Effective { return s.Layer([]Folder{here}).Apply(e) }

func ptr[T any](v T) *T { return &v }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestA12_WhatOneWindowSaysAnotherReads(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	one, other := window(t, dir), window(t, dir)
	must(t, one.SetConnector(t.Context(), []Folder{here}, "user", "notes", ConnectorChange{Switch: ptr(Off), Pinned: ptr(true), Profile: ptr("work")}))
	must(t, one.SetTool(t.Context(), []Folder{here}, "user", "notes", "write", Off))
	e := other.apply(own())
	if !e.IsOff() || !e.IsPinned || e.Profile != "work" || e.Offers("write") {
		t.Errorf("%+v", e)
	}
	if other := other.Layer([]Folder{{Path: "/v", ID: "2"}}).Apply(own()); other.IsOff() || other.IsPinned || !other.Offers("write") {
		t.Errorf("another repository: %+v", other)
	}
	must(t, other.SetConnector(t.Context(), []Folder{here}, "user", "notes", ConnectorChange{Switch: ptr(Switch("")), Pinned: ptr(false), Profile: ptr("")}))
	must(t, other.SetTool(t.Context(), []Folder{here}, "user", "notes", "write", On))
	if e := one.apply(own()); e.IsOff() || e.IsPinned || e.Profile != "" || !e.Offers("write") {
		t.Errorf("taken back: %+v", e)
	}
	if text, err := os.ReadFile(one.Path()); err != nil || strings.Contains(string(text), "notes") {
		t.Errorf("left behind: %s, %v", text, err)
	}
}

func TestA12_OffEverywhereAndOnHere(t *testing.T) {
	t.Parallel()
	s := window(t, filepath.Join(t.TempDir(), "state"))
	must(t, s.SetTool(t.Context(), []Folder{{}}, "user", "notes", "write", Off))
	if s.apply(own()).Offers("write") {
		t.Error("offered though off everywhere")
	}
	must(t, s.SetTool(t.Context(), []Folder{here}, "user", "notes", "write", On))
	if !s.apply(own()).Offers("write") {
		t.Error("not offered though on here")
	}
	if s.Layer([]Folder{{Path: "/v", ID: "2"}}).Apply(own()).Offers("write") {
		t.Error("offered elsewhere")
	}
}

func TestS2_AnotherFolderGetsNothingOfTheFirst(t *testing.T) {
	t.Parallel()
	s := window(t, filepath.Join(t.TempDir(), "state"))
	again := Folder{Path: "/w", ID: "2"}
	e := project()
	e.IsOff, e.Reads = true, []string{"TOKEN"}
	must(t, s.SetConnector(t.Context(), []Folder{here}, "project", "notes", ConnectorChange{Switch: ptr(On), Hash: hash}))
	must(t, s.SetWorkspace(t.Context(), here, WorkspaceChange{Env: map[string]string{"TOKEN": "${WORK}"}}))
	if got := s.apply(e); got.IsOff() || got.Env["TOKEN"] != "${WORK}" {
		t.Fatalf("%+v", got)
	}
	isBare := func(when string, in Folder) {
		t.Helper()
		if got := s.Layer([]Folder{in}).Apply(e); !got.IsOff() || len(got.Env) > 0 || len(s.Workspace(in).Env) > 0 {
			t.Errorf("%s: %+v", when, got)
		}
	}
	isBare("made anew", again)
	isBare("not to be told", Folder{Path: "/w"})
	must(t, s.SetTool(t.Context(), []Folder{again}, "project", "notes", "write", Off))
	isBare("made anew and changed", again)
	isBare("the first one back", here)
}

func TestS2_VariablesOfAFolderThatCannotBeToldAreRefused(t *testing.T) {
	t.Parallel()
	s := window(t, filepath.Join(t.TempDir(), "state"))
	for _, in := range []Folder{{}, {Path: "/w"}} {
		if err := s.SetWorkspace(t.Context(), in, WorkspaceChange{Env: map[string]string{"A": "${B}"}}); err == nil {
			t.Errorf("%+v was given variables", in)
		}
	}
	err := s.SetWorkspace(t.Context(), here, WorkspaceChange{Env: map[string]string{"A": "ghp_secret"}})
	if err == nil || strings.Contains(err.Error(), "ghp_secret") {
		t.Errorf("a value: %v", err)
	}
	if _, err := os.Stat(s.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was written: %v", err)
	}
}

func TestS20_AStoreThatCannotBeReadGivesNothingAndSaysSo(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"newer":     `{"version":3,"data":{}}`,
		"cut":       `{"version":1,"data":{"folders":[`,
		"switch":    `{"version":1,"data":{"folders":[{"root":"/w","at":"2026-01-01T00:00:00Z","connectors":[{"source":"user","name":"notes","switch":"ON"}]}]}}`,
		"a value":   `{"version":1,"data":{"folders":[{"root":"/w","at":"2026-01-01T00:00:00Z","env":{"A":"secret"}}]}}`,
		"a name":    `{"version":1,"data":{"folders":[{"root":"/w","at":"2026-01-01T00:00:00Z","connectors":[{"source":"","name":"notes"}]}]}}`,
		"twice":     `{"version":1,"data":{"folders":[],"folders":[]}}`,
		"elsewhere": `{"version":1,"data":{"folders":[{"at":"2026-01-01T00:00:00Z","env":{"A":"${B}"}}]}}`,
	} {
		dir := filepath.Join(t.TempDir(), "state")
		s := window(t, dir)
		must(t, os.WriteFile(s.Path(), []byte(text), 0o600))
		layer := s.Layer([]Folder{here})
		if layer.Health() == nil || layer.Apply(own()).IsOff() {
			t.Errorf("%s: health %v", name, layer.Health())
		}
		if name == "newer" {
			continue
		}
		must(t, s.SetTool(t.Context(), []Folder{here}, "user", "notes", "write", Off))
		if s.Health() == nil || s.apply(own()).Offers("write") {
			t.Errorf("%s: set aside, health %v", name, s.Health())
		}
		must(t, s.Confirm(t.Context()))
		if s.Health() != nil {
			t.Errorf("%s: %v after it was confirmed", name, s.Health())
		}
	}
}

func TestManyWindowsLoseNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	var all sync.WaitGroup
	for _, tool := range []string{"a", "b", "c", "d"} {
		s := window(t, dir)
		all.Go(func() {
			if err := s.SetTool(t.Context(), []Folder{here}, "user", "notes", tool, Off); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	e := window(t, dir).apply(own())
	for _, tool := range []string{"a", "b", "c", "d"} {
		if e.Offers(tool) {
			t.Errorf("tool %q is on", tool)
		}
	}
}

func TestTheOldestFoldersAreForgottenNeverEverywhere(t *testing.T) {
	t.Parallel()
	f := file{Folders: []record{{Root: "/oldest"}, {}}}
	for range maxFolders {
		f.Folders = append(f.Folders, record{Root: "/x"})
	}
	f = f.bounded()
	if _, isThere := find(f.Folders, "/oldest"); isThere || len(f.Folders) != maxFolders {
		t.Errorf("%d folders, oldest %v", len(f.Folders), isThere)
	}
	if _, isThere := find(f.Folders, ""); !isThere {
		t.Error("everywhere is forgotten")
	}
}

// keyed is a keyring with a key, or locked.
type keyed struct{ key string }

func (k *keyed) Key(bool) ([]byte, error) {
	if k.key == "" {
		return nil, errors.New("it is locked")
	}
	return []byte(k.key), nil
}

func TestS20_WhatTheLayerGivesIsSealed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	of := func(key *keyed) *Store {
		f, err := state.Open(dir)
		must(t, err)
		return New(f, key)
	}
	key, e := &keyed{"key"}, own()
	e.IsOff = true // in its own file
	s := of(key)
	must(t, s.SetConnector(t.Context(), []Folder{here}, "user", "notes", ConnectorChange{Switch: ptr(On), Hash: hash}))
	must(t, s.SetTool(t.Context(), []Folder{here}, "user", "notes", "write", Off))
	must(t, s.SetWorkspace(t.Context(), here, WorkspaceChange{Env: map[string]string{"TOKEN": "${WORK}"}}))
	isOn := func(s *Store, want bool, doubts int) {
		t.Helper()
		told, fault := s.Doubts()
		if effective := s.apply(e); effective.IsOff() == want || effective.Offers("write") || len(told) != doubts || (fault != nil) != (doubts > 0) {
			t.Errorf("%+v; told %+v, %v", effective, told, fault)
		}
		if env := s.Workspace(here).Env; (len(env) == 1) != want {
			t.Errorf("variables %q", env)
		}
	}
	isOn(of(key), true, 0)
	isOn(of(&keyed{}), false, 1) // locked: what takes away counts, what gives does not
	isOn(of(&keyed{"another"}), false, 1)

	// A change beside it neither seals what is not believed nor loses it.
	must(t, of(&keyed{}).SetConnector(t.Context(), []Folder{here}, "user", "other", ConnectorChange{Pinned: ptr(true)}))
	isOn(of(key), false, 1)
	again := of(key)
	told, _ := again.Doubts()
	if want := `connector "notes" on, variable "TOKEN" from "${WORK}" in "/w"`; told[0].Label != want {
		t.Errorf("told %q", told[0].Label)
	}
	must(t, again.Accept(t.Context(), []string{told[0].Digest}))
	isOn(again, true, 0)
	isOn(of(key), true, 0)

	raw, err := os.ReadFile(s.Path())
	must(t, err)
	must(t, os.WriteFile(s.Path(), []byte(strings.Replace(string(raw), `"notes"`, `"shell"`, 1)), 0o600))
	shell := e
	shell.Name = "shell"
	if effective := of(key).apply(shell); !effective.IsOff() {
		t.Errorf("another connector by hand: %+v", effective)
	}
}

func TestA12_WhatIsWantedMovesAlongWithAName(t *testing.T) {
	t.Parallel()
	s := window(t, filepath.Join(t.TempDir(), "state"))
	must(t, s.SetConnector(t.Context(), []Folder{here}, "user", "before", ConnectorChange{Pinned: ptr(true)}))
	must(t, s.SetConnector(t.Context(), []Folder{here}, "user", "taken", ConnectorChange{Switch: ptr(Off)}))
	must(t, s.Rename(t.Context(), []Folder{here}, "user", "before", "taken"))
	must(t, s.Rename(t.Context(), []Folder{here}, "user", "before", "notes"))
	if e := s.apply(own()); !e.IsPinned {
		t.Errorf("%+v", e)
	}
	taken := own()
	taken.Name = "taken"
	if e := s.apply(taken); e.IsPinned || !e.IsOff() {
		t.Errorf("%+v", e)
	}
}
