//go:build unix

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

const (
	openNonBlocking = syscall.O_NONBLOCK
	separators      = "/"
	foldsCase       = runtime.GOOS == "darwin"
)

// isSystemError tells an answer of the system from one of os.Root.
func isSystemError(err error) bool {
	var number syscall.Errno
	return errors.As(err, &number)
}

// checkOwned refuses a user file that somebody else may have written (S3):
// owned by another user, or writable by others, itself or its folder. Root may
// own it, as on systems that generate the home folder's files.
func checkOwned(file *os.File, path string) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("read file: %w", err)
	}
	if reason := ownership(info); reason != "" {
		return &RefusedError{path, reason}
	}
	folder := filepath.Dir(path)
	if info, err = os.Stat(folder); err != nil {
		return fmt.Errorf("read file: %w", err)
	}
	if reason := ownership(info); reason != "" && info.Mode()&fs.ModeSticky == 0 {
		return &RefusedError{path, "its folder " + reason}
	}
	return nil
}

// ownership says who else could have written a file, or "".
func ownership(info fs.FileInfo) string {
	status, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "has no owner that could be checked"
	}
	switch {
	case int(status.Uid) != os.Geteuid() && status.Uid != 0:
		return "is not owned by you"
	case info.Mode().Perm()&0o002 != 0:
		return "is writable by others"
	// A group of the user's own number holds the user alone, and a umask of 002
	// makes it writable.
	case info.Mode().Perm()&0o020 != 0 && (status.Gid != status.Uid || status.Uid == 0):
		return "is writable by its group"
	}
	return ""
}

// replaceIn puts a file in the place of another, all the way to the disk.
func replaceIn(folder *os.Root, from, to string) error {
	if err := folder.Rename(from, to); err != nil {
		return err
	}
	if self, err := folder.Open("."); err == nil {
		_ = self.Sync() // some file systems cannot
		_ = self.Close()
	}
	return nil
}
