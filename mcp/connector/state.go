package connector

import (
	"slices"
	"sync"
	"time"
)

// State is where a connector is in its life.
type State string

// The states of a connector.
const (
	StateIdle     State = "idle" // never started
	StateStarting State = "starting"
	StateReady    State = "ready"
	StateFailed   State = "failed" // Status.Problem says why
	StateStopping State = "stopping"
	StateStopped  State = "stopped"
)

// Status describes a connector at one moment.
type Status struct {
	State State
	// Problem says why the connector is not running; nil unless State is StateFailed.
	Problem *Problem
	Server  Server
	// Instructions are the server's own words to a model: data, never markup or a command.
	Instructions string
	// Generation is that of the catalogue, 0 before the first.
	Generation int
	// Catalogue is the last complete one; nil before the first. It survives the process.
	Catalogue *Catalogue
	// PID is 0 when there is no process.
	PID       int
	StartedAt time.Time
	LogFile   string
	// Phase is what a starting connector is waiting for, as a short phrase.
	Phase string
	// Warnings are sentences about what was wrong but did not matter: skipped lines, late answers, incomplete lists.
	Warnings []string
}

// Server is what the program says it is; it identifies nothing.
type Server struct {
	Name            string
	Version         string
	ProtocolVersion string
}

// Change tells what changed and what it is now.
type Change struct {
	State State
	// Phase is what a starting connector is waiting for.
	Phase string
	// Catalogue is set when a new generation was published.
	Catalogue *Catalogue
	// Problem is set when State is StateFailed.
	Problem *Problem
	// Updated are addresses that are subscribed to and whose resource changed; it never changes afterwards.
	Updated []string
	// Said are the lists that the server says are others now; what they hold by then comes with a Catalogue, if it is news. It is told at
	// most once a second.
	Said SaidChanged
	// Warning is set when a sentence was added to Status.Warnings.
	Warning string
}

// SaidChanged are lists that a server says have changed.
type SaidChanged struct{ Tools, Resources, Prompts bool }

// sayChanged tells that the server says that lists changed, unless it said so a moment ago, and has them fetched; it never blocks.
func (s *session) sayChanged(l lists) {
	s.markChanged(l)
	s.dirtyMu.Lock()
	var said lists
	for _, one := range []lists{toolList, resourceList, promptList} {
		if l&one != 0 && time.Since(s.saidAt[one]) >= saidPause {
			s.saidAt[one], said = time.Now(), said|one
		}
	}
	s.dirtyMu.Unlock()
	if said == 0 {
		return
	}
	c := s.connector
	c.mu.Lock()
	if c.session == s && c.state == StateReady {
		c.changes.add(Change{State: c.state, Said: SaidChanged{said&toolList != 0, said&resourceList != 0, said&promptList != 0}})
	}
	c.mu.Unlock()
	c.changes.flush()
}

// saidPause is how long it is not told again that a list is said to have changed.
const saidPause = time.Second

// enter changes the state; c.mu is held, and the caller flushes c.changes after releasing it.
func (c *Connector) enter(s State) {
	c.state, c.phase = s, ""
	c.changes.add(Change{State: s, Problem: c.problem})
}

// setPhase says what a start is waiting for.
func (c *Connector) setPhase(phase string) {
	c.mu.Lock()
	if c.state == StateStarting {
		c.phase = phase
		c.changes.add(Change{State: c.state, Phase: phase})
	}
	c.mu.Unlock()
	c.changes.flush()
}

// warning is a sentence in the status; of those with one key there is one.
type warning struct{ key, sentence string }

const noiseWarning = "noise"

// warn adds a sentence, the first time for the key.
func (c *Connector) warn(key, sentence string) {
	sentence = c.redacted(sentence)
	c.mu.Lock()
	isNew := len(c.warnings) < c.tuning.maxWarning && !slices.ContainsFunc(c.warnings, func(w warning) bool { return w.key == key })
	if isNew {
		c.warnings = append(c.warnings, warning{key, sentence})
		c.changes.add(Change{State: c.state, Warning: sentence})
	}
	c.mu.Unlock()
	c.changes.flush()
	if isNew {
		c.log.Warn("connector misbehaves", "what", sentence)
	}
}

// notifier delivers changes in the order in which they were added, one at a time and outside the locks of whoever adds them.
type notifier struct {
	to func(Change)

	mu     sync.Mutex
	queue  []Change
	isBusy bool
}

func (n *notifier) add(c Change) {
	if n.to == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.queue = append(n.queue, c)
}

// flush delivers what is queued, unless somebody is at it already.
func (n *notifier) flush() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.isBusy {
		return
	}
	n.isBusy = true
	for len(n.queue) > 0 {
		c := n.queue[0]
		n.queue = n.queue[1:]
		n.mu.Unlock()
		n.to(c)
		n.mu.Lock()
	}
	n.isBusy = false
}
