// Package stream keeps what happened in a session for those who follow it, however late or slowly: numbered events in a bounded
// ring, of which the oldest make room.
// It does not know what events mean, who follows, or how an event is told, and nobody who adds one ever waits.
package stream

import (
	"context"
	"sync"
	"time"

	"pillion/rpc/message"
)

// DefaultEvents is how many events are kept.
const DefaultEvents = 1024

// Stream is one epoch of events. Its methods may be called at once.
type Stream struct {
	epoch message.EventEpoch
	now   func() time.Time

	mu      sync.Mutex
	kept    []message.SessionEvent // a ring, once it is full
	last    int                    // number of the last event; 0 before the first
	changed chan struct{}          // closed and replaced at every event
}

// New returns an empty stream of an epoch that keeps so many events, at least one.
func New(epoch string, most int) *Stream {
	return &Stream{epoch: message.EventEpoch(epoch), now: time.Now, kept: make([]message.SessionEvent, 0, max(most, 1)), changed: make(chan struct{})}
}

// Add gives an event its number and time, and keeps it. It never blocks.
func (s *Stream) Add(e message.SessionEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	e.Epoch, e.Seq, e.At = s.epoch, s.last, s.now().UTC()
	if len(s.kept) < cap(s.kept) {
		s.kept = append(s.kept, e)
	} else {
		s.kept[(s.last-1)%cap(s.kept)] = e
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// Since returns the events that somebody has not seen whose last one had this number in this epoch, in order; where some of
// them are not kept any more, an event that says so stands first. A number of another epoch, or one that is yet to come,
// means nothing: all that are kept are returned. last is the number that they end with, to follow from.
func (s *Stream) Since(epoch message.EventEpoch, since int) (result message.EventsResult, last int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if epoch != s.epoch || since > s.last {
		since = 0
	}
	return message.EventsResult{Epoch: s.epoch, Events: s.after(since)}, s.last
}

// after is called with s.mu held.
func (s *Stream) after(since int) []message.SessionEvent {
	first, since := s.last-len(s.kept)+1, min(since, s.last)
	events := make([]message.SessionEvent, 0, s.last-max(since, first-1)+1)
	if since+1 < first {
		events = append(events, message.SessionEvent{Epoch: s.epoch, Seq: first - 1, At: s.now().UTC(), Kind: message.EventGap, Missed: first - 1 - since})
		since = first - 1
	}
	for number := since + 1; number <= s.last; number++ {
		events = append(events, s.kept[(number-1)%cap(s.kept)])
	}
	return events
}

// maxBatch is how many events one who is behind takes at a time.
const maxBatch = 64

// Follow hands tell every event after a number that [Stream.Since] returned, in order, gaps included, until ctx ends or tell returns an error, which it
// returns. However long tell takes, nobody else waits: what the ring has lost by then is told as a gap.
func (s *Stream) Follow(ctx context.Context, since int, tell func(message.SessionEvent) error) error {
	for {
		events, changed := s.next(since)
		for _, e := range events {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if err := tell(e); err != nil {
				return err
			}
			since = e.Seq
		}
		if len(events) > 0 {
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// next returns the events after a number, some at a time, and what to wait for where there is none.
func (s *Stream) next(since int) ([]message.SessionEvent, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	events := s.after(since)
	return events[:min(len(events), maxBatch)], s.changed
}
