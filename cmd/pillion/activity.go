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
	"pillion/rpc/message"
	"pillion/sidecar"
	"pillion/sidecar/core"
)

// recordFlags choose what of the record is told.
type recordFlags struct {
	Since     string `placeholder:"WHEN" help:"From then on: a duration back from now (90m, 12h, 7d), a date (2026-03-04) or a time (2026-03-04T12:30:00Z)."`
	Until     string `placeholder:"WHEN" help:"Before then, in the same forms."`
	Connector string `placeholder:"NAME" help:"Only of this connector."`
	Tool      string `placeholder:"NAME" help:"Only of this tool, by the connector's own name for it or as connector.tool."`
	Asker     string `placeholder:"TEXT" help:"Only what was asked for by somebody with this in its name: editor, cli, claude."`
	Status    string `placeholder:"STATUS" help:"Only what ended so: ok, toolError, connectorError, connectorDown, timeout, declined, denied, cancelled, …"`
	Window    string `placeholder:"WINDOW" help:"Only of this window."`
	Rebuild   bool   `help:"Make the index anew out of the record first."`
}

// aboutRecord is what the help of every verb about the record ends with.
const aboutRecord = `The record is audit.jsonl in Pillion's state folder, of all windows, terminals and agents of yours, arguments with secrets replaced; results are not kept. The verbs read an index of it, which is brought up to date first, can be removed at any time, and is made anew with --rebuild.`

// filter is what the flags choose.
func (f recordFlags) filter(now time.Time) (message.LogFilter, error) {
	chosen := message.LogFilter{Connector: f.Connector, Tool: f.Tool, Asker: f.Asker, Status: f.Status, Window: f.Window}
	if connector, tool, isLabel := strings.Cut(f.Tool, "."); isLabel && f.Connector == "" {
		chosen.Connector, chosen.Tool = connector, tool
	}
	for _, bound := range []struct {
		flag, text string
		to         **time.Time
	}{{"--since", f.Since, &chosen.Since}, {"--until", f.Until, &chosen.Until}} {
		if bound.text == "" {
			continue
		}
		at, err := moment(bound.text, now)
		if err != nil {
			return chosen, fail(exitUsage, []string{"Write 90m, 12h or 7d back from now, 2026-03-04, or 2026-03-04T12:30:00Z"}, "%s: %w", bound.flag, err)
		}
		*bound.to = &at
	}
	return chosen, nil
}

// moment is a time as it is written in a flag; a date begins where this machine's day does.
func moment(text string, now time.Time) (time.Time, error) {
	if days, isDays := strings.CutSuffix(text, "d"); isDays {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)), nil
		}
	}
	if back, err := time.ParseDuration(text); err == nil && back >= 0 {
		return now.Add(-back), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time", text)
}

// limited refuses a limit that means nothing.
func limited(limit int) error {
	if limit < 1 {
		return fail(exitUsage, nil, "--limit is %d: it must be at least 1", limit)
	}
	return nil
}

// overRecord asks the index of the record, which needs neither a host nor a window. What takes longer than a second is said (U7).
func (p *program) overRecord(isAnew bool, ask func(ctx context.Context, record *audit.Log, x *activity.Index) error) error {
	folders, err := core.FindFolders(p.environ)
	if err != nil {
		return err
	}
	record, err := folders.Record()
	if err != nil {
		return err
	}
	defer func() { _ = record.Close() }()
	tell, begun := p.progressLines(), time.Now()
	x, err := folders.Activity(p.ctx, record, isAnew, func(records int) {
		if time.Since(begun) > quietTime {
			tell(progress{message: fmt.Sprintf("The index takes in the record: %d lines so far", records), percent: -1})
		}
	})
	if err != nil {
		return err
	}
	defer func() { _ = x.Close() }()
	return ask(p.ctx, record, x)
}

type activityVerb struct {
	recordFlags

	Limit int `short:"n" default:"20" placeholder:"N" help:"How many of the newest calls; 20 if not given."`
}

// Help explains the verb.
func (activityVerb) Help() string {
	return `Lists calls, the newest last: when, who asked, which tool, how it was allowed, and what came of it. One without an end is open: it is under way, or its window ended without a word, and then it may have run.

  pillion activity                          the last calls
  pillion activity --since 1h --asker claude  what one agent did in the last hour
  pillion log --call <id>                   everything about one of them, with its arguments

` + aboutRecord + `

On a terminal it is a table. In a pipe it is one call a line, with tabs between time, call, who asked, connector, tool, how it was allowed, status and milliseconds. With --json: {"rows": [ActivityRow]}, the newest first, as pillion/activity in the editor protocol.`
}

// Run lists them.
func (v activityVerb) Run(p *program) error {
	chosen, err := v.filter(time.Now())
	if err = cmp.Or(err, limited(v.Limit)); err != nil {
		return err
	}
	return p.overRecord(v.Rebuild, func(ctx context.Context, _ *audit.Log, x *activity.Index) error {
		calls, err := x.Calls(ctx, sidecar.ActivityFilter(chosen), v.Limit)
		if err != nil {
			return err
		}
		result := sidecar.ActivityMessage(calls)
		if p.isJSON {
			return p.printJSON(result)
		}
		p.printActivity(result.Rows)
		return nil
	})
}

const nothingRecorded = "Nothing of that kind is recorded."

func (p *program) printActivity(calls []message.ActivityRow) {
	if len(calls) == 0 {
		p.say(nothingRecorded)
		return
	}
	rows := make([][]string, 0, len(calls))
	for i := len(calls) - 1; i >= 0; i-- {
		c := calls[i]
		if !p.isTerminal {
			rows = append(rows, []string{c.At.Format(time.RFC3339Nano), string(c.CallID), c.Asker, c.Connector, c.Tool, c.Allowed, c.Status, fmt.Sprint(c.DurationMS)})
			continue
		}
		rows = append(rows, []string{shownTime(c.At), c.Asker, c.Connector + "." + c.Tool, allowedWords(c.Allowed, c.AnsweredBy), c.Status, tookWords(c.DurationMS), string(c.CallID)})
	}
	p.table([]string{"TIME", "WHO", "TOOL", "ALLOWED BY", "OUTCOME", "TOOK", "CALL"}, rows)
	if p.isTerminal {
		p.print("\nEverything about one: pillion log --call <id>. What stands for calls: pillion permissions")
	}
}

// shownTime is a moment for a person, in this machine's zone.
func shownTime(at time.Time) string { return at.Local().Format(time.DateTime) }

// allowedWords say how a call was allowed.
func allowedWords(allowed, by string) string {
	switch {
	case allowed == "readOnly":
		return "it only reads"
	case allowed == "rule":
		return "a standing permission"
	case allowed == "session":
		return "this session's yes"
	case by != "":
		return "an answer: " + by
	case allowed == "answer":
		return "an answer"
	}
	return cmp.Or(allowed, "-")
}

// tookWords are a duration for a person.
func tookWords(ms int) string {
	switch took := time.Duration(ms) * time.Millisecond; {
	case ms == 0:
		return "-"
	case took < time.Second:
		return fmt.Sprint(ms, " ms")
	case took < time.Minute:
		return fmt.Sprintf("%.1f s", took.Seconds())
	default:
		return took.Round(time.Second).String()
	}
}

// recordRow is one record in a pipe.
func recordRow(r message.LogRecord) []string {
	return []string{
		r.At.Format(time.RFC3339Nano), r.Kind, string(r.CallID), r.Asker, r.Connector, r.Tool, r.Allowed, r.Status, fmt.Sprint(r.DurationMS), editors.Visible(r.Message),
	}
}
