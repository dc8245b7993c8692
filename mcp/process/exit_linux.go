package process

import (
	"errors"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// childSiginfo is siginfo_t as waitid fills it, which x/sys leaves opaque.
type childSiginfo struct {
	signo, errno, code int32
	_                  [unsafe.Sizeof(uintptr(0))/4 - 1]int32
	pid                int32
	uid                uint32
	status             int32
	_                  [128]byte
}

// await waits for the leader's end and leaves it unreaped: as a zombie it keeps its id, and with it that of its group, from being given away.
func (c *child) await() (code int, signal string) {
	const cldExited = 1 // CLD_EXITED; the others are deaths by a signal
	var info childSiginfo
	for {
		err := unix.Waitid(unix.P_PID, c.pid, (*unix.Siginfo)(unsafe.Pointer(&info)), unix.WEXITED|unix.WNOWAIT, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return c.awaitReaped()
		}
		break
	}
	if info.code == cldExited {
		return int(info.status), ""
	}
	return describeSignal(syscall.Signal(info.status))
}
