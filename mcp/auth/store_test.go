package auth

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"pillion/mcp/state"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const canary = "canary-0123456789-\u00e9\n\"tail"

func key(id string) Key { return Key{ID: id, Source: "user", Destination: "npx -y good@1.0.0"} }

// place is a user with folders of their own.
type place struct {
	t             *testing.T
	state, config string
}

func newPlace(t *testing.T) place {
	t.Helper()
	dir := t.TempDir()
	return place{t, filepath.Join(dir, "state"), filepath.Join(dir, "config")}
}

func (p place) store(keyring Keyring) *Store {
	p.t.Helper()
	folder, err := state.Open(p.state)
	if err != nil {
		p.t.Fatal(err)
	}
	return New(Options{Folder: folder, KeyFolder: p.config, Keyring: func() Keyring { return keyring }})
}

func (p place) file() string { return filepath.Join(p.state, fileName) }

func (p place) write(text string) {
	p.t.Helper()
	if err := os.WriteFile(p.file(), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func set(t *testing.T, s *Store, k Key, value string) {
	t.Helper()
	if err := s.Set(t.Context(), k, value); err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, s *Store, k Key, want string) {
	t.Helper()
	got, isSet, err := s.Value(t.Context(), k)
	if err != nil || !isSet || got != want {
		t.Errorf("%q: %q, %v, %v", k.ID, got, isSet, err)
	}
}

func lacks(t *testing.T, s *Store, k Key) {
	t.Helper()
	if got, isSet, err := s.Value(t.Context(), k); isSet || err != nil {
		t.Errorf("%q: %q, %v, %v", k.ID, got, isSet, err)
	}
}

// ring is a keyring in memory.
type ring struct {
	mu     sync.Mutex
	values map[string]string
	room   int
	fault  error
	stuck  chan struct{} // if not nil, nothing is answered before it is closed
	asked  atomic.Int32
}

func (r *ring) enter() error {
	r.asked.Add(1)
	if r.stuck != nil {
		<-r.stuck
	}
	return r.fault
}

func (r *ring) Value(account string) (string, error) {
	if err := r.enter(); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	value, isSet := r.values[account]
	if !isSet {
		return "", ErrNoValue
	}
	return value, nil
}

func (r *ring) Set(account, value string) error {
	if err := r.enter(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.room > 0 && len(value) > r.room {
		return ErrTooBig
	}
	if r.values == nil {
		r.values = map[string]string{}
	}
	r.values[account] = value
	return nil
}

func (r *ring) Remove(account string) error {
	if err := r.enter(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.values, account)
	return nil
}

func TestG3_ValuesAreSealedWhereThereIsNoKeyring(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.store(nil)
	lacks(t, s, key("token"))
	if _, err := os.Stat(p.config); err == nil {
		t.Error("reading made the key's folder")
	}
	set(t, s, key("token"), canary)
	set(t, s, key("empty"), "")
	set(t, s, key("token"), canary+"2")
	for _, s := range []*Store{s, p.store(nil)} {
		holds(t, s, key("token"), canary+"2")
		holds(t, s, key("empty"), "")
		lacks(t, s, key("other"))
		if s.Place() != PlaceFile {
			t.Errorf("the place is %q", s.Place())
		}
	}
	list, err := s.List()
	if err != nil || len(list) != 2 || list[0].ID != "empty" || list[1].Key != key("token") || list[1].Place != PlaceFile {
		t.Errorf("%+v, %v", list, err)
	}
	for _, path := range []string{p.file(), filepath.Join(p.config, keyFileName)} {
		text, err := os.ReadFile(path)
		if err != nil || bytes.Contains(text, []byte("canary")) || bytes.Contains(text, []byte(hex.EncodeToString([]byte("canary")))) {
			t.Errorf("%s, %v", text, err)
		}
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
	}
	if err := s.Remove(t.Context(), key("token")); err != nil {
		t.Fatal(err)
	}
	lacks(t, p.store(nil), key("token"))
	if err := s.Remove(t.Context(), key("token")); err != nil {
		t.Errorf("removed twice: %v", err)
	}
}

// Every value has a nonce of its own: equal ones do not look equal.
func TestG3_EqualValuesLookDifferent(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.store(nil)
	set(t, s, key("a"), canary)
	set(t, s, key("b"), canary)
	f, err := s.kept.Read()
	if err != nil || bytes.Equal(f.Entries[0].Sealed, f.Entries[1].Sealed) || bytes.Equal(f.Entries[0].Sealed[:12], f.Entries[1].Sealed[:12]) {
		t.Errorf("%+v, %v", f, err)
	}
}

// A value opens for its own key alone, whatever is done to the file (S11, S12).
func TestS11_SealedValuesCannotBeSwapped(t *testing.T) {
	t.Parallel()
	full := Key{ID: "token", Source: "user", Root: "/repo", Destination: "https://api.example.com", Issuer: "i", Resource: "r", Definition: "d"}
	changes := map[string]func(*Key){
		"id":          func(k *Key) { k.ID = "other" },
		"source":      func(k *Key) { k.Source = "import" },
		"root":        func(k *Key) { k.Root = "/second" },
		"destination": func(k *Key) { k.Destination = "https://evil.example.com" },
		"issuer":      func(k *Key) { k.Issuer = "" },
		"resource":    func(k *Key) { k.Resource = "ri" },
		"definition":  func(k *Key) { k.Definition = "e" },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := full
			change(&other)
			p := newPlace(t)
			s := p.store(nil)
			set(t, s, full, canary)
			lacks(t, s, other)
			if _, err := s.kept.Update(t.Context(), func(f *file) error {
				f.Entries[0].Key = other
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if value, isSet, err := s.Value(t.Context(), other); isSet || !errors.Is(err, errUnsealed) {
				t.Errorf("%q, %v, %v", value, isSet, err)
			}
		})
	}
}

func TestG3_TheKeyIsTheUsersAlone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.store(nil)
	set(t, s, key("token"), canary)
	path := filepath.Join(p.config, keyFileName)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	unreadable := func(name string) {
		t.Helper()
		_, isSet, err := p.store(nil).Value(t.Context(), key("token"))
		if isSet || err == nil || strings.Contains(err.Error(), strings.TrimSpace(string(good))) {
			t.Errorf("%s: %v, %v", name, isSet, err)
		}
	}
	for name, text := range map[string]string{"short": "abcd", "not hex": strings.Repeat("x", 64), "another": strings.Repeat("ab", 32), "long": strings.Repeat("ab", 1000)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		unreadable(name)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	unreadable("absent")
	set(t, s, key("token"), canary)
	holds(t, s, key("token"), canary)
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	unreadable("readable by others")
	if err := os.Chmod(p.config, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := s.Set(t.Context(), key("token"), canary); err == nil {
		t.Error("a key in a folder that others may write to was used")
	}
}

func TestS20_ANewerListIsRefusedAndABrokenOneSetAside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.store(nil)
	const newer = `{"version":2,"data":{"entirely":"other"}}`
	p.write(newer)
	var tooNew *state.NewerError
	if _, _, err := s.Value(t.Context(), key("token")); !errors.As(err, &tooNew) {
		t.Errorf("%v", err)
	}
	if err := s.Set(t.Context(), key("token"), canary); !errors.As(err, &tooNew) {
		t.Errorf("%v", err)
	}
	if text, _ := os.ReadFile(p.file()); string(text) != newer {
		t.Errorf("it was written: %s", text)
	}
	for name, text := range map[string]string{
		"no JSON":       "\x00",
		"unknown place": `{"version":1,"data":{"place":"cloud","entries":[]}}`,
		"unknown key":   `{"version":1,"data":{"entries":[{"key":{"id":"a","source":"user","destination":"d","more":1},"at":"2026-01-01T00:00:00Z","place":"keyring"}]}}`,
		"no id":         `{"version":1,"data":{"entries":[{"key":{"id":"","source":"user","destination":"d"},"at":"2026-01-01T00:00:00Z","place":"keyring"}]}}`,
		"not sealed":    `{"version":1,"data":{"entries":[{"key":{"id":"a","source":"user","destination":"d"},"at":"2026-01-01T00:00:00Z","place":"file"}]}}`,
		"sealed twice":  `{"version":1,"data":{"entries":[{"key":{"id":"a","source":"user","destination":"d"},"at":"2026-01-01T00:00:00Z","place":"keyring","sealed":"AAAA"}]}}`,
		"same key": `{"version":1,"data":{"entries":[{"key":{"id":"a","source":"user","destination":"d"},"at":"2026-01-01T00:00:00Z","place":"keyring"},
			{"key":{"id":"a","source":"user","destination":"d"},"at":"2026-01-01T00:00:00Z","place":"keyring"}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			s := p.store(nil)
			p.write(text)
			var broken *state.BrokenError
			if _, _, err := s.Value(t.Context(), key("token")); !errors.As(err, &broken) {
				t.Errorf("%v", err)
			}
			if _, err := s.List(); !errors.As(err, &broken) {
				t.Errorf("%v", err)
			}
			set(t, s, key("token"), canary)
			holds(t, s, key("token"), canary)
			if err := s.Health(); !errors.As(err, &broken) || broken.SetAside == "" {
				t.Fatalf("%v", err)
			}
			if kept, err := os.ReadFile(broken.SetAside); err != nil || string(kept) != text {
				t.Errorf("%q, %v", kept, err)
			}
			if err := s.Confirm(t.Context()); err != nil || s.Health() != nil {
				t.Errorf("%v, %v", err, s.Health())
			}
			holds(t, s, key("token"), canary)
		})
	}
}

func TestG3_TheKeyringIsChosenOnceAndRemembered(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	keyring := &ring{room: 2000}
	s := p.store(keyring)
	lacks(t, s, key("token"))
	if keyring.asked.Load() != 0 {
		t.Error("the keyring was asked for what is not there")
	}
	set(t, s, key("token"), canary)
	holds(t, s, key("token"), canary)
	if s.Place() != PlaceKeyring || len(keyring.values) != 1 {
		t.Errorf("%q, %v", s.Place(), keyring.values)
	}
	if text, _ := os.ReadFile(p.file()); bytes.Contains(text, []byte("canary")) {
		t.Errorf("%s", text)
	}
	if _, err := os.Stat(p.config); err == nil {
		t.Error("a key was made that nothing is sealed with")
	}

	// A value that does not fit goes to the file, and the old one leaves the keyring.
	big := strings.Repeat("x", 3000)
	set(t, s, key("token"), big)
	holds(t, s, key("token"), big)
	if len(keyring.values) != 0 || s.Place() != PlaceKeyring {
		t.Errorf("%d values in the keyring, place %q", len(keyring.values), s.Place())
	}
	set(t, s, key("token"), canary)

	// It is gone in a session without one: nothing goes elsewhere behind the user's back.
	without := p.store(nil)
	if _, isSet, err := without.Value(t.Context(), key("token")); isSet || !errors.Is(err, ErrNoKeyring) {
		t.Errorf("%v, %v", isSet, err)
	}
	if err := without.Set(t.Context(), key("second"), canary); !errors.Is(err, ErrNoKeyring) {
		t.Errorf("%v", err)
	}
	if err := s.Remove(t.Context(), key("token")); err != nil || len(keyring.values) != 0 {
		t.Errorf("%v, %v", err, keyring.values)
	}

	// What somebody removed from the keyring itself is not there.
	set(t, s, key("token"), canary)
	clear(keyring.values)
	lacks(t, s, key("token"))
}

func TestG3_TheFileIsChosenWhereTheKeyringFails(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	keyring := &ring{fault: errors.New("no such bus")}
	set(t, p.store(keyring), key("token"), canary)
	keyring.fault = nil
	s := p.store(keyring)
	set(t, s, key("second"), canary)
	holds(t, s, key("token"), canary)
	holds(t, s, key("second"), canary)
	if s.Place() != PlaceFile || keyring.asked.Load() != 1 {
		t.Errorf("%q, asked %d times", s.Place(), keyring.asked.Load())
	}
	// A big first value says nothing about the keyring.
	p = newPlace(t)
	s = p.store(&ring{room: 2000})
	set(t, s, key("big"), strings.Repeat("x", 3000))
	if s.Place() != "" {
		t.Errorf("%q", s.Place())
	}
	set(t, s, key("token"), canary)
	if s.Place() != PlaceKeyring {
		t.Errorf("%q", s.Place())
	}
}

func TestG3_TwoWindowsLoseNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	const windows, each = 4, 10
	var all sync.WaitGroup
	for w := range windows {
		s := p.store(nil)
		all.Go(func() {
			for i := range each {
				if err := s.Set(context.Background(), key(fmt.Sprintf("%d-%d", w, i)), canary); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	s := p.store(nil)
	for w := range windows {
		for i := range each {
			holds(t, s, key(fmt.Sprintf("%d-%d", w, i)), canary)
		}
	}
}

func TestG3_KeysAndValuesAreBounded(t *testing.T) {
	t.Parallel()
	s := newPlace(t).store(nil)
	long := strings.Repeat("x", maxKeyBytes+1)
	for name, k := range map[string]Key{
		"no id": {Source: "user", Destination: "d"}, "no source": {ID: "a", Destination: "d"}, "no destination": {ID: "a", Source: "user"},
		"long": {ID: "a", Source: "user", Destination: long}, "not UTF-8": {ID: "\xff", Source: "user", Destination: "d"},
	} {
		if err := s.Set(t.Context(), k, "v"); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if err := s.Set(t.Context(), key("a"), strings.Repeat("x", MaxValueBytes+1)); err == nil {
		t.Error("a value beyond the bound was taken")
	}
	set(t, s, key("a"), strings.Repeat("x", MaxValueBytes))
}

// The decoder of the file takes nothing that it would not write, and what it takes goes on working.
func FuzzFile(f *testing.F) {
	for _, data := range []string{
		`{"version":1,"data":{"entries":[]}}`, `{"version":2,"data":null}`, `{"version":1,"data":{"place":"file","entries":[]}}`,
		`{"version":1,"data":{"place":"file","entries":[{"key":{"id":"token","source":"user","destination":"npx -y good@1.0.0"},"at":"2026-01-01T00:00:00Z","place":"file","sealed":"AAAA"}]}}`,
		`{"version":1,"data":{"place":"keyring","entries":[{"key":{"id":"a","source":"user","destination":"d"},"at":"2026-01-01T00:00:00Z","place":"keyring"}]}}`,
		`{"version":1,"setAside":{"path":"/p","reason":"r"},"data":{"entries":[]}}`, `[`,
	} {
		f.Add([]byte(data))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		p := place{t, filepath.Join(dir, "state"), filepath.Join(dir, "config")}
		s := p.store(&ring{})
		p.write(string(data))
		list, err := s.List()
		value, isSet, valueErr := s.Value(t.Context(), key("token"))
		if isSet {
			t.Fatalf("%q was never sealed", value)
		}
		if err != nil {
			if valueErr == nil {
				t.Fatal("what cannot be listed was read")
			}
			return
		}
		text, err := json.Marshal(list)
		if err != nil || bytes.Contains(text, []byte("canary")) {
			t.Fatalf("%s, %v", text, err)
		}
		set(t, s, key("token"), canary)
		holds(t, s, key("token"), canary)
	})
}
