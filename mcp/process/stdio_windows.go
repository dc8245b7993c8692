package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"golang.org/x/sys/windows"
)

// TakeStdio takes standard input and output for the protocol: from then on a stray print goes to stderr, and whoever reads standard input finds an empty file.
// It is called once, by main, before anything else uses them.
// A Read or Write that blocks returns os.ErrClosed on Close.
func TakeStdio() (in io.ReadCloser, out io.WriteCloser, err error) {
	stdin, err1 := takeHandle(windows.STD_INPUT_HANDLE, "stdin")
	stdout, err2 := takeHandle(windows.STD_OUTPUT_HANDLE, "stdout")
	null, err3 := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, nil, fmt.Errorf("take standard input and output: %w", err)
	}
	os.Stdin, os.Stdout = null, os.Stderr
	err = errors.Join(
		windows.SetStdHandle(windows.STD_INPUT_HANDLE, windows.Handle(null.Fd())),
		windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(os.Stderr.Fd())),
	)
	if err != nil {
		return nil, nil, fmt.Errorf("take standard input and output: %w", err)
	}
	return stdin, stdout, nil
}

func takeHandle(which uint32, name string) (*stream, error) {
	handle, err := windows.GetStdHandle(which)
	if err != nil {
		return nil, err
	}
	self := windows.CurrentProcess()
	var own windows.Handle
	if err := windows.DuplicateHandle(self, handle, self, &own, 0, false, windows.DUPLICATE_SAME_ACCESS); err != nil {
		return nil, err
	}
	return &stream{file: os.NewFile(uintptr(own), name), handle: own}, nil
}

// stream is a standard stream whose Close ends what waits.
type stream struct {
	file   *os.File
	handle windows.Handle
	closed atomic.Bool
}

func (s *stream) Read(b []byte) (int, error) {
	n, err := s.file.Read(b)
	return n, s.explain(err)
}

func (s *stream) Write(b []byte) (int, error) {
	n, err := s.file.Write(b)
	return n, s.explain(err)
}

func (s *stream) explain(err error) error {
	if err != nil && s.closed.Load() {
		return os.ErrClosed
	}
	return err
}

// Close ends what waits and never waits itself. Closing twice is no fault.
func (s *stream) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	_ = windows.CancelIoEx(s.handle, nil)
	// A console's read can't be cancelled, and the file's own Close would wait for it.
	go s.file.Close()
	return nil
}

// WatchReader returns a channel that stays open: Windows tells of a reader's end only by the next write.
func WatchReader(context.Context, io.WriteCloser) <-chan struct{} { return make(chan struct{}) }
