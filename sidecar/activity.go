package sidecar

import (
	"cmp"
	"context"
	"time"

	"pillion/mcp/activity"
	"pillion/mcp/audit"
	"pillion/rpc/message"
)

// How much of what happened is told where nothing is said.
const (
	DefaultRecords = 100
	DefaultCalls   = 50
	DefaultCounted = 10
)

// maxRows bounds what one answer tells.
const maxRows = 10_000

func bounded(limit, without int) int { return min(max(cmp.Or(limit, without), 1), maxRows) }

func (s *Session) recorded(ctx context.Context, params message.LogParams) (message.LogResult, error) {
	return overActivity(ctx, s, func(x *activity.Index) (message.LogResult, error) {
		records, err := x.Records(ctx, RecordFilter(params), bounded(params.Limit, DefaultRecords))
		return LogMessage(records), err
	})
}

func (s *Session) activity(ctx context.Context, params message.ActivityParams) (message.ActivityResult, error) {
	return overActivity(ctx, s, func(x *activity.Index) (message.ActivityResult, error) {
		calls, err := x.Calls(ctx, ActivityFilter(params.Filter), bounded(params.Limit, DefaultCalls))
		return ActivityMessage(calls), err
	})
}

func (s *Session) stats(ctx context.Context, params message.StatsParams) (message.StatsResult, error) {
	return overActivity(ctx, s, func(x *activity.Index) (message.StatsResult, error) {
		stats, err := x.Stats(ctx, ActivityFilter(params.Filter), bounded(params.Limit, DefaultCounted))
		return StatsMessage(stats), err
	})
}

// overActivity asks an index that has everything that was recorded until now.
func overActivity[R any](ctx context.Context, s *Session, ask func(*activity.Index) (R, error)) (R, error) {
	c, err := s.host(ctx)
	if err != nil {
		return *new(R), err
	}
	x, err := c.Folders.Activity(ctx, c.Record(), false, nil)
	if err != nil {
		return *new(R), err
	}
	defer x.Close()
	return ask(x)
}

// RecordFilter is what a wish for records chooses.
func RecordFilter(p message.LogParams) activity.Filter {
	f := ActivityFilter(p.Filter)
	f.Kinds, f.CallID = p.Kinds, string(p.CallID)
	return f
}

// ActivityFilter is what a wish for calls chooses.
func ActivityFilter(f message.LogFilter) activity.Filter {
	chosen := activity.Filter{Connector: f.Connector, Tool: f.Tool, Asker: f.Asker, Status: f.Status, Window: f.Window}
	if f.Since != nil {
		chosen.Since = *f.Since
	}
	if f.Until != nil {
		chosen.Until = *f.Until
	}
	return chosen
}

// LogMessage lists records.
func LogMessage(records []audit.Record) message.LogResult {
	result := message.LogResult{Rows: make([]message.LogRecord, len(records))}
	for i, r := range records {
		result.Rows[i] = message.LogRecord{
			At: r.At, Window: r.Window, Kind: r.Kind, CallID: message.CallID(r.CallID), AskID: message.AskID(r.AskID), SessionID: r.SessionID, Asker: r.Asker,
			Connector: r.Connector, Tool: r.Tool, Arguments: r.Arguments, ArgumentsBytes: r.ArgumentsBytes, Allowed: r.Allowed, Rule: r.Rule,
			Status: r.Status, Message: r.Message, DurationMS: int(r.DurationMS), MayHaveRun: r.MayHaveRun, Count: r.Count,
		}
	}
	return result
}

// ActivityMessage lists calls.
func ActivityMessage(calls []activity.Call) message.ActivityResult {
	return message.ActivityResult{Rows: activityRows(calls)}
}

func activityRows(calls []activity.Call) []message.ActivityRow {
	rows := make([]message.ActivityRow, len(calls))
	for i, c := range calls {
		rows[i] = message.ActivityRow{
			CallID: message.CallID(c.CallID), At: c.At, Window: c.Window, SessionID: c.SessionID, Asker: c.Asker, Connector: c.Connector, Tool: c.Tool,
			Arguments: c.Arguments, Allowed: c.Allowed, Rule: c.Rule, AnsweredBy: c.AnsweredBy, Status: c.Status, Message: c.Message,
			DurationMS: int(c.Duration.Milliseconds()), MayHaveRun: c.MayHaveRun,
		}
	}
	return rows
}

// StatsMessage is what was counted.
func StatsMessage(s activity.Stats) message.StatsResult {
	result := message.StatsResult{
		Calls: s.Calls, Statuses: make([]message.StatusCount, len(s.Statuses)), Durations: durationsMessage(s.Durations),
		Connectors: countedMessage(s.Connectors), Tools: countedMessage(s.Tools), Slowest: activityRows(s.Slowest),
		Errors: make([]message.ErrorStats, len(s.Faults)), Days: make([]message.DayStats, len(s.Days)), Lost: s.Lost, LogBytes: int(s.LogBytes),
	}
	if !s.First.IsZero() {
		result.First, result.Last = &s.First, &s.Last
	}
	for i, status := range s.Statuses {
		result.Statuses[i] = message.StatusCount(status)
	}
	for i, f := range s.Faults {
		result.Errors[i] = message.ErrorStats{Template: f.Template, Status: f.Status, Calls: f.Calls, Last: f.Last, CallID: message.CallID(f.CallID)}
	}
	for i, d := range s.Days {
		result.Days[i] = message.DayStats(d)
	}
	return result
}

func durationsMessage(d activity.Durations) message.Durations {
	ms := func(d time.Duration) int { return int(d.Milliseconds()) }
	return message.Durations{Calls: d.Calls, P50: ms(d.P50), P95: ms(d.P95), P99: ms(d.P99), Most: ms(d.Most)}
}

func countedMessage(all []activity.Counted) []message.CallStats {
	counted := make([]message.CallStats, len(all))
	for i, one := range all {
		counted[i] = message.CallStats{
			Connector: one.Connector, Tool: one.Tool, Calls: one.Calls, Failed: one.Failed, Refused: one.Refused, Durations: durationsMessage(one.Durations), Last: one.Last,
		}
	}
	return counted
}
