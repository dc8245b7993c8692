package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"pillion/browser/native"
)

// PipeVar names the variable that has Pillion's own program stand in for a browser: what it holds is the socket of who has one.
const PipeVar = "PILLION_BROWSER_PIPE"

// IsPipe reports whether this program was started in place of a browser, to be spoken with over descriptors 3 and 4.
func IsPipe(arguments []string, getenv func(string) string) bool {
	return getenv(PipeVar) != "" && slices.Contains(arguments, "--remote-debugging-pipe")
}

// RunPipe passes on what is said over descriptors 3 and 4, and returns when one of the two ends has gone.
func RunPipe(socket string) error {
	in, out := os.NewFile(3, "pipe 3"), os.NewFile(4, "pipe 4")
	if in == nil || out == nil {
		return errors.New("stand in for a browser: there are no pipes")
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return fmt.Errorf("stand in for a browser: %w", err)
	}
	done := make(chan struct{}, 2)
	for _, way := range []struct {
		to   io.Writer
		from io.Reader
	}{{conn, in}, {out, conn}} {
		go func() {
			_, _ = io.Copy(way.to, way.from)
			done <- struct{}{}
		}()
	}
	<-done
	return conn.Close()
}

// lounge is where programs that stand in for a browser are waited for.
type lounge struct {
	guarded  *native.Guarded
	listener *net.UnixListener
	path     string
	waiting  sync.WaitGroup
	stop     context.CancelFunc
}

// maxSocketBytes is what the name of a socket may have on every system.
const maxSocketBytes = 100

// openLounge listens in a private folder until close.
func openLounge(folder string, guarded *native.Guarded) (*lounge, error) {
	path := filepath.Join(folder, "pipe")
	if len(path) > maxSocketBytes {
		return nil, fmt.Errorf("the name of the folder %s is too long for a socket", folder)
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("wait for the browser's program: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	l := &lounge{guarded: guarded, listener: listener, path: path, stop: stop}
	l.waiting.Go(func() { l.accept(ctx) })
	return l, nil
}

func (l *lounge) accept(ctx context.Context) {
	for {
		conn, err := l.listener.AcceptUnix()
		if err != nil {
			return
		}
		l.waiting.Go(func() {
			defer conn.Close()
			end := context.AfterFunc(ctx, func() { _ = conn.Close() })
			defer end()
			_ = l.guarded.Serve(ctx, conn, conn) // told by its Fault
		})
	}
}

// close ends every browser and waits for that.
func (l *lounge) close() {
	l.stop()
	_ = l.listener.Close()
	l.waiting.Wait()
}
