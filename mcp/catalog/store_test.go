package catalog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pillion/mcp/state"
)

func newStore(t *testing.T) (*Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "catalog")
	folder, err := state.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return NewStore(folder), dir
}

func aList() *List {
	return &List{
		Head: Head{Server: []byte(`{"Name":"srv"}`), Resources: 1, Prompts: 2},
		Tools: []Tool{
			{Name: "a", Title: "A", Description: "First.\nSecond\x00.", Hash: "h", Tokens: 12, ReadOnly: new(true), Destructive: new(false), InputSchema: []byte(`{"n":1.50, "type":"object"}`), Annotations: []byte(`{"x":1}`), Passed: Passed{Icons: []byte(`[{"src":"https://x.example/i.png"}]`), Meta: []byte(`{"n":1.50}`)}},
			{Name: "b", InputSchema: []byte(`{}`), OutputSchema: []byte(`true`), OpenWorld: new(true), TaskSupport: "optional", Tokens: 5},
		},
		Others: []byte(`{"Resources":[]}`),
	}
}

func TestJ1_AListComesBackByteByByte(t *testing.T) {
	t.Parallel()
	s, dir := newStore(t)
	key := Key("definition", "place")
	want := aList()
	if err := s.Write(t.Context(), key, want); err != nil {
		t.Fatal(err)
	}
	got, err := s.Read(key)
	if err != nil || !reflect.DeepEqual(got.Tools, want.Tools) || string(got.Others) != string(want.Others) || got.Count != 2 || got.Tokens != 17 || got.ListedAt.IsZero() {
		t.Fatalf("%+v, %v", got, err)
	}
	brief, err := s.Summaries(key)
	if err != nil || len(brief.Tools) != 2 || brief.Tools[0].Description != want.Tools[0].Description || brief.Tools[0].InputSchema != nil || brief.Others != nil {
		t.Fatalf("%+v, %v", brief, err)
	}
	head, err := s.Head(key)
	if err != nil || head.Count != 2 || head.Resources != 1 || head.Prompts != 2 || string(head.Server) != `{"Name":"srv"}` {
		t.Fatalf("%+v, %v", head, err)
	}
	info, err := os.Stat(filepath.Join(dir, key+listSuffix))
	if err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("the file is %v, %v: it is the user's alone", info.Mode(), err)
	}
	if _, err := s.Read(Key("another")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of what is not kept: %v", err)
	}
}

func TestJ1_AListThatIsTheSameIsOnlyNoted(t *testing.T) {
	t.Parallel()
	s, dir := newStore(t)
	write := func() fs.FileInfo {
		if err := s.Write(t.Context(), "k", aList()); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, "k"+listSuffix))
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	first := write()
	long := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "k"+listSuffix), long, long); err != nil {
		t.Fatal(err)
	}
	if second := write(); !os.SameFile(first, second) || time.Since(second.ModTime()) > time.Hour {
		t.Errorf("it was written anew, or its time is %s", second.ModTime())
	}
}

func TestJ1_ANewerFileStaysAsItIs(t *testing.T) {
	t.Parallel()
	s, dir := newStore(t)
	path, text := filepath.Join(dir, "k"+listSuffix), `{"version":3,"anything":1}`+"\n\x00\x01"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var newer *state.NewerError
	if _, err := s.Read("k"); !errors.As(err, &newer) || newer.Version != 3 {
		t.Errorf("read: %v", err)
	}
	if err := s.Write(t.Context(), "k", aList()); !errors.As(err, &newer) {
		t.Errorf("write: %v", err)
	}
	if err := s.SetAside(t.Context(), "k"); err != nil {
		t.Error(err)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != text {
		t.Errorf("it is %q, %v", now, err)
	}
}

func TestJ1_AnOlderFileIsAsGoodAsNone(t *testing.T) {
	t.Parallel()
	s, dir := newStore(t)
	path := filepath.Join(dir, "k"+listSuffix)
	if err := os.WriteFile(path, []byte(`{"version":1,"key":"k","list":{"tools":0,"tokens":0},"words":0,"bodies":0,"others":0}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Read("k"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%+v, %v", list, err)
	}
	if err := s.Write(t.Context(), "k", aList()); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Read("k"); err != nil || list.Count != 2 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestJ1_ABrokenFileIsSetAside(t *testing.T) {
	t.Parallel()
	good, err := encode("k", aList())
	if err != nil {
		t.Fatal(err)
	}
	line := strings.IndexByte(string(good), '\n')
	for name, text := range map[string]string{
		"empty": "", "no line": `{"version":2`, "cut": string(good[:len(good)-3]), "more": string(good) + "x", "another key": strings.Replace(string(good), `"key":"k"`, `"key":"x"`, 1),
		"twice": strings.Replace(string(good), `"version":2`, `"version":2,"version":2`, 1), "unknown": strings.Replace(string(good), `"version":2`, `"version":2,"Version":2`, 1),
		"counts": strings.Replace(string(good), `"tools":2`, `"tools":3`, 1), "many": strings.Replace(string(good), `"tools":2`, `"tools":999999999`, 1),
		"a length": string(good[:line+1]) + "\xff\xff\xff\xff\x7f" + string(good[line+6:]), "no version": `{"version":0}` + "\n",
		"no icons":  strings.Replace(string(good), `[{"src":"https://x.example/i.png"}]`, `{"a":"https://x.example/i.png__"}`, 1),
		"no schema": strings.Replace(string(good), `{"n":1.50, "type":"object"}`, `{"n":1.50, "type":"object"]`, 1),
	} {
		s, dir := newStore(t)
		path := filepath.Join(dir, "k"+listSuffix)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var broken *state.BrokenError
		if list, err := s.Read("k"); !errors.As(err, &broken) {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
		if err := s.SetAside(t.Context(), "k"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := s.Read("k"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: afterwards %v", name, err)
		}
		if aside, err := os.ReadFile(path + brokenSuffix); err != nil || string(aside) != text {
			t.Errorf("%s: aside is %q, %v", name, aside, err)
		}
		if err := s.Write(t.Context(), "k", aList()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestJ1_WhatIsKeptIsBounded(t *testing.T) {
	t.Parallel()
	s, dir := newStore(t)
	tiny := &List{Tools: []Tool{{Name: "a", InputSchema: []byte(`{}`)}}}
	file, err := encode("x", tiny)
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxKeptLists + 3 {
		path := filepath.Join(dir, Key(string(rune(i)))+listSuffix)
		at := time.Now().Add(-time.Duration(i) * time.Minute)
		if err := errors.Join(os.WriteFile(path, file, 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	old := filepath.Join(dir, "old"+listSuffix+brokenSuffix)
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-2 * maxKeptAge)
	if err := errors.Join(os.Chtimes(old, long, long), s.Prune(t.Context())); err != nil {
		t.Fatal(err)
	}
	kept, _ := filepath.Glob(filepath.Join(dir, "*"+listSuffix+"*"))
	if len(kept) != maxKeptLists {
		t.Errorf("%d are kept", len(kept))
	}
	if _, err := os.Stat(filepath.Join(dir, Key(string(rune(0)))+listSuffix)); err != nil {
		t.Errorf("the newest is gone: %v", err)
	}
	large := &List{Tools: []Tool{{Name: "a", Description: strings.Repeat("x", maxListBytes), InputSchema: []byte(`{}`)}}}
	if err := s.Write(t.Context(), "large", large); !errors.Is(err, errTooLarge) {
		t.Errorf("a list of more than may be: %v", err)
	}
}

func TestJ1_NoFolderKeepsNothing(t *testing.T) {
	s := NewStore(nil)
	if err := errors.Join(s.Write(t.Context(), "k", aList()), s.Remove("k"), s.Prune(t.Context())); err != nil {
		t.Error(err)
	}
	if _, err := s.Read("k"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// Property: what is written is read, whatever a server says.
func TestJ1_AnyListComesBack(t *testing.T) {
	hint := rapid.SampledFrom([]*bool{nil, new(true), new(false)})
	rapid.Check(t, func(t *rapid.T) {
		tools := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Tool {
			return Tool{
				Name: rapid.StringN(1, 20, -1).Draw(t, "name"), Title: rapid.String().Draw(t, "title"), Description: rapid.String().Draw(t, "description"),
				Hash: "h", Tokens: rapid.IntRange(0, 100_000).Draw(t, "tokens"), ReadOnly: hint.Draw(t, "r"), Destructive: hint.Draw(t, "d"), Idempotent: hint.Draw(t, "i"), OpenWorld: hint.Draw(t, "o"),
				InputSchema: []byte(`{"type":"object"}`),
			}
		}), 0, 5).Draw(t, "tools")
		file, err := encode("k", &List{Tools: tools})
		if err != nil {
			t.Fatal(err)
		}
		got, err := decode(file, "k", true)
		if err != nil || len(tools) > 0 && !reflect.DeepEqual(got.Tools, tools) {
			t.Fatalf("%+v, %v", got, err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	good, _ := encode("k", aList())
	f.Add(good)
	f.Add([]byte(`{"version":2,"key":"k","list":{"tools":1,"tokens":0},"words":3,"bodies":0,"others":0}` + "\nabc"))
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, isWhole := range []bool{true, false} {
			if list, err := decode(file, "k", isWhole); err == nil && len(list.Tools) != list.Count {
				t.Fatalf("%d tools, and it says %d", len(list.Tools), list.Count)
			}
		}
	})
}
