package rpctest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"sync"
	"testing"

	"pillion/rpc"
)

// Peer is what a transcript is played against.
type Peer struct {
	In     io.WriteCloser                   // what it reads
	Out    io.Reader                        // what it writes: frames and nothing else
	Wait   func() (exitCode int, err error) // waits for its end; may be called more than once
	Stderr func() string                    // what it has written to stderr; nil when there is none
}

// Start starts a process, whose standard streams must not be set, and kills it at
// the end of the test if it still runs.
func Start(t testing.TB, cmd *exec.Cmd) *Peer {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errors lockedBuffer
	cmd.Stderr = &errors
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// Waiting closes the pipe of stdout, so what has not been read by then is kept.
	read := newDrain(out)
	wait := sync.OnceValue(func() error {
		<-read.ended
		return cmd.Wait()
	})
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = wait()
	})
	return &Peer{
		In:     in,
		Out:    read,
		Stderr: errors.String,
		Wait: func() (int, error) {
			err := wait()
			if cmd.ProcessState != nil {
				return cmd.ProcessState.ExitCode(), nil
			}
			return -1, err
		},
	}
}

// Serve serves router on a connection in memory and ends it with the test. Its exit
// code is that of the program: 0 for an orderly end, 2 for an unreadable header, 1
// otherwise.
func Serve(t testing.TB, router *rpc.Router, o rpc.Options) *Peer {
	t.Helper()
	return ServeConn(t, func(in io.ReadCloser, out io.WriteCloser) *rpc.Conn {
		return rpc.NewConn(in, out, router, o)
	})
}

// ServeConn is [Serve] for a connection that the test makes itself.
func ServeConn(t testing.TB, connect func(in io.ReadCloser, out io.WriteCloser) *rpc.Conn) *Peer {
	t.Helper()
	theirIn, in := io.Pipe()
	out, theirOut := io.Pipe()
	c := connect(theirIn, theirOut)
	var err error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err = c.Serve(context.Background())
	}()
	read := newDrain(out)
	t.Cleanup(func() {
		c.Close()
		<-ended
		<-read.ended
	})
	return &Peer{In: in, Out: read, Wait: func() (int, error) {
		<-ended
		return exitCode(err), err
	}}
}

// exitCode returns the exit code that belongs to the end of a connection.
func exitCode(err error) int {
	var unreadable *rpc.FrameError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &unreadable):
		return 2
	}
	return 1
}

// lockedBuffer is a buffer that one goroutine writes and others read.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// drain reads a stream to its end into memory, whether or not anybody reads from
// it, so that the other side is never held up.
type drain struct {
	mu     sync.Mutex
	more   sync.Cond
	buffer bytes.Buffer
	err    error
	ended  chan struct{}
}

func newDrain(source io.Reader) *drain {
	d := &drain{ended: make(chan struct{})}
	d.more.L = &d.mu
	go d.run(source)
	return d
}

func (d *drain) run(source io.Reader) {
	defer close(d.ended)
	chunk := make([]byte, 64<<10)
	for {
		n, err := source.Read(chunk)
		d.mu.Lock()
		d.buffer.Write(chunk[:n])
		if err != nil {
			d.err = io.EOF
		}
		d.more.Broadcast()
		d.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Read implements [io.Reader].
func (d *drain) Read(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.buffer.Len() == 0 && d.err == nil {
		d.more.Wait()
	}
	if d.buffer.Len() == 0 {
		return 0, d.err
	}
	return d.buffer.Read(p)
}
