package cases

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// noneLeft holds that no process of a world is alive: each carries the world's home in its environment, whoever started it
// and whatever session it made itself.
func noneLeft(t testing.TB, home string) {
	t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for {
		left := processesAt(home)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("processes are left: %q", left)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// processesAt are the live processes whose environment names the home, with their command lines.
func processesAt(home string) []string {
	var found []string
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range paths {
		environ, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(append([]byte{0}, environ...), []byte("\x00HOME="+home+"\x00")) {
			continue
		}
		folder := filepath.Dir(path)
		if pid, err := strconv.Atoi(filepath.Base(folder)); err != nil || pid == os.Getpid() {
			continue
		}
		command, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		found = append(found, filepath.Base(folder)+" "+string(bytes.ReplaceAll(command, []byte{0}, []byte(" "))))
	}
	return found
}
