package process

import "os"

// Peer is who stands at the other end of a local socket, as the kernel tells it.
type Peer struct {
	// UID is the user. On Windows, which has none, it is os.Getuid() (-1) for this process's user and -2 for another.
	UID int
	PID int
}

// IsUser reports whether the peer runs as this process's user (S21).
func (p Peer) IsUser() bool { return p.UID == os.Getuid() }
