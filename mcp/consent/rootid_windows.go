package consent

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// RootID returns the identity on disk of the folder at path, or "" where it can't be told. A folder made later at the
// same path has another one (S2): NTFS counts the uses of a file index in it.
func RootID(path string) string {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return ""
	}
	// Without access rights and with backup semantics: all that a folder needs to be asked for its identity.
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err := windows.CreateFile(name, 0, share, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(h)
	var i windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(h, &i); err != nil || i.FileAttributes&windows.FILE_ATTRIBUTE_DIRECTORY == 0 {
		return ""
	}
	return fmt.Sprintf("%x-%x%08x-%x", i.VolumeSerialNumber, i.FileIndexHigh, i.FileIndexLow, i.CreationTime.Nanoseconds())
}
