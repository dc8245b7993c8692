package main

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// openTerminal opens the console that this program belongs to.
func openTerminal() (in, out *os.File, err error) {
	in, err = os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	out, err = os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	return in, out, nil
}

// discardTyped throws away what was typed and not read yet.
func discardTyped(in *os.File) { _ = windows.FlushConsoleInputBuffer(windows.Handle(in.Fd())) }

// hideTyped stops the console from showing what is typed.
func hideTyped(in *os.File) error {
	var mode uint32
	if err := windows.GetConsoleMode(windows.Handle(in.Fd()), &mode); err != nil {
		return err
	}
	return windows.SetConsoleMode(windows.Handle(in.Fd()), mode&^windows.ENABLE_ECHO_INPUT)
}
