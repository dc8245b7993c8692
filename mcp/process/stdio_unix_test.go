//go:build linux || darwin

package process

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// program is the test binary in a mode, for plain exec.
func program(t *testing.T, mode string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(self(t))
	cmd.Env = append(cmd.Environ(), modeVar+"="+mode, quickExit)
	return cmd
}

const strays = "a stray print\na stray write\n"

func TestTakeStdio_Pipes(t *testing.T) {
	t.Parallel()
	frames := strings.Repeat("Content-Length: 2\r\n\r\n{}", 100_000)
	cmd := program(t, "stdio")
	var out, stray bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(frames), &out, &stray
	if err := cmd.Run(); err != nil {
		t.Fatal(err, stray.String())
	}
	if out.String() != frames {
		t.Errorf("%d bytes came back of %d", out.Len(), len(frames))
	}
	if stray.String() != strays {
		t.Errorf("stderr %q", stray.String())
	}
}

func TestC79_StderrWithoutAReader(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Close()
	cmd := program(t, "stdio")
	cmd.Stdin, cmd.Stderr = strings.NewReader("{}"), w
	if out, err := cmd.Output(); err != nil || string(out) != "{}" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestTakeStdio_Files(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	text := strings.Repeat("x", 100_000)
	if err := os.WriteFile(filepath.Join(folder, "in"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err1 := os.Open(filepath.Join(folder, "in"))
	out, err2 := os.Create(filepath.Join(folder, "out"))
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	defer in.Close()
	defer out.Close()
	cmd := program(t, "stdio")
	cmd.Stdin, cmd.Stdout = in, out
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(out.Name()); err != nil || string(got) != text {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestTakeStdio_Sockets(t *testing.T) {
	t.Parallel()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	theirs, ours := os.NewFile(uintptr(fds[0]), "theirs"), os.NewFile(uintptr(fds[1]), "ours")
	t.Cleanup(func() { ours.Close() })
	cmd := program(t, "stdio")
	cmd.Stdin, cmd.Stdout = theirs, theirs // one for both, as some editors do
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	text := strings.Repeat("x", 1<<20)
	var writer sync.WaitGroup
	defer writer.Wait()
	writer.Go(func() {
		_, _ = io.WriteString(ours, text)
		_ = unix.Shutdown(fds[1], unix.SHUT_WR)
	})
	got, err := io.ReadAll(ours)
	if err != nil || string(got) != text {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestTakeStdio_Terminal(t *testing.T) {
	t.Parallel()
	cmd := program(t, "stdio")
	var stray bytes.Buffer
	cmd.Stderr = &stray
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	const line, endOfInput = "hello\n", "\x04"
	if _, err := io.WriteString(terminal, line+endOfInput); err != nil {
		t.Fatal(err)
	}
	got, _ := io.ReadAll(terminal) // ends with EIO at the end of the other side
	if want := "hello\r\n"; strings.Count(string(got), want) != 2 {
		t.Errorf("got %q, want %q from the terminal's echo and once more", got, want)
	}
	if err := cmd.Wait(); err != nil || stray.String() != strays {
		t.Errorf("%v, stderr %q", err, stray.String())
	}
}

func TestTakeStdio_CloseEndsWhatBlocks(t *testing.T) {
	t.Parallel()
	in, keepIn, err1 := os.Pipe()
	keepOut, out, err2 := os.Pipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	defer closeAll([]*os.File{in, keepIn, keepOut, out})
	cmd := program(t, "stdio-close")
	var said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &said
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	want := "ready\n" + strings.Repeat(os.ErrClosed.Error()+"\n", 2)
	if said.String() != want {
		t.Errorf("%q, want %q", said.String(), want)
	}
}

// pipeStreams are both ends of a pipe as streams.
func pipeStreams(t *testing.T) (r, w *stream) {
	t.Helper()
	var fds [2]int
	if err := unix.Pipe(fds[:]); err != nil {
		t.Fatal(err)
	}
	r, err1 := newStream(fds[0])
	w, err2 := newStream(fds[1])
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return r, w
}

func TestStream_CloseFreesAReader(t *testing.T) {
	t.Parallel()
	r, _ := pipeStreams(t)
	result := make(chan error, 1)
	go func() {
		_, err := r.Read(make([]byte, 1))
		result <- err
	}()
	eventually(t, "the read to block", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.users == 1
	})
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := within(t, "the end of the read", result); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("read after Close: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

func TestStream_CloseFreesAWriterInTheMiddle(t *testing.T) {
	t.Parallel()
	r, w := pipeStreams(t)
	type outcome struct {
		n   int
		err error
	}
	result := make(chan outcome, 1)
	go func() {
		n, err := w.Write(make([]byte, 4<<20))
		result <- outcome{n, err}
	}()
	if _, err := io.ReadFull(r, make([]byte, 100_000)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	got := within(t, "the end of the write", result)
	if !errors.Is(got.err, os.ErrClosed) || got.n < 100_000 || got.n >= 4<<20 {
		t.Errorf("%d, %v", got.n, got.err)
	}
	rest, err := io.Copy(io.Discard, r)
	if err != nil || 100_000+int(rest) != got.n {
		t.Errorf("%d bytes were written and %d arrived, %v", got.n, 100_000+rest, err)
	}
}

func TestC79_WriteWithoutAReader(t *testing.T) {
	t.Parallel()
	r, w := pipeStreams(t)
	_ = r.Close()
	if _, err := w.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Error(err)
	}
}

func TestC79_WatchReader(t *testing.T) {
	t.Parallel()
	r, w := pipeStreams(t)
	gone := WatchReader(t.Context(), w)
	if _, err := w.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	select {
	case <-gone:
		t.Error("gone with its reader there")
	default:
	}
	_ = r.Close()
	within(t, "notice of the reader's end", gone)
}

func TestC79_WatchReaderOfASocket(t *testing.T) {
	t.Parallel()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newStream(fds[0])
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	gone := WatchReader(t.Context(), s)
	if err := unix.Close(fds[1]); err != nil {
		t.Fatal(err)
	}
	within(t, "notice of the reader's end", gone)
}

func TestWatchReader_EndsQuietly(t *testing.T) {
	t.Parallel()
	_, w := pipeStreams(t)
	ctx, cancel := context.WithCancel(t.Context())
	first, second := WatchReader(ctx, w), WatchReader(t.Context(), w)
	users := func() int {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.users
	}
	cancel()
	eventually(t, "the end of the first watch", func() bool { return users() == 1 })
	_ = w.Close()
	eventually(t, "the end of the second watch", func() bool { return users() == 0 })
	for _, gone := range []<-chan struct{}{first, second, WatchReader(t.Context(), w), WatchReader(t.Context(), nil)} {
		select {
		case <-gone:
			t.Error("the reader is said to have gone")
		default:
		}
	}
}

// The mode is one of the pipe, and holds for everybody who has it.
func TestTakeStdio_LeavesTheModeAlone(t *testing.T) {
	t.Parallel()
	var fds [2]int
	if err := unix.Pipe(fds[:]); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	s, err := duplicate(fds[0])
	if err != nil {
		t.Fatal(err)
	}
	if isNonBlocking(fds[0]) {
		t.Error("made non-blocking")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
