package host

import (
	"context"
	"testing"

	"pillion/mcp/mcptest"
	"pillion/mcp/permission"
)

// allower allows each call once, after something else has happened.
type allower struct {
	Asker
	before func()
}

func (a allower) Approve(context.Context, Approval) (ApprovalAnswer, error) {
	a.before()
	return ApprovalAnswer{Decision: DecideOnce}, nil
}

func (allower) Abilities() Abilities { return Abilities{} }

// refused is a refusal of everything that x can do.
func (h *house) refused() {
	h.stands(NewRule{Connector: h.idOf("x"), Decision: permission.RuleDeny, Scope: permission.ScopeUser})
}

const withResources = mcptest.CapabilitiesVar + `={"tools":{},"resources":{}}`

func TestS9_WhatIsRefusedWhileAQuestionIsOpenIsNotSent(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.options.Asker = allower{before: h.refused}
	write(t, h.user, servers("x", "", withResources))
	h.Start()
	h.started("x")
	read, err := h.ReadResource(t.Context(), Request{Connector: "x", Caller: Caller{Kind: "cli"}}, "test://unlisted")
	if err != nil || read.Outcome.Status != StatusDenied {
		t.Errorf("%+v, %v", read, err)
	}
}

func TestS9_WhatIsRefusedWhileAnErrandWaitsForItsTurnIsNotSent(t *testing.T) {
	t.Parallel()
	h := pooled(t, `{"sharing":"exclusive"}`, withResources)
	var main *slot
	h.locked(func() { main = h.slots[h.idOf("x")] })
	taken, _, err := h.lease(t.Context(), main, party{"other", "", ""})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan ResourceAnswer, 1)
	go func() {
		read, err := h.ReadResource(t.Context(), Request{Connector: "x", Caller: Caller{Kind: CallerEditor}}, "test://0")
		if err != nil {
			t.Error(err)
		}
		ended <- read
	}()
	for {
		var isWaiting bool
		var changed <-chan struct{}
		h.locked(func() { isWaiting, changed = len(main.queue) == 1, main.changed })
		if isWaiting {
			break
		}
		select {
		case <-changed:
		case read := <-ended:
			t.Fatalf("it does not wait: %+v", read)
		}
	}
	h.refused()
	h.release(taken)
	if read := <-ended; read.Outcome.Status != StatusDenied {
		t.Errorf("%+v", read)
	}
}
