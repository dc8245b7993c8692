package host

import (
	"slices"
	"testing"

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
	w.process, w.isLost, w.isGivenUp = w.life.key, false, false // the remains of the last one were waited for
}

func (w *world) endStart(t *rapid.T, isSuccess bool) {
	if isSuccess && !w.isGivenUp {
		if !w.life.ready() {
			t.Fatal("a start that nobody gave up was not wanted")
		}
		w.listed = w.life.key
		w.wanted.isListed = w.listed == w.wanted.key
		w.touch()
		return
	}
	w.process = ""
	if isGivenUp := !w.life.failed(); isGivenUp != w.isGivenUp {
		t.Fatal("it is not agreed whether the start was given up")
	} else if isGivenUp {
		w.life.stopped()
	}
	w.touch()
}

// exit is the end of a ready process by itself; something of it may be left.
func (w *world) exit() {
	if w.life.lost() {
		w.isLost = true
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
			"call begins": func(*rapid.T) { w.life.calls++ },
			"call ends":   func(*rapid.T) { w.life.calls = max(0, w.life.calls-1) },
			"exit":        func(*rapid.T) { w.exit() },
			"work":        func(t *rapid.T) { w.work(t, rapid.Bool().Draw(t, "success")) },
			"":            w.check,
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
