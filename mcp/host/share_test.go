package host

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// floor plays the effects around some slots that come by processes of one connector.
type floor struct {
	shares shares
	slots  []*slot
	live   map[*share]bool // with a process, or something left of one
	ending []*share        // whose last holder is to end them
}

// enter lets a slot without a process ask for one of a key.
func (f *floor) enter(t *rapid.T) {
	s := rapid.SampledFrom(f.slots).Draw(t, "slot")
	if s.share != nil {
		return
	}
	key := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "key")
	isLeaving := func(other *slot) bool { return rapid.Bool().Draw(t, "leaving") }
	switch next := f.shares.enter(s, "id", key, isLeaving); next.kind {
	case stepStart:
		for one := range f.live {
			if one.key == key {
				t.Fatalf("a second process of the key %q", key)
			}
		}
		f.live[next.share] = true
	case stepTake:
		if !f.live[next.share] || next.share.key != key || next.share.isOver || s.share != next.share {
			t.Fatalf("took %+v", next.share)
		}
	case stepEnd:
		if !next.share.isDead {
			t.Fatal("a living process is ended for another slot")
		}
		f.ending = append(f.ending, next.share)
	case stepWait:
		select {
		case <-next.wait:
			t.Fatal("waits for what has come to pass")
		default:
		}
	}
}

func (f *floor) leave(t *rapid.T) {
	s := rapid.SampledFrom(f.slots).Draw(t, "slot")
	had := s.share
	last := s.leave()
	if last == nil {
		return
	}
	if last != had || len(last.holders) > 0 && !last.isDead {
		t.Fatalf("a process is ended that others have: %+v", last)
	}
	f.ending = append(f.ending, last)
}

// live draws one of the processes that there are.
func (f *floor) draw(t *rapid.T) *share {
	all := f.shares["id"]
	if len(all) == 0 {
		return nil
	}
	return rapid.SampledFrom(all).Draw(t, "share")
}

func (f *floor) end(*rapid.T) {
	for _, one := range f.ending {
		delete(f.live, one)
		f.shares.forget(one)
	}
	f.ending = nil
}

func TestC5_OneProcessOfOneKeyWhoeverComesAndGoes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := &floor{shares: shares{}, slots: []*slot{newSlot("x"), newSlot("y"), newSlot("z")}, live: map[*share]bool{}}
		t.Repeat(map[string]func(*rapid.T){
			"enter": f.enter,
			"leave": f.leave,
			"end":   f.end,
			"ready": func(t *rapid.T) {
				if one := f.draw(t); one != nil {
					one.settle(true)
				}
			},
			"exit": func(t *rapid.T) {
				if one := f.draw(t); one != nil {
					one.isOver, one.isDead = true, true
				}
			},
			"replace": func(t *rapid.T) {
				if one := f.draw(t); one != nil {
					one.isOver = true
				}
			},
		})
		for _, s := range f.slots { // when all have gone nothing is left
			if last := s.leave(); last != nil {
				f.ending = append(f.ending, last)
			}
		}
		f.end(t)
		if len(f.shares) != 0 || len(f.live) != 0 {
			t.Fatalf("left: %v", f.shares)
		}
	})
}

// withAliases is a configuration of a fake connector x and second names of it, with their options.
func withAliases(mode string, aliases map[string]map[string]any) string {
	var text struct {
		Servers map[string]any `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(servers("x", mode)), &text); err != nil {
		panic(err)
	}
	for name, options := range aliases {
		options["aliasOf"] = "x"
		text.Servers[name] = map[string]any{"pillion": options}
	}
	written, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(written)
}

// pids are the processes of some connectors.
func (h *house) pids(names ...string) []int {
	h.t.Helper()
	pids := make([]int, len(names))
	for i, name := range names {
		found, err := h.Connector(name)
		if err != nil {
			h.t.Fatal(err)
		}
		if len(found.Processes) > 0 {
			pids[i] = found.Processes[0].PID
		}
	}
	return pids
}

// TestA7_NamesOfOneProcess start, stop and restart it as one would expect.
func TestA7_NamesOfOneProcess(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	write(t, h.user, withAliases("", map[string]map[string]any{
		"y": {"tools": []string{}}, "apart": {"maxConcurrent": 3},
	}))
	h.Start()
	for _, name := range []string{"x", "y", "apart"} {
		h.started(name)
	}
	first := h.pids("x", "y", "apart")
	if first[0] == 0 || first[0] != first[1] || first[2] == first[0] || first[2] == 0 {
		t.Fatalf("processes %v", first)
	}
	if y, _ := h.Connector("y"); y.Tools != 0 {
		t.Errorf("the second name offers %d tools", y.Tools)
	}
	if h.LogFile(h.id("x")) != h.LogFile(h.id("y")) || h.LogFile(h.id("x")) == h.LogFile(h.id("apart")) {
		t.Error("the logs are not those of the processes")
	}
	if stopped, err := h.StopConnector(t.Context(), h.id("x")); err != nil || stopped.State != StateIdle {
		t.Fatalf("%+v, %v", stopped, err)
	}
	if now := h.pids("x", "y"); !slices.Equal(now, []int{0, first[0]}) {
		t.Errorf("after one name was stopped: %v", now)
	}
	h.started("x")
	if now := h.pids("x"); now[0] != first[0] {
		t.Errorf("the name came by another process: %v", now)
	}
	if _, err := h.RestartConnector(t.Context(), h.id("y")); err != nil {
		t.Fatal(err)
	}
	h.until("x", StateReady)
	now := h.pids("x", "y", "apart")
	if now[0] == 0 || now[0] == first[0] || now[0] != now[1] || now[2] != first[2] {
		t.Errorf("after a restart: %v, before %v", now, first)
	}
	for _, name := range []string{"x", "y"} {
		if _, err := h.StopConnector(t.Context(), h.id(name)); err != nil {
			t.Fatal(err)
		}
	}
	h.locked(func() {
		if len(h.shares) != 1 {
			t.Errorf("%d processes are left", len(h.shares))
		}
	})
}

// TestA7_AnEndIsThatOfAllNames, and the next process is one again.
func TestA7_AnEndIsThatOfAllNames(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	write(t, h.user, withAliases("", map[string]map[string]any{"y": {}}))
	h.Start()
	h.started("x")
	h.started("y")
	before := h.pids("x", "y")
	process, err := os.FindProcess(before[0])
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x", "y"} {
		h.until(name, StateFailed)
	}
	h.started("y")
	h.started("x")
	if now := h.pids("x", "y"); now[0] == 0 || now[0] != now[1] || now[0] == before[0] {
		t.Errorf("processes %v, before %v", now, before)
	}
}
