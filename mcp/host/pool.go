package host

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"pillion/mcp/config"
	"pillion/mcp/settings"
)

// pool is how calls come by the processes of a connector (C8). A process that serves one caller alone has a [slot] of its own,
// a room of the connector's slot: it comes and goes as any other does, and only lists nothing.
type pool struct {
	scope       string
	isExclusive bool
	most        int // processes that serve calls
}

func poolOf(entry *config.Entry) pool {
	written := entry.Options
	if written.Seat != "" { // another session never borrows it (H7)
		written.Scope, written.Sharing = settings.ScopeSession, settings.SharingShared
	}
	p := pool{scope: written.Scope, isExclusive: written.Sharing == settings.SharingExclusive, most: written.Max}
	if p.scope == "" {
		p.scope = settings.ScopeWorkspace
		if entry.Transport != config.TransportStdio {
			p.scope = settings.ScopeWindow
		}
	}
	if p.most == 0 {
		p.most = settings.DefaultMaxProcesses
		if !p.isOfCaller() {
			p.most = 1
		}
	}
	return p
}

// isOfCaller reports whether it is the caller who decides which process serves.
func (p pool) isOfCaller() bool {
	return p.scope == settings.ScopeSession || p.scope == settings.ScopeParentSession || p.scope == settings.ScopeCall
}

// isPlain reports whether every call goes to the one process that there is.
func (p pool) isPlain() bool { return !p.isOfCaller() && !p.isExclusive }

// party is who a call is made for.
type party struct{ call, session, parent string }

// roomName is the name of the process that a call must have; "" is the window's own, and anyRoom, whichever is free. It is
// false where the scope cannot be told and the session has one to itself instead.
func (p pool) roomName(of party) (name string, isTold bool) {
	switch {
	case p.scope == settings.ScopeCall:
		return "call " + of.call, true
	case p.scope == settings.ScopeParentSession && of.parent != "":
		return sessionRoom(of.parent), true
	case p.scope == settings.ScopeParentSession:
		return sessionRoom(of.session), of.session == ""
	case p.scope == settings.ScopeSession:
		return sessionRoom(of.session), true
	case p.isExclusive:
		return anyRoom, true
	}
	return "", true
}

const anyRoom = "*"

func sessionRoom(session string) string {
	if session == "" {
		return ""
	}
	return "session " + session
}

// room is a process that there is, or that is being come by or given up.
type room struct {
	name      string // "" is the window's own
	leases    int    // calls that have it now
	isLeaving bool
	isServing bool // calls were made to it: of the window's own it may be the list alone that is had
	isKept    bool // what it holds would be lost with it
	usedAt    time.Time
}

// choice is what is to be done for a call that waits for a process.
type choice struct {
	kind choiceKind
	room string // to be taken, or given up
}

type choiceKind int

const (
	choiceWait choiceKind = iota
	choiceTake            // it may not be there yet
	choiceEnd             // and wait: it makes room
)

// choose decides by which process a call is served that must have the one of a name.
func (p pool) choose(name string, rooms []room) choice {
	if name == anyRoom {
		return p.chooseFree(rooms)
	}
	serving := 0
	for _, r := range rooms {
		if r.name == name && (r.name != "" || r.isServing) {
			if p.isExclusive && r.leases > 0 {
				return choice{}
			}
			return choice{choiceTake, name}
		}
		if r.isServing {
			serving++
		}
	}
	if serving < p.most {
		return choice{choiceTake, name}
	}
	return p.chooseEnd(rooms)
}

// chooseFree takes a process that nobody has, the first of them.
func (p pool) chooseFree(rooms []room) choice {
	taken := map[string]bool{}
	for _, r := range rooms {
		if taken[r.name] = r.leases > 0; !taken[r.name] && !r.isLeaving {
			return choice{choiceTake, r.name}
		}
	}
	for n := range p.most {
		name := ""
		if n > 0 {
			name = fmt.Sprintf("%d", n+1)
		}
		if _, isThere := taken[name]; !isThere {
			return choice{choiceTake, name}
		}
	}
	return choice{}
}

// chooseEnd gives up the process that was not used for the longest time, if nothing is lost with it.
func (p pool) chooseEnd(rooms []room) choice {
	idle := slices.DeleteFunc(slices.Clone(rooms), func(r room) bool {
		return r.name == "" || r.leases > 0 || r.isLeaving || r.isKept || p.isExclusive
	})
	if len(idle) == 0 || slices.ContainsFunc(rooms, func(r room) bool { return r.isLeaving }) {
		return choice{}
	}
	oldest := slices.MinFunc(idle, func(a, b room) int { return cmp.Or(a.usedAt.Compare(b.usedAt), cmp.Compare(a.name, b.name)) })
	return choice{choiceEnd, oldest.name}
}
