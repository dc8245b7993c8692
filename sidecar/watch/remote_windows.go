package watch

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// remoteKind names the file system of a folder where others may change it unheard, else it is empty.
func remoteKind(folder string) string {
	volume, err := windows.UTF16PtrFromString(filepath.VolumeName(folder) + `\`)
	if err != nil || windows.GetDriveType(volume) != windows.DRIVE_REMOTE {
		return ""
	}
	return "network drive"
}
