package cases

import (
	"slices"
	"strings"
	"testing"

	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// CC3: what a connector says of its list holds for a time: after that a call is judged by the list as it is then.
func TestCC3_AListIsFetchedAgainOnceItHoldsNoLonger(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("modern,ttl=1", mcptest.LogVar+"="+w.log("mine"), readOnly)}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	eventually(t, "a call has it fetched", func() bool {
		if result := call(t, e, "mine.a", "{}"); result.Status != message.CallOK {
			t.Fatalf("%+v", result)
		}
		return len(requestsOf(t, w.log("mine"), "tools/list")) > 1
	})
}

// SU1: a connector that does not agree to tell of what it was asked for is said to.
func TestSU1_WhatAConnectorDoesNotTellIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	capabilities := mcptest.CapabilitiesVar + `={"tools":{"listChanged":true}}`
	w.user(servers(map[string]entry{"deaf": fake("modern,deaf", capabilities), "tells": fake("modern", capabilities)}))
	e := w.edit()
	isSaid := func(name string) bool {
		return slices.ContainsFunc(e.Connector(name, message.ConnectorReady).Warnings, func(said string) bool {
			return strings.Contains(said, "does not tell when its tools change")
		})
	}
	eventually(t, "it is said", func() bool { return isSaid("deaf") })
	if isSaid("tells") {
		t.Error("one that tells is said not to")
	}
}
