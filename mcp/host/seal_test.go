package host

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pillion/mcp/auth"
	"pillion/mcp/consent"
	"pillion/mcp/permission"
	"pillion/mcp/process"
	"pillion/mcp/state"
)

// ring is a keyring that can be locked, and hang.
type ring struct {
	mu     sync.Mutex
	values map[string]string
	fault  error
	stuck  chan struct{}
}

func (r *ring) Value(account string) (string, error) {
	if r.stuck != nil {
		<-r.stuck
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fault != nil {
		return "", r.fault
	}
	if value, isSet := r.values[account]; isSet {
		return value, nil
	}
	return "", auth.ErrNoValue
}

func (r *ring) Set(account, value string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fault == nil {
		r.values[account] = value
	}
	return r.fault
}

func (r *ring) Remove(string) error { return nil }

// user is somebody whose windows share one state, with a keyring or without.
type user struct {
	t   *testing.T
	dir string
}

// window opens one in a workspace; what stood in the state folder before counts or does not.
func (u user) window(keyring auth.Keyring, roots ...string) *house {
	u.t.Helper()
	folder, err := state.Open(filepath.Join(u.dir, "state"))
	if err != nil {
		u.t.Fatal(err)
	}
	var h *Host
	key := auth.NewGrantKey(folder, func() auth.Keyring { return keyring }, func() { h.SealKeyCame() })
	h = New(Options{
		Logger: slog.New(slog.DiscardHandler), UserFile: filepath.Join(u.dir, "mcp.json"), Folder: folder, SealKey: key,
		Environ: []string{"HOME=" + u.dir, "PATH=" + os.Getenv("PATH")}, Executable: os.Getenv(programVar), GuardArgs: []string{guardArgument},
		Roots: roots, StopTiming: process.Timing{EOF: 500 * time.Millisecond, Term: 300 * time.Millisecond},
	})
	u.t.Cleanup(func() { h.Close(context.Background()) })
	h.Start()
	return &house{h, u.t, filepath.Join(u.dir, "mcp.json")}
}

// trusting is a user who has allowed the connector of a workspace, and a tool of it and of one of their own.
func trusting(t *testing.T, keyring auth.Keyring) (u user, root string) {
	t.Helper()
	u, root = user{t, t.TempDir()}, workspace(t, "theirs", "")
	write(t, filepath.Join(u.dir, "mcp.json"), servers("mine", ""))
	h := u.window(keyring, root)
	for _, p := range h.Waiting(true) {
		if err := h.Decide(t.Context(), p, consent.Allow, "test"); err != nil {
			t.Fatal(err)
		}
	}
	for name, scope := range map[string]string{"mine": permission.ScopeUser, "theirs": permission.ScopeProject} {
		h.started(name)
		h.stands(NewRule{Connector: name, Tool: "a", Decision: permission.RuleAllow, Scope: scope})
		h.called(name + ".a")
	}
	h.Close(t.Context())
	return u, root
}

// edit changes a file of the state, as something else than Pillion could.
func (u user) edit(file, old, new string) {
	u.t.Helper()
	path := filepath.Join(u.dir, "state", file)
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), old) {
		u.t.Fatalf("%s has no %q: %v\n%s", path, old, err, text)
	}
	write(u.t, path, strings.ReplaceAll(string(text), old, new))
}

// doubts are what does not count, in words.
func (h *house) doubts() (labels []string) {
	for _, problem := range h.StoreProblems() {
		for _, doubt := range problem.Doubts {
			labels = append(labels, doubt.Label)
		}
	}
	return labels
}

// asks holds that a call would ask: there is nobody here to be asked.
func (h *house) asks(tool string) {
	h.t.Helper()
	result, err := h.Call(h.t.Context(), CallRequest{Tool: tool})
	if err != nil || result.Status != StatusDeclined || result.MayHaveRun {
		h.t.Errorf("call of %s: %+v, %v", tool, result, err)
	}
}

func TestS20_WhatWasSealedCountsInEveryWindow(t *testing.T) {
	t.Parallel()
	keyring := &ring{values: map[string]string{}}
	u, root := trusting(t, keyring)
	h := u.window(keyring, root)
	h.called("mine.a")
	h.called("theirs.a")
	if problems := h.StoreProblems(); len(problems) != 0 || len(keyring.values) != 1 {
		t.Errorf("%+v, with %d keys", problems, len(keyring.values))
	}
}

func TestS20_ARecordEditedByHandDoesNotCount(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, file, old, new, label, asks, waits, counts string }{
		{"a yes for another definition", "consents.json", `"hash": "`, `"hash": "0`, `run connector "theirs" in `, "", "theirs", "mine.a"},
		{"a yes that follows", "consents.json", `"decision": "allow"`, `"decision": "allowFollow"`, `run connector "theirs" in `, "", "theirs", "mine.a"},
		{"a rule for another tool", "permissions.json", `"connector": "theirs"`, `"connector": "mine"`, `connector "mine" in `, "theirs.a", "", "mine.a"},
		{"a rule that reaches further", "permissions.json", `"at": "2`, `"at": "1`, `tool "a" of connector "mine" everywhere`, "mine.a", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			keyring := &ring{values: map[string]string{}}
			u, root := trusting(t, keyring)
			u.edit(test.file, test.old, test.new)
			h := u.window(keyring, root)
			if said := strings.Join(h.doubts(), "\n"); !strings.Contains(said, test.label) {
				t.Errorf("told: %q", said)
			}
			if test.waits != "" {
				h.until(test.waits, StateWaiting)
			}
			if test.asks != "" {
				h.asks(test.asks)
			}
			if test.counts != "" {
				h.called(test.counts)
			}
		})
	}
}

func TestS20_ARecordCopiedFromAnotherRootDoesNotCount(t *testing.T) {
	t.Parallel()
	keyring := &ring{values: map[string]string{}}
	u, root := trusting(t, keyring)
	other := workspace(t, "theirs", "")
	u.edit("consents.json", root, other)
	u.edit("consents.json", consent.RootID(root), consent.RootID(other))
	u.edit("permissions.json", root, other)
	h := u.window(keyring, other)
	h.until("theirs", StateWaiting)
	if said := h.doubts(); len(said) != 2 {
		t.Errorf("told: %q", said)
	}
	for _, p := range h.Waiting(true) {
		if p.IsChange {
			t.Errorf("%+v passes for a change of what was allowed", p)
		}
		if err := h.Decide(t.Context(), p, consent.Allow, "test"); err != nil {
			t.Fatal(err)
		}
	}
	h.started("theirs")
	h.asks("theirs.a")
}

func TestS20_WithoutTheKeyNothingGivenCounts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		keyring auth.Keyring
	}{
		{"no keyring any more", nil},
		{"locked", &ring{fault: errors.New("it is locked")}},
		{"the key was deleted", &ring{values: map[string]string{}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			u, root := trusting(t, &ring{values: map[string]string{}})
			h := u.window(test.keyring, root)
			h.until("theirs", StateWaiting)
			h.asks("mine.a")
			if said := h.doubts(); len(said) != 3 {
				t.Errorf("told: %q", said)
			}
			// What is said now counts here, and a refusal counts whatever becomes of the key.
			h.stands(NewRule{Connector: "mine", Tool: "a", Decision: permission.RuleAllow, Scope: permission.ScopeUser})
			h.called("mine.a")
			h.stands(NewRule{Connector: "mine", Tool: "a", Decision: permission.RuleDeny, Scope: permission.ScopeUser})
			h.Close(t.Context())
			again := u.window(&ring{fault: errors.New("it is locked still")}, root)
			if result, err := again.Call(t.Context(), CallRequest{Tool: "mine.a"}); err != nil || result.Status != StatusDenied {
				t.Errorf("%+v, %v", result, err)
			}
		})
	}
}

func TestS20_AKeyringThatAnswersLateIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	keyring := &ring{values: map[string]string{}}
	u, root := trusting(t, keyring)
	stuck := &ring{values: keyring.values, stuck: make(chan struct{})}
	h := u.window(stuck, root)
	h.until("theirs", StateWaiting)
	h.asks("mine.a")
	close(stuck.stuck) // somebody has typed its password
	h.until("theirs", StateReady)
	h.called("mine.a")
	h.called("theirs.a")
	if problems := h.StoreProblems(); len(problems) != 0 {
		t.Errorf("%+v", problems)
	}
}

// What was decided before there were seals is asked about once, and sealed then; exactly what was shown.
func TestS20_OldDecisionsAreNotLost(t *testing.T) {
	t.Parallel()
	u, root := trusting(t, nil)
	h := u.window(nil, root) // as long as there is no keyring they count as they are
	h.called("mine.a")
	h.called("theirs.a")
	if problems := h.StoreProblems(); len(problems) != 0 {
		t.Errorf("%+v", problems)
	}
	h.Close(t.Context())

	keyring := &ring{values: map[string]string{}}
	h = u.window(keyring, root)
	h.until("theirs", StateWaiting)
	h.asks("mine.a")
	problems := h.StoreProblems()
	if len(problems) != 2 || len(keyring.values) != 0 {
		t.Fatalf("%+v", problems)
	}
	u.edit("permissions.json", `"rules": [`, `"rules": [{"id":"forged","connector":"mine","source":"user","definitionHash":"d","tool":"b","toolHashes":{"b":"h"},"decision":"allow","scope":"user","at":"2026-01-01T00:00:00Z"},`)
	for _, problem := range problems {
		if err := h.ConfirmStore(t.Context(), problem); err != nil {
			t.Fatal(err)
		}
	}
	h.called("mine.a")
	h.called("theirs.a")
	h.Close(t.Context())
	h = u.window(keyring, root)
	h.called("mine.a")
	h.called("theirs.a")
	if said := h.doubts(); len(said) != 1 || !strings.Contains(said[0], `tool "b"`) {
		t.Errorf("told: %q", said)
	}
	for _, rule := range h.Rules() {
		if rule.ID == "forged" && !h.IsSuspended(rule) {
			t.Error("what was forged seems to count")
		}
	}
	if err := h.RemoveRule(t.Context(), "forged"); err != nil || len(h.StoreProblems()) != 0 {
		t.Errorf("taken back: %v, %+v", err, h.StoreProblems())
	}
}
