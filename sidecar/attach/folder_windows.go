package attach

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// prepareFolder makes the folder where it is missing and refuses one that is not this user's (S21).
// The user's profile, in which it lies, is closed to other users by its inherited list of rights.
func prepareFolder(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return checkFolder(folder)
}

func checkFolder(folder string) error {
	info, err := os.Lstat(folder)
	if err != nil {
		return err
	}
	switch {
	case info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0: // a link, a junction
		return fmt.Errorf("the folder %s is a link", folder)
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", folder)
	}
	return checkOwner(folder)
}

// checkOwner refuses what belongs to neither this user nor the administrators, whom an elevated process writes as.
func checkOwner(path string) error {
	security, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("look at the owner of %s: %w", path, err)
	}
	owner, _, err := security.Owner()
	if err != nil {
		return fmt.Errorf("look at the owner of %s: %w", path, err)
	}
	user, err := ownSID()
	if err != nil {
		return err
	}
	if owner.Equals(user) || owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) {
		return nil
	}
	return fmt.Errorf("%s belongs to another user", path)
}

func checkFile(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	return nil
}

func ownSID() (*windows.SID, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, fmt.Errorf("look at this process's user: %w", err)
	}
	return user.User.Sid, nil
}
