package mcptest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Process is a live process.
type Process struct {
	PID     int
	Command string // its arguments, with spaces between them
}

// NoneLeft holds that no process of a home is alive, or will be in a moment: each carries the home in its environment, whoever
// started it and whatever session it made itself.
func NoneLeft(t testing.TB, home string) {
	t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for {
		left := ProcessesOf(home)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("processes are left: %+v", left)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// ProcessesOf are the live processes whose environment names the home, but for this one, the oldest id first.
func ProcessesOf(home string) []Process {
	var found []Process
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range paths {
		environ, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(append([]byte{0}, environ...), []byte("\x00HOME="+home+"\x00")) {
			continue
		}
		folder := filepath.Dir(path)
		pid, err := strconv.Atoi(filepath.Base(folder))
		if err != nil || pid == os.Getpid() {
			continue
		}
		command, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		found = append(found, Process{PID: pid, Command: strings.TrimSpace(string(bytes.ReplaceAll(command, []byte{0}, []byte(" "))))})
	}
	slices.SortFunc(found, func(a, b Process) int { return a.PID - b.PID })
	return found
}
