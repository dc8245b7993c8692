package host

// State is what a connector is doing, in the words of the editor protocol.
type State string

// The states of a connector.
const (
	StateWaiting  State = "waiting"  // needs permission
	StateDenied   State = "denied"   // blocked by the user
	StateDisabled State = "disabled" // switched off in a file, or shadowed by another entry
	StateStarting State = "starting" // until first listed
	StateReady    State = "ready"
	StateIdle     State = "idle"  // no process; starts on use
	StateLogin    State = "login" // failed for want of a sign-in
	StateFailed   State = "failed"
	StateStopping State = "stopping"
)

// standing is everything that decides whether a connector may run, as it is now.
type standing struct {
	isShadowed  bool
	isDisabled  bool
	isSelf      bool // the entry would start Pillion itself (A11)
	hasFault    bool // its definition cannot run as it stands
	needsYes    bool // its code is of a repository (B1, S1)
	isDenied    bool // "never" was answered here
	isAllowed   bool // a yes to exactly this definition here
	isUntrusted bool // the editor does not trust the workspace (B5)
}

// mayRun reports whether a process of the connector may exist.
// Everything unclear reads as no.
func (s standing) mayRun() bool {
	if s.isShadowed || s.isDisabled || s.isSelf || s.hasFault || s.isDenied {
		return false
	}
	return !s.isWaiting()
}

// isWaiting reports whether only a person's yes is missing.
func (s standing) isWaiting() bool {
	if s.isShadowed || s.isDisabled || s.isSelf || s.hasFault || s.isDenied {
		return false
	}
	return s.needsYes && (!s.isAllowed || s.isUntrusted)
}

// stateOf is the state shown for a connector. One whose start is due is starting already: between a yes and the worker that
// obeys it nobody must read that the connector is there and idle.
func stateOf(w wanted, l life) State {
	s := w.standing
	switch {
	case s.isShadowed, s.isDisabled, s.isSelf:
		return StateDisabled
	case s.isDenied:
		return StateDenied
	case s.hasFault:
		return StateFailed
	case s.isWaiting():
		return StateWaiting
	}
	switch next, _ := reconcile(w, l); {
	case next == actionStart, l.activity == activityStarting:
		return StateStarting
	case l.activity == activityReady:
		return StateReady
	case l.isReturning(w):
		return StateStarting
	case l.activity == activityStopping:
		return StateStopping
	case l.activity == activityFailed:
		return StateFailed
	}
	return StateIdle
}

// wanted is what the configuration and people's decisions want of a connector.
type wanted struct {
	standing standing
	key      string // of the definition in its place
	isListed bool   // the tools of that definition are known
	isEager  bool   // it runs though nobody uses it
	isHeld   bool   // somebody follows a resource of it
	isStill  bool   // nothing starts by itself in this session
}

// wish is what was last asked of a connector and is not done yet.
type wish int

const (
	wishNone    wish = iota
	wishStart        // a call or a person waits for it
	wishRestart      // a person wants another process than the one there is
	wishReturn       // the pause before it comes back by itself is over (C5)
	wishIdle         // nobody called it for its idle time (C7)
	wishStop         // a person stopped it; that stays until a start is asked for
)

// then is the wish that stands once another one is made: the later counts, but for a restart, which ends in a start anyway,
// and for idleness and a return, which give way to whatever people want.
func (w wish) then(next wish) wish {
	switch {
	case (next == wishIdle || next == wishReturn) && w != wishNone:
		return w
	case next == wishStart && w == wishRestart:
		return w
	}
	return next
}

// action is what is to be done about a connector's process.
type action int

const (
	actionNone action = iota
	actionStart
	actionStop
)

// reconcile decides what to do about a connector next, and what is left of the wish then. There is no more to it anywhere else:
// the worker and everybody who waits ask this.
//
// Connectors are lazy: one whose tools are known starts on use; one whose tools are not is started once to learn them (C3).
// A process of another definition never outlives the change (C7, C71), and neither does a start.
func reconcile(w wanted, l life) (action, wish) {
	switch l.activity {
	case activityStopping:
		return actionNone, l.wish
	case activityStarting, activityReady:
		return reconcileProcess(w, l)
	}
	mayRun := w.standing.mayRun()
	switch {
	case mayRun && (l.wish == wishStart || l.wish == wishRestart):
		return actionStart, wishNone
	case l.wish == wishRestart:
		return actionNone, wishStart // once it may run
	case !mayRun, l.wish == wishStop:
		return actionNone, l.wish.withoutIdle()
	case l.wish == wishReturn && l.activity == activityFailed && l.back.isDue && l.key == w.key:
		if w.isStill {
			return actionNone, wishReturn // until it may start by itself again
		}
		return actionStart, wishNone
	case w.isStill, l.activity == activityFailed && l.key == w.key: // a change, the user or a call starts it again
		return actionNone, wishNone
	case !w.isListed || w.isEager:
		return actionStart, wishNone
	}
	return actionNone, wishNone
}

// reconcileProcess is [reconcile] where there is a process or a start under way.
func reconcileProcess(w wanted, l life) (action, wish) {
	switch {
	case l.wish == wishStop:
		return actionStop, wishStop
	case l.wish == wishRestart:
		return actionStop, wishStart
	case !w.standing.mayRun(), l.key != w.key:
		return actionStop, l.wish.withoutIdle()
	case l.wish == wishIdle && l.calls == 0:
		return actionStop, wishNone
	}
	return actionNone, wishNone // it is there, or about to be; a call counts more than the idle time before it
}

func (w wish) withoutIdle() wish {
	if w == wishIdle {
		return wishNone
	}
	return w
}
