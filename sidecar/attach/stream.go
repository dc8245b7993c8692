package attach

import (
	"io"
	"net"
	"os"
	"sync"
	"time"

	"pillion/mcp/process"
)

// Stream is one connection to a window, as bytes.
type Stream struct {
	// Peer is who is at the other end, from the kernel.
	Peer process.Peer

	conn net.Conn
	mu   sync.Mutex
	// isShut is set when nothing more is read.
	isShut bool
}

func newStream(conn net.Conn, peer process.Peer) *Stream { return &Stream{Peer: peer, conn: conn} }

// In is the end that is read from. Closing it ends a read that waits and leaves the other end open: what is still to be said
// is said.
func (s *Stream) In() io.ReadCloser { return reader{s} }

// Out is the end that is written to. Closing it closes the connection.
func (s *Stream) Out() io.WriteCloser { return writer{s} }

// Close closes the connection.
func (s *Stream) Close() error {
	s.shut()
	return s.conn.Close()
}

// Hurry ends reading when the time is up; zero takes that back.
func (s *Stream) Hurry(limit time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isShut {
		return
	}
	var deadline time.Time
	if limit > 0 {
		deadline = time.Now().Add(limit)
	}
	_ = s.conn.SetReadDeadline(deadline) // it fails on a closed connection alone
}

func (s *Stream) shut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isShut = true
	_ = s.conn.SetReadDeadline(time.Unix(1, 0))
}

func (s *Stream) hasShut() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isShut
}

type reader struct{ stream *Stream }

func (r reader) Read(b []byte) (int, error) {
	n, err := r.stream.conn.Read(b)
	if err != nil && r.stream.hasShut() {
		err = os.ErrClosed
	}
	return n, err
}

func (r reader) Close() error {
	r.stream.shut()
	return nil
}

type writer struct{ stream *Stream }

func (w writer) Write(b []byte) (int, error) { return w.stream.conn.Write(b) }
func (w writer) Close() error                { return w.stream.Close() }
