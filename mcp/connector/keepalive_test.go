package connector

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestC60_OneMissedAnswerIsNone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		heard   []beat
		isLost  bool
		isAsked bool
	}{
		"it answers":                       {[]beat{beatAnswered, beatAnswered}, false, true},
		"one is missed":                    {[]beat{beatMissed, beatMissed, beatAnswered, beatMissed}, false, true},
		"a call between":                   {[]beat{beatMissed, beatMissed, beatBusy, beatMissed, beatMissed}, false, true},
		"three are missed":                 {[]beat{beatAnswered, beatMissed, beatMissed, beatMissed}, true, true},
		"it does not want to be asked":     {[]beat{beatRefused}, false, false},
		"it wanted to, and does not again": {[]beat{beatAnswered, beatMissed, beatRefused}, false, false},
	} {
		p, isLost := pulse{}, false
		for _, heard := range test.heard {
			p, isLost = p.after(heard, 3)
		}
		if isLost != test.isLost || p.isOver == test.isAsked {
			t.Errorf("%s: %+v, lost %v", name, p, isLost)
		}
	}
}

func TestC60_AListDecidesWhetherItIsLost(t *testing.T) {
	t.Parallel()
	for heard, want := range map[beat]struct {
		next   pulse
		isLost bool
	}{
		beatMissed:   {pulse{unanswered: 3}, true},
		beatBusy:     {pulse{}, false},
		beatAnswered: {pulse{isOver: true, isDeaf: true}, false},
		beatRefused:  {pulse{isOver: true, isDeaf: true}, false},
	} {
		if next, isLost := (pulse{unanswered: 3}).afterList(heard); next != want.next || isLost != want.isLost {
			t.Errorf("%d: %+v, lost %v", heard, next, isLost)
		}
	}
}

// pinged makes the times short.
func pinged(pong time.Duration) setting {
	return func(d *Definition, _ *Options, t *tuning) {
		d.PingInterval, t.pong, t.pings = 10*time.Millisecond, pong, 2
	}
}

// pings counts those that the fake has received.
func (f *fixture) pings() int { return len(f.received("ping")) }

func (f *fixture) untilPinged(count int) {
	f.t.Helper()
	f.eventually("it is pinged", func() bool { return f.pings() >= count })
}

// TestC60_WhoeverRefusesIsNotAskedAgain and goes on serving.
func TestC60_WhoeverRefusesIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	f := fake(t, "fail=ping:-32601", pinged(time.Minute))
	if err := f.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.untilPinged(1)
	for range 20 {
		if _, err := f.Call(t.Context(), CallRequest{Tool: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	if f.pings() != 1 || f.Status().State != StateReady {
		t.Errorf("%d pings, %s", f.pings(), f.Status().State)
	}
}

// TestC60_WhoeverAnswersStays, and a server without ping is never asked.
func TestC60_WhoeverAnswersStays(t *testing.T) {
	t.Parallel()
	legacy, modern := fake(t, "", pinged(time.Minute)), fake(t, "modern", pinged(time.Minute))
	for _, f := range []*fixture{legacy, modern} {
		if err := f.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	legacy.untilPinged(3)
	if modern.pings() != 0 || legacy.Status().State != StateReady || modern.Status().State != StateReady {
		t.Errorf("%d pings; %s, %s", modern.pings(), legacy.Status().State, modern.Status().State)
	}
}

// TestC60_WhoeverIsSilentIsLost, but not while it works.
func TestC60_WhoeverIsSilentIsLost(t *testing.T) {
	t.Parallel()
	f := fake(t, "silent=ping,silentafter=tools/list,delay=tools/call:1s", pinged(200*time.Millisecond))
	if err := f.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if reply, err := f.Call(t.Context(), CallRequest{Tool: "a"}); err != nil || len(reply.Result) == 0 {
		t.Fatalf("%+v, %v", reply, err)
	}
	f.eventually("it is lost", func() bool { return f.Status().State == StateFailed })
	if p := f.Status().Problem; p.Kind != ProblemTimeout {
		t.Errorf("%+v", p)
	}
}

// TestC60_WhoeverIsDeafToPingsAloneStays, and is not asked any more.
func TestC60_WhoeverIsDeafToPingsAloneStays(t *testing.T) {
	t.Parallel()
	f := started(t, "silent=ping", func(d *Definition, _ *Options, t *tuning) { d.PingInterval, t.pings = 300*time.Millisecond, 1 })
	f.eventually("it is left alone", func() bool { return f.warned("but no pings") })
	pings := f.pings()
	for range 20 {
		f.say(`{}`)
	}
	if f.Status().State != StateReady || f.pings() != pings || len(f.received("tools/list")) < 2 {
		t.Errorf("%s, %d pings, %d lists", f.Status().State, f.pings(), len(f.received("tools/list")))
	}
}

// TestC60_NobodyIsAskedWhereThatIsOff.
func TestC60_NobodyIsAskedWhereThatIsOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Definition{PingInterval: -1}, Options{})
		s := newSession(c, nil, nil)
		s.answer = &answer{era: EraLegacy}
		began := time.Now()
		s.keepAlive() // which would wait for its first time to ask
		if took := time.Since(began); took != 0 {
			t.Errorf("it waited for %s", took)
		}
		s.cancel(nil)
	})
}
