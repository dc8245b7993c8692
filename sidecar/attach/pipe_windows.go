package attach

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"

	"github.com/Microsoft/go-winio"
	"golang.org/x/sys/windows"

	"pillion/mcp/process"
)

const pipePrefix = `\\.\pipe\pillion-`

func socketPath(_, window string) string { return pipePrefix + window }

// listenOn opens the pipe for this user alone and as its first instance: one that is there already is somebody's, and is
// refused. The library turns away clients of other machines.
func listenOn(name string) (net.Listener, error) {
	user, err := ownSID()
	if err != nil {
		return nil, err
	}
	return winio.ListenPipe(name, &winio.PipeConfig{
		SecurityDescriptor: fmt.Sprintf("O:%[1]sD:P(A;;GA;;;%[1]s)", user.String()),
	})
}

func dial(ctx context.Context, name string) (net.Conn, error) {
	return winio.DialPipeContext(ctx, name)
}

// isNobody reports whether dialling failed because no process listens any more.
func isNobody(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func handleOf(conn net.Conn) (windows.Handle, error) {
	file, hasHandle := conn.(interface{ Fd() uintptr })
	if !hasHandle {
		return 0, fmt.Errorf("peer of a %T: not a pipe", conn)
	}
	return windows.Handle(file.Fd()), nil
}

// peerOf asks the kernel who connected to this window's pipe.
func peerOf(conn net.Conn) (process.Peer, error) {
	handle, err := handleOf(conn)
	if err != nil {
		return process.Peer{}, err
	}
	return process.PeerOfPipe(uintptr(handle))
}

// serverOf asks the kernel whose pipe was dialled: the owner of the pipe, which only the first instance sets.
func serverOf(conn net.Conn) (process.Peer, error) {
	const own, other = -1, -2 // as process.Peer has it
	handle, err := handleOf(conn)
	if err != nil {
		return process.Peer{}, err
	}
	security, err := windows.GetSecurityInfo(handle, windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return process.Peer{}, fmt.Errorf("look at the owner of a pipe: %w", err)
	}
	owner, _, err := security.Owner()
	if err != nil {
		return process.Peer{}, fmt.Errorf("look at the owner of a pipe: %w", err)
	}
	user, err := ownSID()
	if err != nil {
		return process.Peer{}, err
	}
	peer := process.Peer{UID: other}
	if owner.Equals(user) {
		peer.UID = own
	}
	var pid uint32
	if err := windows.GetNamedPipeServerProcessId(handle, &pid); err != nil {
		return process.Peer{}, fmt.Errorf("peer of a pipe: %w", err)
	}
	peer.PID = int(pid)
	return peer, nil
}

// removeSocket has nothing to do: a pipe ends with its last handle.
func removeSocket(string) {}

// isAlive reports whether there is a process of that id.
func isAlive(pid int) bool {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer windows.CloseHandle(process)
	var code uint32
	const stillActive = 259
	return windows.GetExitCodeProcess(process, &code) == nil && code == stillActive
}
