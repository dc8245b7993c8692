package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pillion/editors"
	"pillion/mcp/activity"
	"pillion/mcp/audit"
	"pillion/rpc/message"
	"pillion/sidecar"
	"pillion/sidecar/watch"
)

type recordVerb struct {
	recordFlags

	Kind   []string `placeholder:"KIND" help:"Only records of these kinds: call (it ended), written (it is sent), ask, answer, consent, rule, lost."`
	Call   string   `placeholder:"ID" help:"Everything about one call: how it was asked about, answered, sent, and how it ended."`
	Follow bool     `short:"f" help:"Go on with what is recorded from now on, until Ctrl-C."`
	Limit  int      `short:"n" default:"50" placeholder:"N" help:"How many of the newest records; 50 if not given."`
}

// Help explains the verb.
func (recordVerb) Help() string {
	return `Lists what was recorded, the newest last: calls, questions, answers, and what was decided about connectors and permissions.

  pillion log                              the last records
  pillion log --kind consent,rule          what was decided
  pillion log --status toolError --since 1d  what failed in a day
  pillion log --call <id>                  one call from its question to its end, with its arguments
  pillion log -f                           what happens now

` + aboutRecord + `

On a terminal it is a table. In a pipe it is one record a line, with tabs between time, kind, call, who, connector, tool, how it was allowed, status, milliseconds and message. With --json: {"rows": [LogRecord]}, as pillion/log in the editor protocol; with --follow each LogRecord on a line of its own.`
}

// Run lists them.
func (v recordVerb) Run(p *program) error {
	params, err := v.params(time.Now())
	if err != nil {
		return err
	}
	return p.overRecord(v.Rebuild, func(ctx context.Context, record *audit.Log, x *activity.Index) error {
		records, err := x.Records(ctx, sidecar.RecordFilter(params), v.Limit)
		if err != nil {
			return err
		}
		result := sidecar.LogMessage(records)
		switch {
		case v.Follow:
			return p.follow(result.Rows, &tail{record: record, filter: sidecar.RecordFilter(params), read: x.Read()})
		case p.isJSON:
			return p.printJSON(result)
		case len(result.Rows) == 0:
			p.say(nothingRecorded)
			if v.Call != "" {
				return fail(exitFailed, []string{"See which there are: pillion activity"}, "there is no record of a call %q", v.Call)
			}
		case v.Call != "":
			p.printChain(result.Rows)
		default:
			p.printRecords(result.Rows)
		}
		return nil
	})
}

// recordKinds are the kinds that there are.
func recordKinds() []string {
	return []string{audit.KindCall, audit.KindWritten, audit.KindAsk, audit.KindAnswer, audit.KindConsent, audit.KindRule, audit.KindLost}
}

func (v recordVerb) params(now time.Time) (message.LogParams, error) {
	chosen, err := v.filter(now)
	if err = cmp.Or(err, limited(v.Limit)); err != nil {
		return message.LogParams{}, err
	}
	for _, kind := range v.Kind {
		if !slices.Contains(recordKinds(), kind) {
			return message.LogParams{}, fail(exitUsage, []string{"The kinds are " + strings.Join(recordKinds(), ", ")}, "there is no kind %q of records", kind)
		}
	}
	return message.LogParams{Filter: chosen, Kinds: v.Kind, CallID: message.CallID(v.Call), Limit: v.Limit}, nil
}

func (p *program) printRecords(records []message.LogRecord) {
	rows := make([][]string, len(records))
	for i, r := range records {
		if rows[i] = recordRow(r); p.isTerminal {
			rows[i] = []string{shownTime(r.At), r.Kind, r.Asker, labelWords(r), outcomeWords(r), string(r.CallID)}
		}
	}
	p.table([]string{"TIME", "RECORD", "WHO", "ABOUT", "WHAT", "CALL"}, rows)
}

func labelWords(r message.LogRecord) string {
	if r.Tool == "" {
		return r.Connector
	}
	return r.Connector + "." + r.Tool
}

// maxMessageRunes bounds what a line of a table says; one call's chain says all.
const maxMessageRunes = 60

// outcomeWords say what a record tells beside who and about what.
func outcomeWords(r message.LogRecord) string {
	var words []string
	if r.Status != "" {
		words = append(words, r.Status)
	}
	if r.DurationMS > 0 {
		words = append(words, tookWords(r.DurationMS))
	}
	if r.Allowed != "" {
		words = append(words, allowedWords(r.Allowed, ""))
	}
	if r.Kind == audit.KindLost {
		words = append(words, editors.Counted(r.Count, "record")+" could not be kept")
	}
	if text := []rune(r.Message); len(text) > maxMessageRunes {
		words = append(words, string(text[:maxMessageRunes])+"…")
	} else if len(text) > 0 {
		words = append(words, r.Message)
	}
	return strings.Join(words, ", ")
}

// printChain tells one call from its question to its end.
func (p *program) printChain(records []message.LogRecord) {
	if !p.isTerminal {
		p.printRecords(records)
		return
	}
	first := records[0]
	p.print(fmt.Sprintf("Call %s of %s, asked for by %s", editors.Visible(string(first.CallID)), editors.Visible(labelWords(first)), editors.Visible(first.Asker)))
	shown := ""
	for _, r := range records {
		p.printLink(r, shown, first.Asker)
		shown = cmp.Or(string(r.Arguments), shown)
	}
}

// printLink tells one record of a chain; arguments are shown where they are not those that were shown before.
func (p *program) printLink(r message.LogRecord, shown, asker string) {
	said := r.Message
	r.Message = ""
	line := shownTime(r.At) + "  " + map[string]string{
		audit.KindAsk: "it was asked about", audit.KindAnswer: "it was answered", audit.KindWritten: "it was sent", audit.KindCall: "it ended",
	}[r.Kind]
	if r.Asker != asker && r.Asker != "" {
		line += " by " + r.Asker
	}
	if words := outcomeWords(r); words != "" {
		line += ": " + words
	}
	p.print(editors.Visible(line))
	if said != "" {
		p.print("    " + strings.ReplaceAll(visible(said), "\n", "\n    "))
	}
	if arguments := string(r.Arguments); arguments != "" && arguments != shown {
		p.print("    with " + editors.Visible(arguments))
	}
	if r.Kind == audit.KindCall && r.Status != string(message.CallOK) && r.MayHaveRun {
		p.print("    It may have run.")
	}
}

// tail reads what is recorded after it was last read.
type tail struct {
	record *audit.Log
	filter activity.Filter
	read   map[string]int64
}

// next returns what is new and wanted.
func (t *tail) next() ([]audit.Record, error) {
	var records []audit.Record
	_, err := t.record.EachSince(func(f audit.File) int64 { return t.read[f.ID] }, func(f audit.File, end int64, r audit.Record) bool {
		t.read[f.ID] = end
		if t.filter.Holds(r) {
			records = append(records, r)
		}
		return true
	})
	return records, err
}

// follow prints records and then what is recorded, until the program is told to end.
func (p *program) follow(records []message.LogRecord, t *tail) error {
	news := make(chan struct{}, 1)
	watcher := watch.New(watch.Options{Logger: p.log, Tell: p.say, Changed: func([]string) {
		select {
		case news <- struct{}{}:
		default: // it looks anyway
		}
	}})
	watcher.Start([]watch.File{{Path: filepath.Clean(t.record.Path())}})
	defer watcher.Close()
	news <- struct{}{} // what came before the watch began
	for {
		for _, r := range records {
			if err := p.printFollowed(r); err != nil {
				return err
			}
		}
		select {
		case <-p.ctx.Done():
			return nil
		case <-news:
		}
		fresh, err := t.next()
		if err != nil {
			return err
		}
		records = sidecar.LogMessage(fresh).Rows
		if out, isChecked := p.stdout.(*checkedWriter); isChecked && out.err != nil {
			return errors.New("nobody reads any more")
		}
	}
}

func (p *program) printFollowed(r message.LogRecord) error {
	switch {
	case p.isJSON:
		return p.printLine(r)
	case !p.isTerminal:
		p.table(nil, [][]string{recordRow(r)})
	default:
		p.print(editors.Visible(fmt.Sprintf("%s  %-8s %s  %s  %s  %s", shownTime(r.At), r.Kind, r.Asker, labelWords(r), outcomeWords(r), r.CallID)))
	}
	return nil
}
