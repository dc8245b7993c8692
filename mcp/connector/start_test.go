package connector

import (
	"testing"
)

func TestStart_ShakesHandsAndLists(t *testing.T) {
	f := started(t, "")
	status := f.Status()
	if status.State != StateReady || status.Generation != 1 || f.names() != "a" || status.PID == 0 {
		t.Errorf("status %+v", status)
	}
	if status.Server != (Server{Name: "fake", Version: "1.2.3", ProtocolVersion: "2025-06-18"}) || status.Instructions != "Be brief." {
		t.Errorf("server %+v, instructions %q", status.Server, status.Instructions)
	}
	if text := f.say(`{}`); text != "ok" {
		t.Errorf("said %q", text)
	}
	f.Stop(t.Context())
	if got := f.states(); got != "starting ready stopping stopped" {
		t.Errorf("states %s", got)
	}
}
