package process

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// DisallowDump keeps other processes of the user from reading this one's memory and environment, and its memory out of core files (S20).
// Children can be read again from their exec on.
func DisallowDump() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("make the process not dumpable: %w", err)
	}
	return nil
}
