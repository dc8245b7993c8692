package cases

import (
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// C8: what a session reads comes from the process that its calls are made to.
func TestC8_WhatASessionReadsComesFromItsProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{
		"mine": fake("dump", readOnly, mcptest.CapabilitiesVar+`={"tools":{},"resources":{}}`).with("pillion", map[string]any{"scope": "session"}),
	}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	read := func(session message.SessionID) string {
		result := editortest.Request(e, message.ResourceRead, message.ResourceReadParams{Connector: "mine", URI: "test://0", SessionID: session})
		if result.Status != message.CallOK || len(result.Contents) != 1 {
			t.Fatalf("%+v", result)
		}
		return result.Contents[0].Text
	}
	own, a, b := read(""), read("a"), read("b")
	if own == a || a == b || own == b || read("a") != a {
		t.Errorf("read in %s, %s and %s", own, a, b)
	}
	if sessions := editortest.Request(e, message.Sessions, message.Empty{}).Sessions; len(sessions) != 2 {
		t.Errorf("%+v", sessions)
	}
}

// C11: a session with a remote connector is listed like one with a program, and restarted alone.
func TestC11_ASessionOfARemoteConnectorIsListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	peer := mcptest.NewHTTP(t, "session", readOnly)
	w.user(servers(map[string]entry{"far": over(peer).with("pillion", map[string]any{"scope": "session"})}))
	e := w.edit()
	e.Connector("far", message.ConnectorReady)
	for _, session := range []message.SessionID{"a", "b"} {
		result := editortest.Request(e, message.ToolCall, message.ToolCallParams{Tool: "far.a", SessionID: session, ArgumentsText: "{}"})
		if result.Status != message.CallOK {
			t.Fatalf("%+v", result)
		}
	}
	listed := editortest.Request(e, message.Sessions, message.Empty{}).Sessions
	if len(listed) != 2 || listed[0].SessionID != "a" || len(listed[0].Processes) != 1 || listed[0].Processes[0].ConnectorName != "far" || listed[0].Processes[0].PID != 0 {
		t.Errorf("%+v", listed)
	}
	editortest.Request(e, message.SessionRestart, message.SessionParams{SessionID: "a"})
	eventually(t, "a has ended", func() bool { return len(editortest.Request(e, message.Sessions, message.Empty{}).Sessions) == 1 })
}
