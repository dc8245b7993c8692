//go:build unix

package cases

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	marked "pillion/mcp/process"
	"pillion/rpc/rpctest"
)

// TestA11_AConnectorStartsNoPillion: neither with the mark that it carries, nor without it.
func TestA11_AConnectorStartsNoPillion(t *testing.T) {
	t.Parallel()
	marker := marked.MarkerVar + "=" + marked.NewMarker("x")
	for name, line := range map[string]string{
		"with the mark":    `exec "$0" --stdio`,
		"without the mark": `env -u ` + marked.MarkerVar + ` "$0" --stdio; exit $?`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			command := exec.CommandContext(t.Context(), "/bin/sh", "-c", line, pillion)
			command.Env, command.WaitDelay = append(w.environ, marker), time.Second
			var said bytes.Buffer
			command.Stderr = &said
			in, err := command.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			_, _ = in.Write(rpctest.Frame([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`)))
			var ended *exec.ExitError
			if err := command.Wait(); !errors.As(err, &ended) || ended.ExitCode() != 3 || !strings.Contains(said.String(), "started by a connector") {
				t.Errorf("it ended with %v and said %q", err, said.String())
			}
		})
	}
}
