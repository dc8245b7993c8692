package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// discardTyped throws away what was typed and not read yet.
func discardTyped(in *os.File) { _ = unix.IoctlSetInt(int(in.Fd()), unix.TCFLSH, unix.TCIFLUSH) }

// hideTyped stops the terminal from showing what is typed.
func hideTyped(in *os.File) error {
	settings, err := unix.IoctlGetTermios(int(in.Fd()), unix.TCGETS)
	if err != nil {
		return err
	}
	settings.Lflag &^= unix.ECHO
	return unix.IoctlSetTermios(int(in.Fd()), unix.TCSETS, settings)
}
