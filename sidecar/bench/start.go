package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// startLimit is what the start of Pillion may cost against one that links the same and does nothing else.
const startLimit = 1.2

// measureStart measures from the start of the process to the answer to initialize.
func measureStart(ctx context.Context, r *report, p *programs, n plan) error {
	home, err := newHome(p.folder, 1, p.echo)
	if err != nil {
		return err
	}
	starts := []struct {
		name, program string
		arguments     []string
		end           func(*editor) error
	}{
		{"Pillion", p.pillion, []string{"--stdio"}, (*editor).leave},
		{"floor, same modules", p.floor, nil, (*editor).hangUp},
		{"bare jsonrpc2", p.jrpc2, nil, (*editor).hangUp},
	}
	params, err := initializeParams(home.workspace)
	if err != nil {
		return err
	}
	medians := make([]series, len(starts))
	for round := -1; round < n.rounds; round++ {
		taken := make([][]time.Duration, len(starts))
		for i := range n.starts {
			for turn := range starts {
				at := (turn + i + round + 1) % len(starts)
				begun := time.Now()
				e, err := openEditor(home.environ(), starts[at].program, starts[at].arguments...)
				if err != nil {
					return err
				}
				err = e.initialize(ctx, params)
				taken[at] = append(taken[at], time.Since(begun))
				if err := errors.Join(err, starts[at].end(e)); err != nil {
					return fmt.Errorf("start %s: %w", starts[at].name, err)
				}
			}
		}
		for at := range starts {
			if round >= 0 {
				medians[at] = append(medians[at], middle(taken[at]))
			}
		}
	}
	r.line("process start to initialize answered, p50 of %d", n.starts)
	for i, s := range starts {
		r.figure(s.name, medians[i], times)
	}
	r.limited("Pillion/floor", medians[0].over(medians[1]), ratio, startLimit)
	r.figure("Pillion/bare jsonrpc2", medians[0].over(medians[2]), ratio)
	return nil
}
