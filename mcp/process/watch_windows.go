package process

import (
	"context"

	"golang.org/x/sys/windows"
)

// WatchParent returns a channel closed when the process has gone, at once if it already has.
// It stays open when ctx ends first.
func WatchParent(ctx context.Context, pid int) <-chan struct{} {
	gone := make(chan struct{})
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	switch err {
	case nil:
	case windows.ERROR_ACCESS_DENIED:
		return gone // it is there, and its end is not shown
	default:
		close(gone)
		return gone
	}
	cancelled, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		_ = windows.CloseHandle(process)
		return gone
	}
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		_ = windows.SetEvent(cancelled)
	})
	go func() {
		event, err := windows.WaitForMultipleObjects([]windows.Handle{process, cancelled}, false, windows.INFINITE)
		if err == nil && event == windows.WAIT_OBJECT_0 && ctx.Err() == nil {
			close(gone)
		}
		if !stop() {
			<-done
		}
		closeHandles([]windows.Handle{process, cancelled})
	}()
	return gone
}
