package devtools

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

// command runs the browser, which is told the handles of its pipes. What it starts is in the job of this process and ends
// with it; its folder is removed by whoever starts the next browser.
func command(program string, arguments []string, _ string, in, out *os.File) *exec.Cmd {
	handles := []syscall.Handle{syscall.Handle(in.Fd()), syscall.Handle(out.Fd())}
	for _, handle := range handles {
		_ = windows.SetHandleInformation(windows.Handle(handle), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT)
	}
	pipes := "--remote-debugging-io-pipes=" + strconv.FormatUint(uint64(handles[0]), 10) + "," + strconv.FormatUint(uint64(handles[1]), 10)
	c := exec.Command(program, slices.Insert(slices.Clone(arguments), 0, pipes)...)
	c.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: handles, HideWindow: true}
	return c
}

func killTree(p *os.Process) { _ = p.Kill() }
