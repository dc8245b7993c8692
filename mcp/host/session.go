package host

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// SessionProcess is a process that a session has to itself, or what it has of a remote server in its place.
type SessionProcess struct {
	Connector, Name string // the connector's id and name
	Session         string
	PID             int // 0 of a remote server
}

// SessionProcesses are the processes that sessions have to themselves, by session.
func (h *Host) SessionProcesses() []SessionProcess {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []SessionProcess
	for _, s := range h.present() {
		for _, name := range slices.Sorted(maps.Keys(s.rooms)) {
			room := s.rooms[name]
			if session := room.session(); session != "" && room.process != nil && room.life.activity == activityReady {
				all = append(all, SessionProcess{Connector: s.id, Name: s.entry.Name, Session: session, PID: room.process.Status().PID})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b SessionProcess) int { return cmp.Compare(a.Session, b.Session) })
	return all
}

// RestartSession ends the processes that a session has to itself: its next call has new ones. It reports false where it has
// none.
func (h *Host) RestartSession(session string) bool {
	isThere := slices.ContainsFunc(h.SessionProcesses(), func(p SessionProcess) bool { return p.Session == session })
	h.endRooms(func(id string) bool { return id == session })
	return isThere
}

// SessionState is what the process does that a connector has for a session, and why it does not run; idle where there is none.
// A session that has none yet waits for the one that lists the tools, or has what became of that.
func (h *Host) SessionState(connector, session string) (State, *Problem) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.roomFor(connector, session)
	if s != nil {
		return h.state(s), s.problem
	}
	if s = h.slotOf(connector); s != nil {
		if state := h.state(s); state == StateStarting || state == StateFailed {
			return state, s.problem
		}
	}
	return StateIdle, nil
}

// roomFor is the slot of the process that a session has, or nil; h.mu is held.
func (h *Host) roomFor(connector, session string) *slot {
	main := h.slotOf(connector)
	if main == nil || session == "" {
		return main
	}
	return main.rooms[sessionRoom(session)]
}

// StartIn starts the process that a connector has for a session, and waits until it is ready or failed: its state says. The
// error is that of ctx, or [ErrClosed].
func (h *Host) StartIn(ctx context.Context, connector, session string) error {
	view, err := h.settle(ctx, connector, wishStart)
	if err != nil || session == "" || view.State != StateReady {
		return err
	}
	var main *slot
	h.locked(func() { main = h.slotOf(connector) })
	if main == nil {
		return &UnknownError{What: "connector", Name: connector}
	}
	room, _, err := h.lease(ctx, main, party{session: session})
	if err != nil {
		return err
	}
	defer h.release(room)
	_, err = h.settle(ctx, room.id, wishStart)
	return err
}

// StopIn ends the process that a connector has for a session, and waits until nothing of it is left.
func (h *Host) StopIn(ctx context.Context, connector, session string) error {
	for isAsked := false; ; isAsked = true {
		var s *slot
		var isOver bool
		var changed <-chan struct{}
		h.locked(func() {
			if s = h.roomFor(connector, session); s == nil {
				return
			}
			if !isAsked && s.main != nil {
				s.isRemoved = true
			}
			if !isAsked {
				h.ask(s, wishStop)
			}
			isOver, changed = s.life.isSettled(h.wanted(s)) && s.share == nil, s.changed
		})
		if s == nil || isOver {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-h.closing:
			return ErrClosed
		}
	}
}
