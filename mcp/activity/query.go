package activity

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/audit"
)

// Filter chooses records; what is zero chooses all.
type Filter struct {
	Since     time.Time // at or after
	Until     time.Time // before
	Kinds     []string
	CallID    string
	Connector string // by its name
	Tool      string // by the connector's own name for it
	Asker     string // a part of it
	Status    string
	Window    string
}

// where is the condition of a filter, and its values.
func (f Filter) where() (string, []any) {
	conditions, values := []string{"1"}, []any{}
	add := func(condition string, value any) {
		conditions, values = append(conditions, condition), append(values, value)
	}
	if !f.Since.IsZero() {
		add("at >= ?", at(f.Since))
	}
	if !f.Until.IsZero() {
		add("at < ?", at(f.Until))
	}
	for column, value := range map[string]string{"call": f.CallID, "connector": f.Connector, "tool": f.Tool, "status": f.Status, "window": f.Window} {
		if value != "" {
			add(column+" = ?", value)
		}
	}
	if f.Asker != "" {
		add("instr(asker, ?) > 0", f.Asker)
	}
	if len(f.Kinds) > 0 {
		conditions = append(conditions, "kind IN (?"+strings.Repeat(",?", len(f.Kinds)-1)+")")
		for _, kind := range f.Kinds {
			values = append(values, kind)
		}
	}
	return strings.Join(conditions, " AND "), values
}

// Holds reports whether a record is one that the filter chooses.
func (f Filter) Holds(r audit.Record) bool {
	isOf := func(wanted, is string) bool { return wanted == "" || wanted == is }
	return (f.Since.IsZero() || !r.At.Before(f.Since)) && (f.Until.IsZero() || r.At.Before(f.Until)) &&
		(len(f.Kinds) == 0 || slices.Contains(f.Kinds, r.Kind)) && strings.Contains(r.Asker, f.Asker) &&
		isOf(f.CallID, r.CallID) && isOf(f.Connector, r.Connector) && isOf(f.Tool, r.Tool) && isOf(f.Status, r.Status) && isOf(f.Window, r.Window)
}

const columns = "at, window, kind, call, ask, session, asker, connector, tool, arguments, argumentsBytes, allowed, rule, status, message, duration, mayHaveRun, count"

// Records are the newest records that a filter chooses, at most limit, oldest first.
func (x *Index) Records(ctx context.Context, f Filter, limit int) ([]audit.Record, error) {
	where, values := f.where()
	records, err := x.records(ctx, "SELECT "+columns+" FROM record WHERE "+where+" ORDER BY at DESC, id DESC LIMIT ?", append(values, limit)...)
	slices.Reverse(records)
	return records, err
}

func (x *Index) records(ctx context.Context, query string, values ...any) ([]audit.Record, error) {
	records := []audit.Record{}
	err := x.each(ctx, func(r audit.Record) { records = append(records, r) }, query, values...)
	return records, err
}

// each hands the records of a query to yield.
func (x *Index) each(ctx context.Context, yield func(audit.Record), query string, values ...any) error {
	rows, err := x.db.QueryContext(ctx, query, values...)
	if err != nil {
		return fmt.Errorf("read the index of the log: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return fmt.Errorf("read the index of the log: %w", err)
		}
		yield(r)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read the index of the log: %w", err)
	}
	return nil
}

func scan(rows *sql.Rows) (audit.Record, error) {
	var r audit.Record
	var micro int64
	var arguments string
	err := rows.Scan(&micro, &r.Window, &r.Kind, &r.CallID, &r.AskID, &r.SessionID, &r.Asker, &r.Connector, &r.Tool, &arguments, &r.ArgumentsBytes,
		&r.Allowed, &r.Rule, &r.Status, &r.Message, &r.DurationMS, &r.MayHaveRun, &r.Count)
	r.At = time.UnixMicro(micro).UTC()
	if arguments != "" {
		r.Arguments = jsontext.Value(arguments)
	}
	return r, err
}

// StatusOpen is the status of a call whose end is not recorded: it is under way, or its window died.
const StatusOpen = "open"

// Call is one call, put together from its records.
type Call struct {
	CallID     string
	At         time.Time // of its first record
	Window     string
	SessionID  string
	Asker      string // who asked for it
	Connector  string
	Tool       string
	Arguments  jsontext.Value
	Allowed    string
	Rule       string
	AnsweredBy string // who answered the question about it; empty where there was none
	Status     string
	Message    string
	Duration   time.Duration
	MayHaveRun bool
}

// Calls are the newest calls of which a filter chooses a record, at most limit, newest first.
func (x *Index) Calls(ctx context.Context, f Filter, limit int) ([]Call, error) {
	where, values := f.where()
	// What was chosen may be the end of a call alone: the others of its records tell the rest.
	records, err := x.records(ctx, `WITH chosen AS (SELECT call, max(at) AS newest FROM record WHERE call <> '' AND `+where+` GROUP BY call ORDER BY newest DESC LIMIT ?)
SELECT `+columns+` FROM record WHERE call IN (SELECT call FROM chosen) ORDER BY at, id`, append(values, limit)...)
	if err != nil {
		return nil, err
	}
	return callsOf(records), nil
}

// callsOf puts calls together from their records, which are in order; newest first.
func callsOf(records []audit.Record) []Call {
	byID := map[string]*Call{}
	var all []*Call
	for _, r := range records {
		c := byID[r.CallID]
		if c == nil {
			c = &Call{CallID: r.CallID, At: r.At, Window: r.Window, SessionID: r.SessionID, Connector: r.Connector, Tool: r.Tool, Status: StatusOpen}
			byID[r.CallID], all = c, append(all, c)
		}
		c.take(r)
	}
	slices.SortStableFunc(all, func(a, b *Call) int { return b.At.Compare(a.At) })
	calls := make([]Call, len(all))
	for i, c := range all {
		calls[i] = *c
	}
	return calls
}

func (c *Call) take(r audit.Record) {
	if r.Kind == audit.KindAnswer {
		c.AnsweredBy = r.Asker
		if len(r.Arguments) > 0 { // edited before they were allowed
			c.Arguments = r.Arguments
		}
		return
	}
	c.Asker, c.Allowed, c.Rule = cmp.Or(c.Asker, r.Asker), cmp.Or(r.Allowed, c.Allowed), cmp.Or(r.Rule, c.Rule)
	c.MayHaveRun = c.MayHaveRun || r.MayHaveRun
	if len(r.Arguments) > 0 {
		c.Arguments = r.Arguments
	}
	if r.Kind == audit.KindCall {
		c.Status, c.Message, c.Duration, c.MayHaveRun = r.Status, r.Message, time.Duration(r.DurationMS)*time.Millisecond, r.MayHaveRun
	}
}
