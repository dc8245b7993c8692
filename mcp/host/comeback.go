package host

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"time"

	"pillion/mcp/config"
	"pillion/mcp/connector"
	"pillion/mcp/settings"
)

// reconnect is how a connector that ended by itself comes back (C5).
type reconnect struct {
	attempts    int // in a row, before it is parked
	first, most time.Duration
	stable      time.Duration // how long it must have run for the attempts to be counted anew
}

func reconnectOf(entry *config.Entry) reconnect {
	written := entry.Options.Reconnect
	return reconnect{
		attempts: max(0, cmp.Or(written.Attempts, settings.DefaultReconnectAttempts)),
		first:    cmp.Or(written.Delay, settings.DefaultReconnectDelay),
		most:     cmp.Or(written.MaxDelay, settings.DefaultReconnectMaxDelay),
		stable:   cmp.Or(written.Stable, settings.DefaultReconnectStable),
	}
}

// pause is how long the attempt after some others waits. Jitter, from 0 up to 1, makes it longer, never shorter: so many
// attempts as there are last as long as they must.
func (r reconnect) pause(spent int, jitter float64) time.Duration {
	bound := r.most * 4 / 5
	pause := min(r.first, bound)
	for range spent {
		if pause = min(2*pause, bound); pause == bound {
			break
		}
	}
	return pause + time.Duration(jitter*float64(pause)/4)
}

// comeback is where a connector stands with its attempts.
type comeback struct {
	spent    int  // since it last was stable
	isDue    bool // it waits for the next one
	isParked bool // there is none any more
	wasReady bool // it was there, and ended or is being tried again since
}

// ending is how a process ended by itself, or a start came to nothing.
type ending struct {
	isPassing bool // for a reason that may be gone the next time
	isRemote  bool // of a server that was not reached
	uptime    time.Duration
}

// comesBack decides whether a connector that has just failed is started again by itself, and counts that attempt.
func (l *life) comesBack(w wanted, how ending, r reconnect) bool {
	if how.uptime >= r.stable {
		l.back.spent = 0
	}
	isWanted := l.isUsed || w.isEager || w.isHeld
	isOwn := l.back.wasReady || how.isRemote && w.isEager
	if l.activity != activityFailed || l.key != w.key || !how.isPassing || !isWanted || !isOwn {
		l.back.isDue, l.back.wasReady = false, false
		return false
	}
	if l.back.spent >= r.attempts {
		l.back = comeback{spent: l.back.spent, isParked: r.attempts > 0}
		return false
	}
	l.back.spent++
	l.back.isDue = true
	return true
}

// isReturning reports whether the connector is on its way back.
func (l life) isReturning(w wanted) bool {
	return l.activity == activityFailed && l.back.isDue && l.key == w.key && l.wish != wishStop && w.standing.mayRun() && !w.isStill
}

// isPassing reports whether what a process ended of may be gone the next time.
func isPassing(problem *Problem) bool {
	switch problem.Kind {
	case connector.ProblemExited, connector.ProblemUnreachable, connector.ProblemTimeout:
		return true
	}
	return false
}

// comeBack has a slot that has just failed come back by itself, if it does; h.mu is held, after the problem is set.
func (h *Host) comeBack(s *slot, uptime time.Duration) {
	s.endPause()
	if s.problem == nil || h.isClosing() {
		return
	}
	r := reconnectOf(s.entry)
	how := ending{isPassing: isPassing(s.problem), uptime: uptime}
	how.isRemote = s.entry.Transport != config.TransportStdio && s.problem.Kind == connector.ProblemUnreachable
	if !s.life.comesBack(h.wanted(s), how, r) {
		if s.life.back.isParked {
			parked := *s.problem
			parked.Reason += fmt.Sprintf("; it ended again after each of %d attempts to bring it back, and is not started by itself any more", r.attempts)
			s.problem = &parked
		}
		return
	}
	h.log.Info("connector comes back", "connector", s.id, "attempt", s.life.back.spent)
	var timer *time.Timer
	timer = time.AfterFunc(r.pause(s.life.back.spent-1, rand.Float64()), func() { //nolint:gosec // it hides nothing
		h.locked(func() {
			if s.pause == timer { // else it was ended while it waited for the lock
				h.ask(s, wishReturn)
			}
		})
	})
	s.pause = timer
}

// endPause is called with Host.mu held.
func (s *slot) endPause() {
	if s.pause != nil {
		s.pause.Stop()
		s.pause = nil
	}
}

// phase says of a connector that comes back how often that has been tried; h.mu is held.
func (h *Host) phase(s *slot) string {
	back := s.life.back
	if back.spent == 0 || !back.wasReady && !s.life.isReturning(h.wanted(s)) {
		return ""
	}
	return fmt.Sprintf("coming back by itself, attempt %d of %d", back.spent, reconnectOf(s.entry).attempts)
}
