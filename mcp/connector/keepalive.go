package connector

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// pulse is how a server answers to being asked whether it is there (C10).
type pulse struct {
	unanswered int // in a row
	isOver     bool
}

// beat is what came of asking once.
type beat int

const (
	beatAnswered beat = iota
	beatRefused       // whatever the refusal: it is there, and does not want to be asked
	beatMissed        // no answer in time
	beatBusy          // a call was in flight, or came meanwhile: a server at work owes no answer
)

// after is the pulse once more was heard, and whether the server is given up.
func (p pulse) after(heard beat, most int) (next pulse, isLost bool) {
	switch heard {
	case beatMissed:
		p.unanswered++
		return p, p.unanswered >= most
	case beatRefused:
		return pulse{isOver: true}, false
	}
	return pulse{}, false
}

// keepAlive asks a server that nobody calls whether it is there, where the protocol allows it: there is no ping since MCP
// 2026-07-28. One that is silent several times in a row is lost; one that does not want to be asked is left alone (C60).
func (s *session) keepAlive() {
	if s.answer.era == EraModern {
		return
	}
	t := s.connector.tuning
	timer := time.NewTimer(t.ping)
	defer timer.Stop()
	isLost := false
	for p := (pulse{}); !p.isOver; timer.Reset(t.ping) {
		select {
		case <-timer.C:
		case <-s.ctx.Done():
			return
		}
		heard := s.beat()
		if s.ctx.Err() != nil {
			return
		}
		if p, isLost = p.after(heard, t.pings); isLost {
			reason := fmt.Sprintf("did not answer %d pings in a row, for %s each", t.pings, t.pong)
			s.lose(s.connector.newProblem(ProblemTimeout, reason, "See in its log what it is at."))
			return
		}
		if heard == beatRefused {
			s.connector.log.Debug("connector does not answer pings, and is not asked any more")
		}
	}
}

// beat asks once.
func (s *session) beat() beat {
	begun := s.begun.Load()
	if s.inFlight.Load() > 0 {
		return beatBusy
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	patience := newDeadline(s.connector.tuning.pong, s.connector.tuning.pong, cancel)
	defer patience.stop()
	reply, err := s.round(ctx, errand{
		method: "ping",
		send: func(ctx context.Context, client *mcp.ClientSession, _ mcp.Meta) error {
			return client.Ping(ctx, nil)
		},
	}, nil, patience, true)
	var late *TimeoutError
	switch {
	case s.begun.Load() != begun:
		return beatBusy
	case errors.As(err, &late):
		return beatMissed
	case err != nil, reply.ProtocolError != nil:
		return beatRefused
	}
	return beatAnswered
}
