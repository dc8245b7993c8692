// Bench measures what Pillion costs: a call through it, also beside many connectors and beside one that hangs, its start and that
// of slow connectors, verbs that answer from what is kept, a search, an agent's context, a large list and a large result, what it says while somebody types, its memory with many connectors, and its browser, each
// beside a floor that does the same without it; and mcp-hub beside it.
// It does not test: what it prints depends on the machine, so that only ratios of one interleaved run have limits, and a
// figure over its limit fails the run only with BENCH_STRICT=1.
//
//	bench [-to FILE] [-rounds N] [-portions N] [-starts N] [-pillion FILE] [-peer FILE] [-only call,rules,configured,stuck,starting,swap,big,typing,start,cold,search,context,memory,browser,peer]
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
)

// plan is how much is measured.
type plan struct {
	rounds   int
	portions int // of calls, each way, in a round
	starts   int // of each program in a round
}

func main() {
	var n plan
	flag.IntVar(&n.rounds, "rounds", 9, "`number` of interleaved rounds")
	flag.IntVar(&n.portions, "portions", 8, "`number` of portions of calls in a round")
	flag.IntVar(&n.starts, "starts", 10, "`number` of starts in a round")
	pillion := flag.String("pillion", "", "measure this `file` instead of a Pillion that is built for it")
	peer := flag.String("peer", "", "measure this `file` of mcp-hub beside Pillion")
	to := flag.String("to", "", "write what is printed into this `file` too, as docs/performance.md is")
	only := flag.String("only", "call,attach,rules,configured,stuck,starting,swap,big,typing,start,cold,search,context,memory,browser", "what to measure, `names` separated by commas; peer needs -peer")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var page bytes.Buffer
	report := &report{out: io.MultiWriter(os.Stdout, &page)}
	if err := run(ctx, report, n, *pillion, *peer, strings.Split(*only, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	if *to != "" {
		if err := os.WriteFile(*to, performancePage(page.String()), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
	}
	if report.over > 0 && os.Getenv("BENCH_STRICT") == "1" {
		os.Exit(1)
	}
}

// performancePage is docs/performance.md.
func performancePage(report string) []byte {
	return []byte("<!-- Written by `make bench`. Do not edit. -->\n\n# Performance\n\n" +
		"What Pillion costs, each figure beside a floor that does the same without it, in rounds that are interleaved on one machine.\n" +
		"Times depend on the machine and on what else it does, so only ratios have limits; the load that the first line says is the machine's own.\n\n" +
		"```\n" + strings.TrimSpace(report) + "\n```\n")
}

// measurement prints its figures of all rounds.
type measurement func(context.Context, *report, *programs, plan) error

// run measures, by name, and prints. Without a given Pillion it builds the one of this tree.
func run(ctx context.Context, r *report, n plan, pillion, peer string, names []string) (err error) {
	measurements := map[string]measurement{"call": measureCalls, "attach": measureAttach, "rules": measureRules, "configured": measureConfigured, "stuck": measureStuck, "starting": measureStarting, "swap": measureSwap, "big": measureBig, "typing": measureTyping, "start": measureStart, "cold": measureCold, "search": measureSearch, "context": measureContext, "memory": measureMemory, "browser": measureBrowser, "peer": measurePeer}
	for _, name := range names {
		if measurements[name] == nil {
			return fmt.Errorf("there is no measurement %q", name)
		}
	}
	if min(n.rounds, n.portions, n.starts) < 1 {
		return errors.New("rounds, portions and starts must be at least 1")
	}
	folder, err := os.MkdirTemp("", "pillion-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	programs, err := build(ctx, folder, pillion)
	if err != nil {
		return err
	}
	programs.peer = peer
	r.line("%s/%s, %d CPUs, %s, load %s; medians of %d interleaved rounds (least..most of a round)",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), load(), n.rounds)
	for _, name := range names {
		if err := measurements[name](ctx, r, programs, n); err != nil {
			return fmt.Errorf("measure %s: %w", name, err)
		}
	}
	return nil
}

// load is how busy the machine is, as far as it says so.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	average, _, _ := strings.Cut(string(text), " ")
	return average
}

// report prints figures and counts those over their limits.
type report struct {
	out  io.Writer
	over int
}

func (r *report) line(format string, args ...any) { fmt.Fprintf(r.out, format+"\n", args...) }

// figure prints the figure of all rounds.
func (r *report) figure(name string, s series, u unit) { r.line("  %-28s %s", name, s.text(u)) }

// limited prints it together with whether its median keeps the limit.
func (r *report) limited(name string, s series, u unit, limit float64) {
	verdict := "within the limit of " + u.text(limit)
	if s.median() > limit {
		verdict = "over the limit of " + u.text(limit)
		r.over++
	}
	r.line("  %-28s %s  %s", name, s.text(u), verdict)
}
