package process

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// maxEnvironBytes bounds what is read of another process's environment; the kernel's own bound for one exec is 6 MiB.
const maxEnvironBytes = 8 << 20

// entries lists the processes this one can see.
func entries() ([]entry, error) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	all := make([]entry, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if e, ok := lookup(pid); ok {
			all = append(all, e)
		}
	}
	return all, nil
}

// lookup reads one row of the process table; false when there is no such process.
func lookup(pid int) (entry, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return entry{}, false
	}
	return parseStat(pid, text)
}

// parseStat reads /proc/<pid>/stat, see proc_pid_stat(5).
func parseStat(pid int, text []byte) (entry, bool) {
	// The name in parentheses may itself hold spaces and parentheses.
	name := bytes.LastIndexByte(text, ')')
	fields := strings.Fields(string(text[name+1:]))
	const state, parent, group, session, threads, started = 0, 1, 2, 3, 17, 19
	if name < 0 || len(fields) <= started {
		return entry{}, false
	}
	var failed error
	number := func(field int) uint64 {
		n, err := strconv.ParseUint(fields[field], 10, 64)
		failed = errors.Join(failed, err)
		return n
	}
	e := entry{
		identity: identity{pid: pid, started: number(started)},
		parent:   int(number(parent)),
		group:    int(number(group)),
		session:  int(number(session)),
		// A process whose main thread has ended shows Z too while its other threads run on.
		ended: (fields[state] == "Z" || fields[state] == "X") && number(threads) <= 1,
	}
	return e, failed == nil
}

// earliest is what the start of a descendant cannot lie before; the kernel counts from boot.
func earliest(started uint64) uint64 { return started }

// environ is the environment of a process as NUL-terminated entries.
func environ(pid int) ([]byte, error) {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxEnvironBytes))
}

// send delivers a signal to exactly this process; os.ErrProcessDone when it has gone.
func send(to identity, signal unix.Signal) error {
	fd, err := unix.PidfdOpen(to.pid, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return os.ErrProcessDone
	case err != nil: // before Linux 5.3, or a sandbox without the call
		return sendByID(to, signal)
	}
	defer unix.Close(fd)
	// The descriptor now stands for one process, so what the table says cannot become another's.
	if e, ok := lookup(to.pid); !ok || e.identity != to {
		return os.ErrProcessDone
	}
	if err := unix.PidfdSendSignal(fd, signal, nil, 0); errors.Is(err, unix.ENOSYS) {
		return sendByID(to, signal)
	} else if errors.Is(err, unix.ESRCH) {
		return os.ErrProcessDone
	} else {
		return err
	}
}

// ExecutablePath is the file the process runs, as the kernel tells it, "" when unknown.
func ExecutablePath(pid int) string {
	path, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	if err != nil {
		return ""
	}
	// The kernel marks a file replaced since the start, by an upgrade for example.
	return strings.TrimSuffix(path, " (deleted)")
}
