package process

import "syscall"

// shellAttributes gives the shell a session of its own, so that an interactive one finds no terminal to wait for.
func shellAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true}
}
