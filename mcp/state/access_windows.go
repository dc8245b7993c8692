package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// writeRights are those with which a folder's contents can be changed.
const writeRights = windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | windows.FILE_WRITE_ATTRIBUTES |
	windows.DELETE | windows.WRITE_DAC | windows.WRITE_OWNER | windows.GENERIC_WRITE | windows.GENERIC_ALL

// checkAccess refuses a folder that neither the user nor the administrators own, or that everybody may write to.
func checkAccess(path string, _ fs.FileInfo) error {
	sd, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT,
		windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("read its owner: %w", err)
	}
	owner, _, err := sd.Owner()
	if err != nil {
		return fmt.Errorf("read its owner: %w", err)
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return fmt.Errorf("read the user of this process: %w", err)
	}
	// Folders that an elevated process makes belong to the administrators.
	if !owner.Equals(user.User.Sid) && !owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) &&
		!owner.IsWellKnown(windows.WinLocalSystemSid) {
		return fmt.Errorf("it belongs to %s, not to you", owner)
	}
	acl, _, err := sd.DACL()
	if err != nil || acl == nil {
		return errors.New("everybody may write to it: it has no access list")
	}
	return checkACL(acl)
}

func checkACL(acl *windows.ACL) error {
	for i := range uint32(acl.AceCount) {
		var ace *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(acl, i, &ace); err != nil {
			return fmt.Errorf("read its access list: %w", err)
		}
		if ace.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE || ace.Mask&writeRights == 0 {
			continue
		}
		sid := (*windows.SID)(unsafe.Pointer(&ace.SidStart))
		for _, group := range []windows.WELL_KNOWN_SID_TYPE{
			windows.WinWorldSid, windows.WinAuthenticatedUserSid, windows.WinBuiltinUsersSid,
			windows.WinBuiltinGuestsSid, windows.WinAnonymousSid, windows.WinInteractiveSid,
		} {
			if sid.IsWellKnown(group) {
				return fmt.Errorf("others may write to it (%s)", sid)
			}
		}
	}
	return nil
}

// syncFolder does nothing: Windows can't flush a folder.
func syncFolder(string) {}

// rename waits out, for a second, those who have the target open without leave to replace it (indexers, virus scanners).
func rename(from, to string) error {
	for pause := time.Millisecond; ; pause *= 2 {
		err := os.Rename(from, to)
		if err == nil || pause > time.Second/2 ||
			!errors.Is(err, windows.ERROR_ACCESS_DENIED) && !errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
			return err
		}
		time.Sleep(pause)
	}
}
