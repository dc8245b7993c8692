package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pillion/mcp/connector"
)

// ticket is a call that waits for a process.
type ticket struct {
	name    string // of the room that it must have
	granted chan struct{}
	room    *slot // once it is granted
}

// lead is the slot of the connector that a slot is, or is a room of.
func (s *slot) lead() *slot {
	if s.main != nil {
		return s.main
	}
	return s
}

// follow gives the rooms what their connector is by now; Host.mu is held.
func (h *Host) follow(main *slot) {
	for _, r := range main.rooms {
		r.entry, r.effective, r.facts, r.mine, r.hash = main.entry, main.effective, main.facts, main.mine, main.hash
		r.ground, r.code, r.swapped, r.standing, r.fault = main.ground, main.code, main.swapped, main.standing, main.fault
		if main.isRemoved {
			r.isRemoved = true
		}
		r.nudge(h.wanted(r))
	}
}

// lease waits for the process that a call is to be made to, in the order of those who wait. Whoever is given one gives it back
// with [Host.release].
func (h *Host) lease(ctx context.Context, main *slot, of party) (room *slot, hasWaited bool, err error) {
	var waiting *ticket
	h.locked(func() {
		p := poolOf(main.entry)
		name, isTold := p.roomName(of)
		if !isTold && !main.isScopeLost {
			main.isScopeLost = true
			h.log.Info("a caller does not say which session started its own, and gets a process to itself", "connector", main.id)
		}
		waiting = &ticket{name: name, granted: make(chan struct{})}
		main.queue = append(main.queue, waiting)
		h.serve(main)
		if room = waiting.room; room == nil {
			main.touch() // who follows the slot sees how many wait
		}
	})
	if room != nil {
		return room, false, nil
	}
	select {
	case <-waiting.granted:
		return waiting.room, true, nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-h.closing:
		err = ErrClosed
	}
	h.locked(func() {
		main.queue = slices.DeleteFunc(main.queue, func(t *ticket) bool { return t == waiting })
		room = waiting.room
	})
	if room != nil { // it was granted meanwhile
		h.release(room)
	}
	return nil, true, err
}

// serve gives out what is free to those who wait, the first of them first; Host.mu is held.
func (h *Host) serve(main *slot) {
	if h.isClosing() {
		return
	}
	main.grant(poolOf(main.entry), func(name string) *slot { return h.roomOf(main, name) }, h.vacate)
}

// grant is [Host.serve] without what it does to processes; Host.mu is held.
func (s *slot) grant(p pool, roomOf func(string) *slot, vacate func(*slot)) {
	left := s.queue[:0:0]
	for _, t := range s.queue {
		switch next := p.choose(t.name, s.roomList()); next.kind {
		case choiceTake:
			t.room = roomOf(next.room)
			t.room.leases++
			close(t.granted)
			continue
		case choiceEnd:
			vacate(s.rooms[next.room])
		}
		left = append(left, t)
	}
	s.queue = left
}

// roomList describes the processes of the connector; Host.mu is held.
func (s *slot) roomList() []room {
	isKept := isStateful(s.entry)
	list := []room{{name: "", leases: s.leases, isServing: s.leases > 0 || s.life.isUsed, isKept: true, usedAt: s.usedAt}}
	for _, name := range slices.Sorted(maps.Keys(s.rooms)) {
		r := s.rooms[name]
		list = append(list, room{name: name, leases: r.leases, isLeaving: r.isRemoved, isServing: true, isKept: isKept, usedAt: r.usedAt})
	}
	return list
}

// roomOf is the room of a name, made where there is none; Host.mu is held.
func (h *Host) roomOf(main *slot, name string) *slot {
	if name == "" {
		return main
	}
	r := main.rooms[name]
	if r == nil {
		r = newSlot(main.id + "\x00" + name)
		r.main, r.scope = main, name
		if main.rooms == nil {
			main.rooms = map[string]*slot{}
		}
		main.rooms[name], h.slots[r.id] = r, r
		h.workers.Add(1)
		go h.work(r)
	}
	r.isRemoved = false
	h.follow(main)
	return r
}

// vacate ends a room; Host.mu is held. It may be come back to before it is gone, to another process then.
func (h *Host) vacate(r *slot) {
	r.isRemoved = true
	r.life.ask(wishRestart)
	r.nudge(h.wanted(r))
}

// vacateAll ends the rooms of a connector; Host.mu is held.
func (h *Host) vacateAll(main *slot) {
	for _, r := range main.rooms {
		h.vacate(r)
	}
}

// release gives a process back.
func (h *Host) release(s *slot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.leases--
	s.usedAt = time.Now()
	h.rearm(s)
	isOver := strings.HasPrefix(s.scope, "call ") || s.life.activity != activityReady && s.life.activity != activityStarting && !s.life.isReturning(h.wanted(s))
	if s.main != nil && s.leases == 0 && isOver {
		h.vacate(s)
	}
	h.serve(s.lead())
}

// session is who has the process of a room to itself; empty for the window.
func (s *slot) session() string {
	session, _ := strings.CutPrefix(s.scope, "session ")
	if session == s.scope {
		return ""
	}
	return session
}

// processes are those of a connector, the window's own first; Host.mu is held.
func (s *slot) processes() []Process {
	var all []Process
	for _, name := range append([]string{""}, slices.Sorted(maps.Keys(s.rooms))...) {
		one := s
		if name != "" {
			one = s.rooms[name]
		}
		if one.process == nil || one.life.activity != activityReady {
			continue
		}
		if status := one.process.Status(); status.PID != 0 {
			all = append(all, Process{PID: status.PID, StartedAt: status.StartedAt, SessionID: one.session()})
		}
	}
	return all
}

// move has a call made to the process that it is to have, which is started if it must be. A result ends the call; errOutdated
// says that it must pass the gate again.
func (c *call) move(ctx context.Context, at target) (target, *Result, error) {
	h := c.host
	var isPlain bool
	h.locked(func() { isPlain = poolOf(at.entry).isPlain() })
	if isPlain {
		return c.moveToAnswering(ctx, at)
	}
	if c.leased == nil {
		room, hasWaited, err := h.lease(ctx, at.slot.lead(), party{
			c.request.CallID, cmp.Or(c.request.Joined, c.request.SessionID), cmp.Or(c.request.Joined, c.request.ParentSessionID),
		})
		if err != nil {
			return target{}, c.cancelled(ctx), nil
		}
		c.leased = room
		if hasWaited {
			if err := c.recheck(ctx, at); err != nil {
				return target{}, nil, err
			}
		}
	}
	return c.enter(ctx, at)
}

// leave gives back what the call was moved to.
func (c *call) leave() {
	if c.leased != nil {
		c.host.release(c.leased)
		c.leased = nil
	}
}

// enter makes sure that the process that the call has is there and lists the tool that was judged (S9).
func (c *call) enter(ctx context.Context, at target) (target, *Result, error) {
	h, room := c.host, c.leased
	if room.main == nil {
		return at, nil, nil
	}
	var isLive bool
	h.locked(func() { isLive = h.isLive(room) })
	view, err := h.settle(ctx, room.id, wishStart)
	switch {
	case ctx.Err() != nil, errors.Is(err, ErrClosed):
		return target{}, c.cancelled(ctx), nil
	case err != nil:
		gone := c.ended(StatusConnectorDown, fmt.Sprintf("the process of %q was stopped; nothing ran", at.tool.ConnectorName))
		return target{}, &gone, nil
	case view.State == StateWaiting:
		return target{}, c.needsConsent(view), nil
	case view.State != StateReady:
		return target{}, c.down(view), nil
	}
	var process *connector.Connector
	version := ""
	h.locked(func() { process, version = room.process, room.freeVersion() })
	if process == nil {
		gone := c.ended(StatusConnectorDown, fmt.Sprintf("the process of %q was taken away; nothing ran", at.tool.ConnectorName))
		return target{}, &gone, nil
	}
	if c.errand != nil { // which is no tool's
		at.slot, at.process = room, process
		if !isLive {
			err = c.recheck(ctx, at)
		}
		return at, nil, err
	}
	if _, err := process.AwaitTools(ctx, c.request.Timeout); err != nil {
		failed := c.ended(StatusConnectorError, fmt.Sprintf("the connector %q: %s; nothing ran", at.tool.ConnectorName, h.redacted(err.Error())))
		return target{}, &failed, nil
	}
	if !lists(process, at.tool) || version != at.subject.ServerVersion {
		other := c.ended(StatusConnectorError, fmt.Sprintf("the process of %q that this call must have does not list the tool as it was judged; nothing ran", at.tool.ConnectorName))
		return target{}, &other, nil
	}
	at.slot, at.process = room, process
	if !isLive { // that took its time
		return at, nil, c.recheck(ctx, at)
	}
	return at, nil, nil
}

// lists reports whether a process has a tool of exactly that definition.
func lists(process *connector.Connector, tool Tool) bool {
	catalogue := process.Status().Catalogue
	return catalogue != nil && slices.ContainsFunc(catalogue.Tools, func(t connector.Tool) bool {
		return t.Name == tool.Name && t.Hash == tool.Hash
	})
}
