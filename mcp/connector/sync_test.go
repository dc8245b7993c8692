package connector

import (
	"testing"
	"time"
)

func TestC31_ThePaceOfListing(t *testing.T) {
	t.Parallel()
	times := tuning{sync: time.Second, maxSync: 30 * time.Second}
	p, begun := pace{pause: times.sync}, time.Now()
	if _, left := p.left(begun, times); left > 0 {
		t.Errorf("the first is waited for %s", left)
	}
	storms := 0
	for i, want := range []time.Duration{2, 4, 8, 16, 30, 30} {
		p.last = begun
		var isStorm bool
		if p, isStorm = p.next(false, times); p.pause != want*time.Second {
			t.Errorf("after %d in vain: %s", i+1, p.pause)
		}
		if isStorm {
			storms++
		}
	}
	if storms != 1 {
		t.Errorf("it is said %d times", storms)
	}
	if _, left := p.left(begun.Add(20*time.Second), times); left != 10*time.Second {
		t.Errorf("the next is waited for %s", left)
	}
	if same, left := p.left(begun.Add(61*time.Second), times); left > 0 || same.pause != times.sync {
		t.Errorf("after a quiet time: %s, waited for %s", same.pause, left)
	}
	if p, isStorm := p.next(true, times); p.pause != times.sync || isStorm {
		t.Errorf("after news: %s", p.pause)
	}
}

// What is fetched for its age alone is no sign of how often a server asks.
func TestCC3_WhatIsAgedIsNotWhatTheServerSaid(t *testing.T) {
	t.Parallel()
	s := newSession(New(Definition{}, Options{}), nil, nil)
	defer s.cancel(nil)
	s.fresh.wanted = toolList
	if d := s.takeDue(); d != (due{aged: toolList}) {
		t.Errorf("%+v", d)
	}
	s.markChanged(promptList | toolList)
	s.fresh.wanted = resourceList
	if d := s.takeDue(); d != (due{said: promptList | toolList, aged: resourceList, told: 1}) {
		t.Errorf("%+v", d)
	}
	if d := s.takeDue(); d != (due{told: 1}) {
		t.Errorf("they are due again: %+v", d)
	}
}
