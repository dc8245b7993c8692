package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

type box struct {
	Allow bool     `json:"allow"`
	Items []string `json:"items"`
	Count int      `json:"count"`
}

func newStore(t *testing.T) *Store[box] {
	t.Helper()
	f, err := Open(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	return NewStore(f, "box.json", 2, func() box { return box{Items: []string{}} })
}

// again returns the same store as another window sees it.
func again(s *Store[box]) *Store[box] {
	return NewStore(s.folder, s.name, s.version, s.empty)
}

func add(item string) func(*box) error {
	return func(b *box) error {
		b.Items = append(b.Items, item)
		b.Count++
		return nil
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestO2_UpdateIsSeenByOtherWindows(t *testing.T) {
	t.Parallel()
	a := newStore(t)
	b := again(a)
	if got, err := b.Read(); err != nil || got.Items == nil || len(got.Items) != 0 {
		t.Fatalf("absent file: %+v, %v", got, err)
	}
	for i := range 50 { // quicker than the file system's clock
		got, err := a.Update(t.Context(), add(fmt.Sprint(i)))
		if err != nil || got.Count != i+1 {
			t.Fatalf("update: %+v, %v", got, err)
		}
		if got, err := b.Read(); err != nil || got.Count != i+1 {
			t.Fatalf("after update %d the other window reads %+v, %v", i, got, err)
		}
	}
	raw, err := os.ReadFile(a.Path())
	if err != nil || !strings.HasPrefix(string(raw), "{\n  \"version\": 2,\n  \"data\": {\n    \"allow\": false,\n") {
		t.Errorf("on disk: %s, %v", raw, err)
	}
	info, err := os.Stat(a.Path())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestO2_UnchangedFileIsNotReadAgain(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	put(t, s.Path(), `{"version":2,"data":{"items":["x"]}}`)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(s.Path(), old, old); err != nil {
		t.Fatal(err)
	}
	first, _ := s.Read()
	second, _ := s.Read()
	if &first.Items[0] != &second.Items[0] {
		t.Error("an unchanged file was decoded twice")
	}
	put(t, s.Path(), `{"version":2,"data":{"items":["y"]}}`) // same size, same file, another time
	if third, _ := s.Read(); third.Items[0] != "y" {
		t.Errorf("got %+v", third)
	}
}

func TestO2_ChangeThatFailsWritesNothing(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	no := errors.New("no")
	if _, err := s.Update(t.Context(), func(b *box) error { b.Count = 7; return no }); err != no {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(s.Path()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file: %v", err)
	}
	if got, err := s.Read(); err != nil || got.Count != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestO2_OlderVersionIsRead(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	put(t, s.Path(), `{"version":1,"data":{"count":3}}`)
	if got, err := s.Update(t.Context(), add("x")); err != nil || got.Count != 4 {
		t.Errorf("got %+v, %v", got, err)
	}
	if raw, _ := os.ReadFile(s.Path()); !strings.Contains(string(raw), `"version": 2`) {
		t.Errorf("on disk: %s", raw)
	}
}

func TestO2_NewerVersionIsLeftAlone(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	const text = `{"version":3,"extra":{"a":1},"data":["other","shape"]}`
	put(t, s.Path(), text)
	var newer *NewerError
	if _, err := s.Read(); !errors.As(err, &newer) || newer.Version != 3 || newer.Known != 2 {
		t.Errorf("read: %v", err)
	}
	if _, err := s.Update(t.Context(), add("x")); !errors.As(err, &newer) {
		t.Errorf("update: %v", err)
	}
	if aside, err := s.SetAside(); aside != "" || !errors.As(err, &newer) {
		t.Errorf("set aside: %q, %v", aside, err)
	}
	if err := s.Health(); !errors.As(err, &newer) {
		t.Errorf("health: %v", err)
	}
	if err := s.Confirm(t.Context()); err != nil || s.Health() != nil {
		t.Errorf("confirm: %v, then %v", err, s.Health())
	}
	if err := again(s).Health(); !errors.As(err, &newer) {
		t.Errorf("another window's health: %v", err)
	}
	if raw, _ := os.ReadFile(s.Path()); string(raw) != text {
		t.Errorf("the file became %s", raw)
	}
}

// brokenTexts are files that must never pass for a store, an empty one least of all.
var brokenTexts = map[string]string{
	"empty":                 ``,
	"torn":                  `{"version":2,"data":{"allow":tr`,
	"no object":             `[]`,
	"null":                  `null`,
	"no version":            `{"data":{"allow":true}}`,
	"version zero":          `{"version":0,"data":{}}`,
	"negative version":      `{"version":-1,"data":{}}`,
	"version of wrong type": `{"version":"2","data":{}}`,
	"no data":               `{"version":2}`,
	"null data":             `{"version":2,"data":null}`,
	"data of wrong type":    `{"version":2,"data":[]}`,
	"unknown key":           `{"version":2,"data":{},"more":1}`,
	"duplicate key":         `{"version":2,"data":{"allow":false,"allow":true}}`,
	"duplicate data":        `{"version":2,"data":{},"data":{"allow":true}}`,
	"trailing text":         `{"version":2,"data":{}} {}`,
	"invalid UTF-8":         "{\"version\":2,\"data\":{\"items\":[\"\xff\"]}}",
	"lone surrogate":        `{"version":2,"data":{"items":["\ud800"]}}`,
	"unfit value":           `{"version":2,"data":{"count":-1}}`,
}

func (b *box) Validate() error {
	if b.Count < 0 {
		return errors.New("count is negative")
	}
	return nil
}

func TestS20_BrokenFileIsSetAsideAndSaid(t *testing.T) {
	t.Parallel()
	for name, text := range brokenTexts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			put(t, s.Path(), text)
			var broken *BrokenError
			if got, err := s.Read(); !errors.As(err, &broken) || broken.SetAside != "" || got.Allow || got.Items == nil {
				t.Fatalf("read: %+v, %v", got, err)
			}
			if raw, _ := os.ReadFile(s.Path()); string(raw) != text {
				t.Fatal("reading changed the file")
			}
			if _, err := s.Update(t.Context(), add("x")); !errors.As(err, &broken) || broken.SetAside == "" {
				t.Fatalf("first update: %v", err)
			}
			aside := broken.SetAside
			if raw, err := os.ReadFile(aside); err != nil || string(raw) != text || filepath.Dir(aside) != filepath.Dir(s.Path()) {
				t.Errorf("set aside as %s: %q, %v", aside, raw, err)
			}
			if got, err := s.Update(t.Context(), add("x")); err != nil || got.Count != 1 {
				t.Errorf("second update: %+v, %v", got, err)
			}
			// Another window, or the next one, must still know.
			if err := again(s).Health(); !errors.As(err, &broken) || broken.SetAside != aside {
				t.Errorf("another window's health: %v", err)
			}
			if err := again(s).Confirm(t.Context()); err != nil {
				t.Errorf("confirm: %v", err)
			}
			if got, err := s.Read(); s.Health() != nil || err != nil || got.Count != 1 {
				t.Errorf("after confirmation: %+v, %v, health %v", got, err, s.Health())
			}
		})
	}
}

func TestS20_ConfirmSetsAside(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	put(t, s.Path(), `{`)
	if err := s.Confirm(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := again(s).Read(); err != nil || got.Count != 0 || again(s).Health() != nil {
		t.Errorf("got %+v, %v, health %v", got, err, again(s).Health())
	}
	if found, _ := filepath.Glob(s.Path() + ".broken-*"); len(found) != 1 {
		t.Errorf("set aside: %v", found)
	}
}

func TestS20_SetAsideNeverReplaces(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	var names []string
	for i := range 5 {
		put(t, s.Path(), fmt.Sprintf("broken %d", i))
		name, err := s.SetAside()
		if err != nil || slices.Contains(names, name) {
			t.Fatalf("%q, %v after %q", name, err, names)
		}
		names = append(names, name)
	}
	for i, name := range names {
		if raw, _ := os.ReadFile(name); string(raw) != fmt.Sprintf("broken %d", i) {
			t.Errorf("%s holds %q", name, raw)
		}
	}
	if name, err := s.SetAside(); name != "" || err != nil {
		t.Errorf("a good file was set aside as %q, %v", name, err)
	}
}

func TestC62_KeysInAnotherCaseNeverCount(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"version":2,"data":{"Allow":true}}`,
		`{"version":2,"data":{"allow":false,"Allow":true}}`,
		`{"version":2,"data":{"allow":false,"ALLOW":true}}`,
		`{"version":2,"data":{"item` + "\u017f" + `":["x"],"allow":false}}`, // folds to "items"
		`{"version":2,"data":{"allow":false},"Data":{"allow":true}}`,
		`{"Version":2,"data":{"allow":true}}`,
	} {
		s := newStore(t)
		put(t, s.Path(), text)
		got, err := s.Read()
		var broken *BrokenError
		if got.Allow || len(got.Items) > 0 || !errors.As(err, &broken) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

func TestO2_NoRegularFile(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	if err := os.Mkdir(s.Path(), 0o700); err != nil {
		t.Fatal(err)
	}
	var broken *BrokenError
	if _, err := s.Read(); !errors.As(err, &broken) {
		t.Errorf("read: %v", err)
	}
	if err := s.Confirm(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Update(t.Context(), add("x")); err != nil || got.Count != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestO2_LeftoversOfDeadWritersGo(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	left := s.folder.Path(".box.json.123.tmp")
	put(t, left, "half")
	other := s.folder.Path("box.json.bak")
	put(t, other, "mine")
	if _, err := s.Update(t.Context(), add("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("leftover: %v", err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}

func TestC76_WaitForALockIsBounded(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	unlock, err := s.folder.Lock(t.Context(), "box.json.lock")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Update(ctx, add("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	s.folder.wait = 20 * time.Millisecond
	if _, err := s.Update(t.Context(), add("x")); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "another window") {
		t.Errorf("held: %v", err)
	}
	if got, err := s.Read(); err != nil || got.Count != 0 {
		t.Errorf("reading needs no lock: %+v, %v", got, err)
	}
	unlock()
	if _, err := s.Update(t.Context(), add("x")); err != nil {
		t.Errorf("free: %v", err)
	}
}

func TestWriteFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, text := range []string{"one", "", "three"} {
		if err := WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if raw, err := os.ReadFile(path); err != nil || string(raw) != text {
			t.Errorf("got %q, %v", raw, err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
	if err := WriteFile(filepath.Join(dir, "absent", "f"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(dir, "folder"), nil, 0o600); err == nil {
		t.Error("replaced a folder")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
}

func FuzzC62_Decode(f *testing.F) {
	for _, text := range brokenTexts {
		f.Add([]byte(text))
	}
	f.Add([]byte(`{"version":2,"setAside":{"path":"x","reason":"y"},"data":{"allow":true,"items":["x"],"count":1}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := NewStore(&Folder{path: "/"}, "f", 2, func() box { return box{} })
		l := &loaded[box]{raw: raw}
		if s.decode(l) != nil {
			return
		}
		if l.value.Allow && !strings.Contains(string(raw), "w") && !strings.Contains(string(raw), `\u`) {
			t.Fatalf("%q allows", raw)
		}
	})
}
