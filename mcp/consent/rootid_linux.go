package consent

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// RootID returns the identity on disk of the folder at path, or "" where it can't be told. A folder made later at the
// same path has another one (S2).
func RootID(path string) string {
	var s unix.Statx_t
	const want = unix.STATX_TYPE | unix.STATX_INO | unix.STATX_BTIME
	if err := unix.Statx(unix.AT_FDCWD, path, 0, want, &s); err != nil || s.Mode&unix.S_IFMT != unix.S_IFDIR {
		return ""
	}
	// An inode number is given again as soon as it is free; the time of birth is not. The device would tell no more, and
	// its number may change from one boot to the next.
	if s.Mask&unix.STATX_BTIME != 0 && s.Btime.Sec != 0 {
		return fmt.Sprintf("%x-%x.%x", s.Ino, s.Btime.Sec, s.Btime.Nsec)
	}
	return fmt.Sprintf("%x:%x-%x", s.Dev_major, s.Dev_minor, s.Ino)
}
