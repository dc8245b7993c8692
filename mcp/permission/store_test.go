package permission

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pillion/mcp/state"
)

// window is a store as one window sees it.
func window(t testing.TB, dir string) *Store {
	t.Helper()
	f, err := state.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return New(f, nil)
}

func mustAdd(t testing.TB, s *Store, r Rule) Rule {
	t.Helper()
	r, err := s.Add(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func ids(rules []Rule) []string {
	all := []string{}
	for _, r := range rules {
		all = append(all, r.ID)
	}
	return all
}

func TestS8_RulesAreSharedBetweenWindowsButForSessions(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	a, b := window(t, dir), window(t, dir)
	if rules := a.Rules(); len(rules) > 0 {
		t.Errorf("rules from nowhere: %+v", rules)
	}
	project := mustAdd(t, a, allow())
	session := mustAdd(t, a, rule(allowAll(), func(r *Rule) { r.Scope, r.SessionID = ScopeSession, "s1" }))
	user := mustAdd(t, b, rule(allow(), func(r *Rule) { r.Source, r.Scope, r.SessionID = SourceUser, ScopeUser, "s1" }))
	if got := ids(a.Rules()); !slices.Equal(got, []string{session.ID, user.ID, project.ID}) {
		t.Errorf("in window a: %q", got)
	}
	if got := ids(b.Rules()); !slices.Equal(got, []string{user.ID, project.ID}) {
		t.Errorf("in window b: %q", got)
	}
	if project.ID == "" || project.ID == user.ID || project.At.IsZero() || user.Root != "" || user.SessionID != "" {
		t.Errorf("%+v and %+v", project, user)
	}
	if v := Judge(b.Rules(), ModeAsk, writing(), true); v.Decision != Auto || v.Rule != project.ID {
		t.Errorf("in window b: %+v", v)
	}
	a.EndSessions(func(id string) bool { return id == "s2" })
	if err := a.Remove(t.Context(), user.ID); err != nil {
		t.Error(err)
	}
	if got := ids(a.Rules()); !slices.Equal(got, []string{session.ID, project.ID}) {
		t.Errorf("without the user's: %q", got)
	}
	a.EndSessions(func(id string) bool { return id == "s1" })
	if err := b.Remove(t.Context(), project.ID); err != nil {
		t.Error(err)
	}
	if err := b.Remove(t.Context(), project.ID); err != nil {
		t.Errorf("one that is gone is as good as removed: %v", err)
	}
	if got := ids(a.Rules()); len(got) > 0 {
		t.Errorf("left: %q", got)
	}
	again := mustAdd(t, a, rule(allow(), func(r *Rule) { r.Scope = ScopeSession }))
	if err := a.Remove(t.Context(), again.ID); err != nil || len(a.Rules()) > 0 {
		t.Errorf("session rule: %v, left %+v", err, a.Rules())
	}
}

func TestE2_ANewAnswerTakesThePlaceOfTheOld(t *testing.T) {
	t.Parallel()
	s := window(t, filepath.Join(t.TempDir(), "state"))
	first := mustAdd(t, s, allow())
	same := mustAdd(t, s, allow())
	if got := ids(s.Rules()); !slices.Equal(got, []string{same.ID}) || first.ID == same.ID {
		t.Errorf("after the same answer: %q", got)
	}
	changed := mustAdd(t, s, rule(allow(), func(r *Rule) { r.ToolHashes = map[string]string{"t": "h2", "u": "dropped"} }))
	if got := ids(s.Rules()); !slices.Equal(got, []string{changed.ID, same.ID}) || len(changed.ToolHashes) != 1 {
		t.Errorf("after a change of the tool: %q, %+v", got, changed)
	}
	deny := mustAdd(t, s, rule(allow(), func(r *Rule) { r.Decision, r.ReadOnlyTools = RuleDeny, true }))
	if got := ids(s.Rules()); !slices.Equal(got, []string{deny.ID}) || deny.ToolHashes != nil || deny.DefinitionHash != "" || deny.ReadOnlyTools {
		t.Errorf("after a refusal: %q, %+v", got, deny)
	}
	for i := range 2 * maxPerTarget {
		mustAdd(t, s, rule(allow(), func(r *Rule) { r.ToolHashes = map[string]string{"t": fmt.Sprint(i)} }))
	}
	rules := s.Rules()
	if len(rules) != maxPerTarget || rules[0].ToolHashes["t"] != fmt.Sprint(2*maxPerTarget-1) {
		t.Errorf("%d rules, the newest %+v", len(rules), rules[0])
	}
}

func TestS8_RulesThatSayTooLittleAreRefused(t *testing.T) {
	t.Parallel()
	s := window(t, filepath.Join(t.TempDir(), "state"))
	for name, change := range map[string]func(*Rule){
		"no connector":                  func(r *Rule) { r.Connector = "" },
		"no source":                     func(r *Rule) { r.Source = "" },
		"no root":                       func(r *Rule) { r.Root = "" },
		"no definition":                 func(r *Rule) { r.DefinitionHash = "" },
		"no hashes":                     func(r *Rule) { r.ToolHashes = nil },
		"hashes of others":              func(r *Rule) { r.ToolHashes = map[string]string{"u": "h"} },
		"all tools, no hashes":          func(r *Rule) { r.Tool, r.ToolHashes = "", nil },
		"user scope, project's source":  func(r *Rule) { r.Scope = ScopeUser },
		"user scope, imported source":   func(r *Rule) { r.Scope, r.Source = ScopeUser, "import" },
		"unknown scope":                 func(r *Rule) { r.Scope = "everywhere" },
		"scope in another case":         func(r *Rule) { r.Scope = "Session" },
		"no decision":                   func(r *Rule) { r.Decision = "" },
		"decision in another case":      func(r *Rule) { r.Decision = "Allow" },
		"deny without connector":        func(r *Rule) { r.Decision, r.Connector = RuleDeny, "" },
		"deny for the project, no root": func(r *Rule) { r.Decision, r.Root = RuleDeny, "" },
	} {
		if got, err := s.Add(t.Context(), rule(allow(), change)); err == nil || got.ID != "" {
			t.Errorf("%s: %+v was taken", name, got)
		}
	}
	if len(s.Rules()) > 0 {
		t.Errorf("rules: %+v", s.Rules())
	}
}

const goodFile = `{"version":1,"data":{"rules":[{"id":"x","connector":"c","source":"project","root":"/w","definitionHash":"d1","tool":"t","toolHashes":{"t":"h1"},"decision":"allow","scope":"project","at":"2026-01-02T03:04:05Z"}]}}`

func TestS20_AStoreThatIsNotUnderstoodAllowsNothing(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"good":              goodFile,
		"torn":              goodFile[:100],
		"newer":             strings.Replace(goodFile, `"version":1`, `"version":4`, 1),
		"key in a case":     strings.Replace(goodFile, `"decision"`, `"Decision"`, 1),
		"both cases":        strings.Replace(goodFile, `"decision":"allow"`, `"decision":"ask","Decision":"allow"`, 1),
		"duplicate":         strings.Replace(goodFile, `"decision":"allow"`, `"decision":"ask","decision":"allow"`, 1),
		"duplicate hash":    strings.Replace(goodFile, `"t":"h1"`, `"t":"h0","t":"h1"`, 1),
		"long s":            strings.Replace(goodFile, `"scope"`, `"`+"\u017f"+`cope"`, 1),
		"value in a case":   strings.Replace(goodFile, `"allow"`, `"Allow"`, 1),
		"session on disk":   strings.Replace(goodFile, `"scope":"project"`, `"scope":"session"`, 1),
		"widened scope":     strings.Replace(goodFile, `"scope":"project"`, `"scope":"user"`, 1),
		"no hashes":         strings.Replace(goodFile, `{"t":"h1"}`, `{}`, 1),
		"unknown condition": strings.Replace(goodFile, `"tool"`, `"where":[],"tool"`, 1),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "state")
			s := window(t, dir)
			path := filepath.Join(dir, fileName)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			judge := func(s *Store) Decision { return Judge(s.Rules(), ModeAsk, writing(), s.Health() == nil).Decision }
			if name == "good" {
				if got := judge(s); got != Auto {
					t.Errorf("got %s", got)
				}
				return
			}
			if got := judge(s); got != Ask {
				t.Errorf("got %s", got)
			}
			added, err := s.Add(t.Context(), allow())
			var unsaved *state.UnsavedError
			if name == "newer" != errors.As(err, &unsaved) || err != nil && name != "newer" || added.ID == "" {
				t.Errorf("add: %+v, %v", added, err)
			}
			for _, s := range []*Store{s, window(t, dir)} { // what was added does not count yet, in any window
				if got := judge(s); got != Ask {
					t.Errorf("after an addition: %s", got)
				}
			}
			if err := s.Confirm(t.Context()); err != nil || judge(s) != Auto {
				t.Errorf("confirm: %v, then %s, health %v", err, judge(s), s.Health())
			}
			if raw, _ := os.ReadFile(path); name == "newer" && string(raw) != text {
				t.Errorf("the newer file became %s", raw)
			}
			if err := s.Remove(t.Context(), added.ID); name == "newer" != errors.As(err, &unsaved) || judge(s) != Ask {
				t.Errorf("remove: %v, then %s", err, judge(s))
			}
		})
	}
}

func TestC76_ManyWindowsAddAtOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	var wg sync.WaitGroup
	for i := range 8 {
		s := window(t, dir)
		wg.Go(func() { mustAdd(t, s, rule(allow(), func(r *Rule) { r.Connector = fmt.Sprint(i) })) })
	}
	wg.Wait()
	if rules := window(t, dir).Rules(); len(rules) != 8 {
		t.Errorf("%d of 8 rules are there", len(rules))
	}
}

func BenchmarkJudge(b *testing.B) {
	f, err := state.Open(filepath.Join(b.TempDir(), "state"))
	if err != nil {
		b.Fatal(err)
	}
	s := New(f, nil)
	if _, err := s.Add(b.Context(), allow()); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if v := Judge(s.Rules(), ModeAsk, writing(), s.Health() == nil); v.Decision != Auto {
			b.Fatal(v)
		}
	}
}

func TestS8_ARenameMovesTheRulesOfOneDefinition(t *testing.T) {
	t.Parallel()
	s := window(t, filepath.Join(t.TempDir(), "state"))
	mine := mustAdd(t, s, allow())
	other := allow()
	other.DefinitionHash = "another definition"
	other.Tool, other.ToolHashes = "elsewhere", map[string]string{"elsewhere": "h"}
	other = mustAdd(t, s, other)
	if err := s.Rename(t.Context(), mine, "renamed", func(r Rule) string { return "label of " + r.Connector }); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Rules() {
		switch r.ID {
		case mine.ID:
			if r.Connector != "renamed" || r.Label != "label of renamed" {
				t.Errorf("%+v", r)
			}
		case other.ID:
			if r.Connector != other.Connector {
				t.Errorf("%+v", r)
			}
		}
	}
}
