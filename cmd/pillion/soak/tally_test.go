//go:build linux

package soak

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"pillion/mcp/audit"
	"pillion/mcp/state"
	"pillion/rpc"
	"pillion/rpc/message"
)

// tally counts what was done and what came of it.
type tally struct {
	mu      sync.Mutex
	counts  map[string]int
	made    map[message.CallID]bool               // calls that were made
	status  map[message.CallID]message.CallStatus // and what came of them
	lost    map[message.CallID]bool               // with their window
	unknown map[message.CallID]bool               // what they named was not there
	killed  map[string]bool                       // windows, by what the ids of their calls begin with
	closing map[string]bool                       // those that were asked to end
	late    map[message.CallID]bool               // calls that a closing window did not begin
	faults  []string
}

func newTally() *tally {
	return &tally{counts: map[string]int{}, made: map[message.CallID]bool{}, status: map[message.CallID]message.CallStatus{}, lost: map[message.CallID]bool{}, unknown: map[message.CallID]bool{}, killed: map[string]bool{}, closing: map[string]bool{}, late: map[message.CallID]bool{}}
}

func (t *tally) fault(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.faults = append(t.faults, fmt.Sprintf(format, args...))
}

func (t *tally) add(what string, isDone bool) {
	if !isDone {
		what += " (too late)"
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[what]++
}

func (t *tally) make(id message.CallID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.made[id] = true
}

// closes notes that a window is asked to end: from now on it may refuse calls.
func (t *tally) closes(window string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closing[window] = true
}

// refused is a call that was answered with an error: there is no such tool now, or its window ends; or that its window took with it.
func (t *tally) refused(id message.CallID, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var answer *rpc.Error
	switch {
	case !errors.As(err, &answer):
		t.lost[id] = true
	case isUnknown(err):
		t.unknown[id] = true
	case answer.Code == rpc.CodeRequestFailed && t.closing[windowOf(id)]:
		t.late[id] = true
	default:
		t.faults = append(t.faults, fmt.Sprintf("call %s was answered with %v", id, err))
	}
}

func (t *tally) ended(id message.CallID, result message.CallResult) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if before, isAnswered := t.status[id]; isAnswered {
		t.faults = append(t.faults, fmt.Sprintf("call %s ended twice: %s, %s", id, before, result.Status))
	}
	t.status[id] = result.Status
	t.counts["call "+string(result.Status)]++
	if result.MayHaveRun && result.Status != message.CallOK {
		t.counts["of these may have run"]++
	}
}

// compare holds the audit log against what the editors saw: every answer has its one record, and says the same. A window that was
// killed may have taken the last few with it; that these calls were sent is there, for it is written before they are.
func (t *tally) compare(folder string) error {
	f, err := state.Open(folder)
	if err != nil {
		return err
	}
	records, written := map[message.CallID][]string{}, map[message.CallID]bool{}
	err = audit.New(f, audit.Options{}).Each(func(r audit.Record) bool {
		if r.Kind == audit.KindCall {
			records[message.CallID(r.CallID)] = append(records[message.CallID(r.CallID)], r.Status)
		}
		if r.Kind == audit.KindWritten {
			written[message.CallID(r.CallID)] = true
		}
		if r.Kind == audit.KindLost {
			t.faults = append(t.faults, fmt.Sprintf("%d audit records were lost", r.Count))
		}
		return true
	})
	for id, status := range t.status {
		got := records[id]
		if len(got) == 0 && t.killed[windowOf(id)] && (written[id] || status != message.CallOK) {
			t.counts["records of an end that died with their window"]++
			continue
		}
		if len(got) != 1 || got[0] != string(status) {
			t.faults = append(t.faults, fmt.Sprintf("call %s came out as %s; the audit log says %q", id, status, got))
		}
	}
	for id := range t.late {
		if len(records[id]) > 0 || written[id] {
			t.faults = append(t.faults, fmt.Sprintf("call %s was refused by a closing window; the audit log says %q", id, records[id]))
		}
	}
	t.counts["audit records of calls"] = len(records)
	return err
}

// windowOf is the window that the id of a call begins with.
func windowOf(id message.CallID) string {
	window, _, _ := strings.Cut(string(id), "-")
	return window
}

func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var text strings.Builder
	for _, what := range slices.Sorted(maps.Keys(t.counts)) {
		fmt.Fprintf(&text, "%8d  %s\n", t.counts[what], what)
	}
	fmt.Fprintf(&text, "%8d  calls made, %d answered, %d of a tool that was not there, %d refused by a closing window, %d lost with theirs\n", len(t.made), len(t.status), len(t.unknown), len(t.late), len(t.lost))
	return text.String()
}
