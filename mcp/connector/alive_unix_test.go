//go:build unix

package connector

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"syscall"
)

// isAlive reports whether there is a process of the id that is more than a name nobody has collected yet.
func isAlive(pid string) bool {
	n, err := strconv.Atoi(pid)
	if err != nil || syscall.Kill(n, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return runtime.GOOS != "linux"
	}
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return !bytes.HasPrefix(state, []byte("Z"))
}
