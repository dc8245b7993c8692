//go:build linux || darwin

package process

import (
	"bytes"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// identity is a process that cannot be mistaken for a later one with the same id.
type identity struct {
	pid     int
	started uint64 // in the system's own unit; only compared
}

// entry is one row of the process table.
type entry struct {
	identity
	parent, group, session int
	ended                  bool // has ended, waits for its parent to notice
}

// lives reports whether exactly this process is still running.
func (i identity) lives() bool {
	e, ok := lookup(i.pid)
	return ok && e.identity == i && !e.ended
}

// sendByID is send where the system has no descriptors for processes: the check and the signal are two steps.
func sendByID(to identity, signal unix.Signal) error {
	if e, ok := lookup(to.pid); !ok || e.identity != to {
		return os.ErrProcessDone
	}
	err := unix.Kill(to.pid, signal)
	if errors.Is(err, unix.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// holds reports whether NUL-terminated entries hold exactly this one.
func holds(environ []byte, variable string) bool {
	for rest := environ; len(rest) > 0; {
		var one []byte
		one, rest, _ = bytes.Cut(rest, []byte{0})
		if string(one) == variable {
			return true
		}
	}
	return false
}

// CarriesMarker reports whether the environment of the process shows that some connector of some sidecar started it.
// It is false also when the environment cannot be read; IsDescendantOf looks at the kernel's own record.
func CarriesMarker(pid int) bool {
	text, err := environ(pid)
	return err == nil && (bytes.HasPrefix(text, []byte(MarkerVar+"=")) || bytes.Contains(text, []byte("\x00"+MarkerVar+"=")))
}

// Parent is the parent's process id, 0 when unknown.
func Parent(pid int) int {
	e, ok := lookup(pid)
	if !ok {
		return 0
	}
	return e.parent
}
