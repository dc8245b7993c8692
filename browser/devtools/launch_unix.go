//go:build !windows

package devtools

import (
	"os"
	"os/exec"
	"syscall"
)

// keeper is what the browser runs under: it outlives a program that is killed, waits for the browser, which ends with its
// pipes, and removes the folder. $0 is the folder.
const keeper = `"$@" </dev/null &
browser=$!
exec 3<&- 4>&-
trap 'kill -TERM "$browser" 2>/dev/null' HUP INT TERM
while wait "$browser"; kill -0 "$browser" 2>/dev/null; do :; done
for try in 1 2 3 4 5 6 7 8 9; do
  rm -rf -- "$0" 2>/dev/null
  [ -e "$0" ] || break
  sleep 0.1
done`

// command runs the browser, which reads from descriptor 3 and writes to 4.
func command(program string, arguments []string, folder string, in, out *os.File) *exec.Cmd {
	c := exec.Command("/bin/sh", append([]string{"-c", keeper, folder, program}, arguments...)...)
	c.ExtraFiles = []*os.File{in, out}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c
}

func killTree(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
