package cases

import (
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// A7: a second name that changes nothing of the process has that of the first, with tools of its own; one that does has its own.
func TestA7_AliasesShareTheProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pids := w.file("pids")
	two := `PILLION_FAKE_TOOLS=[{"name":"a","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"b","inputSchema":{"type":"object"}}]`
	w.user(servers(map[string]entry{
		"f":     fake("pid="+pids, two),
		"few":   {"pillion": entry{"aliasOf": "f", "tools": []string{"a"}, "description": "only one"}},
		"apart": {"pillion": entry{"aliasOf": "f", "startTimeout": "20s"}},
	}))
	e := w.edit()
	f, few, apart := e.Connector("f", message.ConnectorReady), e.Connector("few", message.ConnectorReady), e.Connector("apart", message.ConnectorReady)
	if onlyPID(t, f) == 0 || onlyPID(t, few) != onlyPID(t, f) || onlyPID(t, apart) == onlyPID(t, f) {
		t.Errorf("processes %d, %d, %d", onlyPID(t, f), onlyPID(t, few), onlyPID(t, apart))
	}
	if f.Tools != 2 || few.Tools != 1 || apart.Tools != 2 {
		t.Errorf("tools %d, %d, %d", f.Tools, few.Tools, apart.Tools)
	}
	editortest.Request(e, message.ConnectorStop, message.ConnectorParams{Connector: "f"})
	e.Connector("f", message.ConnectorIdle)
	if result := call(t, e, "few.a", "{}"); result.Status != message.CallOK {
		t.Errorf("the other name was stopped as well: %+v", result)
	}
	if now := e.Connector("few", message.ConnectorReady); onlyPID(t, now) != onlyPID(t, few) {
		t.Error("the other name has another process")
	}
	e.End()
	if started := mcptest.Received(t, pids); len(started) != 2 {
		t.Errorf("%d processes were started for three names", len(started))
	}
}

// A7, S2: each name of a project's connector needs its own yes; the process is there once either has one.
func TestA7_ConsentIsByDefinition(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(servers(map[string]entry{"f": fake("", readOnly), "few": {"pillion": entry{"aliasOf": "f", "excludeTools": []string{"b"}}}}))
	e := w.edit()
	e.Connector("f", message.ConnectorWaiting)
	e.Connector("few", message.ConnectorWaiting)
	e.Allow("few")
	few := e.Connector("few", message.ConnectorReady)
	if f := e.Connector("f", message.ConnectorWaiting); onlyPID(t, f) != 0 || f.Tools != 0 {
		t.Errorf("%+v", f)
	}
	e.Allow("f")
	if f := e.Connector("f", message.ConnectorReady); onlyPID(t, f) != onlyPID(t, few) {
		t.Errorf("processes %d, %d", onlyPID(t, f), onlyPID(t, few))
	}
}

// onlyPID is the one process of a connector, 0 where it has none.
func onlyPID(t testing.TB, c message.Connector) int {
	t.Helper()
	switch len(c.Processes) {
	case 0:
		return 0
	case 1:
		return c.Processes[0].PID
	}
	t.Fatalf("%+v", c.Processes)
	return 0
}
