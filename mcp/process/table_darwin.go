package process

import (
	"bytes"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	statusZombie = 5 // SZOMB of <sys/proc.h>

	// proc_info(2), which libproc's proc_pidpath wraps.
	procInfoPIDInfo  = 2    // PROC_INFO_CALL_PIDINFO
	pidPathInfo      = 11   // PROC_PIDPATHINFO
	pidPathInfoBytes = 4096 // PROC_PIDPATHINFO_MAXSIZE
)

// entries lists the processes of this user, the only ones that could be signalled.
func entries() ([]entry, error) {
	rows, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Getuid())
	if err != nil {
		return nil, err
	}
	all := make([]entry, len(rows))
	for i := range rows {
		all[i] = entryOf(&rows[i])
	}
	return all, nil
}

// lookup reads one row of the process table; false when there is no such process.
func lookup(pid int) (entry, bool) {
	row, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(row.Proc.P_pid) != pid {
		return entry{}, false
	}
	return entryOf(row), true
}

func entryOf(row *unix.KinfoProc) entry {
	pid := int(row.Proc.P_pid)
	// The row's own session field is a kernel address that is not given out.
	session, err := unix.Getsid(pid)
	if err != nil {
		session = 0
	}
	start := row.Proc.P_starttime
	return entry{
		identity: identity{pid: pid, started: uint64(start.Sec)*1e6 + uint64(start.Usec)},
		parent:   int(row.Eproc.Ppid),
		group:    int(row.Eproc.Pgid),
		session:  session,
		ended:    row.Proc.P_stat == statusZombie,
	}
}

// earliest is what the start of a descendant cannot lie before: nothing, since the system tells it by a clock that can be set back.
func earliest(uint64) uint64 { return 0 }

// environ is the environment of a process as NUL-terminated entries.
func environ(pid int) ([]byte, error) {
	text, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil, err
	}
	return environOfArguments(text)
}

// send delivers a signal to exactly this process; os.ErrProcessDone when it has gone.
func send(to identity, signal unix.Signal) error { return sendByID(to, signal) }

// ExecutablePath is the file the process runs, as the kernel tells it, "" when unknown.
func ExecutablePath(pid int) string {
	path := make([]byte, pidPathInfoBytes)
	_, _, errno := syscall.Syscall6(syscall.SYS_PROC_INFO, procInfoPIDInfo, uintptr(pid), pidPathInfo, 0,
		uintptr(unsafe.Pointer(&path[0])), uintptr(len(path)))
	if errno == 0 {
		if end := bytes.IndexByte(path, 0); end > 0 {
			return string(path[:end])
		}
	}
	return pathOfArguments(pid)
}

// pathOfArguments is the path the process was started by, which may be relative or a link.
func pathOfArguments(pid int) string {
	text, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(text) < 4 {
		return ""
	}
	path, _, ok := bytes.Cut(text[4:], []byte{0})
	if !ok || !bytes.HasPrefix(path, []byte("/")) {
		return ""
	}
	return string(path)
}
