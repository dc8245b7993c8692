//go:build unix

package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checkAccess refuses a folder that is not the user's alone to write to.
func checkAccess(_ string, info fs.FileInfo) error {
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok {
		return errors.New("its owner can't be told")
	} else if int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("it belongs to user %d, not to you (%d)", stat.Uid, os.Geteuid())
	}
	if perm := info.Mode().Perm(); perm&0o022 != 0 {
		return fmt.Errorf("others may write to it (mode %04o): chmod 700 it", perm)
	}
	return nil
}

// syncFolder makes a rename in the folder last; some file systems can't, and there it lasts as they see fit.
func syncFolder(path string) {
	if d, err := os.Open(path); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

func rename(from, to string) error { return os.Rename(from, to) }
