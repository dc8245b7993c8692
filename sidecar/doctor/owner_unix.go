//go:build unix

package doctor

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// foreignOwner names the owner of a file that is not the user; empty otherwise.
func foreignOwner(info fs.FileInfo) string {
	stat, isKnown := info.Sys().(*syscall.Stat_t)
	if !isKnown || int(stat.Uid) == os.Getuid() {
		return ""
	}
	return fmt.Sprintf("the user %d", stat.Uid)
}

func permissionsOfOthers(info fs.FileInfo) fs.FileMode { return info.Mode().Perm() & 0o077 }
