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
	inside, outside := openSockets(t)
	theirs, ours := os.NewFile(uintptr(inside), "theirs"), os.NewFile(uintptr(outside), "ours")
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
		_ = unix.Shutdown(outside, unix.SHUT_WR)
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

// openPipe returns both ends of a pipe that no other test's program inherits.
func openPipe(t *testing.T) (r, w int) {
	t.Helper()
	file, other, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	defer other.Close()
	r, err1 := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 3) // Fd makes the pipe blocking, as a program's streams are
	w, err2 := unix.FcntlInt(other.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return r, w
}

// openSockets returns both ends of a socket that no other test's program inherits.
func openSockets(t *testing.T) (theirs, ours int) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	unix.CloseOnExec(fds[0])
	unix.CloseOnExec(fds[1])
	return fds[0], fds[1]
}

// eachKind runs a test with both ends of a pipe and of a socket as streams.
func eachKind(t *testing.T, test func(t *testing.T, r, w *stream)) {
	t.Helper()
	for kind, open := range map[string]func(*testing.T) (int, int){"pipe": openPipe, "socket": openSockets} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			reading, writing := open(t)
			r, err1 := newStream(reading)
			w, err2 := newStream(writing)
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _, _ = r.Close(), w.Close() })
			test(t, r, w)
		})
	}
}

func TestStream_CloseFreesAReader(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, r, _ *stream) {
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
	})
}

// The reader has read before, so that its next Read blocks, or is about to.
func TestStream_CloseFreesAReaderInTheMiddle(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, r, w *stream) {
		read, result := make(chan int), make(chan error, 1)
		go func() {
			for {
				n, err := r.Read(make([]byte, 8))
				if err != nil {
					result <- err
					return
				}
				read <- n
			}
		}()
		for range 3 {
			if _, err := w.Write([]byte("x")); err != nil {
				t.Fatal(err)
			}
			if n := within(t, "what was written", read); n != 1 {
				t.Errorf("%d bytes", n)
			}
		}
		_ = r.Close()
		if err := within(t, "the end of the read", result); !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
	})
}

func TestStream_CloseFreesAWriterInTheMiddle(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, r, w *stream) {
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
	})
}

func TestStream_AllOfItArrives(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789abcdef", 1<<16)
	eachKind(t, func(t *testing.T, r, w *stream) {
		written := make(chan error, 1)
		go func() {
			_, err := io.WriteString(w, text)
			written <- errors.Join(err, w.Close())
		}()
		got, err := io.ReadAll(r)
		if err != nil || string(got) != text {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if err := within(t, "the end of the write", written); err != nil {
			t.Error(err)
		}
	})
}

func TestC79_WriteWithoutAReader(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, r, w *stream) {
		_ = r.Close()
		if _, err := w.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
			t.Error(err)
		}
	})
}

func TestC79_WatchReader(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, r, w *stream) {
		gone := WatchReader(t.Context(), w)
		if _, err := w.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		select {
		case <-gone:
			t.Error("gone with its reader there")
		default:
		}
		if n, err := r.Read(make([]byte, 1)); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		_ = r.Close()
		within(t, "notice of the reader's end", gone)
	})
}

func TestWatchReader_EndsQuietly(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, _, w *stream) {
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
	})
}

// The mode is one of the pipe or the socket, and holds for everybody who has it.
func TestTakeStdio_LeavesTheModeAlone(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) (int, int){"pipe": openPipe, "socket": openSockets} {
		r, w := open(t)
		defer unix.Close(r)
		defer unix.Close(w)
		for _, fd := range []int{r, w} {
			s, err := duplicate(fd)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
		}
		if isNonBlocking(r) || isNonBlocking(w) {
			t.Errorf("the %s was made non-blocking", name)
		}
	}
}
