package consent

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// RootID returns the identity on disk of the folder at path, or "" where it can't be told. A folder made later at the
// same path has another one (S2).
func RootID(path string) string {
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil || s.Mode&unix.S_IFMT != unix.S_IFDIR {
		return ""
	}
	return fmt.Sprintf("%x-%x.%x", s.Ino, s.Btim.Sec, s.Btim.Nsec)
}
