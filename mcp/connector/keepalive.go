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
	isDeaf     bool // to pings alone
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

// afterList is the pulse of a server that seems lost once it was asked for a list as well, and whether it is.
func (p pulse) afterList(heard beat) (next pulse, isLost bool) {
	switch heard {
	case beatMissed:
		return p, true
	case beatBusy:
		return pulse{}, false
	}
	return pulse{isOver: true, isDeaf: true}, false
}

// maxPong bounds the time for the answer to a ping.
const maxPong = 20 * time.Second

// keepAlive asks a server that nobody calls whether it is there, where the protocol allows it: there is no ping since MCP
// 2026-07-28. One that is silent several times in a row, and then to a request that it has answered before, is lost; one that does
// not want to be asked, or hears everything but pings, is left alone (C60).
func (s *session) keepAlive() {
	every := s.connector.definition.PingInterval
	if s.answer.era == EraModern || every < 0 {
		return
	}
	patience := firstOf(s.connector.tuning.pong, min(every, maxPong))
	timer := time.NewTimer(every)
	defer timer.Stop()
	isLost := false
	for p := (pulse{}); !p.isOver; timer.Reset(every) {
		select {
		case <-timer.C:
		case <-s.ctx.Done():
			return
		}
		heard := s.beat(ping(), patience)
		if s.ctx.Err() != nil {
			return
		}
		if p, isLost = p.after(heard, s.connector.tuning.pings); isLost {
			p, isLost = p.afterList(s.lastBeat(patience))
		}
		switch {
		case s.ctx.Err() != nil:
			return
		case isLost:
			reason := fmt.Sprintf("did not answer %d pings in a row, for %s each", s.connector.tuning.pings, patience)
			s.lose(s.connector.newProblem(ProblemTimeout, reason, "See in its log what it is at."))
			return
		case p.isDeaf:
			s.connector.warn("pings", "answers, but no pings: it is not asked any more whether it is there")
		case p.isOver:
			s.connector.log.Debug("connector does not answer pings, and is not asked any more")
		}
	}
}

// ping is the request that is made for nothing but its answer.
func ping() errand {
	return errand{method: "ping", send: func(ctx context.Context, client *mcp.ClientSession, _ mcp.Meta) error {
		return client.Ping(ctx, nil)
	}}
}

// lastBeat asks for a list that the server has given before. One without a list has nothing else that could be asked for without
// an effect.
func (s *session) lastBeat(patience time.Duration) beat {
	for _, k := range kinds() {
		if s.announced()&k.list != 0 {
			return s.beat(errand{method: k.method, send: func(ctx context.Context, client *mcp.ClientSession, _ mcp.Meta) error {
				return k.ask(ctx, client)
			}}, patience)
		}
	}
	return beatMissed
}

// beat asks once.
func (s *session) beat(e errand, patience time.Duration) beat {
	begun := s.begun.Load()
	if s.inFlight.Load() > 0 {
		return beatBusy
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	deadline := newDeadline(patience, patience, cancel)
	defer deadline.stop()
	reply, err := s.round(ctx, e, &running{}, nil, deadline, true)
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
