//go:build !windows

package repository

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// nonBlocking keeps the opening of a pipe, which a file may have become, from waiting for a writer.
const nonBlocking = syscall.O_NONBLOCK

// stampOf is by the kernel's own word: nobody can set the time of the last change.
func stampOf(info fs.FileInfo) string {
	stat, isKnown := info.Sys().(*syscall.Stat_t)
	if !isKnown {
		return ""
	}
	return fmt.Sprintf("%d %d %d %v", stat.Dev, stat.Ino, stat.Size, changeTime(stat))
}

func isNameTooLong(err error) bool {
	return errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.ENOTDIR)
}
