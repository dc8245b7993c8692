package state

import (
	"context"
	"fmt"
	"slices"
)

// Grants are the records of a kept file of which those that give something are sealed (S20), for a person to confirm. All of its
// fields must be set; its methods may be called at once.
type Grants[F, R any] struct {
	Kept  *Kept[F]
	Sieve *Sieve[R]
	// Records are those of a file, With the file that holds others instead.
	Records func(F) []R
	With    func([]R) F
}

// Doubts are the records that give something and do not count, because nothing shows that Pillion wrote them as they stand, and
// why.
func (g *Grants[F, R]) Doubts() ([]Doubt, error) {
	sifted := g.Sieve.Sift(g.Records(g.Kept.Value()))
	return sifted.Doubts, sifted.Fault
}

// Accept lets the records of these digests count, because a person said so, and seals them where that can be done; else they
// count in this process alone. The error is that of ctx.
func (g *Grants[F, R]) Accept(ctx context.Context, digests []string) error {
	return g.reseal(ctx, g.Sieve.Accept(digests))
}

// Reseal seals what counts in this process alone, once there is a key.
func (g *Grants[F, R]) Reseal(ctx context.Context) error {
	if !g.Sieve.HasAccepted() {
		return nil
	}
	return g.reseal(ctx, g.Sieve.Reseal(false))
}

func (g *Grants[F, R]) reseal(ctx context.Context, reseal func([]R) []R) error {
	if reseal == nil {
		return nil
	}
	err := g.Kept.Change(ctx, func(f F) F { return g.With(reseal(slices.Clone(g.Records(f)))) })
	if err != nil && !IsUnsaved(err) {
		return fmt.Errorf("seal a %s: %w", g.Sieve.kind.Purpose, err)
	}
	return nil
}
