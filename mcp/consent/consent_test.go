package consent

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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

func key(root, connector string) Key {
	return Key{Root: root, RootID: "id of " + root, Connector: connector}
}

func decide(t *testing.T, s *Store, k Key, hash string, d Decision) {
	t.Helper()
	if err := s.Decide(t.Context(), k, hash, "text of "+hash, Code{}, d); err != nil {
		t.Fatal(err)
	}
}

// expect checks what was decided; "" stands for nothing.
func expect(t *testing.T, s *Store, k Key, hash string, want Decision) {
	t.Helper()
	got, decided := s.Decisions().Of(k, hash)
	if got != want || decided != (want != "") {
		t.Errorf("%+v %s: %q, %v, want %q", k, hash, got, decided, want)
	}
}

func TestC71_ADecisionCoversThatDefinitionThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := window(t, filepath.Join(dir, "state"))
	k := key("/w", "build")
	expect(t, s, k, "h1", "")
	if s.Decisions().Known(k) {
		t.Error("known before any decision")
	}
	decide(t, s, k, "h1", Allow)
	expect(t, s, k, "h1", Allow)
	expect(t, s, k, "h2", "")
	expect(t, s, key("/other checkout", "build"), "h1", "")
	expect(t, s, key("/w", "Build"), "h1", "")
	expect(t, s, Key{"/w", "id of a new clone", "build"}, "h1", "")
	expect(t, s, Key{"/w", "", "build"}, "h1", "")
	if text, known := s.Decisions().PreviousText(k); !known || text != "text of h1" || !s.Decisions().Known(k) {
		t.Errorf("previous text %q, %v", text, known)
	}
	decide(t, s, k, "h2", AllowFollow)
	if text, _ := s.Decisions().PreviousText(k); text != "text of h2" {
		t.Errorf("previous text %q", text)
	}
	other := window(t, filepath.Join(dir, "state")) // the yes of one window is seen by the others (C76)
	expect(t, other, k, "h1", Allow)
	expect(t, other, k, "h2", AllowFollow)
	decide(t, other, k, "h2", Later)
	expect(t, s, k, "h2", Later)
	expect(t, s, k, "h1", Allow)
}

func TestB4_NeverHoldsWhateverTheDefinition(t *testing.T) {
	t.Parallel()
	s := window(t, filepath.Join(t.TempDir(), "state"))
	k := key("/w", "build")
	decide(t, s, k, "h1", Allow)
	decide(t, s, key("/w", "test"), "h1", Allow)
	decide(t, s, k, "h2", Never)
	expect(t, s, k, "h1", Never)
	expect(t, s, k, "h3", Never)
	expect(t, s, Key{"/w", "id of a new clone", "build"}, "h1", Never)
	expect(t, s, key("/w", "test"), "h1", Allow)
	expect(t, s, key("/elsewhere", "build"), "h1", "")
	if s.Decisions().Known(k) {
		t.Error("the allowed definition outlived the refusal")
	}
	decide(t, s, k, "h3", Allow) // the user thought better of it
	expect(t, s, k, "h3", Allow)
	expect(t, s, k, "h1", "")
	expect(t, s, k, "h2", "")
}

func TestB4_Revoke(t *testing.T) {
	t.Parallel()
	s := window(t, filepath.Join(t.TempDir(), "state"))
	decide(t, s, key("/w", "a"), "h1", Allow)
	decide(t, s, key("/w", "a"), "h2", Later)
	decide(t, s, key("/w", "b"), "h1", Allow)
	decide(t, s, key("/v", "a"), "h1", Never)
	if err := s.Revoke(t.Context(), "/w", "a"); err != nil {
		t.Fatal(err)
	}
	expect(t, s, key("/w", "a"), "h1", "")
	expect(t, s, key("/w", "a"), "h2", "")
	expect(t, s, key("/w", "b"), "h1", Allow)
	expect(t, s, key("/v", "a"), "h1", Never)
	records := s.Records()
	if len(records) != 2 || records[0].Root != "/v" || records[1].Connector != "b" || records[1].DefinitionText != "text of h1" || records[1].At.IsZero() {
		t.Errorf("records: %+v", records)
	}
}

func TestC71_RecordsAreBounded(t *testing.T) {
	t.Parallel()
	s := window(t, filepath.Join(t.TempDir(), "state"))
	decide(t, s, key("/w", "other"), "h", Allow)
	records := []Record{}
	for i := range 3 * maxPerConnector {
		records = with(records, Record{Root: "/w", RootID: "x", Connector: "a", Hash: fmt.Sprint(i), Decision: Allow}, Code{}, s.sieve.Sealer(false))
	}
	if len(records) != maxPerConnector || records[0].Hash != fmt.Sprint(2*maxPerConnector) {
		t.Errorf("%d records, the first %+v", len(records), records[0])
	}
	if err := s.Decide(t.Context(), key("/w", "big"), "h", strings.Repeat("日", maxTextBytes), Code{}, Allow); err != nil {
		t.Fatal(err)
	}
	if text, _ := s.Decisions().PreviousText(key("/w", "big")); len(text) > maxTextBytes || len(text) < maxTextBytes-3 || strings.Trim(text, "日") != "" {
		t.Errorf("kept %d bytes", len(text))
	}
}

func TestB4_UnclearDecisionsAreRefused(t *testing.T) {
	t.Parallel()
	s := window(t, filepath.Join(t.TempDir(), "state"))
	for _, d := range []Decision{"", "Allow", "ALLOW", "yes", "deny"} {
		if err := s.Decide(t.Context(), key("/w", "a"), "h", "", Code{}, d); err == nil {
			t.Errorf("%q was taken", d)
		}
	}
	for _, k := range []Key{{"", "x", "a"}, {"/w", "", "a"}, {"/w", "x", ""}} {
		if err := s.Decide(t.Context(), k, "h", "", Code{}, Allow); err == nil {
			t.Errorf("%+v was taken", k)
		}
	}
	if err := s.Decide(t.Context(), key("/w", "a"), "", "", Code{}, Allow); err == nil {
		t.Error("no hash was taken")
	}
	if len(s.Records()) > 0 {
		t.Errorf("records: %+v", s.Records())
	}
}

const goodFile = `{"version":1,"data":{"records":[{"root":"/w","rootId":"id of /w","connector":"a","hash":"h","decision":"allow","at":"2026-01-02T03:04:05Z","definitionText":""}]}}`

func TestS20_AStoreThatIsNotUnderstoodAllowsNothing(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"good":              goodFile,
		"torn":              goodFile[:60],
		"newer":             strings.Replace(goodFile, `"version":1`, `"version":3`, 1),
		"key in a case":     strings.Replace(goodFile, `"decision"`, `"Decision"`, 1),
		"both cases":        strings.Replace(goodFile, `"decision":"allow"`, `"decision":"later","Decision":"allow"`, 1),
		"duplicate":         strings.Replace(goodFile, `"decision":"allow"`, `"decision":"later","decision":"allow"`, 1),
		"long s":            strings.Replace(goodFile, `"hash"`, `"ha`+"\u017f"+`h"`, 1),
		"value in a case":   strings.Replace(goodFile, `"allow"`, `"Allow"`, 1),
		"no root id":        strings.Replace(goodFile, `"id of /w"`, `""`, 1),
		"unknown condition": strings.Replace(goodFile, `"hash"`, `"only":"x","hash"`, 1),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "state")
			s := window(t, dir)
			if err := os.WriteFile(filepath.Join(dir, fileName), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if name == "good" {
				expect(t, s, key("/w", "a"), "h", Allow)
				if s.Health() != nil {
					t.Errorf("health: %v", s.Health())
				}
				return
			}
			expect(t, s, key("/w", "a"), "h", "")
			if s.Health() == nil {
				t.Error("healthy")
			}
			// A new decision holds here, and the store stays under suspicion until the user confirms, in every window.
			err := s.Decide(t.Context(), key("/w", "b"), "h", "", Code{}, Allow)
			if (err != nil) != (name == "newer") || err != nil && !state.IsUnsaved(err) {
				t.Errorf("decide: %v", err)
			}
			expect(t, s, key("/w", "b"), "h", Allow)
			expect(t, s, key("/w", "a"), "h", "")
			if s.Health() == nil || window(t, dir).Health() == nil {
				t.Error("healthy without confirmation")
			}
			if err := s.Confirm(t.Context()); err != nil || s.Health() != nil {
				t.Errorf("confirm: %v, then %v", err, s.Health())
			}
			if raw, _ := os.ReadFile(filepath.Join(dir, fileName)); name == "newer" && string(raw) != text {
				t.Errorf("the newer file became %s", raw)
			}
		})
	}
}

func TestC76_ManyWindowsDecideAtOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	var wg sync.WaitGroup
	for i := range 8 {
		s := window(t, dir)
		wg.Go(func() { decide(t, s, key("/w", fmt.Sprint(i)), "h", Allow) })
	}
	wg.Wait()
	if records := window(t, dir).Records(); len(records) != 8 {
		t.Errorf("%d of 8 decisions are there", len(records))
	}
}

func TestS2_RootIDTellsFoldersApart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	make := func() {
		if err := os.Mkdir(root, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	make()
	first := RootID(root)
	if first == "" || RootID(root) != first || RootID(root+"/") != first {
		t.Errorf("got %q, then %q", first, RootID(root))
	}
	if err := os.WriteFile(filepath.Join(root, "f"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if RootID(root) != first {
		t.Error("a file in it makes it another folder")
	}
	moved := filepath.Join(dir, "moved")
	if err := os.Rename(root, moved); err != nil {
		t.Fatal(err)
	}
	if RootID(moved) != first {
		t.Error("a move makes it another folder")
	}
	for range 20 { // inode numbers are used again
		make()
		if RootID(root) == first {
			t.Fatal("a new folder at the same path is taken for the old one")
		}
		if err := os.Remove(root); err != nil {
			t.Fatal(err)
		}
	}
	make()
	second := RootID(root)
	if err := os.Remove(root); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(second, ".") && runtime.GOOS == "linux" {
		t.Skip("no times of birth on this file system")
	}
	birth := func(id string) string {
		_, birth, _ := strings.Cut(id, "-")
		return birth
	}
	scratch := filepath.Join(dir, "scratch")
	for now := second; birth(now) == birth(second); { // until the file system's clock ticks
		if err := os.Mkdir(scratch, 0o700); err != nil {
			t.Fatal(err)
		}
		now = RootID(scratch)
		if err := os.Remove(scratch); err != nil {
			t.Fatal(err)
		}
	}
	make()
	if RootID(root) == second {
		t.Error("removed and made again, it is taken for the old one")
	}
	for _, path := range []string{filepath.Join(dir, "absent"), filepath.Join(moved, "f"), "", "\x00"} {
		if id := RootID(path); id != "" {
			t.Errorf("RootID(%q) = %q", path, id)
		}
	}
}

func FuzzC62_OnlyExactRecordsAllow(f *testing.F) {
	f.Add(goodFile)
	f.Fuzz(func(t *testing.T, text string) {
		dir := filepath.Join(t.TempDir(), "state")
		s := window(t, dir)
		if err := os.WriteFile(filepath.Join(dir, fileName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		d, _ := s.Decisions().Of(key("/w", "a"), "h")
		if d != Allow {
			return
		}
		// What allows must say so to an exact reader too.
		var exact struct {
			Data map[string][]map[string]any
		}
		if err := json.Unmarshal([]byte(text), &exact); err != nil {
			t.Fatalf("%q allows but is no JSON: %v", text, err)
		}
		for _, r := range exact.Data["records"] {
			if r["root"] == "/w" && r["connector"] == "a" && r["hash"] == "h" && r["decision"] == "allow" {
				return
			}
		}
		t.Fatalf("%q allows", text)
	})
}

// TestS11_SecretsAreConfirmedWhereTheyGo: by name, source and destination, in exactly one folder, until the connector that
// they were confirmed for is taken back.
func TestS11_SecretsAreConfirmedWhereTheyGo(t *testing.T) {
	t.Parallel()
	s := window(t, t.TempDir())
	k, secret := key("/w", "a"), Secret{Source: "project", Name: "TOKEN", Destination: "npx pkg"}
	if err := s.Decide(t.Context(), k, "h", "", Code{}, Allow, secret); err != nil {
		t.Fatal(err)
	}
	decide(t, s, k, "h", AllowFollow) // which leaves them alone
	decide(t, s, k, "g", Later)
	d := s.Decisions()
	other := key("/w", "b") // the same secret goes to the same program
	if !d.IsConfirmed(k, secret) || !d.IsConfirmed(other, secret) {
		t.Error("it is not remembered")
	}
	for _, changed := range []Secret{{"user", "TOKEN", "npx pkg"}, {"project", "TOKEN2", "npx pkg"}, {"project", "TOKEN", "npx other"}} {
		if d.IsConfirmed(k, changed) {
			t.Errorf("%+v is confirmed", changed)
		}
	}
	for _, elsewhere := range []Key{key("/v", "a"), {Root: "/w", RootID: "another", Connector: "a"}, {Root: "/w", Connector: "a"}} {
		if d.IsConfirmed(elsewhere, secret) {
			t.Errorf("%+v has it confirmed", elsewhere)
		}
	}
	if err := s.Revoke(t.Context(), "/w", "a"); err != nil {
		t.Fatal(err)
	}
	if s.Decisions().IsConfirmed(k, secret) {
		t.Error("it is remembered though it was taken back")
	}
}

func TestS2_ARenameMovesTheYesToOneDefinitionAlone(t *testing.T) {
	t.Parallel()
	s := window(t, filepath.Join(t.TempDir(), "state"))
	from, to := key("/w", "build"), key("/w", "builder")
	decide(t, s, from, "h1", Allow)
	decide(t, s, from, "h2", Allow)
	if err := s.Rename(t.Context(), "/w", "build", "builder", "h1"); err != nil {
		t.Fatal(err)
	}
	expect(t, s, to, "h1", Allow)
	expect(t, s, to, "h2", "")
	expect(t, s, from, "h1", "")
	expect(t, s, from, "h2", Allow)

	refused := key("/w", "refused")
	decide(t, s, refused, "h9", Never)
	if err := s.Rename(t.Context(), "/w", "builder", "refused", "h1"); err != nil {
		t.Fatal(err)
	}
	expect(t, s, refused, "h1", Never)
}
