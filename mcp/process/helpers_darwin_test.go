package process

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// dumpable cannot be asked for here.
func dumpable() int { return 0 }

// ignores reports whether a process ignores a signal.
func ignores(pid int, signal syscall.Signal) bool {
	row, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err == nil && row.Proc.P_sigignore&(1<<(signal-1)) != 0
}
