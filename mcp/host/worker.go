package host

import (
	"context"
	"runtime/debug"
	"slices"
	"time"

	"pillion/mcp/config"
	"pillion/mcp/connector"
)

// task is what a slot's worker is to do next.
type task struct {
	action  action
	subject subject         // to be started
	start   context.Context // ends when the start is given up
	cancel  context.CancelFunc
}

// work is the slot's own goroutine: it does what [reconcile] says until the entry is gone or the host closes.
func (h *Host) work(s *slot) {
	defer h.workers.Done()
	for {
		select {
		case <-h.closing:
			h.endProcess(s)
			return
		case <-s.wake:
		}
		h.settleDown(s)
		if h.forget(s) {
			return
		}
	}
}

// forget lets go of a slot whose entry is gone, once nothing is left of its process.
func (h *Host) forget(s *slot) bool {
	remains, isGone := h.drop(s)
	if remains != nil {
		h.endShare(h.lifetime, remains)
		_, isGone = h.drop(s) // unless the entry is back
	}
	return isGone
}

func (h *Host) drop(s *slot) (remains *share, isGone bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !s.isRemoved || !s.life.isSettled(h.wanted(s)) {
		return nil, false
	}
	s.endPause()
	if remains = s.leave(); remains == nil {
		delete(h.slots, s.id)
		if s.main != nil {
			delete(s.main.rooms, s.scope)
			h.serve(s.main)
		}
	}
	return remains, remains == nil
}

// settleDown takes steps until nothing is to be done. A fault of Pillion's own costs this connector alone: whatever is done
// under a lock gives it back, so that there is one to be taken here.
func (h *Host) settleDown(s *slot) {
	defer func() {
		if fault := recover(); fault != nil {
			h.log.Error("internal error", "connector", s.id, "fault", fault, "stack", string(debug.Stack()))
			h.breakDown(s)
		}
	}()
	for h.step(s) {
	}
}

// breakDown ends what a worker with a fault has left.
func (h *Host) breakDown(s *slot) {
	var remains *share
	h.locked(func() {
		remains = s.leave()
		s.life.broke(h.wanted(s))
		s.problem = internalProblem(s.entry, errInternal)
		s.touch()
	})
	h.endShare(h.lifetime, remains)
	h.changed(s.lead().id)
}

// step does one thing about the slot's process and reports whether there may be more to do.
func (h *Host) step(s *slot) bool {
	if h.isClosing() {
		return false
	}
	if event := h.recall(slices.Values([]*slot{s})); len(event.Connectors) > 0 {
		h.notify(event)
	}
	next := h.begin(s)
	switch next.action {
	case actionStart:
		h.changed(s.lead().id)
		h.startProcess(s, next)
	case actionStop:
		h.changed(s.lead().id)
		h.stopProcess(s)
	default:
		return false
	}
	return true
}

// begin enters upon what is to be done next.
func (h *Host) begin(s *slot) task {
	h.mu.Lock()
	defer h.mu.Unlock()
	next := task{action: s.life.begin(h.wanted(s)), subject: h.subjectAt(s)}
	switch next.action {
	case actionStart:
		next.start, next.cancel = context.WithCancel(h.lifetime)
		s.cancelStart, s.problem, s.warnings = next.cancel, nil, nil
		s.endPause()
		s.touch()
	case actionStop:
		s.disarm()
		s.endPause()
		s.touch()
	}
	return next
}

// startProcess runs one attempt to start; what does not come of it is gone before it is said.
func (h *Host) startProcess(s *slot, next task) {
	defer next.cancel()
	h.letGo(h.lifetime, s) // it was lost, and something may be left of it
	process, problem := h.attempt(s, next)
	switch {
	case process == nil || problem != nil:
	case h.takeOver(s, process):
		h.changed(s.lead().id)
		return
	case next.start.Err() == nil:
		problem = h.problemOf(next.subject.entry, process, nil) // it died as soon as it was ready
	}
	h.concludeStart(s, problem)
	h.changed(s.lead().id)
}

// attempt brings the slot to a process: that of another name of the same one, or one that is started. The process is returned
// even where its start did not succeed.
func (h *Host) attempt(s *slot, next task) (*connector.Connector, *Problem) {
	for {
		found, problem, mayStart := h.lookOnceMore(s, next)
		if !mayStart {
			return nil, problem
		}
		switch step := h.enter(s, next.subject); step.kind {
		case stepStart:
			return h.attemptStart(s, next, step.share, found)
		case stepTake:
			return step.share.process, h.takeShared(next.subject, step.share)
		case stepEnd:
			h.endShare(h.lifetime, step.share)
		case stepWait:
			select {
			case <-step.wait:
			case <-next.start.Done():
				return nil, nil
			}
			if failure := h.failureOf(step.share); failure != nil {
				return nil, h.problemOf(next.subject.entry, step.share.process, failure)
			}
		}
	}
}

// failureOf is what became of a start that others have waited for; nil where it succeeded or was given up.
func (h *Host) failureOf(one *share) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return one.failure
}

// attemptStart starts the connector, with the values that it must be given.
func (h *Host) attemptStart(s *slot, next task, into *share, found ground) (*connector.Connector, *Problem) {
	given, problem := h.valuesOf(next.start, next.subject.entry, found.root)
	if problem != nil || next.start.Err() != nil {
		return nil, problem
	}
	if given != nil { // somebody may have taken their time to type one
		var mayStart bool
		if _, problem, mayStart = h.lookOnceMore(s, next); !mayStart {
			return nil, problem
		}
	}
	return h.launch(next.start, s, next.subject, into, given)
}

// lookOnceMore looks at where the connector stands, for the folder that the yes was given in may have been replaced since
// (S2), and at its code, and reports whether it may still be started; a problem is why that cannot be told.
func (h *Host) lookOnceMore(s *slot, next task) (ground, *Problem, bool) {
	found, err := patiently(next.start, func() ground { return h.look(next.subject) })
	if err != nil {
		return ground{}, nil, false
	}
	h.settleOn(s.lead(), next.subject, found)
	h.updateDecisions()
	code, err := h.codeOf(next.start, next.subject, found)
	if err != nil && next.start.Err() == nil {
		return found, configProblem(next.subject.entry, err.Error(), "See that the workspace folder can be read, and that the entry names few files in it; then start the connector again."), false
	}
	h.settleOnCode(s.lead(), next.subject, code)
	return found, nil, next.start.Err() == nil
}

// takeOver makes a started process the slot's, with what it lists; false where it is not ready any more, or not wanted.
func (h *Host) takeOver(s *slot, process *connector.Connector) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	status := process.Status()
	if status.State != connector.StateReady || !s.life.ready() {
		return false
	}
	s.share.settle(true)
	s.problem, s.readyAt = nil, time.Now()
	s.server = Server{ProtocolVersion: status.Server.ProtocolVersion}
	s.server.Name, _ = h.secrets.Text(status.Server.Name)
	s.server.Version, _ = h.secrets.Text(status.Server.Version)
	s.server.Instructions, _ = h.secrets.Text(status.Instructions)
	s.server.Instructions = passedOn(s.server.Instructions, s.entry.Options.MaxInstructionBytes)
	s.warnings = status.Warnings
	h.publish(s, status.Catalogue)
	s.lister = process
	h.resubscribe(s, process)
	h.rearm(s)
	s.touch()
	return true
}

// concludeStart clears away what is left of a start that was given up or failed.
func (h *Host) concludeStart(s *slot, problem *Problem) {
	h.letGo(h.lifetime, s)
	h.locked(func() {
		if s.life.failed() {
			s.problem = problem
			h.comeBack(s, 0)
		} else {
			s.life.stopped()
		}
		s.touch()
	})
}

// stopProcess gives the process up, or what a start that was given up has left of one.
func (h *Host) stopProcess(s *slot) {
	h.letGo(h.lifetime, s)
	h.locked(func() {
		s.problem = nil
		s.life.stopped()
		s.touch()
	})
	h.changed(s.lead().id)
}

// endProcess ends the process because the host closes; nothing is told to anybody.
func (h *Host) endProcess(s *slot) {
	h.locked(func() {
		s.disarm()
		s.endPause()
		s.touch()
	})
	h.letGo(context.Background(), s)
}

// processChanged follows a process's own life for all who have it; it is called in order and must not block.
func (h *Host) processChanged(one *share, c connector.Change) {
	if c.State == connector.StateFailed {
		h.locked(func() { one.isOver, one.isDead = true, true })
	}
	for _, s := range h.holdersOf(one) {
		if c.State == connector.StateFailed {
			h.lost(s, one)
		} else if event, isOwn := h.relist(s, one, c); isOwn {
			h.notify(event)
		}
	}
}

// relist takes over what the slot's process lists now, if that is news; false where the slot has another one by now.
func (h *Host) relist(s *slot, one *share, c connector.Change) (Event, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.share != one {
		return Event{}, false
	}
	if c.Catalogue != nil && s.lister == one.process && c.Catalogue.Generation < s.catalogue.Generation {
		c.Catalogue = nil // a call that waited for a newer one was first
	}
	before := s.catalogue
	event := Event{Connectors: []string{s.lead().id}, Tools: h.publish(s, c.Catalogue), Updates: s.updates(c.Updated)}
	if c.Said != (connector.SaidChanged{}) && s.main == nil {
		event.Said = []Said{{s.id, c.Said}}
	}
	if s.catalogue != before && s.main == nil {
		event.Resources, event.Prompts = s.otherLists(before)
	}
	return event, true
}

// lost is called when a process ended by itself; during its start the start says so. What may be left of it goes before another
// one starts.
func (h *Host) lost(s *slot, one *share) {
	var entry *config.Entry
	h.locked(func() { entry = s.entry })
	problem := h.problemOf(entry, one.process, nil)
	h.locked(func() {
		if s.share == one && s.life.lost() {
			s.problem = problem
			s.disarm()
			h.comeBack(s, time.Since(s.readyAt))
			s.touch()
			s.poke() // somebody may have asked for a start
		}
	})
	h.changed(s.lead().id)
}

func (h *Host) changed(id string) {
	h.notify(Event{Connectors: []string{id}})
}
