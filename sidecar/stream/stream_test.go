package stream

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"pillion/rpc/message"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func text(number int) string { return "event " + strconv.Itoa(number) }

// reader is somebody who follows as the protocol says: it keeps the epoch and the number of its last event.
type reader struct {
	epoch  message.EventEpoch
	since  int
	missed int
	seen   []message.SessionEvent
}

func (r *reader) take(t rapid.TB, e message.SessionEvent) {
	if e.Epoch != "e" || e.At.IsZero() {
		t.Fatalf("%+v", e)
	}
	switch {
	case e.Kind == message.EventGap:
		if e.Missed < 1 || e.Seq != r.since+e.Missed {
			t.Fatalf("after %d comes the gap %+v", r.since, e)
		}
		r.missed += e.Missed
	case e.Seq != r.since+1 || e.Text != text(e.Seq):
		t.Fatalf("after %d comes %+v", r.since, e)
	default:
		r.seen = append(r.seen, e)
	}
	r.epoch, r.since = e.Epoch, e.Seq
}

// Whatever writers, resumes and ring sizes: every reader gets each event once and in order, or is told how many it missed; and
// it misses none that the ring still had.
func TestN2_Replay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 9).Draw(t, "ring")
		s := New("e", size)
		readers := make([]reader, rapid.IntRange(1, 4).Draw(t, "readers"))
		added := 0
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "writes") {
				for range rapid.IntRange(1, 5).Draw(t, "events") {
					added++
					s.Add(message.SessionEvent{Kind: message.EventMessage, Text: text(added)})
				}
				continue
			}
			r := &readers[rapid.IntRange(0, len(readers)-1).Draw(t, "reader")]
			before, missed := r.since, r.missed
			result, last := s.Since(r.epoch, r.since)
			for _, e := range result.Events {
				r.take(t, e)
			}
			if r.since != added || last != added || r.missed-missed != max(0, added-before-size) {
				t.Fatalf("from %d to %d of %d, %d missed", before, r.since, added, r.missed-missed)
			}
		}
	})
}

// Writers never wait for a reader that stands still, and one that goes on again is told how much it missed.
func TestN2_ASlowReaderBlocksNobody(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		size, writers := rapid.IntRange(1, 200).Draw(t, "ring"), rapid.IntRange(1, 4).Draw(t, "writers")
		each, stall := rapid.IntRange(1, 200).Draw(t, "events each"), rapid.IntRange(0, 50).Draw(t, "read before it stalls")
		s := New("e", size)
		ctx, cancel := context.WithCancel(context.Background())
		var slow, quick reader
		gate := make(chan struct{})
		var followers, writing sync.WaitGroup
		all := writers * each
		follow := func(r *reader, hold func()) {
			followers.Go(func() {
				err := s.Follow(ctx, 0, func(e message.SessionEvent) error {
					hold()
					// The texts are the writers': here only the numbers count.
					if e.Kind != message.EventGap {
						e.Text = text(e.Seq)
					}
					r.take(t, e)
					if e.Seq == all {
						return errEnough
					}
					return nil
				})
				if !errors.Is(err, errEnough) {
					t.Errorf("followed until %v", err)
				}
			})
		}
		read := 0
		follow(&slow, func() {
			if read++; read == stall+1 {
				<-gate
			}
		})
		follow(&quick, func() {})
		for range writers {
			writing.Go(func() {
				for range each {
					s.Add(message.SessionEvent{Kind: message.EventMessage})
				}
			})
		}
		writing.Wait() // with the slow one standing still, if it got that far
		close(gate)
		followers.Wait()
		cancel()
		for name, r := range map[string]reader{"slow": slow, "quick": quick} {
			if len(r.seen)+r.missed != all {
				t.Errorf("the %s one saw %d and missed %d of %d", name, len(r.seen), r.missed, all)
			}
		}
	})
}

var errEnough = errors.New("enough")

func TestN2_WhatWasSeenOfAnotherEpochMeansNothing(t *testing.T) {
	t.Parallel()
	s := New("e", 10)
	for i := range 3 {
		s.Add(message.SessionEvent{Text: text(i + 1)})
	}
	for _, test := range []struct {
		epoch message.EventEpoch
		since int
		want  []int
	}{
		{"", 0, []int{1, 2, 3}}, {"e", 2, []int{3}}, {"e", 3, nil}, {"e", 0, []int{1, 2, 3}}, {"other", 2, []int{1, 2, 3}}, {"e", 7, []int{1, 2, 3}},
	} {
		result, _ := s.Since(test.epoch, test.since)
		var got []int
		for _, e := range result.Events {
			got = append(got, e.Seq)
		}
		if result.Epoch != "e" || result.Events == nil || !slices.Equal(got, test.want) {
			t.Errorf("since %d of %q: %+v", test.since, test.epoch, result)
		}
	}
}

func TestN2_NothingHasHappenedYet(t *testing.T) {
	t.Parallel()
	s := New("e", 1)
	result, last := s.Since("e", 5)
	if last != 0 || len(result.Events) != 0 {
		t.Errorf("%+v, %d", result, last)
	}
	told := make(chan int, 1)
	go s.Add(message.SessionEvent{})
	err := s.Follow(t.Context(), last, func(e message.SessionEvent) error {
		told <- e.Seq
		return errEnough
	})
	if seq := <-told; !errors.Is(err, errEnough) || seq != 1 {
		t.Errorf("%d, %v", seq, err)
	}
}

func TestN2_FollowingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		s, ended := New("e", 4), make(chan error)
		go func() { ended <- s.Follow(ctx, 0, func(message.SessionEvent) error { return nil }) }()
		synctest.Wait()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
