package process

import (
	"context"
	"os"

	"golang.org/x/sys/unix"
)

// awaitEnd waits until the process has gone and reports whether it has; false when ctx ended first.
func awaitEnd(ctx context.Context, who identity) bool {
	fd, err := unix.PidfdOpen(who.pid, 0)
	if err != nil {
		return pollEnd(ctx, who)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return pollEnd(ctx, who)
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	defer f.Close()
	if !who.lives() {
		return true
	}
	stop := context.AfterFunc(ctx, func() { f.Close() })
	defer stop()
	raw, err := f.SyscallConn()
	if err != nil {
		return pollEnd(ctx, who)
	}
	ended := false
	err = raw.Read(func(fd uintptr) bool {
		ended = isReady(int(fd))
		return ended
	})
	if err != nil && ctx.Err() == nil {
		return pollEnd(ctx, who)
	}
	return ended
}

// isReady reports whether a descriptor can be read from, which for that of a process says that it has ended.
func isReady(fd int) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n == 1
}
