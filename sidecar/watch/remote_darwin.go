package watch

import "golang.org/x/sys/unix"

// remoteKind names the file system of a folder where others may change it unheard, else it is empty.
func remoteKind(folder string) string {
	var status unix.Statfs_t
	if unix.Statfs(folder, &status) != nil || status.Flags&unix.MNT_LOCAL != 0 {
		return ""
	}
	return unix.ByteSliceToString(status.Fstypename[:])
}
