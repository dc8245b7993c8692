package host

import (
	"context"
	"time"

	"pillion/mcp/catalog"
	"pillion/mcp/config"
	"pillion/mcp/connector"
	"pillion/mcp/consent"
	"pillion/mcp/permission"
	"pillion/mcp/personal"
	"pillion/mcp/why"
)

// slot is one entry of a configuration file and what runs of it.
// One goroutine, [Host.work], comes by its process and gives it up, so that two never overlap; everything else only says what is
// wanted. A process that several names come to is a [share] of their slots. The fields are guarded by Host.mu.
type slot struct {
	id        string
	entry     *config.Entry
	effective config.EffectiveEntry
	facts     personal.Entry       // what the files say of it
	mine      personal.Effective   // and what the user wants of it
	hash      string               // of the definition, with the references of its variables
	ground    ground               // where it was found to stand when it was last looked at
	seenAt    time.Time            // when a call found it to stand there
	code      *code                // what it runs of a workspace, as looked at last; nil where nobody has looked
	swapped   []consent.Difference // files that changed during a start, until somebody decides
	standing  standing
	fault     *Problem // why the entry cannot run as it stands
	isRemoved bool
	builtin   *Builtin // nil for the connectors of files
	isHidden  bool     // it is of Pillion's own, and nobody has used it

	wake    chan struct{} // capacity 1
	changed chan struct{} // closed and replaced at every transition

	life        life
	share       *share               // who else has the process; nil where there is none
	process     *connector.Connector // of the share
	cancelStart context.CancelFunc   // of the last start
	problem     *Problem
	idle        *time.Timer
	pause       *time.Timer // before it comes back by itself
	readyAt     time.Time   // when its last process was

	main        *slot            // the connector's own, of a room
	scope       string           // the name of a room
	rooms       map[string]*slot // the connector's further processes, by name
	noRooms     map[string]bool  // by definition: it has none for callers of the legacy era
	queue       []*ticket        // calls that wait for one, the first first
	leases      int              // calls that have it
	usedAt      time.Time        // when the last one gave it back
	isScopeLost bool             // a caller did not say what its scope wants to know

	subscriptions     map[string]map[string]int // how often who holds an address
	lostSubscriptions map[string]string         // why one was given up, by address

	catalogue    *connector.Catalogue
	lister       *connector.Connector // the process that the catalogue came from
	catalogueKey string               // of the definition that listed it, in its place
	isRecalled   bool                 // it was listed in an earlier session: nothing is decided by it (S9)
	recalledKey  string               // of the definition that was last looked for among the lists that are kept
	listedAt     time.Time
	kept         catalog.Head // of what was recalled
	generation   int
	told         map[string]string // the tools that were told last, with their hashes, by id
	server       Server
	warnings     []string
}

// Server is what a connector says of itself.
type Server struct {
	Name, Version, ProtocolVersion string
	// Instructions are its own words to a model, as far as the entry passes them on.
	Instructions string
}

func newSlot(id string) *slot {
	return &slot{id: id, wake: make(chan struct{}, 1), changed: make(chan struct{})}
}

// touch tells everybody who waits that the slot changed; Host.mu is held.
func (s *slot) touch() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *slot) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// nudge gives up a start that must not go on, and wakes the worker; Host.mu is held, after something about the slot changed.
func (s *slot) nudge(w wanted) {
	if s.life.activity == activityStarting && s.life.begin(w) == actionStop {
		s.cancelStart()
	}
	s.touch()
	s.poke()
}

func (s *slot) isListed() bool { return s.catalogue != nil && s.catalogueKey == s.key() }

// key is the definition in its place: another folder of the same name, or another workspace that it names, is another one.
func (s *slot) key() string { return s.hash + "\x00" + s.ground.project + "\x00" + s.ground.rootID }

// consentKey is what decisions about the slot are found by; its Root is empty where no yes is needed.
func (s *slot) consentKey() consent.Key {
	return consent.Key{Root: s.ground.root, RootID: s.ground.rootID, Connector: s.entry.Name}
}

// wanted is what is wanted of the slot; h.mu is held.
func (h *Host) wanted(s *slot) wanted {
	standing := s.standing
	standing.isDisabled = standing.isDisabled || s.isRemoved
	return wanted{
		standing: standing, key: s.key(), isListed: s.main != nil || s.isListed(), // a room starts on use alone
		isEager: s.main == nil && s.entry.Options.Start == config.StartEager, isHeld: len(s.subscriptions) > 0,
		isStill: h.isStill || h.mode == permission.ModePaused || s.lead().builtin != nil,
	}
}

// state is the state shown for the slot; h.mu is held.
func (h *Host) state(s *slot) State {
	state := stateOf(h.wanted(s), s.life)
	if state == StateFailed && s.fault == nil && s.problem != nil && s.problem.Kind == connector.ProblemLogin {
		return StateLogin
	}
	return state
}

// isLive reports whether a call may go to the slot's process as it is; h.mu is held.
func (h *Host) isLive(s *slot) bool {
	return s.life.activity == activityReady && s.life.isSettled(h.wanted(s))
}

// slotOf is the slot of an id, or nil where there is none now; h.mu is held.
func (h *Host) slotOf(id string) *slot {
	if s := h.slots[id]; s != nil && !s.isRemoved {
		return s
	}
	return nil
}

// present are the slots that there are now, in the order of the files; h.mu is held.
func (h *Host) present() []*slot {
	present := make([]*slot, 0, len(h.order))
	for _, id := range h.order {
		if s := h.slotOf(id); s != nil {
			present = append(present, s)
		}
	}
	return present
}

// findSlot is called with h.mu held.
// A name means the entry that counts; shadowed ones are reached by id.
func (h *Host) findSlot(idOrName string) (*slot, error) {
	if s := h.slotOf(idOrName); s != nil && s.main == nil {
		return s, nil
	}
	var found []*slot
	for _, s := range h.present() {
		if s.entry.Name == idOrName && !s.standing.isShadowed {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		names, _ := h.labels()
		return nil, &UnknownError{What: "connector", Name: idOrName, Nearest: why.Near(idOrName, names)}
	}
	candidates := make([]string, len(found))
	for i, s := range found {
		candidates[i] = s.id
	}
	return nil, &UnknownError{What: "connector", Name: idOrName, Candidates: candidates}
}

// adopt brings the slots in line with the entries. h.mu is held, and the caller judges them before it lets go of it: an entry
// must never be seen with the standing of another.
func (h *Host) adopt(entries []config.EffectiveEntry, grounds []ground) {
	if h.isClosing() {
		return
	}
	order := make([]string, 0, len(entries))
	isThere := make(map[string]bool, len(entries))
	for i, effective := range entries {
		id := effective.Entry.ID
		isThere[id] = true
		s := h.slots[id]
		if s == nil {
			s = newSlot(id)
			s.isHidden = h.builtins[id] != nil
			h.slots[id] = s
			h.workers.Add(1)
			go h.work(s)
		}
		if s.ground != grounds[i] {
			s.ground, s.code, s.swapped = grounds[i], nil, nil
		}
		s.entry, s.effective, s.facts, s.isRemoved = effective.Entry, effective, factsOf(effective), false
		if s.builtin = h.builtins[id]; !s.isHidden {
			order = append(order, id)
		}
	}
	for id, s := range h.slots {
		if s.main == nil && !isThere[id] {
			s.isRemoved = true
		}
	}
	h.order = order
}
