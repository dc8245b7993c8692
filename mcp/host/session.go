package host

import (
	"cmp"
	"slices"
)

// SessionProcess is a process that a session has to itself.
type SessionProcess struct {
	Connector, Name string // the connector's id and name
	Session         string
	PID             int
}

// SessionProcesses are the processes that sessions have to themselves, by session.
func (h *Host) SessionProcesses() []SessionProcess {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []SessionProcess
	for _, s := range h.present() {
		for _, p := range s.processes() {
			if p.SessionID != "" {
				all = append(all, SessionProcess{Connector: s.id, Name: s.entry.Name, Session: p.SessionID, PID: p.PID})
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
