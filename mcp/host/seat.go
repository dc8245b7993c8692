package host

import (
	"context"
	"fmt"
)

// seatOf is what one connector at a time provides in a session, such as a browser (H7). The session is whose processes serve.
type seatOf struct{ seat, session string }

// seating is who has a seat, and how many calls of it are on their way. A connector that has nothing left in the session provides
// nothing any more, whether or not it stands here still.
type seating struct {
	connector string // its id
	calls     int
}

// seats are who provides what.
type seats map[seatOf]*seating

// occupancy is how the process stands that a connector has for a session.
type occupancy int

const (
	vacant    occupancy = iota // there is none, and nothing is being done
	leaving                    // it is on its way out, or what it was doing has not ended
	occupying                  // it is there
)

// stance is what there is of a provider in a session.
type stance struct {
	activity  activity
	calls     int
	isUsed    bool // by calls, and not to list alone
	isLeaving bool
}

func (s stance) occupancy() occupancy {
	isThere := s.isUsed && (s.activity == activityStarting || s.activity == activityReady)
	switch {
	case isThere && !s.isLeaving:
		return occupying
	case isThere, s.isUsed && s.activity == activityStopping, s.calls > 0:
		return leaving
	}
	return vacant
}

// take gives the seat to a call of a connector where it is free, and says who has it and how otherwise.
func (all seats) take(at seatOf, connector string, stanceOf func(holder string) stance) (holder string, is occupancy) {
	one := all[at]
	if one != nil && one.connector != connector {
		other := stanceOf(one.connector)
		other.calls += one.calls
		switch is := other.occupancy(); {
		case is != vacant && one.calls > 0 && !other.isLeaving: // its process may be about to start
			return one.connector, occupying
		case is != vacant:
			return one.connector, is
		}
		one = nil
	}
	if one == nil {
		one = &seating{connector: connector}
		all[at] = one
	}
	one.calls++
	return connector, vacant
}

// leave says that a call is over that had the seat.
func (all seats) leave(at seatOf) {
	if one := all[at]; one != nil {
		one.calls--
	}
}

// sit makes sure that the connector has its seat in the session for this call, which gives it back with the function that is
// returned; a result ends the call. What another one that was stopped still does there is waited for.
func (c *call) sit(ctx context.Context, at target) (leave func(), stop *Result) {
	seat := at.entry.Options.Seat
	if seat == "" {
		return func() {}, nil
	}
	if c.request.Joined != "" {
		denied := c.ended(StatusDenied, fmt.Sprintf("what %q provides is its own session's alone, and this session has only joined that; nothing ran", at.tool.ConnectorName))
		return nil, &denied
	}
	h, here := c.host, seatOf{seat, c.request.SessionID}
	for {
		var name string
		var is occupancy
		var changed [2]<-chan struct{}
		h.locked(func() {
			var holder string
			holder, is = h.seats.take(here, at.slot.lead().id, func(other string) (found stance) {
				found, changed = h.stanceOf(other, here.session)
				return found
			})
			if s := h.slotOf(holder); s != nil {
				name = s.entry.Name
			}
		})
		switch is {
		case vacant:
			return func() { h.locked(func() { h.rise(here, at.slot.lead()) }) }, nil
		case occupying:
			taken := c.ended(StatusDenied, fmt.Sprintf("the seat %q of this session is taken by the connector %q, and only one connector at a time has it; nothing ran", seat, name))
			taken.Steps = []string{fmt.Sprintf("Use %q, or stop it first in the editor; what it is doing is waited for.", name)}
			return nil, &taken
		}
		c.waited()
		select {
		case <-changed[0]:
		case <-changed[1]:
		case <-ctx.Done():
			return nil, c.cancelled(ctx)
		case <-h.closing:
			return nil, c.cancelled(ctx)
		}
	}
}

// rise ends a call's time on the seat, and wakes those who wait for it; h.mu is held.
func (h *Host) rise(at seatOf, main *slot) {
	h.seats.leave(at)
	main.touch()
}

// stanceOf is how a connector stands in a session, and what tells of a change of that; h.mu is held.
func (h *Host) stanceOf(id, session string) (stance, [2]<-chan struct{}) {
	main := h.slots[id]
	if main == nil {
		return stance{}, [2]<-chan struct{}{}
	}
	room := main
	if name := sessionRoom(session); name != "" {
		if room = main.rooms[name]; room == nil {
			return stance{}, [2]<-chan struct{}{main.changed}
		}
	}
	return stance{
		activity: room.life.activity, calls: room.life.calls, isUsed: room.main != nil || room.life.isUsed,
		isLeaving: room.isRemoved || room.life.wish == wishStop,
	}, [2]<-chan struct{}{room.changed, main.changed}
}

// endSeats forgets who had what in sessions that are over; h.mu is held.
func (h *Host) endSeats(isOver func(session string) bool) {
	for at, one := range h.seats {
		if at.session != "" && isOver(at.session) && one.calls == 0 {
			delete(h.seats, at)
		}
	}
}
