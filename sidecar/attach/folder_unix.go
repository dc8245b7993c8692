//go:build !windows

package attach

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// prepareFolder makes the folder where it is missing and refuses one that others could reach into (S21).
func prepareFolder(folder string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return checkFolder(folder)
}

// checkFolder returns why the folder cannot be trusted with a socket and a token.
func checkFolder(folder string) error {
	info, err := os.Lstat(folder)
	if err != nil {
		return err
	}
	switch {
	case info.Mode().Type() == fs.ModeSymlink:
		return fmt.Errorf("the folder %s is a link", folder)
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", folder)
	case ownerOf(info) != os.Getuid():
		return fmt.Errorf("the folder %s belongs to the user %d", folder, ownerOf(info))
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("the folder %s is open to other users (mode %#o, not 0700)", folder, info.Mode().Perm())
	}
	return checkParent(filepath.Dir(folder))
}

// checkParent refuses a place in which somebody else could put another folder in the checked one's stead.
func checkParent(parent string) error {
	info, err := os.Stat(parent)
	if err != nil {
		return err
	}
	if owner := ownerOf(info); owner != os.Getuid() && owner != 0 {
		return fmt.Errorf("the folder %s belongs to the user %d", parent, owner)
	}
	if info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0 {
		return fmt.Errorf("the folder %s can be written to by other users", parent)
	}
	return nil
}

// checkFile returns why a file of the folder cannot be this user's own.
func checkFile(info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case ownerOf(info) != os.Getuid():
		return fmt.Errorf("it belongs to the user %d", ownerOf(info))
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("it is open to other users (mode %#o, not 0600)", info.Mode().Perm())
	}
	return nil
}

func ownerOf(info fs.FileInfo) int {
	stat, isKnown := info.Sys().(*syscall.Stat_t)
	if !isKnown {
		return -1
	}
	return int(stat.Uid)
}
