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
	// handing is set while the connection is handed over, and closed once whoever read before is to let go of it.
	handing chan struct{}
	letGo   sync.Once
	// reading is held while somebody reads frames.
	reading sync.Mutex
}

func newStream(conn net.Conn, peer process.Peer) *Stream { return &Stream{Peer: peer, conn: conn} }

// HandOver ends the reading of frames without losing what comes after them: nothing that arrives once it has returned is read, and
// closing In and Out lets go of the connection without closing it. [Stream.Raw] is what it is then. Whoever reads frames must not
// call it.
func (s *Stream) HandOver() {
	if !s.beginHandingOver() {
		return
	}
	// A read that the deadline has woken, but that has not run yet, would still take what arrives meanwhile.
	s.reading.Lock()
	defer s.reading.Unlock()
}

func (s *Stream) beginHandingOver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isShut || s.handing != nil {
		return false
	}
	s.handing = make(chan struct{})
	_ = s.conn.SetReadDeadline(time.Unix(1, 0))
	return true
}

// Raw is the connection after [Stream.HandOver], once whoever spoke in frames has closed In and Out: bytes, whatever they mean.
// Closing it closes the connection.
func (s *Stream) Raw() io.ReadWriteCloser {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isShut {
		_ = s.conn.SetReadDeadline(time.Time{})
	}
	return s.conn
}

// handedOver is closed when whoever reads frames is to let go; nil while the connection is not handed over.
func (s *Stream) handedOver() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.handing
}

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
	if s.isShut || s.handing != nil {
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
	n, err := r.read(b)
	if err == nil {
		return n, nil
	}
	if handing := r.stream.handedOver(); handing != nil {
		<-handing // what ended the read is the handing over: the connection goes on
		return n, os.ErrClosed
	}
	if r.stream.hasShut() {
		err = os.ErrClosed
	}
	return n, err
}

func (r reader) read(b []byte) (int, error) {
	r.stream.reading.Lock()
	defer r.stream.reading.Unlock()
	if r.stream.handedOver() != nil {
		return 0, os.ErrClosed
	}
	return r.stream.conn.Read(b)
}

func (r reader) Close() error {
	if handing := r.stream.handedOver(); handing != nil {
		r.stream.letGo.Do(func() { close(handing) })
		return nil
	}
	r.stream.shut()
	return nil
}

type writer struct{ stream *Stream }

func (w writer) Write(b []byte) (int, error) { return w.stream.conn.Write(b) }

func (w writer) Close() error {
	if w.stream.handedOver() != nil {
		return nil
	}
	return w.stream.Close()
}
