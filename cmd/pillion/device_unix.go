//go:build !windows

package main

import "os"

// openTerminal opens the terminal of the session that this program belongs to.
func openTerminal() (in, out *os.File, err error) {
	device, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	return device, device, err
}
