package host

import (
	"cmp"
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
