//go:build !windows && !darwin

package core

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// usualRuntime is where a login has XDG_RUNTIME_DIR lead; empty where that is not there, or not this user's alone.
func usualRuntime() string { return private(filepath.Join("/run/user", strconv.Itoa(os.Getuid()))) }

// private is a folder that is this user's, and nobody else's; empty for any other.
func private(folder string) string {
	info, err := os.Lstat(folder)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return ""
	}
	if stat, isKnown := info.Sys().(*syscall.Stat_t); !isKnown || int(stat.Uid) != os.Getuid() {
		return ""
	}
	return folder
}
