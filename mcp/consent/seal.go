package consent

import (
	"context"
	"fmt"
	"slices"

	"pillion/mcp/state"
)

// sealable are the yeses: a no counts whoever wrote it, because it takes away alone.
var sealable = state.Sealable[Record]{
	Purpose:  "consent",
	Seal:     func(r Record) string { return r.Seal },
	WithSeal: func(r Record, seal string) Record { r.Seal = seal; return r },
	Gives:    func(r Record) bool { return r.Decision.allows() },
	Rest:     func(Record) (Record, bool) { return Record{}, false },
	Label: func(r Record) string {
		follows := ""
		if r.Decision == AllowFollow {
			follows = ", and follow changes of its files"
		}
		return fmt.Sprintf("run connector %q in %q%s", r.Connector, r.Root, follows)
	},
}

// Doubts are the yeses that do not count, because nothing shows that Pillion wrote them as they stand, and why (S20).
func (s *Store) Doubts() ([]state.Doubt, error) {
	sifted := s.sieve.Sift(s.kept.Value().Records)
	return sifted.Doubts, sifted.Fault
}

// Accept lets the yeses of these digests count, because a person said so, and seals them where that can be done; else they count
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

func (s *Store) reseal(ctx context.Context, reseal func([]Record) []Record) error {
	if reseal == nil {
		return nil
	}
	err := s.kept.Change(ctx, func(f file) file { return file{Records: reseal(slices.Clone(f.Records))} })
	if err != nil && !state.IsUnsaved(err) {
		return fmt.Errorf("seal the consents: %w", err)
	}
	return nil
}
