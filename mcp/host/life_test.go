package host

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// world plays the effects around one slot: a worker that does one thing at a time, processes that live and die, and people who
// wait for an answer.
type world struct {
	*slot
	wanted    wanted
	listed    string // the key of the definition whose tools are known
	isAwake   bool   // the worker
	doing     action // what it is at
	isGivenUp bool   // the start that it is at
	process   string // the definition that a process runs, or that of one whose remains are not gone; empty when there is none
	isLost    bool   // it ended by itself
	waiters   []*waiter

	now     int // seconds
	readyAt int
	pauseAt int // when the pause before a return is over; 0 for none
}

type waiter struct {
	wait    <-chan struct{}
	answers int
}

func newWorld() *world {
	w := &world{slot: newSlot("x"), wanted: wanted{key: "a"}}
	w.cancelStart = func() { w.isGivenUp = true }
	w.nudge(w.wanted)
	return w
}

// ask is a person or a call that waits.
func (w *world) ask(wish wish) {
	w.life.ask(wish)
	w.nudge(w.wanted)
	w.waiters = append(w.waiters, &waiter{wait: w.look()})
}

// look is what a waiter does each time that it wakes up.
func (w *world) look() <-chan struct{} {
	if w.life.isSettled(w.wanted) {
		return nil
	}
	return w.changed
}

// budget is small, so that it is spent in a test.
var budget = reconnect{attempts: 3, first: time.Second, most: 4 * time.Second, stable: 10 * time.Second}

// comeBack is what follows when the connector has failed.
func (w *world) comeBack(t *rapid.T, uptime time.Duration) {
	w.pauseAt = 0
	before := w.life.back.spent
	if !w.life.comesBack(w.wanted, ending{isPassing: rapid.Bool().Draw(t, "passing"), uptime: uptime}, budget) {
		return
	}
	if !w.life.isUsed && !w.wanted.isEager {
		t.Fatal("what nobody uses comes back")
	}
	if w.life.back.spent > budget.attempts || uptime < budget.stable && w.life.back.spent != before+1 {
		t.Fatalf("attempt %d after %d", w.life.back.spent, before)
	}
	w.pauseAt = w.now + int(budget.pause(w.life.back.spent-1, 0)/time.Second) + 1
}

// wait lets time pass.
func (w *world) wait(seconds int) {
	w.now += seconds
	if w.pauseAt != 0 && w.now >= w.pauseAt {
		w.pauseAt = 0
		w.life.ask(wishReturn)
		w.nudge(w.wanted)
	}
}

// configure is a change of the files, of a decision or of the workspace.
func (w *world) configure(t *rapid.T) {
	w.wanted.standing = standing{
		isDisabled: rapid.Bool().Draw(t, "disabled"), needsYes: rapid.Bool().Draw(t, "needs yes"), isAllowed: rapid.Bool().Draw(t, "allowed"),
	}
	w.wanted.key = rapid.SampledFrom([]string{"a", "b"}).Draw(t, "definition")
	w.wanted.isEager, w.wanted.isStill = rapid.Bool().Draw(t, "eager"), rapid.Bool().Draw(t, "still")
	w.wanted.isListed = w.listed == w.wanted.key
	w.nudge(w.wanted)
}

// work lets the worker begin something, or end what it is at.
func (w *world) work(t *rapid.T, isSuccess bool) {
	switch w.doing {
	case actionStart:
		w.endStart(t, isSuccess)
		w.doing = actionNone
	case actionStop:
		w.process, w.doing = "", actionNone
		w.life.stopped()
		w.touch()
	default:
		w.begin(t)
	}
}

func (w *world) begin(t *rapid.T) {
	select {
	case <-w.wake:
		w.isAwake = true
	default:
	}
	if !w.isAwake {
		return
	}
	w.doing = w.life.begin(w.wanted)
	w.isAwake = w.doing != actionNone
	if !w.isAwake {
		return
	}
	w.touch()
	if w.doing == actionStop {
		return
	}
	if w.process != "" && !w.isLost {
		t.Fatal("a second process was started")
	}
	if !w.wanted.standing.mayRun() {
		t.Fatal("what may not run was started")
	}
	w.pauseAt = 0
	w.process, w.isLost, w.isGivenUp = w.life.key, false, false // the remains of the last one were waited for
}

func (w *world) endStart(t *rapid.T, isSuccess bool) {
	if isSuccess && !w.isGivenUp {
		if !w.life.ready() {
			t.Fatal("a start that nobody gave up was not wanted")
		}
		w.listed, w.readyAt = w.life.key, w.now
		w.wanted.isListed = w.listed == w.wanted.key
		w.touch()
		return
	}
	w.process = ""
	if isGivenUp := !w.life.failed(); isGivenUp != w.isGivenUp {
		t.Fatal("it is not agreed whether the start was given up")
	} else if isGivenUp {
		w.life.stopped()
	} else {
		w.comeBack(t, 0)
	}
	w.touch()
}

// exit is the end of a ready process by itself; something of it may be left.
func (w *world) exit(t *rapid.T) {
	if w.life.lost() {
		w.isLost = true
		w.comeBack(t, time.Duration(w.now-w.readyAt)*time.Second)
		w.touch()
		w.poke()
	}
}

// check holds after everything that happens.
func (w *world) check(t *rapid.T) {
	for _, one := range w.waiters {
		select {
		case <-one.wait:
			one.wait = w.look()
		default:
		}
		if one.wait == nil {
			one.answers++
		}
	}
	w.waiters = slices.DeleteFunc(w.waiters, func(one *waiter) bool { return one.answers == 1 })
	isRunning := w.life.activity == activityReady || w.life.activity == activityStarting
	isUnwanted := !w.wanted.standing.mayRun() || w.life.key != w.wanted.key
	if next, _ := reconcile(w.wanted, w.life); isRunning && isUnwanted && next != actionStop {
		t.Fatalf("a process that is not wanted is left alone: %+v, %+v", w.wanted, w.life)
	}
	if w.life.isReturning(w.wanted) && w.pauseAt == 0 && w.life.isSettled(w.wanted) {
		t.Fatalf("it is said to come back, and nothing brings it back: %+v, %+v", w.wanted, w.life)
	}
	if w.life.activity == activityStarting && isUnwanted {
		t.Fatal("a start that is not wanted goes on")
	}
	if len(w.wake) == 0 && !w.isAwake && w.doing == actionNone && !w.life.isSettled(w.wanted) {
		t.Fatalf("there is something to do and nobody knows: %+v, %+v", w.wanted, w.life)
	}
}

// rest lets the worker do all that there is to do.
func (w *world) rest(t *rapid.T) {
	for range 20 {
		w.work(t, true)
		w.check(t)
		if !w.isAwake && len(w.wake) == 0 {
			return
		}
	}
	t.Fatalf("it does not come to rest: %+v, %+v", w.wanted, w.life)
}

func TestC18_WhateverHappensOneWantedProcessAndOneAnswerEach(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		t.Repeat(map[string]func(*rapid.T){
			"configure": w.configure,
			"call":      func(*rapid.T) { w.ask(wishStart) },
			"stop":      func(*rapid.T) { w.ask(wishStop) },
			"restart":   func(*rapid.T) { w.ask(wishRestart) },
			"idle": func(*rapid.T) {
				w.life.ask(wishIdle)
				w.nudge(w.wanted)
			},
			"call begins": func(*rapid.T) {
				w.life.calls++
				w.life.isUsed = true
			},
			"time":      func(t *rapid.T) { w.wait(rapid.IntRange(1, 12).Draw(t, "seconds")) },
			"call ends": func(*rapid.T) { w.life.calls = max(0, w.life.calls-1) },
			"exit":      func(t *rapid.T) { w.exit(t) },
			"work":      func(t *rapid.T) { w.work(t, rapid.Bool().Draw(t, "success")) },
			"":          w.check,
		})
		w.rest(t)
		if len(w.waiters) != 0 {
			t.Fatalf("%d wait for an answer that does not come: %+v, %+v", len(w.waiters), w.wanted, w.life)
		}
		if isRunning := w.life.activity == activityReady; isRunning && (!w.wanted.standing.mayRun() || w.process != w.wanted.key) {
			t.Fatalf("what runs is %q, wanted is %+v", w.process, w.wanted)
		}
		w.ask(wishStart)
		w.rest(t)
		if isReady := w.life.activity == activityReady; isReady != w.wanted.standing.mayRun() {
			t.Fatalf("a start that everything speaks for or against: %+v, %+v", w.wanted, w.life)
		}
	})
}
