//go:build linux || darwin

package process

import "golang.org/x/sys/unix"

// mayExecute asks with the effective user, as exec does, and refuses what no mode bit allows, which root may "access".
func mayExecute(path string) bool {
	var stat unix.Stat_t
	if unix.Stat(path, &stat) != nil || stat.Mode&0o111 == 0 {
		return false
	}
	return unix.Faccessat(unix.AT_FDCWD, path, unix.X_OK, unix.AT_EACCESS) == nil
}
