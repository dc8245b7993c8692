package attach

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"

	"pillion/rpc"
	"pillion/rpc/message"
)

// The endings of the files of one window, after its name.
const (
	descriptorSuffix = ".json"
	tokenSuffix      = ".token"
)

// Listener is the socket of one window with its descriptor and its token, all of which go with [Listener.Close].
// Its methods may be called at once.
type Listener struct {
	inner  net.Listener
	folder string
	token  string

	mu          sync.Mutex
	descriptor  message.WindowDescriptor
	isPublished bool
	isClosed    bool
}

// Listen opens the socket of the window that the descriptor names and writes its token, both into folder, which it makes with
// the mode 0700 where it is missing. A folder that is a link, belongs to somebody else or is open to others is refused, and
// nothing takes its place; so is what is there already (S21). Nobody finds the window by itself before [Listener.Publish].
// The descriptor's own Socket is filled in.
func Listen(folder string, descriptor message.WindowDescriptor) (*Listener, error) {
	l, err := listen(folder, descriptor)
	if err != nil {
		return nil, fmt.Errorf("open the socket of the window: %w", err)
	}
	return l, nil
}

func listen(folder string, descriptor message.WindowDescriptor) (*Listener, error) {
	if err := checkName(descriptor.Window); err != nil {
		return nil, err
	}
	if err := prepareFolder(folder); err != nil {
		return nil, err
	}
	l := &Listener{folder: folder, token: message.NewAttachToken(), descriptor: descriptor}
	l.descriptor.Socket = socketPath(folder, descriptor.Window)
	inner, err := listenOn(l.descriptor.Socket)
	if err != nil {
		return nil, err
	}
	l.inner = inner
	if err := writeNew(l.file(tokenSuffix), []byte(l.token+"\n")); err != nil {
		return nil, errors.Join(err, inner.Close())
	}
	return l, nil
}

// Publish writes the descriptor, by which the window is found; after Close it does nothing. Whoever was told the socket can
// join whether it succeeds or not.
func (l *Listener) Publish() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isClosed {
		return nil
	}
	if err := l.writeDescriptor(); err != nil {
		return fmt.Errorf("publish the socket of the window: %w", err)
	}
	l.isPublished = true
	return nil
}

// checkName keeps a window's name from leading out of the folder.
func checkName(window string) error {
	if window == "" || !filepath.IsLocal(window) || filepath.Base(window) != window {
		return fmt.Errorf("%q is not the name of a window", window)
	}
	return nil
}

func (l *Listener) file(suffix string) string {
	return filepath.Join(l.folder, l.descriptor.Window+suffix)
}

// Socket is the path of the socket, or the name of the pipe.
func (l *Listener) Socket() string { return l.descriptor.Socket }

// Descriptor is what the window says of itself now.
func (l *Listener) Descriptor() message.WindowDescriptor {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.descriptor
}

// Accept waits for the next connection of this user; one of another user is hung up on and not returned.
// After Close the error is [net.ErrClosed].
func (l *Listener) Accept() (*Stream, error) {
	for {
		conn, err := l.inner.Accept()
		if err != nil {
			return nil, err
		}
		peer, err := peerOf(conn)
		if err != nil || !peer.IsUser() {
			_ = conn.Close() // nothing is said to a stranger
			continue
		}
		return newStream(conn, peer), nil
	}
}

// Describe changes what the descriptor says of the window; its name and its socket stay.
func (l *Listener) Describe(change func(*message.WindowDescriptor)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isClosed {
		return nil
	}
	window, socket := l.descriptor.Window, l.descriptor.Socket
	change(&l.descriptor)
	l.descriptor.Window, l.descriptor.Socket = window, socket
	if !l.isPublished {
		return nil
	}
	return l.writeDescriptor()
}

func (l *Listener) writeDescriptor() error {
	text, err := rpc.Marshal(l.descriptor)
	if err != nil {
		return err
	}
	return replace(l.file(descriptorSuffix), append(text, '\n'))
}

// Close ends Accept and removes the window's files. Connections that were accepted stay.
func (l *Listener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isClosed {
		return nil
	}
	l.isClosed = true
	removeFiles(l.folder, l.descriptor.Window)
	return l.inner.Close()
}

// removeFiles removes what a window has left, the descriptor first so that nobody finds half of it.
func removeFiles(folder, window string) {
	for _, suffix := range []string{descriptorSuffix, tokenSuffix} {
		_ = os.Remove(filepath.Join(folder, window+suffix))
	}
	removeSocket(socketPath(folder, window))
}

// Leave writes a new file, for this user's programs alone to read, into a folder that nobody else can reach into (S21); whoever
// leaves it removes it. The folder is made where it is missing, and refused where it is not this user's own.
func Leave(folder, name string, text []byte) (path string, err error) {
	if err := prepareFolder(folder); err != nil {
		return "", fmt.Errorf("leave a file in %s: %w", folder, err)
	}
	path = filepath.Join(folder, name)
	return path, writeNew(path, text)
}

// writeNew writes a file that only this user may read and that was not there before.
func writeNew(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

// replace writes a file so that readers see the old text or the new. What it holds ends with the window, so nothing waits
// for the disk.
func replace(path string, text []byte) error {
	beside := path + ".new"
	_ = os.Remove(beside) // of a write that was interrupted
	if err := writeNew(beside, text); err != nil {
		return err
	}
	return os.Rename(beside, path)
}
