package personal

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pillion/mcp/state"
)

// sealable are the records that give something; of one that is not believed all that takes away still counts.
var sealable = state.Sealable[record]{
	Purpose:  "wish",
	Seal:     func(r record) string { return r.Seal },
	WithSeal: func(r record, seal string) record { r.Seal = seal; return r },
	Gives:    func(r record) bool { return len(r.gifts()) > 0 },
	Rest:     func(r record) (record, bool) { return r.withoutGifts(), true },
	Label: func(r record) string {
		where := "everywhere"
		if r.Root != "" {
			where = fmt.Sprintf("in %q", r.Root)
		}
		return strings.Join(r.gifts(), ", ") + " " + where
	},
}

// gifts are what the record gives, in words.
func (r record) gifts() []string {
	var gifts []string
	for _, c := range r.Connectors {
		if c.Switch == On {
			gifts = append(gifts, fmt.Sprintf("connector %q on", c.Name))
		}
		for _, tool := range slices.Sorted(maps.Keys(c.Tools)) {
			if c.Tools[tool] == On {
				gifts = append(gifts, fmt.Sprintf("tool %q of connector %q on", tool, c.Name))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Env)) {
		gifts = append(gifts, fmt.Sprintf("variable %q from %q", name, r.Env[name]))
	}
	return gifts
}

// withoutGifts is the record without what it gives.
func (r record) withoutGifts() record {
	r = r.withoutSwitches()
	for i, c := range r.Connectors {
		tools := maps.Clone(c.Tools)
		maps.DeleteFunc(tools, func(_ string, now Switch) bool { return now == On })
		r.Connectors[i].Tools = tools
	}
	r.Connectors = slices.DeleteFunc(r.Connectors, connector.isEmpty)
	r.Seal = ""
	return r
}

// Doubts are the records that give nothing though they say so, because nothing shows that Pillion wrote them, and why (S20).
func (s *Store) Doubts() ([]state.Doubt, error) {
	sifted := s.sieve.Sift(s.kept.Value().Folders)
	return sifted.Doubts, sifted.Fault
}

// Accept lets the records of these digests count, because a person said so, and seals them where that can be done; else they
// count in this process alone. The error is that of ctx.
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

func (s *Store) reseal(ctx context.Context, reseal func([]record) []record) error {
	if reseal == nil {
		return nil
	}
	err := s.kept.Change(ctx, func(f file) file { return file{Folders: reseal(slices.Clone(f.Folders))} })
	if err != nil && !state.IsUnsaved(err) {
		return fmt.Errorf("seal the personal layer: %w", err)
	}
	return nil
}
