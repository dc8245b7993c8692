//go:build linux || darwin

package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// child is the leader and its tree.
type child struct {
	pid     int
	process *os.Process
	tree    *tree
}

// spawn starts the leader with streams as its standard ones.
func spawn(spec Spec, streams [3]*os.File) (*child, error) {
	process, err := os.StartProcess(spec.Path, append([]string{spec.Path}, spec.Args...), &os.ProcAttr{
		Dir:   spec.Dir,
		Env:   spec.environment(),
		Files: streams[:],
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return nil, explainStart(err, spec)
	}
	return newChild(process, spec.Marker), nil
}

func newChild(process *os.Process, marker string) *child {
	// It is in the table, if only as a zombie: nobody reaps it but us.
	e, _ := lookup(process.Pid)
	t := target{leader: identity{process.Pid, e.started}, marker: marker, since: earliest(e.started)}
	return &child{pid: process.Pid, process: process, tree: newTree(t)}
}

// explainStart says which of the three files that a start needs is missing; the kernel has one answer for all.
func explainStart(err error, spec Spec) error {
	// The reason alone: os.PathError would name the path a second time.
	var pathError *os.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	if folder, statErr := os.Stat(spec.Dir); statErr != nil || !folder.IsDir() {
		return fmt.Errorf("the folder %q to start it in: %w", spec.Dir, err)
	}
	if _, statErr := os.Stat(spec.Path); statErr == nil && errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("its interpreter, named in its first line: %w", err)
	}
	return err
}

// reap gives the leader's id back to the system.
func (c *child) reap() { _, _ = c.process.Wait() }

func describeStatus(status unix.WaitStatus) (code int, signal string) {
	if status.Signaled() {
		return describeSignal(status.Signal())
	}
	return status.ExitStatus(), ""
}

func describeSignal(signal syscall.Signal) (int, string) {
	if name := unix.SignalName(signal); name != "" {
		return -1, name
	}
	return -1, signal.String()
}

// output is the reading end of stdout or stderr.
type output struct {
	file  *os.File
	ended atomic.Bool
}

// Read reads what comes, and once the tree is gone what still lies in the pipe, whoever holds its other end.
func (o *output) Read(b []byte) (int, error) {
	if !o.ended.Load() {
		n, err := o.file.Read(b)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, o.finish(err)
		}
	}
	return o.drain(b)
}

// end makes every Read, also one that waits, return what lies in the pipe and then io.EOF.
func (o *output) end() {
	o.ended.Store(true)
	_ = o.file.SetReadDeadline(time.Unix(1, 0))
}

// drain reads without waiting.
func (o *output) drain(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	raw, err := o.file.SyscallConn()
	if err != nil {
		return 0, o.finish(err)
	}
	var n int
	var failed error
	for {
		// end may set the past as the deadline once more in between, hence again.
		_ = o.file.SetReadDeadline(time.Time{})
		err = raw.Read(func(fd uintptr) bool {
			n, failed = readNow(int(fd), b)
			return true
		})
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
	}
	switch {
	case err != nil:
		return 0, o.finish(err)
	case errors.Is(failed, unix.EAGAIN), failed == nil && n == 0:
		return 0, o.finish(io.EOF)
	case failed != nil:
		return 0, o.finish(failed)
	}
	return n, nil
}

func readNow(fd int, b []byte) (int, error) {
	for {
		n, err := unix.Read(fd, b)
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// finish closes the file after the last read; a closed one reads as ended.
func (o *output) finish(err error) error {
	if err == nil {
		return nil
	}
	_ = o.file.Close()
	if errors.Is(err, os.ErrClosed) {
		return io.EOF
	}
	return err
}

// awaitReaped is await where the system cannot tell of an end without reaping.
func (c *child) awaitReaped() (code int, signal string) {
	state, err := c.process.Wait()
	if err != nil {
		return -1, ""
	}
	return describeStatus(unix.WaitStatus(state.Sys().(syscall.WaitStatus)))
}
