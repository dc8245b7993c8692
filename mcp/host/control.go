package host

import (
	"context"

	"pillion/mcp/permission"
)

// StartConnector starts the connector, if it may run, and waits until it is listed or failed.
func (h *Host) StartConnector(ctx context.Context, id string) (Connector, error) {
	if b := h.builtinOf(id); b != nil {
		if err := h.enterFor(ctx, b, Entering{Connector: id}); err != nil {
			return Connector{}, err
		}
	}
	return h.settle(ctx, id, wishStart)
}

// ListLive has a connector list its tools in this session where they are known from an earlier one alone, so that a permission can
// be given for them (S9); what comes of its start is its state. Every other is left as it is.
func (h *Host) ListLive(ctx context.Context, idOrName string) error {
	var id string
	h.locked(func() {
		if s, err := h.findSlot(idOrName); err == nil && s.isListed() && s.isRecalled {
			id = s.id
		}
	})
	if id == "" {
		return nil
	}
	_, err := h.StartConnector(ctx, id)
	return err
}

// StopConnector ends the connector's process and waits until nothing of it is left; a call starts it again.
func (h *Host) StopConnector(ctx context.Context, id string) (Connector, error) {
	return h.settle(ctx, id, wishStop)
}

// RestartConnector ends the process and starts it again.
func (h *Host) RestartConnector(ctx context.Context, id string) (Connector, error) {
	if b := h.builtinOf(id); b != nil {
		if err := h.enterFor(ctx, b, Entering{Connector: id}); err != nil {
			return Connector{}, err
		}
	}
	return h.settle(ctx, id, wishRestart)
}

// StopAll cancels every call, stops every connector and pauses: nothing runs until [Host.SetMode] says otherwise, and then
// each connector starts again on use (O6).
func (h *Host) StopAll() {
	h.locked(func() { h.mode = permission.ModePaused })
	h.recordRule("", "", "stopAll", string(permission.ModePaused))
	h.calls.cancelAll(errStopAll)
	h.keptAsks.end(func(string) bool { return true })
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.present() {
		h.vacateAll(s)
		h.ask(s, wishStop)
	}
}

// EndSessions forgets what was allowed to the sessions of callers that have gone, and what they declined.
func (h *Host) EndSessions(isOver func(sessionID string) bool) {
	h.permissions.EndSessions(isOver)
	h.approvals.end(isOver)
	h.keptAsks.end(isOver)
	h.endRooms(isOver)
}

// endRooms ends the processes that sessions had to themselves which are over.
func (h *Host) endRooms(isOver func(sessionID string) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.slots {
		if session := s.session(); session != "" && isOver(session) {
			h.vacate(s)
		}
	}
	h.endSeats(isOver)
}

// ask adds a wish and wakes whoever it is for; h.mu is held.
func (h *Host) ask(s *slot, w wish) {
	s.life.ask(w)
	s.nudge(h.wanted(s))
}

// settle makes a wish and waits until it is done, or cannot be.
func (h *Host) settle(ctx context.Context, id string, w wish) (Connector, error) {
	if err := h.request(id, w); err != nil {
		return Connector{}, err
	}
	for {
		view, wait, err := h.progress(id)
		if err != nil || wait == nil {
			return view, err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return view, ctx.Err()
		case <-h.closing:
			return view, ErrClosed
		}
	}
}

func (h *Host) request(id string, w wish) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.slotOf(id)
	if s == nil {
		return &UnknownError{What: "connector", Name: id}
	}
	if w == wishStop {
		h.vacateAll(s)
	}
	h.ask(s, w)
	if w == wishRestart {
		h.askSharers(s, w)
	}
	return nil
}

// askSharers replaces the process for the other names of it as well; h.mu is held.
func (h *Host) askSharers(s *slot, w wish) {
	for _, one := range h.shares[s.entry.ProcessID()] {
		one.isOver = true
		for _, other := range one.holders {
			switch {
			case other.main != nil: // there is another one with the next call
				h.vacate(other)
			case other != s:
				h.ask(other, w)
			}
		}
	}
}

// progress returns the connector as it is, and what to wait for while it is not settled.
func (h *Host) progress(id string) (view Connector, wait <-chan struct{}, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.slots[id]
	if s == nil {
		return Connector{}, nil, &UnknownError{What: "connector", Name: id}
	}
	if !s.life.isSettled(h.wanted(s)) {
		wait = s.changed
	}
	return h.view(s), wait, nil
}
