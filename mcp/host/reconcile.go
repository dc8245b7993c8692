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
	StateIdle     State = "idle" // no process; starts on use
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
	isStopped   bool // the user stopped it; a call or a start revives it
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

// activity is what the connector's process does.
type activity int

const (
	activityNone activity = iota
	activityStarting
	activityReady
	activityStopping
	activityFailed
)

// stateOf is the state shown for a connector.
func stateOf(s standing, a activity) State {
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
	switch a {
	case activityStarting:
		return StateStarting
	case activityReady:
		return StateReady
	case activityStopping:
		return StateStopping
	case activityFailed:
		return StateFailed
	}
	return StateIdle
}

// action is what is to be done about a connector's process.
type action int

const (
	actionNone action = iota
	actionStart
	actionStop
	actionRestart
)

// running describes a connector's process, if it has one.
type running struct {
	activity activity
	hash     string // of the definition it was started from
	isListed bool   // its tools are known, from this process or an earlier one of the same definition
}

// reconcile decides what to do when the connector of definition hash should stand as s.
// Connectors are lazy: one whose tools are known starts on use; one whose tools are not is started once to learn them (C3).
// A process of another definition never outlives the change (C7, C71).
func reconcile(s standing, hash string, r running, isEager bool) action {
	hasProcess := r.activity == activityStarting || r.activity == activityReady
	switch {
	case hasProcess && !s.mayRun():
		return actionStop
	case hasProcess && r.hash != hash:
		return actionRestart
	case hasProcess || !s.mayRun() || r.activity == activityStopping || s.isStopped:
		return actionNone
	case r.activity == activityFailed && r.hash == hash:
		return actionNone // a change, the user or a call starts it again
	case !r.isListed || isEager:
		return actionStart
	}
	return actionNone
}
