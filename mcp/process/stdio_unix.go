//go:build linux || darwin

package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"
)

// TakeStdio takes standard input and output for the protocol: from then on a stray print goes to stderr, and whoever reads standard input finds an empty file.
// It is called once, by main, before anything else uses them.
// From then on, too, a write to a standard stream that nobody reads any more is an error and no longer the end of the process.
// A Read or Write that blocks returns os.ErrClosed on Close, whether they are pipes, sockets, files or a terminal.
// The descriptors stay in the mode they came in: O_NONBLOCK would hold as well for everybody who shares them, and beyond this process's end.
func TakeStdio() (in io.ReadCloser, out io.WriteCloser, err error) {
	stdin, stdout, err := takeStdio()
	if err != nil {
		return nil, nil, fmt.Errorf("take standard input and output: %w", err)
	}
	return stdin, stdout, nil
}

func takeStdio() (in, out *stream, err error) {
	if in, err = duplicate(0); err != nil {
		return nil, nil, err
	}
	if out, err = duplicate(1); err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	if err := redirectStdio(); err != nil {
		return nil, nil, errors.Join(err, in.Close(), out.Close())
	}
	// A write to a stderr that nobody reads any more would end the process (C79).
	// Ignoring the signal would do as well, but for the children, who would inherit that.
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE)
	return in, out, nil
}

// redirectStdio makes 0 an empty file and 1 what 2 is, or an empty file when that is closed.
func redirectStdio() error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	if err := replaceDescriptor(int(null.Fd()), 0); err != nil {
		return err
	}
	if replaceDescriptor(2, 1) == nil {
		return nil
	}
	return errors.Join(replaceDescriptor(int(null.Fd()), 1), replaceDescriptor(int(null.Fd()), 2))
}

// stream reads or writes one descriptor that it does not own the mode of, waiting in poll so that Close can end the wait.
type stream struct {
	fd     int
	socket bool
	wakeR  *os.File // readable once closed
	wakeW  *os.File
	wake   int // the number of wakeR

	mu     sync.Mutex
	users  int // that may be in a system call with fd
	closed bool
}

func duplicate(fd int) (*stream, error) {
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	s, err := newStream(own)
	if err != nil {
		return nil, errors.Join(err, unix.Close(own))
	}
	return s, nil
}

// newStream takes over fd.
func newStream(fd int) (*stream, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	_, notSocket := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	return &stream{fd: fd, socket: notSocket == nil, wakeR: r, wakeW: w, wake: int(r.Fd())}, nil
}

func (s *stream) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if !s.enter() {
		return 0, os.ErrClosed
	}
	defer s.leave()
	for {
		if err := s.wait(unix.POLLIN); err != nil {
			return 0, err
		}
		n, err := unix.Read(s.fd, b)
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
		case err != nil:
			return 0, &os.PathError{Op: "read", Path: "stdin", Err: err}
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (s *stream) Write(b []byte) (written int, err error) {
	if !s.enter() {
		return 0, os.ErrClosed
	}
	defer s.leave()
	for written < len(b) {
		if err := s.wait(unix.POLLOUT); err != nil {
			return written, err
		}
		n, err := s.writeSome(b[written:])
		written += max(n, 0)
		if err != nil && !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.EAGAIN) {
			return written, &os.PathError{Op: "write", Path: "stdout", Err: err}
		}
	}
	return written, nil
}

// writeSome writes no more than cannot block.
func (s *stream) writeSome(b []byte) (int, error) {
	if s.socket {
		return unix.SendmsgN(s.fd, b, nil, nil, unix.MSG_DONTWAIT)
	}
	return unix.Write(s.fd, b[:min(len(b), pipeAtOnce)])
}

// wait returns once the descriptor is ready, or os.ErrClosed.
// It is ready also on an error, which the call that follows names.
func (s *stream) wait(events int16, wakes ...int) error {
	fds := []unix.PollFd{{Fd: int32(s.fd), Events: events}, {Fd: int32(s.wake), Events: unix.POLLIN}}
	for _, wake := range wakes {
		fds = append(fds, unix.PollFd{Fd: int32(wake), Events: unix.POLLIN})
	}
	for {
		_, err := unix.Poll(fds, -1)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		for _, wake := range fds[1:] {
			if wake.Revents != 0 {
				return os.ErrClosed
			}
		}
		return nil
	}
}

func (s *stream) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.users++
	return true
}

func (s *stream) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
	s.release()
}

// Close ends what waits and never waits itself. Closing twice is no fault.
func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	err := s.wakeW.Close()
	s.release()
	return err
}

// release closes the descriptor once nobody can be using its number. The lock is held.
func (s *stream) release() {
	if s.closed && s.users == 0 {
		_ = unix.Close(s.fd)
		_ = s.wakeR.Close()
	}
}

// WatchReader returns a channel closed when whoever reads the other end of out, a stream from TakeStdio, has gone (C79).
// It stays open when ctx ends or out is closed first, and where that cannot be seen: a file, or another kind of writer.
func WatchReader(ctx context.Context, out io.WriteCloser) <-chan struct{} {
	gone := make(chan struct{})
	s, ok := out.(*stream)
	if !ok || !s.enter() {
		return gone
	}
	r, w, err := os.Pipe()
	if err != nil {
		s.leave()
		return gone
	}
	stop := context.AfterFunc(ctx, func() { w.Close() })
	go func() {
		defer s.leave()
		defer r.Close()
		// Without a wish for anything only a hangup or an error ends the wait; macOS wants the wish spelled out.
		if s.wait(unix.POLLHUP, int(r.Fd())) == nil {
			close(gone)
		}
		if stop() {
			w.Close()
		}
	}()
	return gone
}
