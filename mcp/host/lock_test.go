package host

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pillion/mcp/consent"
	"pillion/mcp/permission"
)

// mount stands in for a file system of which a folder can hang.
type mount struct {
	host *Host

	mu      sync.Mutex
	hanging string
	freed   chan struct{}
	entered chan struct{} // a look came to where it hangs
}

func (m *mount) look(at subject) ground {
	m.reach(at.entry.File.Root)
	return m.host.groundOf(at)
}

func (m *mount) identify(root string) string {
	m.reach(root)
	return consent.RootID(root)
}

// reach hangs where the folder does.
func (m *mount) reach(root string) {
	m.mu.Lock()
	isHanging := m.hanging != "" && root == m.hanging
	m.mu.Unlock()
	if isHanging {
		m.entered <- struct{}{}
		<-m.freed
	}
}

func (m *mount) hang(root string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hanging = root
}

// onMount gives the host a file system that can hang; it is freed when the test ends.
func (h *house) onMount() *mount {
	m := &mount{host: h.Host, freed: make(chan struct{}), entered: make(chan struct{}, 10)}
	h.look, h.identify = m.look, m.identify
	h.t.Cleanup(func() { close(m.freed) })
	return m
}

func TestHost_AFolderThatHangsHoldsUpItsOwnConnectorAlone(t *testing.T) {
	t.Parallel()
	root, sound := workspace(t, "stuck", ""), workspace(t, "sound", "")
	h := newHouse(t, root, sound)
	m := h.onMount()
	h.Start()
	for _, p := range h.Waiting(true) {
		if err := h.Decide(t.Context(), p, consent.Allow, "test"); err != nil {
			t.Fatal(err)
		}
	}
	h.started("stuck")
	h.started("sound")
	rule := NewRule{Connector: "sound", Tool: "a", Decision: permission.RuleAllow, Scope: permission.ScopeProject}
	h.stands(rule)
	m.hang(root)

	// A call looks whether the folder is still the one that the yes was given in (S2), and so does who reads the files again.
	ctx, cancel := context.WithCancel(t.Context())
	held, reloaded := make(chan error, 1), make(chan struct{})
	go func() {
		_, _, err := h.live(ctx, h.id("stuck"))
		held <- err
	}()
	<-m.entered
	go func() {
		defer close(reloaded)
		h.Reload()
	}()
	<-m.entered

	if all := h.Connectors(); len(all) != 2 || all[0].State != StateReady {
		t.Errorf("listed are %+v", all)
	}
	if tools := h.Tools(); len(tools) != 2 {
		t.Errorf("%d tools", len(tools))
	}
	h.called("sound.a")
	h.stopped("sound")
	h.called("sound.a") // starts it again
	if p, isWaiting := h.WaitingOn(h.id("stuck")); isWaiting {
		t.Errorf("it waits: %+v", p)
	}
	cancel()
	if err := <-held; !errors.Is(err, context.Canceled) {
		t.Errorf("a call of what hangs ended with %v", err)
	}

	h.stopped("stuck")
	settled := make(chan Connector, 1)
	go func() {
		started, _ := h.StartConnector(t.Context(), h.id("stuck"))
		settled <- started
	}()
	<-m.entered
	h.stopped("stuck") // a start that hangs is given up
	if started := <-settled; started.State != StateIdle {
		t.Errorf("the start that was given up: %+v", started)
	}
	select {
	case <-reloaded:
		t.Error("nothing hung")
	default:
	}
}

// called makes a call that nobody has to be asked about.
func (h *house) called(tool string) {
	h.t.Helper()
	result, err := h.Call(h.t.Context(), CallRequest{Tool: tool})
	if err != nil || result.Status != StatusOK {
		h.t.Errorf("call of %s: %+v, %v", tool, result, err)
	}
}

func (h *house) stopped(name string) {
	h.t.Helper()
	stopped, err := h.StopConnector(h.t.Context(), h.id(name))
	if err != nil || stopped.State != StateIdle {
		h.t.Errorf("connector %s, stopped, is %s, %v", name, stopped.State, err)
	}
}

func TestHost_AFaultUnderTheLockCostsOneConnectorAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	write(t, h.user, servers("mine", ""))
	h.Start()
	h.started("mine")
	id := h.id("mine")
	h.locked(func() { h.slots[id].idle = &time.Timer{} }) // to stop it panics, and it is stopped under the lock
	stopped, err := h.StopConnector(t.Context(), id)
	if err != nil || stopped.State != StateFailed || stopped.Problem == nil || stopped.Problem.Kind != "internal" {
		t.Errorf("after the fault: %+v, %v", stopped, err)
	}
	h.locked(func() { h.slots[id].idle = nil })
	if again := h.started("mine"); len(again.Processes) != 1 {
		t.Errorf("started again: %+v", again)
	}
}

func TestS2_CallsInOneMomentShareALookAtTheFolder(t *testing.T) {
	t.Parallel()
	root := workspace(t, "x", "")
	h := newHouse(t, root)
	var looks atomic.Int64
	h.identify = func(root string) string {
		looks.Add(1)
		return consent.RootID(root)
	}
	h.Start()
	for _, p := range h.Waiting(true) {
		if err := h.Decide(t.Context(), p, consent.Allow, "test"); err != nil {
			t.Fatal(err)
		}
	}
	h.started("x")
	h.stands(NewRule{Connector: "x", Tool: "a", Decision: permission.RuleAllow, Scope: permission.ScopeProject})
	for _, sight := range []time.Duration{time.Hour, 0} {
		h.sight = sight
		before := looks.Load()
		for range 3 {
			h.called("x.a")
		}
		switch seen := looks.Load() - before; {
		case sight > 0 && seen != 1:
			t.Errorf("%d looks of calls in one moment", seen)
		case sight == 0 && seen < 3:
			t.Errorf("%d looks of three calls that are far apart", seen)
		}
	}
}
