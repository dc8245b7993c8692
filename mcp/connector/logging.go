package connector

//lint:file-ignore SA1019 what MCP 2026-07-28 deprecates goes on to be asked for, by the servers before it for longer

import (
	"context"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	logNotification = "notifications/message"
	maxLogBytes     = 4 << 10
)

// logLevels are those of MCP, the least first (RFC 5424).
func logLevels() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}

// wantsLog reports whether a message of the level is to be kept where the definition wants those of another.
func wantsLog(wanted, level string) bool {
	levels := logLevels()
	at := slices.Index(levels, wanted)
	return at >= 0 && slices.Index(levels, level) >= at
}

// logLevel is the level that a server of the legacy era was told last; empty where it chooses itself.
type logLevel struct {
	mu   sync.Mutex
	told string
}

// lowest is the level of two by which more is said; an empty one says nothing.
func lowest(a, b string) string {
	levels := logLevels()
	at, other := slices.Index(levels, a), slices.Index(levels, b)
	if at < 0 || other >= 0 && other < at {
		return b
	}
	return a
}

// lowerLevel has a server of the legacy era say at least what is wanted by whoever waits for an answer; one of the modern era is told
// with each request. That it does not is noted: the request goes on without.
func (s *session) lowerLevel(ctx context.Context, wanted string) {
	if wanted == "" || s.answer.era != EraLegacy || !s.answer.features.hasLog {
		return
	}
	s.level.mu.Lock()
	defer s.level.mu.Unlock()
	if s.level.told != "" && lowest(s.level.told, wanted) == s.level.told {
		return
	}
	if err := s.setLevel(ctx, wanted); err == nil {
		s.level.told = wanted
	} else if ctx.Err() == nil {
		s.journal.note("does not take the level of its log: " + visible(err.Error(), maxReasonBytes))
	}
}

func (s *session) setLevel(ctx context.Context, level string) error {
	return s.acknowledged(ctx, errand{method: "logging/setLevel", send: func(ctx context.Context, client *mcp.ClientSession, _ mcp.Meta) error {
		//lint:ignore SA1019 servers of the legacy era know no other way (SEP-2577)
		return client.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: mcp.LoggingLevel(level)})
	}})
}

// hearer is whoever waits for the answer that a log message is about: that whose own stream it came by, or the only one that waits.
// What may be about one of several is told to none.
func (q *inquiries) hearer(of *exchange) *running {
	q.mu.Lock()
	defer q.mu.Unlock()
	if of != nil {
		return of.cause
	}
	if len(q.running) == 0 || slices.ContainsFunc(q.running, func(r *running) bool { return r.id != q.running[0].id }) {
		return nil
	}
	return q.running[0]
}

// logged passes a log message of the server on to whoever it is about, and keeps it in the connector's log, if it was wanted.
func (s *session) logged(of *exchange, params jsontext.Value) {
	if r := s.inquiries.hearer(of); r != nil && r.onLog != nil {
		r.onLog(params.Clone())
	}

	var level, logger, said string
	_ = object(params, func(name string, value jsontext.Value) error {
		switch name {
		case "level":
			level, _ = text(value)
		case "logger":
			logger, _ = text(value)
		case "data":
			if text, isText := text(value); isText {
				said = text
			} else {
				said = string(value[:min(len(value), maxLogBytes)])
			}
		}
		return nil
	})
	if !wantsLog(firstText(s.connector.definition.LogLevel, "warning"), level) {
		return
	}
	if logger != "" {
		logger = " " + visible(logger, 100)
	}
	s.journal.note(level + logger + ": " + visible(said, maxLogBytes))
}

// chooseLevel tells a server of the legacy era which log messages are wanted; of the modern one each request says it.
func (s *session) chooseLevel() {
	level := s.connector.definition.LogLevel
	if s.answer.era != EraLegacy || !s.answer.features.hasLog || level == "" {
		return
	}
	s.workers.Go(func() {
		ctx, cancel := context.WithTimeout(s.ctx, s.connector.definition.StartTimeout)
		defer cancel()
		s.lowerLevel(ctx, level)
	})
}
