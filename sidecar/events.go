package sidecar

import (
	"context"
	"sync"

	"go.lsp.dev/protocol"

	"pillion/editors"
	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

// eventFeed turns what happens in a session into events, in order; this is the one place that makes them (N2).
type eventFeed struct {
	mu   sync.Mutex
	told map[string]host.Standing // the connectors as they were told last
}

// happened keeps an event, with the secrets that are known replaced (E7). It never blocks.
func (s *Session) happened(e message.SessionEvent) {
	for _, text := range []*string{&e.Problem, &e.Text, &e.Tool, &e.Name, &e.Asker, &e.By, &e.URI} {
		if *text != "" {
			*text = string(s.redacted([]byte(*text)))
		}
	}
	s.stream.Add(e)
}

// hostHappened keeps what the host told; the host calls it in order.
func (s *Session) hostHappened(e host.Event) {
	if e.Files {
		s.happened(message.SessionEvent{Kind: message.EventFiles})
	}
	for _, standing := range s.eventFeed.news(e) {
		s.happened(message.SessionEvent{
			Kind: message.EventConnector, Connector: message.ConnectorID(standing.ID), Name: standing.Name,
			State: message.ConnectorState(standing.State), Problem: standing.Reason,
		})
	}
	for _, id := range e.Removed {
		s.happened(message.SessionEvent{Kind: message.EventConnectorRemoved, Connector: message.ConnectorID(id)})
	}
	for _, change := range e.Tools {
		s.happened(message.SessionEvent{Kind: message.EventTools, Connector: message.ConnectorID(change.Connector), Generation: change.Generation})
	}
	for _, id := range e.Resources {
		s.happened(message.SessionEvent{Kind: message.EventResources, Connector: message.ConnectorID(id)})
	}
	for _, id := range e.Prompts {
		s.happened(message.SessionEvent{Kind: message.EventPrompts, Connector: message.ConnectorID(id)})
	}
	for _, update := range e.Updates {
		s.happened(message.SessionEvent{Kind: message.EventResourceUpdated, Connector: message.ConnectorID(update.Connector), URI: update.URI})
	}
	if c := e.Call; c != nil {
		event := message.SessionEvent{
			Kind: message.EventCall, CallID: message.CallID(c.CallID), Tool: c.Tool, Connector: message.ConnectorID(c.Connector),
			Call: message.CallState(c.State), Asker: c.Caller.String(),
		}
		if r := c.Result; r != nil {
			event.Status, event.DurationMS = message.CallStatus(r.Status), int(r.Duration.Milliseconds())
			event.MayHaveRun = r.MayHaveRun && r.Status != host.StatusOK
		}
		s.happened(event)
	}
}

// news are the connectors of an event that differ from what was told of them last.
func (f *eventFeed) news(e host.Event) []host.Standing {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.told == nil {
		f.told = map[string]host.Standing{}
	}
	for _, id := range e.Removed {
		delete(f.told, id)
	}
	var news []host.Standing
	for _, standing := range e.Standings {
		if f.told[standing.ID] != standing {
			f.told[standing.ID] = standing
			news = append(news, standing)
		}
	}
	return news
}

// asksHappened keeps which questions opened and ended, never what they ask.
func (s *Session) asksHappened(change editors.Change) {
	for _, ask := range change.Opened {
		s.happened(message.SessionEvent{Kind: message.EventAsk, AskID: ask.AskID, Ask: ask.Kind, CallID: ask.CallID, Asker: askerOf(ask)})
	}
	for _, closed := range change.Closed {
		s.happened(message.SessionEvent{Kind: message.EventAskClosed, AskID: closed.AskID, How: closed.How, By: closed.By})
	}
}

func askerOf(ask message.Ask) string {
	a := ask.Asker
	return host.Caller{Kind: string(a.Kind), Name: a.Name, Program: a.Program, PID: a.PID}.String()
}

// messageHappened keeps a message that the editor was shown.
func (s *Session) messageHappened(kind protocol.MessageType, text string) {
	level := map[protocol.MessageType]message.MessageLevel{messageError: message.MessageError, messageWarning: message.MessageWarning}[kind]
	if level == "" {
		level = message.MessageInfo
	}
	s.happened(message.SessionEvent{Kind: message.EventMessage, Level: level, Text: text})
}

// events answers with what the client has not seen, and tells it of everything further once its answer has left.
func (s *Session) events(ctx context.Context, params message.EventsParams) (message.EventsResult, func(), error) {
	if err := params.Check(); err != nil {
		return message.EventsResult{}, nil, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	s.start()
	c := callerOf(ctx)
	result, last := s.stream.Since(params.Epoch, params.Since)
	if c.conn == nil || !c.isTold() || c == s.own && !s.editor.wantsEvents() {
		return result, nil, nil
	}
	return result, func() { s.follow(c, last) }, nil
}

// follow tells a client every event after a number, in place of what it followed before. A client that does not read gets the
// next one only once it has read the last: what the stream has lost by then is a gap (N2).
func (s *Session) follow(c *client, seen int) {
	ctx, isWanted := c.beginFollowing(s.lifetime)
	if !isWanted {
		return
	}
	s.inBackground(func() {
		err := s.stream.Follow(ctx, seen, func(e message.SessionEvent) error {
			if err := rpc.Notify(c.conn, message.EventTold, e); err != nil {
				return err
			}
			return c.conn.Flush(ctx)
		})
		s.log.Debug("events are told no more", "error", err)
	})
}
