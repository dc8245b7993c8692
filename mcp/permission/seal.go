package permission

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pillion/mcp/state"
)

// sealable are the rules that allow: one that asks or refuses counts whoever wrote it, because it takes away alone.
var sealable = state.Sealable[Rule]{
	Purpose:  "permission",
	Seal:     func(r Rule) string { return r.Seal },
	WithSeal: func(r Rule, seal string) Rule { r.Seal = seal; return r },
	Gives:    func(r Rule) bool { return r.Decision == RuleAllow },
	Rest:     func(Rule) (Rule, bool) { return Rule{}, false },
	Label:    label,
}

// label says what a rule allows, of what it is judged by alone: whoever wrote it wrote its words, too.
func label(r Rule) string {
	what := fmt.Sprintf("tool %q of connector %q", r.Tool, r.Connector)
	switch {
	case r.Tool == "" && r.ReadOnlyTools:
		what = fmt.Sprintf("the tools of connector %q that only read", r.Connector)
	case r.Tool == "":
		what = fmt.Sprintf("all tools of connector %q", r.Connector)
	}
	where := "everywhere"
	if r.Scope == ScopeProject {
		where = fmt.Sprintf("in %q", r.Root)
	}
	words := []string{"allow " + what + " " + where}
	for _, c := range r.Where {
		words = append(words, fmt.Sprintf("where %q is %q%q%q", c.Path, c.Equals, c.Glob, c.Under))
	}
	return strings.Join(words, ", ")
}

// Doubts are the rules that do not count, because nothing shows that Pillion wrote them as they stand, and why (S20).
func (s *Store) Doubts() ([]state.Doubt, error) {
	sifted := s.sieve.Sift(s.kept.Value().Rules)
	return sifted.Doubts, sifted.Fault
}

// Accept lets the rules of these digests count, because a person said so, and seals them where that can be done; else they count
// in this process alone. The error is that of ctx.
func (s *Store) Accept(ctx context.Context, digests []string) error {
	return s.reseal(ctx, s.sieve.Accept(digests))
}

// Reseal seals what counts in this process alone, once there is a key.
func (s *Store) Reseal(ctx context.Context) error {
	if !s.sieve.HasAccepted() {
		return nil
	}
	return s.reseal(ctx, s.sieve.Reseal(false))
}

func (s *Store) reseal(ctx context.Context, reseal func([]Rule) []Rule) error {
	if reseal == nil {
		return nil
	}
	err := s.kept.Change(ctx, func(f file) file { return file{Rules: reseal(slices.Clone(f.Rules))} })
	if err != nil && !state.IsUnsaved(err) {
		return fmt.Errorf("seal the permissions: %w", err)
	}
	return nil
}
