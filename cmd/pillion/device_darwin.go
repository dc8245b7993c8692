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
