package cases

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// A policy counts from the moment on that it is written, for what runs already too.
func TestO6_APolicyThatChangesStopsWhatRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	policy := filepath.Join(w.home, "policy.json")
	w.user(servers(map[string]entry{"mine": fake("")}))
	w.environ = append(w.environ, "PILLION_POLICY="+policy)
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	w.write(policy, `{"version": 1, "connectors": {"deny": [{"name": "mine"}]}}`)
	if c := e.Connector("mine", message.ConnectorFailed); c.Problem == nil || !strings.Contains(c.Problem.Reason, "forbids it") || len(c.Processes) > 0 {
		t.Errorf("%+v, processes %+v", c.Problem, c.Processes)
	}
}

func TestO6_AnAdministratorsPolicy(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, policy, want string // want is part of the reason, empty where it runs
	}{
		{"nothing about it", `{"version": 1, "connectors": {"deny": [{"name": "mail"}]}}`, ""},
		{"forbidden", `{"version": 1, "connectors": {"deny": [{"command": ["fakestdio*"]}]}}`, "forbids it"},
		{"not listed", `{"version": 1, "connectors": {"allow": [{"command": ["npx", "**"]}]}}`, "does not list it"},
		{"listed", `{"version": 1, "connectors": {"allow": [{"name": "mine"}]}}`, ""},
		{"unclear", `{"version": 1, "conectors": {}}`, "read the policy"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			mark := w.file("mark")
			w.user(servers(map[string]entry{"mine": fake("", "X=y").withEnv(mcptest.ModeVar + "=touch=" + mark)}))
			w.environ = append(w.environ, "PILLION_POLICY="+w.write(filepath.Join(w.home, "policy.json"), test.policy))
			c := w.edit().Connector("mine", message.ConnectorReady, message.ConnectorFailed)
			isRefused := c.State == message.ConnectorFailed
			if isRefused != (test.want != "") || isRefused && !strings.Contains(c.Problem.Reason, test.want) {
				t.Errorf("%s: %+v", c.State, c.Problem)
			}
			if _, err := os.Stat(mark); isRefused == (err == nil) {
				t.Errorf("refused %v, the mark: %v", isRefused, err)
			}
		})
	}
}
