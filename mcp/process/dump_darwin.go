package process

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// DisallowDump keeps debuggers from attaching to this process and its memory out of core files (S20).
// macOS itself keeps the memory of a process from others that are no debuggers; the environment it had at its start stays readable to the user.
func DisallowDump() error {
	if err := unix.PtraceDenyAttach(); err != nil {
		return fmt.Errorf("deny debuggers: %w", err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("forbid core files: %w", err)
	}
	return nil
}
