package host

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"pillion/mcp/config"
	"pillion/mcp/connector"
)

// slot is one entry of a configuration file and what runs of it.
// One goroutine, [Host.work], starts and stops its process, so that two never overlap; everything else only says what is
// wanted. The fields are guarded by Host.mu.
type slot struct {
	id        string
	entry     *config.Entry
	effective config.EffectiveEntry
	hash      string
	standing  standing
	rootID    string   // of the folder that it was judged in
	place     string   // the project folder that the definition names, if it does
	fault     *Problem // why the entry cannot run as it stands
	isRemoved bool
	isStopped bool // by the user, or for idleness
	isIdle    bool // stopped for idleness: a call that came meanwhile counts more
	isWanted  bool // a call or the user waits for it
	isAgain   bool // to be restarted though nothing changed

	wake    chan struct{} // capacity 1
	changed chan struct{} // closed and replaced at every transition

	activity    activity
	process     *connector.Connector
	processKey  string
	cancelStart context.CancelFunc
	problem     *Problem
	lastUse     time.Time
	inFlight    int
	idle        *time.Timer

	catalogue    *connector.Catalogue
	catalogueKey string // of the definition that listed it, in its place
	generation   int
	server       Server
	warnings     []string
}

// Server is what a connector says of itself.
type Server struct {
	Name, Version, ProtocolVersion string
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

func (s *slot) isListed() bool { return s.catalogue != nil && s.catalogueKey == s.key() }

// key is the definition in its place: another folder of the same name, or another workspace that it names, is another one.
func (s *slot) key() string { return s.hash + "\x00" + s.place + "\x00" + s.rootID }

func (s *slot) state() State { return stateOf(s.standing, s.activity) }

// adopt brings the slots in line with the entries. h.mu is held, and the caller judges them before it lets go of it: an entry
// must never be seen with the standing of another.
func (h *Host) adopt(entries []config.EffectiveEntry) {
	select {
	case <-h.closing:
		return
	default:
	}
	order := make([]string, 0, len(entries))
	wanted := make(map[string]bool, len(entries))
	for _, effective := range entries {
		id := effective.Entry.ID
		s := h.slots[id]
		if s == nil {
			s = newSlot(id)
			h.slots[id] = s
			h.workers.Add(1)
			go h.work(s)
		}
		s.entry, s.effective, s.hash, s.isRemoved = effective.Entry, effective, effective.Entry.Hash(), false
		order = append(order, id)
		wanted[id] = true
	}
	for id, s := range h.slots {
		if !wanted[id] {
			s.isRemoved = true
		}
	}
	h.order = order
	h.toolIndex = nil
}

// restand judges anew what may run, and wakes the workers.
func (h *Host) restand() {
	health := h.consents.Health()
	h.mu.Lock()
	event := h.judgeAll(health)
	h.mu.Unlock()
	h.notify(event)
}

// judgeAll does the work of [Host.restand] and returns what is to be told; h.mu is held.
func (h *Host) judgeAll(health error) (event Event) {
	for id, s := range h.slots {
		if s.isRemoved {
			event.Removed = append(event.Removed, id)
		} else {
			event.Connectors = append(event.Connectors, id)
		}
		h.judge(s, health)
		if s.cancelStart != nil && (!s.standing.mayRun() || s.processKey != s.key()) {
			s.cancelStart()
		}
		s.touch()
		s.poke()
	}
	h.toolIndex = nil
	return event
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
		h.mu.Lock()
		isGone := s.isRemoved && s.process == nil
		if isGone {
			delete(h.slots, s.id)
		}
		h.mu.Unlock()
		if isGone {
			return
		}
	}
}

// settleDown takes steps until nothing is to be done. A fault of Pillion's own costs this connector alone.
func (h *Host) settleDown(s *slot) {
	defer func() {
		fault := recover()
		if fault == nil {
			return
		}
		h.log.Error("internal error", "connector", s.entry.Name, "fault", fault, "stack", string(debug.Stack()))
		h.mu.Lock()
		s.activity, s.problem, s.isWanted = activityFailed, internalProblem(s.entry, errInternal), false
		s.touch()
		h.mu.Unlock()
		h.changed(s.id)
	}()
	for h.step(s) {
	}
}

// step does one thing about the slot's process and reports whether there may be more to do.
func (h *Host) step(s *slot) bool {
	select {
	case <-h.closing:
		return false
	default:
	}
	h.mu.Lock()
	if s.activity == activityReady && s.processKey == s.key() {
		s.isWanted = false // it is there
	}
	next := h.next(s)
	isAgain := s.isAgain
	s.isAgain = false
	h.mu.Unlock()
	switch next {
	case actionStart:
		h.startProcess(s)
		return true
	case actionStop:
		h.stopProcess(s)
		return true
	case actionRestart:
		h.stopProcess(s)
		if isAgain {
			h.startProcess(s)
		}
		return true
	}
	return false
}

// next decides what is to be done; h.mu is held.
func (h *Host) next(s *slot) action {
	standing := s.standing
	standing.isDisabled = standing.isDisabled || s.isRemoved
	standing.isStopped = s.isStopped && !s.isWanted
	r := running{activity: s.activity, hash: s.processKey, isListed: s.isListed()}
	hasProcess := s.activity == activityReady || s.activity == activityStarting
	switch {
	case s.isStopped && !s.isWanted && hasProcess:
		return actionStop
	case s.isAgain && hasProcess && standing.mayRun():
		return actionRestart
	case s.isWanted && !hasProcess && standing.mayRun():
		return actionStart
	}
	isEager := s.entry.Options.Start == config.StartEager
	next := reconcile(standing, s.key(), r, isEager)
	if next == actionStart && h.isStill {
		return actionNone
	}
	return next
}

// startProcess runs one attempt to start; the worker calls it.
func (h *Host) startProcess(s *slot) {
	ctx, cancel := context.WithCancel(h.lifetime)
	defer cancel()
	health := h.consents.Health()
	h.mu.Lock()
	// Judged once more: the folder that the yes was given in may have been replaced since, and so may the entry (S2).
	h.judge(s, health)
	if s.isRemoved || !s.standing.mayRun() || (s.isStopped && !s.isWanted) {
		s.isWanted = false
		s.touch()
		h.mu.Unlock()
		h.changed(s.id)
		return
	}
	entry := s.entry
	in := place{project: h.projectFolder(entry), roots: slices.Clone(h.roots)}
	s.activity, s.processKey, s.cancelStart = activityStarting, s.key(), cancel
	s.problem, s.warnings, s.isStopped, s.isIdle, s.isWanted = nil, nil, false, false, false
	s.touch()
	h.mu.Unlock()
	h.changed(s.id)

	process, problem := h.launch(ctx, s, entry, in)
	if problem == nil && process.Status().State != connector.StateReady {
		problem = h.problemOf(entry, process, nil) // it died as soon as it was ready
	}

	h.mu.Lock()
	wasCancelled := ctx.Err() != nil
	s.cancelStart = nil
	switch {
	case problem == nil && !wasCancelled:
		h.listed(s, process)
	case wasCancelled:
		s.activity = activityNone
	default:
		s.activity, s.problem = activityFailed, problem
	}
	s.touch()
	h.mu.Unlock()
	if process != nil && (problem != nil || wasCancelled) {
		process.Stop(context.WithoutCancel(ctx))
		h.mu.Lock()
		if s.process == process {
			s.process = nil
		}
		h.mu.Unlock()
	}
	h.armIdle(s)
	h.changed(s.id)
}

// launch prepares the definition and starts it; the connector is returned even where its start did not succeed.
func (h *Host) launch(ctx context.Context, s *slot, entry *config.Entry, in place) (*connector.Connector, *Problem) {
	definition, secrets, problem := h.prepare(ctx, entry, in)
	if problem != nil {
		return nil, problem
	}
	h.addSecrets(secrets)
	options := h.connectorOptions(entry, secrets)
	var process *connector.Connector
	options.OnChange = func(c connector.Change) { h.connectorChanged(s, process, c) }
	process = connector.New(definition, options)
	h.mu.Lock()
	s.process = process
	h.mu.Unlock()
	if err := process.Start(ctx); err != nil {
		return process, h.problemOf(entry, process, err)
	}
	return process, nil
}

// listed takes over what a started connector lists; h.mu is held.
func (h *Host) listed(s *slot, process *connector.Connector) {
	status := process.Status()
	s.process, s.activity, s.problem = process, activityReady, nil
	s.server = Server{Name: status.Server.Name, Version: status.Server.Version, ProtocolVersion: status.Server.ProtocolVersion}
	s.warnings, s.lastUse = status.Warnings, h.now()
	h.publish(s, status.Catalogue)
}

// stopProcess ends the process, whatever it is doing; the worker calls it.
func (h *Host) stopProcess(s *slot) {
	h.mu.Lock()
	if s.isIdle && s.inFlight > 0 {
		s.isStopped, s.isIdle = false, false
		h.mu.Unlock()
		return
	}
	process := s.process
	s.activity = activityStopping
	h.disarmIdle(s)
	s.touch()
	h.mu.Unlock()
	h.changed(s.id)
	if process != nil {
		process.Stop(h.lifetime)
	}
	h.mu.Lock()
	s.process, s.activity, s.problem = nil, activityNone, nil
	s.touch()
	h.mu.Unlock()
	h.changed(s.id)
}

// endProcess ends the process because the host closes; nothing is told to anybody.
func (h *Host) endProcess(s *slot) {
	h.mu.Lock()
	process := s.process
	h.disarmIdle(s)
	s.touch()
	h.mu.Unlock()
	if process != nil {
		process.Stop(context.Background())
	}
}

// lost is called when a ready connector ended by itself.
func (h *Host) lost(s *slot, process *connector.Connector) {
	h.mu.Lock()
	if s.process != process || s.activity != activityReady {
		h.mu.Unlock()
		return
	}
	entry := s.entry
	h.mu.Unlock()
	problem := h.problemOf(entry, process, nil)
	h.mu.Lock()
	if s.process == process && s.activity == activityReady {
		s.process, s.activity, s.problem = nil, activityFailed, problem
		h.disarmIdle(s)
		s.touch()
	}
	h.mu.Unlock()
	h.changed(s.id)
}

func (h *Host) changed(id string) {
	h.notify(Event{Connectors: []string{id}})
}

// request changes what is wanted of a slot and wakes its worker.
func (h *Host) request(id string, change func(*slot)) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.slots[id]
	if s == nil || s.isRemoved {
		return &UnknownError{What: "connector", Name: id}
	}
	change(s)
	if s.isStopped && s.cancelStart != nil {
		s.cancelStart()
	}
	s.poke()
	return nil
}

// StartConnector starts the connector, if it may run, and waits until it is listed or failed.
func (h *Host) StartConnector(ctx context.Context, id string) (Connector, error) {
	return h.settle(ctx, id, func(s *slot) { s.isStopped, s.isIdle, s.isWanted = false, false, true })
}

// StopConnector ends the connector's process and waits until nothing of it is left; a call starts it again.
func (h *Host) StopConnector(ctx context.Context, id string) (Connector, error) {
	return h.settle(ctx, id, func(s *slot) { s.isStopped, s.isIdle, s.isWanted = true, false, false })
}

// RestartConnector ends the process and starts it again.
func (h *Host) RestartConnector(ctx context.Context, id string) (Connector, error) {
	return h.settle(ctx, id, func(s *slot) {
		s.isStopped = false
		if s.process != nil {
			s.isAgain = true
		} else {
			s.isWanted = true
		}
	})
}

// settle requests a change and waits until the worker has done it.
func (h *Host) settle(ctx context.Context, id string, change func(*slot)) (Connector, error) {
	if err := h.request(id, change); err != nil {
		return Connector{}, err
	}
	for {
		h.mu.Lock()
		s := h.slots[id]
		if s == nil {
			h.mu.Unlock()
			return Connector{}, &UnknownError{What: "connector", Name: id}
		}
		wait := s.changed
		isBusy := s.activity == activityStarting || s.activity == activityStopping || s.isAgain || h.next(s) != actionNone
		view := h.view(s)
		h.mu.Unlock()
		if !isBusy {
			return view, nil
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return view, ctx.Err()
		case <-h.closing:
			return view, ErrClosed
		}
	}
}

// armIdle ends the connector after its idle time without a call (C7).
func (h *Host) armIdle(s *slot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.disarmIdle(s)
	if s.activity != activityReady || s.inFlight > 0 || s.entry.Options.Start == config.StartEager {
		return
	}
	after := s.entry.Options.IdleTimeout
	if after <= 0 {
		after = defaultIdleTimeout
	}
	s.idle = time.AfterFunc(after, func() { h.goIdle(s) })
}

// disarmIdle is called with h.mu held.
func (h *Host) disarmIdle(s *slot) {
	if s.idle != nil {
		s.idle.Stop()
		s.idle = nil
	}
}

func (h *Host) goIdle(s *slot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.inFlight == 0 && s.activity == activityReady && s.idle != nil {
		s.isStopped, s.isIdle = true, true
		s.poke()
	}
}

var errInternal = errors.New("internal error; Pillion's log says more")

// UnknownError says that nothing, or more than one thing, goes by a name.
type UnknownError struct {
	What, Name string
	// Candidates are the ids that the name could mean; empty when there is none.
	Candidates []string
	// Nearest is a name that may have been meant; it may be empty.
	Nearest string
}

func (e *UnknownError) Error() string {
	if len(e.Candidates) > 0 {
		return fmt.Sprintf("%s %q is ambiguous: use one of the ids %q", e.What, e.Name, e.Candidates)
	}
	if e.Nearest != "" {
		return fmt.Sprintf("there is no %s %q; did you mean %q?", e.What, e.Name, e.Nearest)
	}
	return fmt.Sprintf("there is no %s %q", e.What, e.Name)
}
