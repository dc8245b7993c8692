//go:build !windows

package attach

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pillion/rpc"
	"pillion/rpc/message"
)

// window is a window that serves the proof and one method beside it.
type window struct {
	*Listener
	t  *testing.T
	wg sync.WaitGroup

	mu    sync.Mutex
	conns []*rpc.Conn
}

// shortDir is a folder whose path is short enough for a socket in it on every system.
func shortDir(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "pa")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return filepath.Join(folder, "pillion")
}

func descriptorOf(name string) message.WindowDescriptor {
	return message.WindowDescriptor{Window: name, Roots: []message.URI{"file:///repo"}, PID: os.Getpid(), Editor: "test"}
}

func openWindow(t *testing.T, folder, name string) *window {
	t.Helper()
	l, err := Listen(folder, descriptorOf(name))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Publish(); err != nil {
		t.Fatal(err)
	}
	w := &window{Listener: l, t: t}
	w.wg.Add(1)
	go w.accept()
	t.Cleanup(w.end)
	return w
}

func (w *window) end() {
	_ = w.Close()
	w.mu.Lock()
	for _, c := range w.conns {
		c.Close()
	}
	w.mu.Unlock()
	w.wg.Wait()
}

func (w *window) accept() {
	defer w.wg.Done()
	for {
		stream, err := w.Accept()
		if err != nil {
			if !errors.Is(err, net.ErrClosed) {
				w.t.Errorf("accept: %v", err)
			}
			return
		}
		w.serve(stream)
	}
}

func (w *window) serve(stream *Stream) {
	handshake := w.Handshake()
	router := rpc.NewRouter()
	hangUp := func(err error) error {
		var fault *rpc.Error
		if errors.As(err, &fault) && fault.Code == rpc.CodeRequestFailed {
			stream.Hurry(50 * time.Millisecond)
		}
		return err
	}
	rpc.Handle(router, message.AttachChallenge, func(_ context.Context, p message.AttachChallengeParams) (message.AttachChallengeResult, error) {
		result, err := handshake.Challenge(p)
		return result, hangUp(err)
	})
	rpc.Handle(router, message.Attach, func(_ context.Context, p message.AttachParams) (message.AttachResult, error) {
		return message.AttachResult{Window: w.Descriptor().Window}, hangUp(handshake.Join(p))
	})
	conn := rpc.NewConn(stream.In(), stream.Out(), router, rpc.Options{})
	w.mu.Lock()
	w.conns = append(w.conns, conn)
	w.mu.Unlock()
	w.wg.Add(1)
	go func() {
		defer w.wg.Done()
		_ = conn.Serve(context.Background())
	}()
}

func cliOptions() Options { return Options{Role: message.AttachCLI, Name: "test"} }

func TestJoinAndLeave(t *testing.T) {
	t.Parallel()
	folder := shortDir(t)
	w := openWindow(t, folder, "1-a")
	windows, err := Windows(folder)
	if err != nil || len(windows) != 1 || windows[0].Window != "1-a" || windows[0].Socket != w.Socket() {
		t.Fatalf("windows: %+v, %v", windows, err)
	}
	joined, err := Dial(t.Context(), folder, windows[0], cliOptions())
	if err != nil {
		t.Fatal(err)
	}
	if joined.Joined.Window != "1-a" {
		t.Errorf("joined %+v", joined.Joined)
	}
	joined.Close()
	select {
	case <-joined.Ended():
	default:
		t.Error("the connection has not ended after Close")
	}
}

func TestS21_FilesAreTheUsersAloneAndGoWithTheWindow(t *testing.T) {
	t.Parallel()
	folder := shortDir(t)
	w := openWindow(t, folder, "1-a")
	for name, want := range map[string]fs.FileMode{".": 0o700, "1-a.json": 0o600, "1-a.token": 0o600, "1-a.sock": 0o600} {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has the mode %#o, want %#o", name, got, want)
		}
	}
	descriptor, err := os.ReadFile(filepath.Join(folder, "1-a.json"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(descriptor), w.token) {
		t.Error("the descriptor holds the token")
	}
	w.end()
	left, err := os.ReadDir(folder)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestDescribeChangesWhatIsSaid(t *testing.T) {
	t.Parallel()
	folder := shortDir(t)
	w := openWindow(t, folder, "1-a")
	err := w.Describe(func(d *message.WindowDescriptor) {
		d.Window, d.Socket, d.Roots = "other", "other", []message.URI{"file:///two"}
	})
	if err != nil {
		t.Fatal(err)
	}
	windows, err := Windows(folder)
	if err != nil || len(windows) != 1 || windows[0].Window != "1-a" || windows[0].Roots[0] != "file:///two" {
		t.Errorf("windows: %+v, %v", windows, err)
	}
	w.end()
	if err := w.Describe(func(*message.WindowDescriptor) {}); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(folder); len(left) > 0 {
		t.Errorf("a closed window was described: %v", left)
	}
}

func TestWindowsAreOrderedByFocus(t *testing.T) {
	t.Parallel()
	folder := shortDir(t)
	now := time.Now().UTC()
	for name, at := range map[string]time.Time{"1-old": now.Add(-time.Hour), "1-new": now, "1-never": {}} {
		w := openWindow(t, folder, name)
		if err := w.Describe(func(d *message.WindowDescriptor) { d.FocusedAt = at }); err != nil {
			t.Fatal(err)
		}
	}
	windows, err := Windows(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, w := range windows {
		names = append(names, w.Window)
	}
	if got := strings.Join(names, " "); got != "1-new 1-old 1-never" {
		t.Errorf("windows: %s", got)
	}
}

func TestNoWindows(t *testing.T) {
	t.Parallel()
	if windows, err := Windows(shortDir(t)); err != nil || len(windows) > 0 {
		t.Errorf("%v, %v", windows, err)
	}
}

// TestC76_StaleFilesOfDeadWindows kills nothing: the process id of a descriptor is that of a process that has ended.
func TestC76_StaleFilesOfDeadWindows(t *testing.T) {
	t.Parallel()
	folder := shortDir(t)
	dead := deadPID(t)
	alive := openWindow(t, folder, "1-alive")
	hidden := openWindow(t, folder, "2-hidden") // as if in another container: the process is not seen, the socket answers
	if err := hidden.Describe(func(d *message.WindowDescriptor) { d.PID = dead }); err != nil {
		t.Fatal(err)
	}
	leaveBehind(t, folder, "3-dead", dead)
	for range 2 {
		windows, err := Windows(folder)
		if err != nil || len(windows) != 2 {
			t.Fatalf("windows: %+v, %v", windows, err)
		}
	}
	for _, suffix := range []string{descriptorSuffix, tokenSuffix, socketSuffix} {
		if _, err := os.Lstat(filepath.Join(folder, "3-dead"+suffix)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s of the dead window: %v", suffix, err)
		}
		if _, err := os.Lstat(filepath.Join(folder, "1-alive"+suffix)); err != nil {
			t.Errorf("%s of the live window: %v", suffix, err)
		}
	}
	if _, err := Dial(t.Context(), folder, alive.Descriptor(), cliOptions()); err != nil {
		t.Error(err)
	}
}

func TestNobodyFindsAWindowBeforeItIsPublished(t *testing.T) {
	t.Parallel()
	folder := shortDir(t)
	found := func() int {
		t.Helper()
		windows, err := Windows(folder)
		if err != nil {
			t.Fatal(err)
		}
		return len(windows)
	}
	l, err := Listen(folder, descriptorOf("1-a"))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Describe(func(d *message.WindowDescriptor) { d.Roots = []message.URI{"file:///other"} }); err != nil || found() != 0 {
		t.Errorf("%d windows found before, %v", found(), err)
	}
	if err := l.Publish(); err != nil || found() != 1 {
		t.Errorf("%d windows found after, %v", found(), err)
	}
	if windows, err := Windows(folder); err != nil || windows[0].Roots[0] != "file:///other" {
		t.Errorf("%+v, %v", windows, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Publish(); err != nil || found() != 0 {
		t.Errorf("%d windows found after Close, %v", found(), err)
	}
}

// leaveBehind leaves the files of a window that was killed.
func leaveBehind(t *testing.T, folder, name string, pid int) message.WindowDescriptor {
	t.Helper()
	d := descriptorOf(name)
	d.PID = pid
	l, err := Listen(folder, d)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Publish(); err != nil {
		t.Fatal(err)
	}
	l.inner.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := l.inner.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Descriptor()
}

func TestDialOfAWindowThatHasGone(t *testing.T) {
	t.Parallel()
	folder := shortDir(t)
	gone := leaveBehind(t, folder, "1-a", os.Getpid())
	if _, err := Dial(t.Context(), folder, gone, cliOptions()); !errors.Is(err, ErrGone) {
		t.Errorf("error %v, want ErrGone", err)
	}
}

func TestCallAfterTheWindowClosed(t *testing.T) {
	t.Parallel()
	folder := shortDir(t)
	w := openWindow(t, folder, "1-a")
	joined, err := Dial(t.Context(), folder, w.Descriptor(), cliOptions())
	if err != nil {
		t.Fatal(err)
	}
	w.end()
	<-joined.Ended()
	if _, err := Call(t.Context(), joined, message.Asks, message.Empty{}); !errors.Is(err, ErrGone) {
		t.Errorf("error %v, want ErrGone", err)
	}
	joined.Close()
}
