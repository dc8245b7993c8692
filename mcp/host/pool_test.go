package host

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pillion/mcp/config"
	"pillion/mcp/permission"
	"pillion/mcp/settings"
)

func TestC8_WhatAnEntryGetsThatSaysNothing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]pool{
		`"command":"x"`:                                    {scope: settings.ScopeWorkspace, most: 1},
		`"url":"https://a.example"`:                        {scope: settings.ScopeWindow, most: 1},
		`"command":"x","pillion":{"scope":"session"}`:      {scope: settings.ScopeSession, most: settings.DefaultMaxProcesses},
		`"command":"x","pillion":{"scope":"call","max":2}`: {scope: settings.ScopeCall, most: 2},
		`"command":"x","pillion":{"sharing":"exclusive"}`:  {scope: settings.ScopeWorkspace, isExclusive: true, most: 1},
	} {
		d := config.Parse(config.File{Path: "/home/u/mcp.json", Source: config.SourceUser}, []byte(`{"mcpServers":{"x":{`+text+`}}}`))
		if got := poolOf(d.Entry("x")); got != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func TestC8_WhoseProcessServes(t *testing.T) {
	t.Parallel()
	of := func(scope string) pool { return pool{scope: scope, most: 4} }
	for _, test := range []struct {
		pool   pool
		of     party
		want   string
		isTold bool
	}{
		{of(settings.ScopeWorkspace), party{session: "s"}, "", true},
		{of(settings.ScopeSession), party{}, "", true},
		{of(settings.ScopeSession), party{session: "s", parent: "p"}, "session s", true},
		{of(settings.ScopeParentSession), party{session: "s", parent: "p"}, "session p", true},
		{of(settings.ScopeParentSession), party{session: "s"}, "session s", false},
		{of(settings.ScopeParentSession), party{}, "", true},
		{of(settings.ScopeCall), party{call: "c", session: "s"}, "call c", true},
		{pool{scope: settings.ScopeWindow, isExclusive: true, most: 2}, party{session: "s"}, anyRoom, true},
	} {
		if got, isTold := test.pool.roomName(test.of); got != test.want || isTold != test.isTold {
			t.Errorf("%+v of %+v: %q, %v", test.pool, test.of, got, isTold)
		}
	}
}

func TestC8_Choose(t *testing.T) {
	t.Parallel()
	session, call := pool{scope: settings.ScopeSession, most: 2}, pool{scope: settings.ScopeCall, most: 1}
	alone := pool{scope: settings.ScopeWindow, isExclusive: true, most: 2}
	lists, serves := room{isKept: true}, room{isServing: true, isKept: true}
	one := func(name string, change func(*room)) room {
		r := room{name: name, isServing: true, usedAt: time.Unix(1, 0)}
		change(&r)
		return r
	}
	busy := func(r *room) { r.leases = 1 }
	idle := func(*room) {}
	for name, test := range map[string]struct {
		pool  pool
		wants string
		rooms []room
		want  choice
	}{
		"the first":                              {session, "session a", []room{lists}, choice{choiceTake, "session a"}},
		"its own again, whatever it is at":       {session, "session a", []room{serves, one("session a", busy)}, choice{choiceTake, "session a"}},
		"no more than max":                       {session, "session b", []room{serves, one("session a", busy)}, choice{}},
		"what lists does not count":              {session, "session b", []room{lists, one("session a", busy)}, choice{choiceTake, "session b"}},
		"the window's own counts once it serves": {session, "", []room{lists, one("session a", busy), one("session b", busy)}, choice{}},
		"an unused one makes room":               {session, "session b", []room{serves, one("session a", idle)}, choice{choiceEnd, "session a"}},
		"but for what it holds":                  {session, "session b", []room{serves, one("session a", func(r *room) { r.isKept = true })}, choice{}},
		"one at a time makes room":               {session, "session b", []room{serves, one("session a", func(r *room) { r.isLeaving = true }), one("session c", idle)}, choice{}},
		"what leaves is come back to":            {session, "session a", []room{serves, one("session a", func(r *room) { r.isLeaving = true })}, choice{choiceTake, "session a"}},
		"one for each call":                      {call, "call 1", []room{lists}, choice{choiceTake, "call 1"}},
		"calls wait for each other":              {call, "call 2", []room{lists, one("call 1", busy)}, choice{}},
		"whichever is free":                      {alone, anyRoom, []room{one("", busy), one("2", idle)}, choice{choiceTake, "2"}},
		"another one":                            {alone, anyRoom, []room{one("", busy)}, choice{choiceTake, "2"}},
		"none is free":                           {alone, anyRoom, []room{one("", busy), one("2", busy)}, choice{}},
		"one call of a session at a time":        {pool{scope: settings.ScopeSession, isExclusive: true, most: 2}, "session a", []room{one("session a", busy)}, choice{}},
	} {
		if got := test.pool.choose(test.wants, test.rooms); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

// TestC8_NeverMoreThanMaxAndNobodyOvertakes plays calls of sessions that come and go.
func TestC8_NeverMoreThanMaxAndNobodyOvertakes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		entry := config.Parse(config.File{Path: "/home/u/mcp.json", Source: config.SourceUser}, []byte(
			rapid.SampledFrom([]string{
				`{"mcpServers":{"x":{"command":"x","pillion":{"scope":"session","max":2}}}}`, `{"mcpServers":{"x":{"command":"x","pillion":{"scope":"call","max":2}}}}`,
				`{"mcpServers":{"x":{"command":"x","pillion":{"sharing":"exclusive","max":2}}}}`,
			}).Draw(t, "entry"))).Entry("x")
		p, main := poolOf(entry), newSlot("x")
		main.entry, main.rooms = entry, map[string]*slot{}
		var tickets []*ticket
		var held []*slot
		calls := 0
		serve := func() {
			main.grant(p, func(name string) *slot {
				if name == "" {
					held = append(held, main)
					return main
				}
				r := main.rooms[name]
				if r == nil {
					r = newSlot("x\x00" + name)
					r.main, r.scope, r.entry = main, name, entry
					main.rooms[name] = r
				}
				r.isRemoved = false
				held = append(held, r)
				return r
			}, func(r *slot) { r.isRemoved = true })
		}
		t.Repeat(map[string]func(*rapid.T){
			"call": func(t *rapid.T) {
				calls++
				name, _ := p.roomName(party{call: fmt.Sprint(calls), session: rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "session")})
				one := &ticket{name: name, granted: make(chan struct{})}
				tickets, main.queue = append(tickets, one), append(main.queue, one)
				serve()
			},
			"end": func(t *rapid.T) {
				if len(held) == 0 {
					return
				}
				i := rapid.IntRange(0, len(held)-1).Draw(t, "held")
				r := held[i]
				held = append(held[:i], held[i+1:]...)
				if r.leases--; p.scope == settings.ScopeCall {
					r.isRemoved = true
				}
				serve()
			},
			"gone": func(*rapid.T) {
				for name, r := range main.rooms {
					if r.isRemoved && r.leases == 0 {
						delete(main.rooms, name)
					}
				}
				serve()
			},
			"": func(t *rapid.T) {
				serving := 0
				for _, r := range main.roomList() {
					if r.isServing {
						serving++
					}
					if p.isExclusive && r.leases > 1 {
						t.Fatalf("%d calls have %q", r.leases, r.name)
					}
				}
				if serving > p.most {
					t.Fatalf("%d processes", serving)
				}
				for i, one := range tickets { // of those that wait for the same, the first is first
					for _, later := range tickets[i+1:] {
						if one.room == nil && later.room != nil && one.name == later.name {
							t.Fatal("a call was overtaken")
						}
					}
				}
			},
		})
	})
}

// pooled is a house with a fake connector x whose calls say which process they ran in.
func pooled(t *testing.T, options string, environ ...string) *house {
	t.Helper()
	h := newHouse(t)
	text := servers("x", "dump,delay=tools/call:50ms", environ...)
	write(t, h.user, strings.TrimSuffix(text, `}}}`)+`,"pillion":`+options+`}}}`)
	h.Start()
	h.started("x")
	h.stands(NewRule{Connector: h.id("x"), Tool: "a", Decision: permission.RuleAllow, Scope: permission.ScopeUser})
	return h
}

// ranIn makes a call and returns the process that it ran in.
func (h *house) ranIn(r CallRequest) int {
	h.t.Helper()
	r.Tool = "x.a"
	result, err := h.Call(h.t.Context(), r)
	if err != nil || result.Status != StatusOK {
		h.t.Errorf("%+v: %s, %s, %v", r, result.Status, result.Message, err)
		return 0
	}
	var said struct{ PID int }
	if err := json.Unmarshal([]byte(result.Projection.Text), &said); err != nil {
		h.t.Errorf("%q: %v", result.Projection.Text, err)
	}
	return said.PID
}

// all are the processes of x, by who has them to himself.
func (h *house) all() map[string]int {
	h.t.Helper()
	found, err := h.Connector("x")
	if err != nil {
		h.t.Fatal(err)
	}
	all := map[string]int{}
	for _, p := range found.Processes {
		all[p.SessionID] = p.PID
	}
	return all
}

// TestC8_ASessionHasAProcessToItself until it ends, and a process that is lost is not another session's loss.
func TestC8_ASessionHasAProcessToItself(t *testing.T) {
	t.Parallel()
	h := pooled(t, `{"scope":"session"}`)
	own, a, b := h.ranIn(CallRequest{}), h.ranIn(CallRequest{SessionID: "a"}), h.ranIn(CallRequest{SessionID: "b"})
	if own == a || a == b || own == b || h.ranIn(CallRequest{SessionID: "a"}) != a || h.ranIn(CallRequest{}) != own {
		t.Errorf("processes %d, %d, %d", own, a, b)
	}
	if all := h.all(); len(all) != 3 || all[""] != own || all["a"] != a || all["b"] != b {
		t.Errorf("it is said that there are %v", all)
	}
	h.EndSessions(func(id string) bool { return id == "a" })
	if again := h.ranIn(CallRequest{SessionID: "a"}); again == a {
		t.Error("the process of a session that ended serves on")
	}
	if h.ranIn(CallRequest{SessionID: "b"}) != b {
		t.Error("the end of one session was another's")
	}
	if _, err := h.StopConnector(t.Context(), h.id("x")); err != nil {
		t.Fatal(err)
	}
	h.none()
}

// none waits until nothing of the connectors is left.
func (h *house) none() {
	h.t.Helper()
	late := time.After(30 * time.Second)
	for {
		var one *share
		h.locked(func() {
			for _, all := range h.shares {
				one = all[0]
			}
		})
		if one == nil {
			return
		}
		select {
		case <-one.gone:
		case <-late:
			h.t.Fatal("a process is left")
		}
	}
}

// TestC8_ACallHasAProcessToItself, and no more of them run at once than may.
func TestC8_ACallHasAProcessToItself(t *testing.T) {
	t.Parallel()
	h := pooled(t, `{"scope":"call","max":2}`)
	listing := h.all()[""]
	var calls sync.WaitGroup
	var mu sync.Mutex
	ran := map[int]bool{}
	for range 5 {
		calls.Go(func() {
			pid := h.ranIn(CallRequest{})
			mu.Lock()
			defer mu.Unlock()
			ran[pid] = true
		})
	}
	calls.Wait()
	if len(ran) != 5 || ran[listing] {
		t.Errorf("5 calls ran in %v; %d lists", ran, listing)
	}
}

// TestC8_AnUnknownParentIsSaidOnce, and the session has a process to itself.
func TestC8_AnUnknownParentIsSaidOnce(t *testing.T) {
	t.Parallel()
	h := pooled(t, `{"scope":"parent-session"}`)
	child, other := h.ranIn(CallRequest{SessionID: "a", ParentSessionID: "p"}), h.ranIn(CallRequest{SessionID: "b", ParentSessionID: "p"})
	if child != other {
		t.Errorf("what one session started ran in %d and %d", child, other)
	}
	lone := h.ranIn(CallRequest{SessionID: "c"})
	h.ranIn(CallRequest{SessionID: "c"})
	found, _ := h.Connector("x")
	if lone == child || len(found.Warnings) != 1 {
		t.Errorf("it ran in %d; %q", lone, found.Warnings)
	}
}

// TestC8_OneCallAtATime has the one process to itself, in the order in which they came.
func TestC8_OneCallAtATime(t *testing.T) {
	t.Parallel()
	h := pooled(t, `{"sharing":"exclusive"}`)
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() { h.ranIn(CallRequest{}) })
	}
	calls.Wait()
	h.locked(func() {
		if main := h.slots[h.idOf("x")]; main.leases != 0 || len(main.queue) != 0 || len(main.rooms) != 0 {
			t.Errorf("left: %d, %d, %d", main.leases, len(main.queue), len(main.rooms))
		}
	})
	if all := h.all(); len(all) != 1 {
		t.Errorf("processes %v", all)
	}
}

// idOf is [house.id] for who holds the lock.
func (h *house) idOf(name string) string {
	for _, s := range h.present() {
		if s.entry.Name == name {
			return s.id
		}
	}
	return ""
}
