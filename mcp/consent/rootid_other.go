//go:build !linux && !darwin && !windows

package consent

import (
	"fmt"
	"os"
	"syscall"
)

// RootID returns the identity on disk of the folder at path, or "" where it can't be told.
func RootID(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return ""
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%x-%x", s.Dev, s.Ino)
}
