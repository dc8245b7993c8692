package host

// activity is what the connector's process does.
type activity int

const (
	activityNone activity = iota
	activityStarting
	activityReady
	activityStopping // a start that is given up, too
	activityFailed
)

// life is what a connector's process does and what was asked of it; with [wanted] it is all that [reconcile] looks at.
// It changes by its methods alone. From begin's start until ready, failed or stopped there may be a process, from ready on there
// is one, until stopped or lost; what may be left of one that was lost is ended first by whoever starts the next.
type life struct {
	activity activity
	key      string // of the definition that it was last started from
	wish     wish
	calls    int  // in flight
	isUsed   bool // it was called since it was last stopped
	back     comeback
}

func (l *life) ask(w wish) {
	l.wish = l.wish.then(w)
	if w == wishStop {
		l.back.isDue = false
	}
}

// begin enters upon what is to be done next and returns it, for its caller to do. What stops in the middle of a start is that
// start.
func (l *life) begin(w wanted) action {
	next, left := reconcile(w, *l)
	l.wish = left
	switch next {
	case actionStart:
		if l.key != w.key { // what another definition did does not count
			l.back = comeback{}
		}
		l.activity, l.key = activityStarting, w.key
		l.back.isDue, l.back.isParked = false, false
	case actionStop:
		l.activity = activityStopping
	}
	return next
}

// ready ends a start; false says that it was given up meanwhile and the process has to go.
func (l *life) ready() bool {
	isReady := l.pass(activityStarting, activityReady)
	l.back.wasReady = l.back.wasReady || isReady
	return isReady
}

// failed ends a start that came to nothing; false says that it was given up meanwhile, and so did not fail.
func (l *life) failed() bool { return l.pass(activityStarting, activityFailed) }

// lost ends the time of a process that went by itself; false says that there was none or that it is being stopped.
func (l *life) lost() bool { return l.pass(activityReady, activityFailed) }

func (l *life) pass(from, to activity) bool {
	if l.activity != from {
		return false
	}
	l.activity = to
	return true
}

// stopped says that nothing is left of the process.
func (l *life) stopped() {
	l.activity, l.isUsed = activityNone, l.calls > 0
	l.back = comeback{spent: l.back.spent}
}

// broke gives the connector up after a mistake of Pillion's own: it is not tried again by itself.
func (l *life) broke(w wanted) {
	l.activity, l.key, l.wish, l.back = activityFailed, w.key, wishNone, comeback{}
}

// isSettled reports whether everything that was wanted and asked is done.
func (l life) isSettled(w wanted) bool {
	next, _ := reconcile(w, l)
	return next == actionNone && l.activity != activityStarting && l.activity != activityStopping
}
