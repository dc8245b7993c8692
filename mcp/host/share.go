package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"pillion/mcp/connector"
	"pillion/mcp/policy"
)

// share is one process and the slots that have it: the names of one connector whose definitions come to the same process (A7).
// It begins with the start of the process and ends when nothing of that is left. The fields are guarded by Host.mu.
type share struct {
	id, key string  // the connector that it is a process of, and all that shapes it
	scope   string  // whose alone it is; empty for the window
	holders []*slot // who has it, or is starting it
	starter *slot   // nil once the start is over
	isOver  bool    // nobody takes it any more: it is dead, on its way out, or to be replaced
	isDead  bool    // it ended by itself: whoever leaves it ends what is left

	process *connector.Connector // nil until there is one
	judged  policy.Connector     // what it was found to be
	failure error                // what became of its start, where that was not given up

	settled chan struct{} // closed when the start is over
	gone    chan struct{} // closed when nothing of it is left
}

// shares are the processes that there are, or may still be something of, by the connectors that they are of.
type shares map[string][]*share

// step is what a slot that wants a process is to do next.
type step struct {
	kind  stepKind
	share *share
	wait  <-chan struct{}
}

type stepKind int

const (
	stepStart stepKind = iota // the process, into the share, which the slot has now
	stepTake                  // the process that there is, which the slot has now
	stepWait                  // and then ask again
	stepEnd                   // what is left of the share, and then ask again
)

// enter decides how a slot comes by a process of a key. There is never a second one of that key, and one of another key of the
// same connector is waited for where all who have it are on their way (C5, C71).
func (all shares) enter(s *slot, id, key string, isLeaving func(*slot) bool) step {
	for _, one := range all[id] {
		switch {
		case one.scope != s.scope:
		case one.isDead && one.starter == nil:
			return step{kind: stepEnd, share: one}
		case one.key != key:
			if !slices.ContainsFunc(one.holders, func(other *slot) bool { return !isLeaving(other) }) {
				return step{kind: stepWait, share: one, wait: one.gone}
			}
		case one.isOver:
			return step{kind: stepWait, share: one, wait: one.gone}
		case one.starter != nil:
			return step{kind: stepWait, share: one, wait: one.settled}
		default:
			one.hold(s)
			return step{kind: stepTake, share: one}
		}
	}
	fresh := &share{id: id, key: key, scope: s.scope, starter: s, settled: make(chan struct{}), gone: make(chan struct{})}
	fresh.hold(s)
	all[id] = append(all[id], fresh)
	return step{kind: stepStart, share: fresh}
}

func (one *share) hold(s *slot) {
	one.holders = append(one.holders, s)
	s.share, s.process = one, one.process
}

// settle ends the start; one that came to nothing is not taken by anybody.
func (one *share) settle(isRunning bool) {
	if one.starter == nil {
		return
	}
	one.starter, one.isOver = nil, one.isOver || !isRunning
	close(one.settled)
}

// leave takes a slot's process from it, and returns the share if it is the slot's to end: nobody else has the process, or it
// is dead.
func (s *slot) leave() *share {
	one := s.share
	if one == nil {
		return nil
	}
	s.share, s.process = nil, nil
	one.holders = slices.DeleteFunc(one.holders, func(other *slot) bool { return other == s })
	if one.starter == s {
		one.settle(false)
	}
	if len(one.holders) > 0 && !one.isDead {
		return nil
	}
	one.isOver = true
	return one
}

// forget says that nothing is left of a process.
func (all shares) forget(one *share) {
	if !slices.Contains(all[one.id], one) {
		return // two may end a dead one
	}
	if all[one.id] = slices.DeleteFunc(all[one.id], func(other *share) bool { return other == one }); len(all[one.id]) == 0 {
		delete(all, one.id)
	}
	close(one.gone)
}

// letGo takes the slot's process from it, and ends it unless another slot has it too. It returns when nothing is left of what
// it ended; the end of ctx cuts the patience short.
func (h *Host) letGo(ctx context.Context, s *slot) {
	var last *share
	h.locked(func() { last = s.leave() })
	h.endShare(ctx, last)
}

// endShare ends what is left of a process that nobody takes any more; nil is none.
func (h *Host) endShare(ctx context.Context, one *share) {
	if one == nil {
		return
	}
	var process *connector.Connector
	h.locked(func() { process = one.process })
	if process != nil {
		process.Stop(ctx)
	}
	h.locked(func() { h.shares.forget(one) })
}

// enter is the next step of a slot that wants a process.
func (h *Host) enter(s *slot, at subject) step {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.shares.enter(s, at.entry.ProcessID(), s.processKey(at), func(other *slot) bool {
		next, _ := reconcile(h.wanted(other), other.life)
		return next == actionStop || other.life.activity == activityStopping
	})
}

// processKey is all that shapes the process of the slot: what is written, where it stands, what it is given, and the code that
// it was judged by. Host.mu is held.
func (s *slot) processKey(at subject) string {
	digest := sha256.New()
	fmt.Fprintf(digest, "%q %q %q %q %q\n", at.entry.ProcessHash(), s.ground.root, s.ground.rootID, at.project(), s.scope)
	for _, name := range slices.Sorted(maps.Keys(at.env)) {
		fmt.Fprintf(digest, "%q %q\n", name, at.env[name])
	}
	if s.code != nil {
		for _, path := range slices.Sorted(maps.Keys(s.code.Files)) {
			fmt.Fprintf(digest, "%q %q\n", path, s.code.Files[path])
		}
	}
	return hex.EncodeToString(digest.Sum(nil))
}

// takeShared makes sure that a process which another name started is one that this name may have, too: an administrator may
// refuse a name, and what is started was not known when the entry was judged.
func (h *Host) takeShared(at subject, one *share) *Problem {
	var judged policy.Connector
	h.locked(func() { judged = one.judged })
	judged.Name = at.entry.Name
	return h.readPolicies().refusal(at.entry, judged)
}

// holdersOf are the slots that have a process now.
func (h *Host) holdersOf(one *share) []*slot {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(one.holders)
}
