package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pillion/mcp/mcptest"
	"pillion/mcp/process"
	"pillion/mcp/state"
)

// guardArgument makes the test binary the guard of its children.
const guardArgument = "be-the-guard"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == guardArgument {
		os.Exit(process.RunGuard(os.Stdin))
	}
	mcptest.Main()
	dir, err := copyProgram()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// programVar names the test binary under another name: the fakes are the test binary, and a connector that is Pillion itself is
// none.
const programVar = "HOST_TEST_PILLION"

// copyProgram makes that copy before anything is forked, which could keep it open for writing.
func copyProgram() (dir string, err error) {
	own, _, _ := mcptest.Command("")
	content, err := os.ReadFile(own)
	if err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp("", "host-test-"); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "pillion"+filepath.Ext(own))
	return dir, errors.Join(os.WriteFile(path, content, 0o700), os.Setenv(programVar, path))
}

// house is a host with folders of its own.
type house struct {
	*Host
	t    *testing.T
	user string // the user's mcp.json
}

// newHouse returns a host that is not started; it is closed when the test ends.
func newHouse(t *testing.T, roots ...string) *house {
	t.Helper()
	dir := t.TempDir()
	folder, err := state.Open(filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	user := filepath.Join(dir, "mcp.json")
	h := New(Options{
		Logger: slog.New(slog.DiscardHandler), UserFile: user, Folder: folder, Environ: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")},
		Executable: os.Getenv(programVar), GuardArgs: []string{guardArgument}, Roots: roots,
		StopTiming: process.Timing{EOF: 500 * time.Millisecond, Term: 300 * time.Millisecond},
	})
	h.sight = 0 // a test may be quick
	t.Cleanup(func() { h.Close(context.Background()) })
	return &house{h, t, user}
}

// workspace is a folder whose own file names a connector.
func workspace(t *testing.T, connector string, mode string) string {
	t.Helper()
	root := t.TempDir()
	write(t, filepath.Join(root, ".mcp.json"), servers(connector, mode))
	return root
}

// servers is a configuration of one fake connector, with further variables of its environment.
func servers(name, mode string, more ...string) string {
	path, _, env := mcptest.Command(mode)
	variables := map[string]string{}
	for _, variable := range append(env, more...) {
		name, value, _ := strings.Cut(variable, "=")
		variables[name] = value
	}
	text, _ := json.Marshal(map[string]any{"mcpServers": map[string]any{name: map[string]any{"command": path, "env": variables}}})
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// id is that of the only connector of a name.
func (h *house) id(name string) string {
	h.t.Helper()
	found, err := h.Connector(name)
	if err != nil {
		h.t.Fatal(err)
	}
	return found.ID
}

// until waits for a state of a connector.
func (h *house) until(name string, want State) {
	h.t.Helper()
	for id := h.id(name); ; {
		var state State
		var changed <-chan struct{}
		h.locked(func() { state, changed = h.state(h.slots[id]), h.slots[id].changed })
		if state == want {
			return
		}
		select {
		case <-changed:
		case <-time.After(30 * time.Second):
			h.t.Fatalf("connector %s stays %s, want %s", name, state, want)
		}
	}
}

// started starts a connector and returns it.
func (h *house) started(name string) Connector {
	h.t.Helper()
	started, err := h.StartConnector(h.t.Context(), h.id(name))
	if err != nil || started.State != StateReady {
		h.t.Fatalf("connector %s is %s (%+v), %v", name, started.State, started.Problem, err)
	}
	return started
}

// stands stores a rule.
func (h *house) stands(r NewRule) {
	h.t.Helper()
	draft, err := h.DraftRule(r)
	if err == nil {
		_, err = h.StoreRule(h.t.Context(), draft)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}
