package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"
)

const (
	// coldLimit is what a verb that answers from what is kept may cost, against one that prints the version.
	coldLimit      = 1.5
	coldConnectors = 50
	coldTools      = 40 // of each
)

// measureCold measures verbs that answer from what connectors listed in an earlier session, each as a process of its own.
func measureCold(ctx context.Context, r *report, p *programs, n plan) (err error) {
	home, err := newHome(p.folder, coldConnectors, p.echo, largeFlag, strconv.Itoa(coldTools))
	if err != nil {
		return err
	}
	if err := runVerb(ctx, p, home, "refresh"); err != nil {
		return err
	}
	if err := os.Rename(p.echo, p.echo+".gone"); err != nil { // they answer without it, too
		return err
	}
	defer func() { err = errors.Join(err, os.Rename(p.echo+".gone", p.echo)) }()
	verbs := [][]string{{"version"}, {"ls"}, {"search", "payload"}, {"search", "changes", "of", "lists"}}
	medians := make([]series, len(verbs))
	for round := -1; round < n.rounds; round++ {
		taken := make([][]time.Duration, len(verbs))
		for i := range n.starts {
			for turn := range verbs {
				at := (turn + i + round + 1) % len(verbs)
				begun := time.Now()
				if err := runVerb(ctx, p, home, verbs[at]...); err != nil {
					return err
				}
				taken[at] = append(taken[at], time.Since(begun))
			}
		}
		for at := range verbs {
			if round >= 0 {
				medians[at] = append(medians[at], middle(taken[at]))
			}
		}
	}
	r.line("a verb with %d connectors and %d tools, from start to end, p50 of %d", coldConnectors, coldConnectors*coldTools, n.starts)
	for at, verb := range verbs {
		r.figure(fmt.Sprint(verb), medians[at], times)
	}
	for at, verb := range verbs[1:] {
		r.limited(fmt.Sprint(verb)+"/[version]", medians[at+1].over(medians[0]), ratio, coldLimit)
	}
	return nil
}

// runVerb runs Pillion in a home's workspace to its end.
func runVerb(ctx context.Context, p *programs, h *home, arguments ...string) error {
	command := exec.CommandContext(ctx, p.pillion, arguments...)
	command.Env, command.Dir = h.environ(), h.workspace
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("pillion %q: %w: %s", arguments, err, out)
	}
	return nil
}
