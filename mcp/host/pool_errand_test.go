package host

import (
	"strconv"
	"strings"
	"testing"

	"pillion/mcp/connector"
	"pillion/mcp/mcptest"
)

// errandsRanIn makes one errand of each kind and returns the process that they were made to.
func (h *house) errandsRanIn(session string) int {
	h.t.Helper()
	request := Request{Connector: "x", SessionID: session, Caller: Caller{Kind: CallerEditor}}
	read, err := h.ReadResource(h.t.Context(), request, "test://0")
	if err != nil || read.Outcome.Status != StatusOK {
		h.t.Fatalf("%+v, %v", read, err)
	}
	pid, err := strconv.Atoi(read.Contents.Contents[0].Text)
	if err != nil {
		h.t.Fatal(err)
	}
	prompt, err := h.GetPrompt(h.t.Context(), request, "p0", nil)
	if err != nil || prompt.Outcome.Status != StatusOK || strings.TrimSpace(prompt.Messages.Messages[0].Text) != strconv.Itoa(pid) {
		h.t.Errorf("the process %d read; %+v, %v", pid, prompt, err)
	}
	completed, err := h.Complete(h.t.Context(), request, connector.Completion{Prompt: "p0", Argument: "x"})
	if err != nil || completed.Outcome.Status != StatusOK || !strings.HasPrefix(completed.Values[0], strconv.Itoa(pid)) {
		h.t.Errorf("the process %d read; %+v, %v", pid, completed, err)
	}
	return pid
}

// TestC8_WhatIsNoCallFollowsTheSession: what was written by a call of a session is read by that session.
func TestC8_WhatIsNoCallFollowsTheSession(t *testing.T) {
	t.Parallel()
	h := pooled(t, `{"scope":"session"}`, mcptest.CapabilitiesVar+`={"tools":{},"resources":{"subscribe":true},"prompts":{},"completions":{}}`)
	own, a := h.ranIn(CallRequest{}), h.ranIn(CallRequest{SessionID: "a"})
	if got := h.errandsRanIn(""); got != own {
		t.Errorf("the window's own ran in %d, not in %d", got, own)
	}
	if got := h.errandsRanIn("a"); got != a {
		t.Errorf("those of a session ran in %d, not in %d", got, a)
	}
	b := h.errandsRanIn("b")
	if b == own || b == a || h.ranIn(CallRequest{SessionID: "b"}) != b {
		t.Errorf("the processes %d, %d, %d", own, a, b)
	}
	if outcome, err := h.Subscribe(t.Context(), Request{Connector: "x", SessionID: "a", Caller: Caller{Kind: CallerEditor}}, "test://0", "me"); err != nil || outcome.Status != StatusOK {
		t.Errorf("%+v, %v", outcome, err)
	}
}

// TestC8_WhatIsNoCallWaitsForItsTurn where a process serves one at a time.
func TestC8_WhatIsNoCallWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	h := pooled(t, `{"sharing":"exclusive"}`, mcptest.CapabilitiesVar+`={"tools":{},"resources":{},"prompts":{},"completions":{}}`)
	own := h.ranIn(CallRequest{})
	if got := h.errandsRanIn("a"); got != own {
		t.Errorf("ran in %d, not in %d", got, own)
	}
	h.locked(func() {
		if main := h.slots[h.idOf("x")]; main.leases != 0 || len(main.queue) != 0 {
			t.Errorf("left: %d, %d", main.leases, len(main.queue))
		}
	})
}
