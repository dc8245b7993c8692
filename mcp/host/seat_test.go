package host

import (
	"context"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"pillion/mcp/permission"
)

// seated is a house with two connectors that have the same seat, and one of another.
func seated(t *testing.T) *house {
	t.Helper()
	h := newHouse(t)
	var entries []string
	for name, seat := range map[string]string{"stagehand": "browser", "other": "browser", "driver": "computer"} {
		text := servers(name, "dump,delay=tools/call:50ms")
		text = strings.TrimSuffix(strings.TrimPrefix(text, `{"mcpServers":{`), `}}}`)
		entries = append(entries, text+`,"pillion":{"seat":"`+seat+`"}}`)
	}
	write(t, h.user, `{"mcpServers":{`+strings.Join(entries, ",")+`}}`)
	h.Start()
	for _, name := range []string{"stagehand", "other", "driver"} {
		h.started(name)
		h.stands(NewRule{Connector: h.id(name), Tool: "a", Decision: permission.RuleAllow, Scope: permission.ScopeUser})
	}
	return h
}

func (h *house) calls(tool, session string) Result {
	h.t.Helper()
	result, err := h.Call(h.t.Context(), CallRequest{Tool: tool, SessionID: session})
	if err != nil {
		h.t.Fatal(err)
	}
	return result
}

func TestH7_OneProviderASeatAndSession(t *testing.T) {
	t.Parallel()
	h := seated(t)
	for _, session := range []string{"", "s"} {
		if r := h.calls("stagehand.a", session); r.Status != StatusOK {
			t.Fatalf("the first: %s, %s", r.Status, r.Message)
		}
		if r := h.calls("other.a", session); r.Status != StatusDenied || !strings.Contains(r.Message, `"stagehand"`) || len(r.Steps) == 0 || r.MayHaveRun {
			t.Errorf("another one: %s, %s", r.Status, r.Message)
		}
		if r := h.calls("driver.a", session); r.Status != StatusOK {
			t.Errorf("another seat: %s, %s", r.Status, r.Message)
		}
		if r := h.calls("stagehand.a", session); r.Status != StatusOK {
			t.Errorf("the first again: %s, %s", r.Status, r.Message)
		}
	}
	if r := h.calls("other.a", "t"); r.Status != StatusOK {
		t.Errorf("in another session: %s, %s", r.Status, r.Message)
	}
}

func TestH7_AnotherSessionNeverBorrowsIt(t *testing.T) {
	t.Parallel()
	h := seated(t)
	a, b := h.calls("stagehand.a", "a"), h.calls("stagehand.a", "b")
	if a.Status != StatusOK || b.Status != StatusOK || a.Projection.Text == b.Projection.Text {
		t.Errorf("two sessions: %q and %q", a.Projection.Text, b.Projection.Text)
	}
	r, err := h.Call(t.Context(), CallRequest{Tool: "stagehand.a", SessionID: "c", Joined: "a"})
	if err != nil || r.Status != StatusDenied {
		t.Errorf("joined: %s, %v", r.Status, err)
	}
}

// TestH7_OwnedWorkIsWaitedFor before the seat is another's.
func TestH7_OwnedWorkIsWaitedFor(t *testing.T) {
	t.Parallel()
	h := seated(t)
	asking := make(chan struct{})
	var once sync.Once
	var work sync.WaitGroup
	work.Go(func() {
		_, _ = h.Call(context.Background(), CallRequest{Tool: "stagehand.a", OnState: func(s CallState) {
			if s == CallRunning {
				once.Do(func() { close(asking) })
			}
		}})
	})
	<-asking
	work.Go(func() { _, _ = h.StopConnector(context.Background(), h.id("stagehand")) })
	h.untilLeft("stagehand")
	if r := h.calls("other.a", ""); r.Status != StatusOK {
		t.Errorf("after it was stopped: %s, %s", r.Status, r.Message)
	}
	if found, _ := h.Connector("stagehand"); len(found.Processes) != 0 {
		t.Errorf("the seat was given away while there was %+v", found.Processes)
	}
	work.Wait()
	if r := h.calls("stagehand.a", ""); r.Status != StatusDenied {
		t.Errorf("the seat is the other's by now: %s", r.Status)
	}
}

// untilLeft waits until a stop was asked for.
func (h *house) untilLeft(name string) {
	h.t.Helper()
	for id := h.id(name); ; {
		var isLeaving bool
		var changed <-chan struct{}
		h.locked(func() {
			s := h.slots[id]
			isLeaving, changed = s.life.activity != activityReady || s.life.wish == wishStop, s.changed
		})
		if isLeaving {
			return
		}
		<-changed
	}
}

// TestH7_NoTwoHaveASeat whatever comes and goes.
func TestH7_NoTwoHaveASeat(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all, at := seats{}, seatOf{"browser", "s"}
		stances, under := map[string]*stance{"a": {}, "b": {}, "c": {}}, map[string]int{}
		one := rapid.SampledFrom([]string{"a", "b", "c"})
		t.Repeat(map[string]func(*rapid.T){
			"call": func(t *rapid.T) {
				name := one.Draw(t, "name")
				holder, is := all.take(at, name, func(other string) stance { return *stances[other] })
				if is != vacant {
					if holder == name || under[holder] == 0 && stances[holder].occupancy() == vacant {
						t.Fatalf("%s is kept from it by %s, which has nothing", name, holder)
					}
					return
				}
				under[name]++
				*stances[name] = stance{activity: activityReady, isUsed: true}
			},
			"end": func(t *rapid.T) {
				if name := one.Draw(t, "name"); under[name] > 0 {
					under[name]--
					all.leave(at)
				}
			},
			"stop": func(t *rapid.T) {
				if s := stances[one.Draw(t, "name")]; s.activity == activityReady {
					s.activity = activityStopping
				}
			},
			"gone": func(t *rapid.T) {
				if s := stances[one.Draw(t, "name")]; s.activity == activityStopping {
					*s = stance{}
				}
			},
			"": func(t *rapid.T) {
				having := 0
				for name, s := range stances {
					if under[name] > 0 || s.occupancy() != vacant {
						having++
					}
				}
				if having > 1 {
					t.Fatalf("%d have the seat: %v", having, under)
				}
			},
		})
	})
}
