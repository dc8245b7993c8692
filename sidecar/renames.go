package sidecar

import (
	"sync"
	"time"
)

// renameTime is how long after a rename its file may be saved for what stands about the connector to move along.
const renameTime = 10 * time.Minute

// renames are the connectors that the user renamed in the editor and whose files are not saved yet.
type renames struct {
	mu   sync.Mutex
	list []renamed
}

// renamed is one rename: the definition that had one name has another.
type renamed struct {
	path, from, to, hash string
	at                   time.Time
}

func (r *renames) expect(one renamed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one.at = time.Now(); one.from != one.to {
		r.list = append(r.list, one)
	}
}

// take returns those of a file, the oldest first, and forgets them.
func (r *renames) take(path string) []renamed {
	r.mu.Lock()
	defer r.mu.Unlock()
	var mine, others []renamed
	for _, one := range r.list {
		switch {
		case time.Since(one.at) > renameTime:
		case one.path == path:
			mine = append(mine, one)
		default:
			others = append(others, one)
		}
	}
	r.list = others
	return mine
}

// moveDecisions lets what was decided about connectors move along with the names that the user gave them in a file that is saved
// now.
func (s *Session) moveDecisions(path string) {
	for _, one := range s.renames.take(path) {
		if err := s.core.MoveDecisions(s.lifetime, path, one.from, one.to, one.hash); err != nil {
			s.log.Warn("what was decided about a connector did not move along with its name", "connector", one.to, "error", err)
		}
	}
}
