//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"
)

// run runs a command of Pillion's in a terminal beside the editor, in the repository, and decodes what it prints.
func (s *sandbox) run(t testing.TB, into any, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, "pillion"), append(args, "--json")...)
	cmd.Env, cmd.Dir = s.environment(), s.repository
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		t.Fatalf("pillion %q: %v: %s", args, err, out)
	}
}

// state is the state of a connector, as a terminal beside the editor has it from the editor's own session.
func (s *sandbox) state(t testing.TB, name string) string {
	t.Helper()
	var list struct {
		Window     string
		Connectors []struct{ Name, State string }
	}
	s.run(t, &list, "mcp", "list")
	if list.Window == "" {
		t.Fatal("no window of this folder is open")
	}
	for _, c := range list.Connectors {
		if c.Name == name {
			return c.State
		}
	}
	return "absent"
}

// waitForState waits until the editor's session has a connector in a state.
func (s *sandbox) waitForState(t testing.TB, name, state string) {
	t.Helper()
	if !await(func() bool { return s.state(t, name) == state }) {
		t.Fatalf("%s is %s, want %s", name, s.state(t, name), state)
	}
}
