package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// discardTyped throws away what was typed and not read yet.
func discardTyped(in *os.File) {
	const read = 1 // FREAD of <sys/fcntl.h>
	_ = unix.IoctlSetPointerInt(int(in.Fd()), unix.TIOCFLUSH, read)
}

// hideTyped stops the terminal from showing what is typed.
func hideTyped(in *os.File) error {
	settings, err := unix.IoctlGetTermios(int(in.Fd()), unix.TIOCGETA)
	if err != nil {
		return err
	}
	settings.Lflag &^= unix.ECHO
	return unix.IoctlSetTermios(int(in.Fd()), unix.TIOCSETA, settings)
}
