package process

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// await waits for the leader's end and leaves it unreaped: as a zombie it keeps its id, and with it that of its group, from being given away.
// waitid with WNOWAIT returns here for stopped processes as well, so the queue tells.
func (c *child) await() (code int, signal string) {
	status, err := exitStatus(c.pid)
	if err != nil {
		return c.awaitReaped()
	}
	return describeStatus(status)
}

// exitStatus waits for the end of a child without reaping it; it fails when the child has ended already.
func exitStatus(pid int) (unix.WaitStatus, error) {
	queue, err := unix.Kqueue()
	if err != nil {
		return 0, err
	}
	defer unix.Close(queue)
	unix.CloseOnExec(queue)
	change := []unix.Kevent_t{{Fflags: unix.NOTE_EXIT | unix.NOTE_EXITSTATUS}}
	unix.SetKevent(&change[0], pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	event := make([]unix.Kevent_t, 1)
	for {
		n, err := unix.Kevent(queue, change, event, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, err
		case n == 1 && event[0].Flags&unix.EV_ERROR != 0:
			return 0, fmt.Errorf("watch process %d: %w", pid, unix.Errno(event[0].Data))
		case n == 1:
			return unix.WaitStatus(event[0].Data), nil
		}
	}
}
