package connector

//lint:file-ignore SA1019 what MCP 2026-07-28 deprecates goes on to be asked for, by the servers before it for longer

import (
	"context"
	"slices"

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

// logged keeps a log message of the server in the connector's log, if it was wanted.
func (s *session) logged(params jsontext.Value) {
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
		err := s.acknowledged(ctx, errand{method: "logging/setLevel", send: func(ctx context.Context, client *mcp.ClientSession, _ mcp.Meta) error {
			//lint:ignore SA1019 servers of the legacy era know no other way (SEP-2577)
			return client.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: mcp.LoggingLevel(level)})
		}})
		if err != nil && ctx.Err() == nil {
			s.journal.note("does not take the level of its log: " + visible(err.Error(), maxReasonBytes))
		}
	})
}
