//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAgentGeminiCLI has Gemini CLI call a tool through pillion serve, as docs/serve.md has it written down: without a window, what
// was allowed beforehand is done, and what was not is declined with the way to allow it. With a window it is in the tests of editors.
func TestAgentGeminiCLI(t *testing.T) {
	if _, err := os.Stat(filepath.Join(cache(t), "agents", ".pin")); err != nil {
		t.Skipf("GEMINI CLI IS NOT INSTALLED (beds/install.sh agents installs it): %v", err)
	}
	program, err := filepath.Abs(filepath.Join("agents", "terminal.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		isAllowed bool
		want      []string
	}{
		"declined": {false, []string{`"isError":true`, "pillion permissions set allow notes.write_note"}},
		"allowed":  {true, []string{`"isError":false`, "Wrote note"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(t, pillion(t))
			s.writeUserConfiguration(t, map[string]definition{"notes": {Command: "pillion", Args: []string{"demo"}}})
			if c.isAllowed {
				startSession(t, s).allowAllOf("notes")
			}
			command := exec.Command("node", program, "gemini", cache(t), `{"command":"pillion","args":["serve"]}`)
			command.Dir, command.Env, command.Stdin = s.repository, s.environment(), strings.NewReader("milk\n")
			out, err := command.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, want := range append(c.want, "connected\n", "ended\n") {
				if !strings.Contains(string(out), want) {
					t.Errorf("it did not say %q:\n%s", want, out)
				}
			}
		})
	}
}
