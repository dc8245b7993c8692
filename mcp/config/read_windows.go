package config

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

const (
	openNonBlocking = 0 // a pipe has a path of its own here
	separators      = `/\`
	foldsCase       = true
)

// isSystemError tells an answer of the system from one of os.Root.
func isSystemError(err error) bool {
	var number syscall.Errno
	return errors.As(err, &number)
}

// checkOwned refuses a user file that somebody else may have written (S3):
// owned by another account than the user, the administrators or the system, or
// with everybody allowed to write.
func checkOwned(file *os.File, path string) error {
	descriptor, err := windows.GetSecurityInfo(windows.Handle(file.Fd()), windows.SE_FILE_OBJECT,
		windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("read the owner of %s: %w", path, err)
	}
	owner, _, err := descriptor.Owner()
	if err != nil {
		return fmt.Errorf("read the owner of %s: %w", path, err)
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return fmt.Errorf("read the current user: %w", err)
	}
	if !owner.Equals(user.User.Sid) && !owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) && !owner.IsWellKnown(windows.WinLocalSystemSid) {
		return &RefusedError{path, "is not owned by you"}
	}
	list, _, err := descriptor.DACL()
	if err != nil || list == nil {
		return &RefusedError{path, "is writable by others"}
	}
	return checkAccess(list, path)
}

func checkAccess(list *windows.ACL, path string) error {
	const writes = windows.GENERIC_WRITE | windows.GENERIC_ALL | windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA |
		windows.WRITE_DAC | windows.WRITE_OWNER
	for i := range uint32(list.AceCount) {
		var ace *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &ace); err != nil {
			return fmt.Errorf("read the access list of %s: %w", path, err)
		}
		if ace.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE || ace.Mask&writes == 0 {
			continue
		}
		sid := (*windows.SID)(unsafe.Pointer(&ace.SidStart))
		for _, everybody := range []windows.WELL_KNOWN_SID_TYPE{windows.WinWorldSid, windows.WinAuthenticatedUserSid, windows.WinBuiltinUsersSid, windows.WinAnonymousSid} {
			if sid.IsWellKnown(everybody) {
				return &RefusedError{path, "is writable by others"}
			}
		}
	}
	return nil
}

// replaceIn puts a file in the place of another. It waits out, for a second,
// those who have that one open without leave to replace it (indexers, virus
// scanners).
func replaceIn(folder *os.Root, from, to string) error {
	for pause := time.Millisecond; ; pause *= 2 {
		err := folder.Rename(from, to)
		if err == nil || pause > time.Second/2 ||
			!errors.Is(err, windows.ERROR_ACCESS_DENIED) && !errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
			return err
		}
		time.Sleep(pause)
	}
}
