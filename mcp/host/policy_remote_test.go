package host

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pillion/mcp/mcptest"
)

// O6, A7: a second name of a remote server is judged by the address that is reached, as the first one is.
func TestO6_ASecondNameIsJudgedByTheAddress(t *testing.T) {
	t.Parallel()
	peer := mcptest.NewHTTP(t, "")
	for rules, want := range map[string]State{
		`{"allow": [{"url": "` + peer.Origin() + `/**"}]}`:                        StateReady,
		`{"allow": [{"name": "x"}]}`:                                              StateFailed,
		`{"deny": [{"name": "y"}]}`:                                               StateFailed,
		`{"deny": [{"url": "http://other.example/**"}], "allow": [{"name":"*"}]}`: StateReady,
	} {
		h := newHouse(t)
		path := filepath.Join(t.TempDir(), "policy.json")
		write(t, path, `{"version": 1, "connectors": `+rules+`}`)
		h.options.Policies = []PolicyFile{{Path: path, Owner: os.Getuid()}}
		write(t, h.user, fmt.Sprintf(`{"mcpServers":{"x":{"type":"http","url":%q},"y":{"pillion":{"aliasOf":"x"}}}}`, peer.URL()))
		h.Start()
		h.started("x")
		if y, err := h.StartConnector(t.Context(), h.id("y")); err != nil || y.State != want {
			t.Errorf("%s: the second name is %s (%+v), %v", rules, y.State, y.Problem, err)
		}
	}
}
