//go:build unix

package result

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// opened is a folder that stays the same whatever becomes of its path.
type opened struct {
	fd   int
	path string
}

func openFolder(path string) (opened, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := ignoringEINTR(func() (int, error) { return unix.Open(path, flags, 0) })
	if err != nil {
		return opened{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil || stat.Mode&0o022 != 0 || int(stat.Uid) != os.Geteuid() {
		_ = unix.Close(fd)
		return opened{}, &fs.PathError{Op: "open", Path: path, Err: errShared}
	}
	return opened{fd, path}, nil
}

// create makes a file, whole or not at all.
func (o opened) create(name, content string) error {
	const flags = unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := ignoringEINTR(func() (int, error) { return unix.Openat(o.fd, name, flags, 0o600) })
	if err != nil {
		return &fs.PathError{Op: "create", Path: o.path + "/" + name, Err: err}
	}
	f := os.NewFile(uintptr(fd), name)
	_, err = f.WriteString(content)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = unix.Unlinkat(o.fd, name, 0)
	}
	return err
}

func (o opened) close() { _ = unix.Close(o.fd) }

func ignoringEINTR(call func() (int, error)) (int, error) {
	for {
		if fd, err := call(); err != unix.EINTR {
			return fd, err
		}
	}
}
