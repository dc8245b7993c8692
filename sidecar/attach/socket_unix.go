//go:build !windows

package attach

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"pillion/mcp/process"
)

const socketSuffix = ".sock"

func socketPath(folder, window string) string { return filepath.Join(folder, window+socketSuffix) }

// maxSocketPath is the size of sun_path without its closing zero.
func maxSocketPath() int {
	if runtime.GOOS == "linux" {
		return 107
	}
	return 103
}

func checkPath(path string) error {
	if len(path) > maxSocketPath() {
		return fmt.Errorf("the path %s has %d bytes, and a socket's may have %d: set XDG_RUNTIME_DIR to a shorter folder of your own", path, len(path), maxSocketPath())
	}
	return nil
}

// listenOn binds the socket; whatever stands there already is somebody's and stays.
func listenOn(path string) (net.Listener, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is there already", path)
	}
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

func dial(ctx context.Context, path string) (net.Conn, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	var dialer net.Dialer
	return dialer.DialContext(ctx, "unix", path)
}

// isNobody reports whether dialling failed because no process listens any more.
func isNobody(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist)
}

// peerOf asks the kernel who is at the other end; it serves both sides.
func peerOf(conn net.Conn) (process.Peer, error) {
	socket, isSocket := conn.(*net.UnixConn)
	if !isSocket {
		return process.Peer{}, fmt.Errorf("peer of a %T: not a socket", conn)
	}
	return process.PeerOf(socket)
}

func serverOf(conn net.Conn) (process.Peer, error) { return peerOf(conn) }

func removeSocket(path string) { _ = os.Remove(path) }

// isAlive reports whether there is a process of that id.
func isAlive(pid int) bool {
	if pid <= 0 {
		return false
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
