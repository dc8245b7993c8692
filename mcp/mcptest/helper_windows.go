package mcptest

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// startHelper starts a child in a process group of its own, as servers that drive a browser do.
func (f *fake) startHelper(path string) {
	program, err := os.Executable()
	if err != nil {
		return
	}
	f.helper = exec.Command(program, os.Args[1:]...)
	f.helper.Env = append(os.Environ(), ModeVar+"=sleep")
	f.helper.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	if f.helper.Start() == nil {
		appendLine(path, fmt.Sprint(f.helper.Process.Pid))
	}
}
