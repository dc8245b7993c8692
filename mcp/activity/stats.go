package activity

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"pillion/mcp/audit"
)

// Durations are how long calls took that reached their connector. The percentiles are exact: each is the duration of one of them,
// the least that so many of a hundred do not exceed.
type Durations struct {
	Calls               int
	P50, P95, P99, Most time.Duration
}

// durationsOf sorts what it is given.
func durationsOf(all []time.Duration) Durations {
	d := Durations{Calls: len(all)}
	if len(all) == 0 {
		return d
	}
	slices.Sort(all)
	rank := func(percent int) time.Duration { return all[(len(all)*percent+99)/100-1] }
	d.P50, d.P95, d.P99, d.Most = rank(50), rank(95), rank(99), all[len(all)-1]
	return d
}

// Counted counts calls of a connector, or of one tool.
type Counted struct {
	Connector, Tool string
	Calls           int
	Failed          int // the tool, the connector or the way to it failed
	Refused         int // a person, a rule or a missing permission kept it from running
	Durations       Durations
	Last            time.Time

	taken []time.Duration
}

// Fault counts errors that say the same but for names, numbers and paths.
type Fault struct {
	Template, Status string
	Calls            int
	Last             time.Time
	CallID           string // of the last one
}

// Day is what was recorded on one day, in UTC.
type Day struct {
	Day           string // 2006-01-02
	Calls, Failed int
	ArgumentBytes int
}

// Status counts the calls that ended one way.
type Status struct {
	Status string
	Calls  int
}

// Stats count calls that ended.
type Stats struct {
	First, Last time.Time // of them; zero where there is none
	Calls       int
	Statuses    []Status // the commonest first
	Durations   Durations
	Connectors  []Counted // the busiest first
	Tools       []Counted // the busiest first
	Slowest     []Call
	Faults      []Fault // the commonest first
	Days        []Day   // the oldest first; days without calls are left out
	Lost        int     // records that could not be kept
	LogBytes    int64
}

// Stats count the calls that a filter chooses; of tools, of the slowest and of faults at most limit each.
func (x *Index) Stats(ctx context.Context, f Filter, limit int) (Stats, error) {
	f.Kinds = []string{audit.KindCall}
	where, values := f.where()
	tally := newTally(limit)
	if err := x.each(ctx, tally.add, "SELECT "+columns+" FROM record WHERE "+where+" ORDER BY at, id", values...); err != nil {
		return Stats{}, err
	}
	// What was asked is kept where a call was sent, not where it ended.
	f.Kinds = []string{audit.KindWritten}
	where, values = f.where()
	rows, err := x.db.QueryContext(ctx, "SELECT at, max(argumentsBytes, length(CAST(arguments AS BLOB))) FROM record WHERE "+where, values...)
	if err != nil {
		return Stats{}, fmt.Errorf("read the index of the log: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var micro int64
		var size int
		if err := rows.Scan(&micro, &size); err != nil {
			return Stats{}, fmt.Errorf("read the index of the log: %w", err)
		}
		tally.day(time.UnixMicro(micro)).ArgumentBytes += size
	}
	if err := rows.Err(); err != nil {
		return Stats{}, fmt.Errorf("read the index of the log: %w", err)
	}
	s := tally.stats()
	s.LogBytes = x.bytes
	if err := x.db.QueryRowContext(ctx, "SELECT coalesce(sum(count), 0) FROM record WHERE kind = ?", audit.KindLost).Scan(&s.Lost); err != nil {
		return Stats{}, fmt.Errorf("read the index of the log: %w", err)
	}
	return s, nil
}

// isFailure and isRefusal tell the ends of calls apart; what is neither worked, or was cancelled or repeated.
func isFailure(status string) bool {
	return slices.Contains([]string{"toolError", "connectorError", "connectorDown", "timeout", "needsLogin", "invalidArguments"}, status)
}

func isRefusal(status string) bool {
	return slices.Contains([]string{"declined", "denied", "needsConsent"}, status)
}

// tally counts the ends of calls.
type tally struct {
	limit             int
	templates         templates
	s                 Stats
	taken             []time.Duration
	statuses          map[string]int
	connectors, tools map[string]*Counted
	faults            map[[2]string]*Fault
	days              map[string]*Day
}

func newTally(limit int) *tally {
	return &tally{
		limit: limit, templates: newTemplates(), statuses: map[string]int{}, connectors: map[string]*Counted{}, tools: map[string]*Counted{},
		faults: map[[2]string]*Fault{}, days: map[string]*Day{},
	}
}

func (t *tally) day(at time.Time) *Day {
	name := at.UTC().Format(time.DateOnly)
	if t.days[name] == nil {
		t.days[name] = &Day{Day: name}
	}
	return t.days[name]
}

// add counts the record of a call's end.
func (t *tally) add(r audit.Record) {
	if t.s.Calls == 0 {
		t.s.First = r.At
	}
	t.s.Last = r.At
	t.s.Calls++
	t.statuses[r.Status]++
	day := t.day(r.At)
	day.Calls++
	day.ArgumentBytes += max(len(r.Arguments), r.ArgumentsBytes)
	took := time.Duration(r.DurationMS) * time.Millisecond
	if r.MayHaveRun {
		t.taken = append(t.taken, took)
		t.slow(r)
	}
	for _, one := range []*Counted{counted(t.connectors, r.Connector, ""), counted(t.tools, r.Connector, r.Tool)} {
		one.Calls++
		one.Last = r.At
		if r.MayHaveRun {
			one.taken = append(one.taken, took)
		}
		if isFailure(r.Status) {
			one.Failed++
		}
		if isRefusal(r.Status) {
			one.Refused++
		}
	}
	if isFailure(r.Status) {
		day.Failed++
		t.fault(r)
	}
}

func counted(all map[string]*Counted, connector, tool string) *Counted {
	key := connector + "\x00" + tool
	if all[key] == nil {
		all[key] = &Counted{Connector: connector, Tool: tool}
	}
	return all[key]
}

func (t *tally) fault(r audit.Record) {
	key := [2]string{t.templates.of(r.Message), r.Status}
	if t.faults[key] == nil {
		t.faults[key] = &Fault{Template: key[0], Status: key[1]}
	}
	f := t.faults[key]
	f.Calls++
	f.Last, f.CallID = r.At, r.CallID
}

// slow keeps the slowest.
func (t *tally) slow(r audit.Record) {
	c := callsOf([]audit.Record{r})[0]
	at, _ := slices.BinarySearchFunc(t.s.Slowest, c, func(a, b Call) int { return cmp.Or(cmp.Compare(b.Duration, a.Duration), -1) })
	if at >= t.limit {
		return
	}
	t.s.Slowest = slices.Insert(t.s.Slowest, at, c)
	t.s.Slowest = t.s.Slowest[:min(len(t.s.Slowest), t.limit)]
}

// stats is what was counted, in its order.
func (t *tally) stats() Stats {
	s := t.s
	s.Durations = durationsOf(t.taken)
	for status, calls := range t.statuses {
		s.Statuses = append(s.Statuses, Status{status, calls})
	}
	slices.SortFunc(s.Statuses, func(a, b Status) int { return cmp.Or(b.Calls-a.Calls, cmp.Compare(a.Status, b.Status)) })
	s.Connectors, s.Tools = busiest(t.connectors), busiest(t.tools)
	s.Tools = s.Tools[:min(len(s.Tools), t.limit)]
	for _, f := range t.faults {
		s.Faults = append(s.Faults, *f)
	}
	slices.SortFunc(s.Faults, func(a, b Fault) int {
		return cmp.Or(b.Calls-a.Calls, b.Last.Compare(a.Last), cmp.Compare(a.Template, b.Template))
	})
	s.Faults = s.Faults[:min(len(s.Faults), t.limit)]
	for _, name := range slices.Sorted(maps.Keys(t.days)) {
		s.Days = append(s.Days, *t.days[name])
	}
	return s
}

func busiest(all map[string]*Counted) []Counted {
	list := make([]Counted, 0, len(all))
	for _, one := range all {
		one.Durations = durationsOf(one.taken)
		list = append(list, *one)
	}
	slices.SortFunc(list, func(a, b Counted) int {
		return cmp.Or(b.Calls-a.Calls, cmp.Compare(a.Connector, b.Connector), cmp.Compare(a.Tool, b.Tool))
	})
	return list
}

// pattern is what differs between errors of one kind, and what stands for it.
type pattern struct {
	expression *regexp.Regexp
	word       string
}

// templates make errors of one kind alike.
type templates []pattern

func newTemplates() templates {
	return templates{
		{regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'|` + "`[^`]*`"), `"…"`},
		{regexp.MustCompile(`\b[a-z][a-z0-9+.-]*://[^\s,;)]+`), "<url>"},
		{regexp.MustCompile(`(?:[A-Za-z]:)?(?:[/\\][\w.@+~-]+){2,}`), "<path>"},
		{regexp.MustCompile(`\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b|\b[0-9a-f]{12,}\b`), "<id>"},
		{regexp.MustCompile(`\d+(?:[.,:]\d+)*`), "<n>"},
	}
}

// maxTemplateRunes bounds a template.
const maxTemplateRunes = 200

// of is an error's text without the names, numbers and paths that differ from one error of its kind to the next.
func (t templates) of(text string) string {
	for _, p := range t {
		text = p.expression.ReplaceAllLiteralString(text, p.word)
	}
	if runes := []rune(text); len(runes) > maxTemplateRunes {
		text = string(runes[:maxTemplateRunes]) + "…"
	}
	return text
}
