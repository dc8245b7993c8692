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
