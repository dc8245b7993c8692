//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds every wait for something outside the test; a healthy run never comes near it.
const patience = 30 * time.Second

func TestMain(m *testing.M) {
	if os.Getenv(fakeServerVar) != "" {
		os.Exit(runFakeServer(os.Stdin, os.Stdout))
	}
	if os.Getenv(driveVar) != "" {
		os.Exit(m.Run()) // it is not alone here, and the run that started it looks for what is left
	}
	code := m.Run()
	for _, process := range leftovers() {
		fmt.Fprintln(os.Stderr, "still running after the tests:", process)
		code = 1
	}
	os.Exit(code)
}

// leftovers names the processes that outlived the tests. It knows them only in a process namespace of its own, where
// whatever is neither this process nor one of its parents was started by it.
func leftovers() []string {
	if os.Getenv("PILLION_HERMETIC") == "" {
		return nil
	}
	var left []string
	await(func() bool {
		left = nil
		for pid, command := range processes() {
			if pid != os.Getpid() && pid != os.Getppid() && pid != 1 {
				left = append(left, fmt.Sprintf("%d %s", pid, command))
			}
		}
		return len(left) == 0
	})
	return left
}

// processes maps the id of every running process to its command line; those that only wait to be reaped are left out.
func processes() map[int]string {
	found := map[int]string{}
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		pid, err := strconv.Atoi(filepath.Base(folder))
		line, readErr := os.ReadFile(filepath.Join(folder, "cmdline"))
		if err == nil && readErr == nil && len(line) > 0 {
			found[pid] = strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

// await asks until the answer is yes or patience ends, and reports whether it was yes.
// Editors and terminals announce nothing, so they have to be asked again and again.
func await(condition func() bool) bool {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	again := time.NewTicker(25 * time.Millisecond)
	defer again.Stop()
	for !condition() {
		select {
		case <-again.C:
		case <-deadline.C:
			return condition()
		}
	}
	return true
}

// buildPillion builds the program once for a run that was not handed one.
var buildPillion = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "pillion-e2e")
	if err != nil {
		return "", err
	}
	program := filepath.Join(folder, "pillion")
	out, err := exec.Command("go", "build", "-o", program, "pillion/cmd/pillion").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build pillion: %w\n%s", err, out)
	}
	return program, nil
})

// pillion is the path of the real program: PILLION_BINARY, or one built now.
func pillion(t testing.TB) string {
	t.Helper()
	if program := os.Getenv("PILLION_BINARY"); program != "" {
		return program
	}
	program, err := buildPillion()
	if err != nil {
		t.Fatal(err)
	}
	return program
}
