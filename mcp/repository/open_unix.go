//go:build !windows

package repository

import (
	"errors"
	"syscall"
)

// nonBlocking keeps the opening of a pipe, which a file may have become, from waiting for a writer.
const nonBlocking = syscall.O_NONBLOCK

func isNameTooLong(err error) bool {
	return errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.ENOTDIR)
}
