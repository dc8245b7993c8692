//go:build !windows

package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"syscall"
)

// DefaultPath is where an administrator puts the policy of the machine.
func DefaultPath() string {
	if runtime.GOOS == "darwin" {
		return "/Library/Application Support/Pillion/policy.json"
	}
	return "/etc/pillion/policy.json"
}

func checkOwner(info fs.FileInfo, owner int) error {
	stat, isKnown := info.Sys().(*syscall.Stat_t)
	switch {
	case !isKnown:
		return errors.New("its owner is not known")
	case int(stat.Uid) != owner && stat.Uid != 0:
		return fmt.Errorf("it belongs to user %d", stat.Uid)
	case info.Mode().Perm()&0o022 != 0:
		return errors.New("others than its owner may write it")
	}
	return nil
}
