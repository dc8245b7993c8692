package main

import (
	"context"
	"errors"
	"time"
)

const (
	// startingLimit is what the start of many connectors may take, against that of one that takes as long as the slowest of them.
	startingLimit = 1.3
	manyStarting  = 30
	// slowness is how long each of them reads nothing.
	slowness = "1s"
	// startingRounds is enough for what takes a second each.
	startingRounds = 5
)

// measureStarting measures how long it takes until connectors that take their time are all ready.
func measureStarting(ctx context.Context, r *report, p *programs, n plan) error {
	var one, many series
	for range min(n.rounds, startingRounds) {
		for _, way := range []struct {
			count int
			into  *series
		}{{1, &one}, {manyStarting, &many}} {
			took, err := startAll(ctx, p, way.count)
			if err != nil {
				return err
			}
			*way.into = append(*way.into, took)
		}
	}
	r.line("from initialize until every connector is ready that takes %s to start", slowness)
	r.figure("one", one, times)
	r.figure("thirty", many, times)
	r.limited("thirty/one", many.over(one), ratio, startingLimit)
	return nil
}

// startAll is how long it takes until count slow connectors are ready.
func startAll(ctx context.Context, p *programs, count int) (float64, error) {
	home, err := newHome(p.folder, count, p.fake, "slowstart="+slowness)
	if err != nil {
		return 0, err
	}
	e, err := openEditor(home.environ(), p.pillion, "--stdio")
	if err != nil {
		return 0, err
	}
	begun := time.Now()
	err = e.connect(ctx, home.workspace, count)
	took := time.Since(begun)
	return float64(took), errors.Join(err, e.leave())
}
