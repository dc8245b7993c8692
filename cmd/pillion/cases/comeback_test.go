package cases

import (
	"os"
	"slices"
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// killed kills the connector's only process and returns it.
func killed(t *testing.T, e *editortest.Editor, name string) int {
	t.Helper()
	pid := pidOf(t, e, name)
	running, err := os.FindProcess(pid)
	if err != nil || running.Kill() != nil {
		t.Fatalf("%s was not killed", name)
	}
	return pid
}

// backFrom waits until another process than one is there.
func backFrom(e *editortest.Editor, name string, pid int) {
	e.ConnectorThat("comes back by itself", func(c message.Connector) bool {
		return c.Name == name && c.State == message.ConnectorReady && len(c.Processes) == 1 && c.Processes[0].PID != pid
	})
}

// TestC28_WhatEndsAgainAndAgainIsGivenUp once its attempts are spent, and says so; a call brings it back.
func TestC28_WhatEndsAgainAndAgainIsGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{
		"mine": fake("pid="+w.file("pids"), readOnly).with("pillion", map[string]any{"reconnect": map[string]any{"attempts": 2, "delay": "10ms", "stableAfter": "1h"}}),
		"idle": fake("", readOnly),
	}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	if result := call(t, e, "mine.a", "{}"); result.Status != message.CallOK {
		t.Fatalf("%+v", result)
	}
	for range 2 {
		backFrom(e, "mine", killed(t, e, "mine"))
	}
	killed(t, e, "mine")
	parked := e.Connector("mine", message.ConnectorFailed)
	if lives := len(idsIn(t, w.file("pids"))); lives != 3 || !strings.Contains(parked.Problem.Reason, "2 attempts") {
		t.Errorf("%d lives, %+v", lives, parked.Problem)
	}
	if result := call(t, e, "mine.a", "{}"); result.Status != message.CallOK {
		t.Errorf("a call does not bring it back: %+v", result)
	}
	// What nobody has called does not come back before somebody does.
	e.Connector("idle", message.ConnectorReady)
	killed(t, e, "idle")
	e.Connector("idle", message.ConnectorFailed)
	if result := call(t, e, "idle.a", "{}"); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
}

// TestC8_ASessionOfAnAgentHasItsOwnProcess, which is named with it.
func TestC8_ASessionOfAnAgentHasItsOwnProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", readOnly).with("pillion", map[string]any{"scope": "session"})}))
	e := w.edit()
	own := e.Connector("mine", message.ConnectorReady).Processes[0].PID
	for _, session := range []message.SessionID{"a", "b", "a"} {
		result := editortest.Request(e, message.ToolCall, message.ToolCallParams{Tool: "mine.a", SessionID: session, ArgumentsText: "{}"})
		if result.Status != message.CallOK {
			t.Errorf("%s: %+v", session, result)
		}
	}
	var of []string
	pids := map[int]bool{}
	for _, c := range editortest.Request(e, message.Connectors, message.Empty{}).Connectors {
		for _, p := range c.Processes {
			of, pids[p.PID] = append(of, string(p.SessionID)), true
		}
	}
	if !slices.Equal(of, []string{"", "a", "b"}) || len(pids) != 3 || !pids[own] {
		t.Errorf("processes of %q: %v", of, pids)
	}
}

// TestC11_ASessionIsJoinedRestartedAndEnded alone, and who joins it to read only reads.
func TestC11_ASessionIsJoinedRestartedAndEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": w.puppet("mine").with("pillion", map[string]any{"scope": "session"})}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	ran := func(session message.SessionID, tool message.ToolRef) message.CallStatus {
		return editortest.Request(e, message.ToolCall, message.ToolCallParams{Tool: tool, SessionID: session, ArgumentsText: "{}"}).Status
	}
	pids := func() map[message.SessionID]int {
		found := map[message.SessionID]int{}
		for _, s := range editortest.Request(e, message.Sessions, message.Empty{}).Sessions {
			found[s.SessionID] = s.Processes[0].PID
		}
		return found
	}
	for _, session := range []message.SessionID{"a", "b"} {
		if status := ran(session, "mine.look"); status != message.CallOK {
			t.Fatal(status)
		}
	}
	before := pids()
	if len(before) != 2 {
		t.Fatalf("sessions %v", before)
	}
	editortest.Request(e, message.SessionRestart, message.SessionParams{SessionID: "a"})
	eventually(t, "a has ended", func() bool { return pids()["a"] == 0 })
	if status := ran("a", "mine.look"); status != message.CallOK {
		t.Error(status)
	}
	if now := pids(); now["a"] == before["a"] || now["b"] != before["b"] {
		t.Errorf("processes %v, before %v", now, before)
	}
	editortest.Request(e, message.SessionJoin, message.SessionJoinParams{SessionID: "b", Mode: message.JoinReadOnly})
	if look, write := ran("b", "mine.look"), ran("b", "mine.write"); look != message.CallOK || write != message.CallDenied {
		t.Errorf("%s, %s", look, write)
	}
	sessions := editortest.Request(e, message.Sessions, message.Empty{}).Sessions
	if len(sessions) != 2 || len(sessions[1].Holders) != 1 || sessions[1].Holders[0].Mode != message.JoinReadOnly {
		t.Errorf("%+v", sessions)
	}
	editortest.Request(e, message.SessionEnd, message.SessionParams{SessionID: "b"})
	eventually(t, "b has ended", func() bool { return len(pids()) == 1 })
	if _, err := editortest.TryRequest(e, message.SessionEnd, message.SessionParams{SessionID: "c"}); err == nil {
		t.Error("a session that there is not has ended")
	}
}

// TestC60_AnUnansweredPingEndsNoSession of a server that answers all else, or says that it knows none; one that answers nothing any
// more is noticed, though nobody calls it.
func TestC60_AnUnansweredPingEndsNoSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	often := map[string]any{"pingInterval": "1s"}
	entries := map[string]entry{}
	for name, mode := range map[string]string{"deaf": "silent=ping", "refusing": "fail=ping:-32601", "dead": "stopreading"} {
		entries[name] = fake(mode, readOnly, mcptest.LogVar+"="+w.log(name)).with("pillion", often)
	}
	w.user(servers(entries))
	e := w.edit()
	before := map[string]int{}
	for name := range entries {
		before[name] = pidOf(t, e, name)
	}
	got := func(name, method string) (times int) {
		for _, line := range mcptest.Received(t, w.log(name)) {
			if strings.Contains(line, `"method":"`+method+`"`) {
				times++
			}
		}
		return times
	}
	if lost := e.Connector("dead", message.ConnectorFailed); !strings.Contains(lost.Problem.Reason, "3 pings in a row") {
		t.Errorf("%+v", lost.Problem)
	}
	e.ConnectorThat("is known to be deaf to pings", func(c message.Connector) bool {
		return c.Name == "deaf" && strings.Contains(strings.Join(c.Warnings, "\n"), "but no pings")
	})
	asked := map[string]int{"deaf": got("deaf", "ping"), "refusing": got("refusing", "ping")}
	for name := range asked {
		if result := call(t, e, name+".a", "{}"); result.Status != message.CallOK {
			t.Errorf("%s: %+v", name, result)
		}
		if c := e.Connector(name, message.ConnectorReady); c.Processes[0].PID != before[name] || got(name, "initialize") != 1 {
			t.Errorf("%s has another session: %+v", name, c)
		}
	}
	if asked["deaf"] < 3 || asked["refusing"] != 1 {
		t.Errorf("pings %v", asked)
	}
}
