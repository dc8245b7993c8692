package sidecar

import (
	"testing"

	"pillion/rpc/message"
)

// Somebody asks for the list while a change is being gathered that is taken back before it is told: without a word they would
// believe the list for ever.
func TestNotifier_WhatAListSaidIsCorrected(t *testing.T) {
	t.Parallel()
	var n notifier
	idle, waiting := message.Connector{ID: "x", State: message.ConnectorIdle}, message.Connector{ID: "x", State: message.ConnectorWaiting}
	if !n.isNews("x", idle) || n.isNews("x", idle) {
		t.Fatal("the first is news, the second is not")
	}
	n.listed([]message.Connector{idle})
	if n.isNews("x", idle) {
		t.Error("a list that says what was told makes no news")
	}
	n.listed([]message.Connector{waiting})
	if !n.isNews("x", idle) {
		t.Error("who read the list is not told that it is idle again")
	}
}
