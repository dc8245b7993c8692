package watch

import "golang.org/x/sys/unix"

// remoteKind names the file system of a folder where others may change it unheard, else it is empty: inotify hears of what
// this machine changes alone. What a Windows host and most virtual machines share with a Linux guest is among them.
func remoteKind(folder string) string {
	var status unix.Statfs_t
	if unix.Statfs(folder, &status) != nil {
		return ""
	}
	switch int64(uint32(status.Type)) {
	case unix.NFS_SUPER_MAGIC:
		return "NFS"
	case unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC:
		return "SMB"
	case unix.V9FS_MAGIC:
		return "9P"
	case unix.CODA_SUPER_MAGIC:
		return "Coda"
	case unix.AFS_FS_MAGIC, unix.AFS_SUPER_MAGIC:
		return "AFS"
	case unix.CEPH_SUPER_MAGIC:
		return "Ceph"
	case unix.FUSE_SUPER_MAGIC:
		return "FUSE"
	case 0x786f4256:
		return "vboxsf"
	}
	return ""
}
