package connector

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pillion/mcp/mcptest"
)

func TestIsStale(t *testing.T) {
	t.Parallel()
	times := tuning{sync: time.Second, unwatched: time.Minute}
	for name, test := range map[string]struct {
		passed, ttl time.Duration
		isWatched   bool
		want        bool
	}{
		"holds":                        {5 * time.Second, 10 * time.Second, false, false},
		"held":                         {11 * time.Second, 10 * time.Second, false, true},
		"held, though it is told":      {11 * time.Second, 10 * time.Second, true, true},
		"for a moment only":            {500 * time.Millisecond, time.Millisecond, false, false},
		"says nothing, and tells":      {time.Hour, 0, true, false},
		"says nothing, nobody tells":   {61 * time.Second, 0, false, true},
		"says nothing, a moment later": {59 * time.Second, 0, false, false},
	} {
		if got := isStale(test.passed, test.ttl, test.isWatched, times); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// CC3: a list is fetched again when it is used and does not hold any longer, not for itself.
func TestCC3_AListThatHoldsNoLongerIsFetchedForTheNextCall(t *testing.T) {
	t.Parallel()
	f := started(t, "modern,ttl=1", tune(func(u *tuning) { u.sync = time.Millisecond }))
	f.eventually("it holds no longer", func() bool { return f.session.freshen() != 0 })
	if _, err := f.AwaitTools(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	listed := len(f.received("tools/list"))
	if listed < 2 {
		t.Errorf("listed %d times", listed)
	}
	if warnings := f.Status().Warnings; len(warnings) != 0 {
		t.Errorf("warnings %q", warnings)
	}
}

// A server that does not list again holds one call up, not each of them, and not one of them twice.
func TestCC3_WhatDoesNotComeIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	s := started(t, "modern").session
	s.dirtyMu.Lock()
	s.fresh.asked = toolList
	s.dirtyMu.Unlock()
	for _, atMost := range []time.Duration{time.Millisecond, time.Hour} {
		if err := s.awaitFresh(t.Context(), atMost); err != nil {
			t.Error(err)
		}
	}
	s.refreshed(toolList)
	if s.fresh.asked != 0 || s.fresh.overdue != 0 {
		t.Errorf("%+v", &s.fresh)
	}
}

func TestCC3_AListThatHoldsIsNot(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"modern,ttl=3600000", "modern", ""} {
		f := started(t, mode, environment(mcptest.CapabilitiesVar+`={"tools":{"listChanged":true}}`))
		if hasWaited, err := f.AwaitTools(t.Context(), time.Minute); hasWaited || err != nil {
			t.Errorf("%q: waited %v, %v", mode, hasWaited, err)
		}
		f.Stop(t.Context())
	}
}

// SU1: what a server does not agree to tell is looked at instead, and said.
func TestSU1_WhatAServerDoesNotTellIsLookedAt(t *testing.T) {
	t.Parallel()
	capabilities := environment(mcptest.CapabilitiesVar + `={"tools":{"listChanged":true},"resources":{"subscribe":true}}`)
	f := started(t, "modern,deaf", capabilities, tune(func(u *tuning) { u.unwatched = time.Millisecond }))
	says := func(what string) func() bool {
		return func() bool {
			return slices.ContainsFunc(f.Status().Warnings, func(said string) bool { return strings.Contains(said, what) })
		}
	}
	f.eventually("that is said", says("does not tell when its tools change"))
	f.eventually("the list is old", func() bool { return f.session.freshen()&toolList != 0 })
	if err := f.Subscribe(t.Context(), "test://0"); err != nil {
		t.Fatal(err)
	}
	f.eventually("that of the address too", says("does not tell when test://0 changes"))

	told := started(t, "modern", capabilities, tune(func(u *tuning) { u.unwatched = time.Millisecond }))
	told.eventually("it agrees", func() bool {
		told.session.dirtyMu.Lock()
		defer told.session.dirtyMu.Unlock()
		return told.session.fresh.watched == toolList
	})
	if stale := told.session.freshen(); stale&toolList != 0 {
		t.Errorf("stale %b", stale)
	}
	if warnings := told.Status().Warnings; len(warnings) != 0 {
		t.Errorf("warnings %q", warnings)
	}
}

// A server that tells of its tasks need not be asked once a minute.
func TestF5_NewsOfATaskIsLookedAtAtOnce(t *testing.T) {
	t.Parallel()
	taskEras(t, "task=1,tasktell", func(t *testing.T, f *fixture) {
		reply, err := f.Call(t.Context(), CallRequest{ID: "c", Tool: "a"})
		if err != nil || reply.Task == nil {
			t.Fatalf("%+v, %v", reply, err)
		}
		begun := time.Now()
		reply, err = f.Follow(t.Context(), *reply.Task, RequestOptions{ID: "c"}, nil)
		if err != nil || said(t, reply) != "done " || time.Since(begun) > maxPoll/2 {
			t.Errorf("%+v, %v after %s", reply, err, time.Since(begun))
		}
	})
}
