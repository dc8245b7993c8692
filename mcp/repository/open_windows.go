package repository

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// nonBlocking has no meaning here.
const nonBlocking = 0

func stampOf(info fs.FileInfo) string {
	return fmt.Sprintf("%d %v", info.Size(), info.ModTime().UnixNano())
}

// isNameTooLong covers what can be no file's name at all.
func isNameTooLong(err error) bool {
	const invalidName, pathNotFound, nameTooLong = syscall.Errno(123), syscall.ERROR_PATH_NOT_FOUND, syscall.Errno(206)
	return errors.Is(err, invalidName) || errors.Is(err, pathNotFound) || errors.Is(err, nameTooLong)
}
