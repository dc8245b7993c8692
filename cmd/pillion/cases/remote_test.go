package cases

import (
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// over is an entry that reaches a fake by HTTP.
func over(h *mcptest.HTTP) entry { return entry{"type": "http", "url": h.URL()} }

func TestC2_ARemoteConnectorIsListedAndCalled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	peers := map[string]*mcptest.HTTP{
		"json": mcptest.NewHTTP(t, "echo"), "sse": mcptest.NewHTTP(t, "echo,sse,session,strictversion,getstream"),
		"modern": mcptest.NewHTTP(t, "echo,modern"), "old": mcptest.NewHTTP(t, "echo,oldsse"), "only old": mcptest.NewHTTP(t, "echo,oldsse"),
	}
	entries := map[string]entry{}
	for name, peer := range peers {
		entries[name] = over(peer)
	}
	entries["only old"] = entries["only old"].with("type", "sse")
	w.user(servers(entries))
	e := w.edit()
	for name, peer := range peers {
		e.Connector(name, message.ConnectorReady)
		const arguments = `{"n":9007199254740993,"x":1.0}`
		result := approved(t, e, name+".a", arguments, message.ApproveOnce)
		if result.Status != message.CallOK || result.Text != arguments {
			t.Errorf("%s: %+v", name, result)
		}
		if got := len(peer.Received("tools/call")); got != 1 {
			t.Errorf("%s was called %d times", name, got)
		}
	}
	if got := len(peers["only old"].Received("server/discover")); got != 0 {
		t.Errorf("a connector of type sse was probed")
	}
}

func TestC70_ARemoteConnectorOfTheProjectWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	peer := mcptest.NewHTTP(t, "")
	path := w.project(servers(map[string]entry{"remote": over(peer).with("pillion", map[string]any{"start": "eager"})}))
	e := w.edit()
	e.Connector("remote", message.ConnectorWaiting)
	askAboutEverything(t, e, path, string(read(t, path)))
	saved(e, path)
	if result := call(t, e, "remote.a", "{}"); result.Status != message.CallNeedsConsent || result.MayHaveRun {
		t.Errorf("%+v", result)
	}
	after := editortest.Request(e, message.ConnectorStart, message.ConnectorParams{Connector: "remote"}).Connector
	if after.State != message.ConnectorWaiting {
		t.Errorf("%+v", after)
	}
	if got := peer.Requests(); len(got) != 0 {
		t.Fatalf("%d requests before anybody allowed it, the first: %+v", len(got), got[0])
	}
	e.Allow("remote")
	e.Connector("remote", message.ConnectorReady)
	for _, request := range peer.Received("initialize") {
		if strings.Contains(request.Body, "roots") {
			t.Errorf("roots are offered: %s", request.Body) // S30
		}
	}
	ok(t, e, "remote")
}
