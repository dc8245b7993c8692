package sidecar

import (
	"testing"

	"pillion/mcp/host"
	"pillion/rpc/message"
	"pillion/sidecar/core"
)

func TestH5_APersonsBrowserIsTheWindowsAndAnAgentsItsOwn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind, prefix string
		id           message.SessionID
		want         string
	}{
		{"editor", "", "", ""}, {"editor", "", "s", "s"},
		{"cli", "cli-1", "", ""}, {"cli", "cli-1", "s", "cli-1/s"},
		{callerAgent, "agent-1", "", "agent-1/"}, {callerAgent, "agent-1", "s", "agent-1/s"},
	} {
		caller := &client{prefix: test.prefix, caller: host.Caller{Kind: test.kind}}
		if got := browserSession(caller, test.id); got != test.want {
			t.Errorf("%s %q: %q, want %q", test.kind, test.id, got, test.want)
		}
	}
}

func TestBrowserMessage(t *testing.T) {
	t.Parallel()
	wire := BrowserMessage(core.Browser{State: core.BrowserFailed, Provider: "native", Problem: &host.Problem{Kind: "program", Reason: "gone"}, Picture: "/a.png"}, "s")
	if wire.State != message.BrowserFailed || wire.SessionID != "s" || wire.Problem == nil || wire.Problem.Steps == nil || wire.PictureURI != "file:///a.png" {
		t.Errorf("%+v", wire)
	}
}
