package main

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"pillion/editors"
	"pillion/mcp/activity"
	"pillion/mcp/audit"
	"pillion/mcp/host"
	"pillion/rpc/message"
	"pillion/sidecar"
)

type statsVerb struct {
	recordFlags

	Limit int `short:"n" default:"10" placeholder:"N" help:"How many of the tools, the slowest calls and the errors; 10 if not given."`
}

// Help explains the verb.
func (statsVerb) Help() string {
	return `Counts the calls that ended: how they ended, how long they took (exact p50, p95 and p99 of those that reached their connector), by connector and tool, the slowest, the errors (those that differ in names, numbers and paths alone are one), and how much there was on each day.

  pillion stats                      of everything that is recorded
  pillion stats --since 7d           of a week
  pillion stats --connector github   of one connector

` + aboutRecord + `

On a terminal they are tables. In a pipe it is one line a figure, with tabs between what it is about (calls, status, connector, tool, slowest, error, day), its name and its numbers. With --json it is the answer of pillion/stats in the editor protocol, durations in milliseconds.`
}

// Run counts them.
func (v statsVerb) Run(p *program) error {
	chosen, err := v.filter(time.Now())
	if err = cmp.Or(err, limited(v.Limit)); err != nil {
		return err
	}
	return p.overRecord(v.Rebuild, func(ctx context.Context, _ *audit.Log, x *activity.Index) error {
		counted, err := x.Stats(ctx, sidecar.ActivityFilter(chosen), v.Limit)
		if err != nil {
			return err
		}
		stats := sidecar.StatsMessage(counted)
		switch {
		case p.isJSON:
			return p.printJSON(stats)
		case !p.isTerminal:
			p.table(nil, statsRows(stats))
		default:
			p.printStats(stats)
		}
		return nil
	})
}

func durationCells(d message.Durations) []string {
	return []string{strconv.Itoa(d.P50), strconv.Itoa(d.P95), strconv.Itoa(d.P99), strconv.Itoa(d.Most)}
}

func countedRow(kind, name string, one message.CallStats) []string {
	return append([]string{kind, name, strconv.Itoa(one.Calls), strconv.Itoa(one.Failed), strconv.Itoa(one.Refused)}, durationCells(one.Durations)...)
}

// statsRows are the figures for a program: its kind, its name, its numbers.
func statsRows(s message.StatsResult) [][]string {
	rows := [][]string{append([]string{"calls", "", strconv.Itoa(s.Calls)}, durationCells(s.Durations)...)}
	for _, status := range s.Statuses {
		rows = append(rows, []string{"status", status.Status, strconv.Itoa(status.Calls)})
	}
	for _, one := range s.Connectors {
		rows = append(rows, countedRow("connector", one.Connector, one))
	}
	for _, one := range s.Tools {
		rows = append(rows, countedRow("tool", calledName(one.Connector, one.Tool), one))
	}
	for _, c := range s.Slowest {
		rows = append(rows, []string{"slowest", calledName(c.Connector, c.Tool), strconv.Itoa(c.DurationMS), c.Status, string(c.CallID), c.At.Format(time.RFC3339)})
	}
	for _, e := range s.Errors {
		rows = append(rows, []string{"error", e.Template, strconv.Itoa(e.Calls), e.Status, string(e.CallID), e.Last.Format(time.RFC3339)})
	}
	for _, d := range s.Days {
		rows = append(rows, []string{"day", d.Day, strconv.Itoa(d.Calls), strconv.Itoa(d.Failed), strconv.Itoa(d.ArgumentBytes)})
	}
	return rows
}

// calledName is the label of what was called; of what was recorded without a connector it is what was asked for.
func calledName(connector, tool string) string {
	if connector == "" {
		return tool
	}
	return host.Label(connector, tool)
}

func (p *program) printStats(s message.StatsResult) {
	if s.Calls == 0 {
		p.say(nothingRecorded)
		return
	}
	statuses := make([]string, len(s.Statuses))
	for i, status := range s.Statuses {
		statuses[i] = fmt.Sprintf("%d %s", status.Calls, editors.Visible(status.Status))
	}
	p.print(fmt.Sprintf("%s from %s to %s: %s.", editors.Counted(s.Calls, "call"), shownTime(*s.First), shownTime(*s.Last), strings.Join(statuses, ", ")))
	if d := s.Durations; d.Calls > 0 {
		p.print(fmt.Sprintf("%d reached their connector; half of them took no longer than %s, 95 of 100 %s, 99 of 100 %s, the longest %s.",
			d.Calls, tookWords(d.P50), tookWords(d.P95), tookWords(d.P99), tookWords(d.Most)))
	}
	p.printCounted("CONNECTOR", s.Connectors)
	p.printCounted("TOOL", s.Tools)
	p.section([]string{"SLOWEST", "TOOK", "OUTCOME", "TIME", "CALL"}, len(s.Slowest), func(i int) []string {
		c := s.Slowest[i]
		return []string{calledName(c.Connector, c.Tool), tookWords(c.DurationMS), c.Status, shownTime(c.At), string(c.CallID)}
	})
	p.section([]string{"ERROR", "CALLS", "OUTCOME", "LAST", "CALL"}, len(s.Errors), func(i int) []string {
		e := s.Errors[i]
		return []string{e.Template, strconv.Itoa(e.Calls), e.Status, shownTime(e.Last), string(e.CallID)}
	})
	p.section([]string{"DAY", "CALLS", "FAILED", "ARGUMENTS"}, len(s.Days), func(i int) []string {
		d := s.Days[i]
		return []string{d.Day, strconv.Itoa(d.Calls), strconv.Itoa(d.Failed), fmt.Sprint(d.ArgumentBytes, " bytes")}
	})
	if s.Lost > 0 {
		p.print(fmt.Sprintf("\n%s could not be kept.", editors.Counted(s.Lost, "record")))
	}
	p.print("\nEverything about one call: pillion log --call <id>")
}

func (p *program) printCounted(heading string, all []message.CallStats) {
	p.section([]string{heading, "CALLS", "FAILED", "REFUSED", "P50", "P95", "P99", "LONGEST", "LAST"}, len(all), func(i int) []string {
		one, name := all[i], cmp.Or(all[i].Connector, "(not recorded)")
		if one.Tool != "" {
			name = calledName(one.Connector, one.Tool)
		}
		d := one.Durations
		return []string{
			name, strconv.Itoa(one.Calls), strconv.Itoa(one.Failed), strconv.Itoa(one.Refused), tookWords(d.P50), tookWords(d.P95), tookWords(d.P99), tookWords(d.Most), shownTime(one.Last),
		}
	})
}

// section prints a table of its own, where it has rows.
func (p *program) section(heading []string, count int, row func(i int) []string) {
	if count == 0 {
		return
	}
	p.print("")
	rows := make([][]string, count)
	for i := range rows {
		rows[i] = row(i)
	}
	p.table(heading, rows)
}
