package host

import "testing"

func TestS19_DeclinesReachTheCallsThatQueueAlready(t *testing.T) {
	q := newApprovalQueue()
	first, refusal, err := q.enter(t.Context(), "s", "turn")
	if err != nil || refusal != "" {
		t.Fatal(refusal, err)
	}
	const waiting = 5
	asked, refused := make(chan bool, waiting), make(chan bool, waiting)
	for range waiting {
		go func() {
			release, refusal, _ := q.enter(t.Context(), "s", "turn")
			if refusal != "" {
				refused <- true
				return
			}
			q.declined("s", "turn")
			asked <- true
			release()
		}()
	}
	q.declined("s", "turn")
	first()
	for range waiting - 2 {
		<-refused
	}
	if len(refused) != 0 {
		t.Error("more were refused than those after the third")
	}
	for range 2 {
		<-asked
	}
	// Another turn is asked, and does not wipe out the first one's refusals.
	release, refusal, err := q.enter(t.Context(), "s", "other")
	if err != nil || refusal != "" {
		t.Fatal(refusal, err)
	}
	release()
	if _, refusal, _ := q.enter(t.Context(), "s", "turn"); refusal == "" {
		t.Error("the refusals of a turn were forgotten")
	}
}

// Callers come and go; what is remembered of them goes with them.
func TestS19_WhatASessionDeclinedEndsWithIt(t *testing.T) {
	t.Parallel()
	q := newApprovalQueue()
	for _, session := range []string{"gone", "here"} {
		release, _, err := q.enter(t.Context(), session, "turn")
		if err != nil {
			t.Fatal(err)
		}
		for range maxDeclinesPerTurn {
			q.declined(session, "turn")
		}
		if session == "gone" {
			q.end(func(id string) bool { return id == "gone" }) // while its question is open
			q.declined(session, "turn")
		}
		release()
	}
	q.end(func(id string) bool { return id == "gone" })
	if _, refusal, _ := q.enter(t.Context(), "here", "turn"); refusal == "" || len(q.sessions) != 1 {
		t.Errorf("%q, of %d sessions", refusal, len(q.sessions))
	}
}
