package process

import (
	"fmt"
	"net"
	"unsafe"

	"golang.org/x/sys/windows"
)

// sioAFUnixGetPeerPID is SIO_AF_UNIX_GETPEERPID of <afunix.h>.
const sioAFUnixGetPeerPID = 0x58000100

// PeerOf asks the kernel who connected to a Unix socket.
func PeerOf(conn *net.UnixConn) (Peer, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return Peer{}, fmt.Errorf("peer of a socket: %w", err)
	}
	var pid, returned uint32
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = windows.WSAIoctl(windows.Handle(fd), sioAFUnixGetPeerPID, nil, 0,
			(*byte)(unsafe.Pointer(&pid)), uint32(unsafe.Sizeof(pid)), &returned, nil, 0)
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return Peer{}, fmt.Errorf("peer of a socket: %w", err)
	}
	return peerOfProcess(pid)
}

// PeerOfPipe asks the kernel who connected to a named pipe, given the server's handle of it.
func PeerOfPipe(pipe uintptr) (Peer, error) {
	var pid uint32
	if err := windows.GetNamedPipeClientProcessId(windows.Handle(pipe), &pid); err != nil {
		return Peer{}, fmt.Errorf("peer of a pipe: %w", err)
	}
	return peerOfProcess(pid)
}

// peerOfProcess tells whether a process is this one's user's.
func peerOfProcess(pid uint32) (Peer, error) {
	const own, other = -1, -2
	peer := Peer{UID: other, PID: int(pid)}
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return peer, fmt.Errorf("look at process %d: %w", pid, err)
	}
	defer windows.CloseHandle(process)
	var token windows.Token
	if err := windows.OpenProcessToken(process, windows.TOKEN_QUERY, &token); err != nil {
		return peer, fmt.Errorf("look at the user of process %d: %w", pid, err)
	}
	defer token.Close()
	theirs, err := token.GetTokenUser()
	if err != nil {
		return peer, fmt.Errorf("look at the user of process %d: %w", pid, err)
	}
	mine, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return peer, fmt.Errorf("look at this process's user: %w", err)
	}
	if windows.EqualSid(theirs.User.Sid, mine.User.Sid) {
		peer.UID = own
	}
	return peer, nil
}
