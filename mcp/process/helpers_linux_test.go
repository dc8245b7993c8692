package process

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// ignores reports whether a process ignores a signal.
func ignores(pid int, signal syscall.Signal) bool {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	_, mask, _ := strings.Cut(string(text), "SigIgn:\t")
	mask, _, _ = strings.Cut(mask, "\n")
	bits, err := strconv.ParseUint(mask, 16, 64)
	return err == nil && bits&(1<<(signal-1)) != 0
}

func dumpable() int {
	n, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	if err != nil {
		return -1
	}
	return n
}
