package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"
	"unicode/utf8"

	"pillion/mcp/process"
	"pillion/mcp/serve"
	"pillion/rpc/message"
	"pillion/sidecar/attach"
	"pillion/sidecar/attach/bridge"
	"pillion/sidecar/core"
)

const (
	// reloadTime is how long a window that has gone may take to be there again, before its connectors are served without it.
	reloadTime = 10 * time.Second
	// soon and often are how long it takes to look for windows again: while one is waited for, and while none is needed.
	soon, often = 100 * time.Millisecond, 2 * time.Second
	// maxNameBytes bounds what a program calls itself (protocol, attach).
	maxNameBytes = 128
)

// serveAttached serves the connectors of an editor's window, as long as there is one, and this folder's else.
func (p *program) serveAttached(window string, options serve.Options) error {
	folders, err := core.FindFolders(p.environ)
	if err != nil {
		return err
	}
	in, out, err := process.TakeStdio()
	if err != nil {
		return err
	}
	w := &windowWay{program: p, runtime: folders.Runtime, folder: workingFolder(), wanted: window, options: options}
	defer w.close()
	return bridge.New(bridge.Options{Logger: p.log, Dial: w.dial, Lobby: w.lobby}).Run(p.ctx, in, out)
}

// windowWay is the way to the window that an agent is served by.
type windowWay struct {
	*program
	runtime string
	folder  string // of the agent
	wanted  string // the window that was named, if one was
	options serve.Options

	hasJoined bool // a window, which may be reloading

	mu     sync.Mutex
	joined io.ReadWriteCloser // a window that was joined while this process serves
}

// dial finds the window and joins it; without one this process serves itself.
func (w *windowWay) dial(ctx context.Context, client string) (bridge.Upstream, error) {
	if stream := w.takeJoined(); stream != nil {
		return w.window(stream), nil
	}
	for begun := time.Now(); ; {
		descriptor, isOpen, err := w.find()
		if err != nil {
			return bridge.Upstream{}, err
		}
		if isOpen {
			stream, err := w.join(ctx, descriptor, client)
			if err == nil {
				return w.window(stream), nil
			}
			if !errors.Is(err, attach.ErrGone) {
				return bridge.Upstream{}, err
			}
		} else if !w.hasJoined || time.Since(begun) > reloadTime {
			if w.wanted != "" {
				return bridge.Upstream{}, fmt.Errorf("no window %q is open; pillion doctor lists those that are", w.wanted)
			}
			return w.serveItself(ctx, client)
		}
		if !sleep(ctx, soon) {
			return bridge.Upstream{}, ctx.Err()
		}
	}
}

// window is a window that has been joined.
func (w *windowWay) window(stream io.ReadWriteCloser) bridge.Upstream {
	w.hasJoined = true
	return bridge.Upstream{Stream: stream, IsTelling: true}
}

// find is the window to join: the one that was named; else that with the longest root around the agent's folder, then the one that
// had the focus last (U8).
func (w *windowWay) find() (message.WindowDescriptor, bool, error) {
	windows, err := attach.Windows(w.runtime)
	if err != nil {
		return message.WindowDescriptor{}, false, err
	}
	for _, one := range windows {
		if one.Window == w.wanted {
			// By another name it is the same one after it was reloaded.
			if len(one.Roots) > 0 {
				w.folder = one.Roots[0].FsPath()
			}
			return one, true, nil
		}
	}
	if w.wanted != "" && !w.hasJoined {
		return message.WindowDescriptor{}, false, nil
	}
	if holding := windowsHolding(windows, w.folder); len(holding) > 0 {
		return holding[0], true, nil
	}
	return message.WindowDescriptor{}, false, nil
}

func (w *windowWay) join(ctx context.Context, descriptor message.WindowDescriptor, client string) (io.ReadWriteCloser, error) {
	o := attach.Options{Name: claimed(client), Expose: message.AttachMeta, IsUnprefixed: w.options.Unprefixed, Logger: w.log}
	if w.options.Expose == serve.All {
		o.Expose = message.AttachAll
	}
	stream, _, err := attach.DialAgent(ctx, w.runtime, descriptor, o)
	return stream, err
}

// claimed is what the agent is called: what it calls itself, or the program that started this one.
func claimed(client string) string {
	name := cmp.Or(client, filepath.Base(process.ExecutablePath(os.Getppid())), "an agent")
	if len(name) <= maxNameBytes {
		return name
	}
	end := maxNameBytes
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end]
}

// serveItself has this process serve until a window has been joined.
func (w *windowWay) serveItself(ctx context.Context, client string) (bridge.Upstream, error) {
	own, err := w.serveOwn(w.options)
	if err != nil {
		return bridge.Upstream{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	mine, its := net.Pipe()
	better := make(chan struct{})
	var workers sync.WaitGroup
	workers.Go(func() { _ = own.Serve(ctx, its) })
	workers.Go(func() {
		if w.awaitWindow(ctx, client) {
			close(better)
		}
	})
	return bridge.Upstream{Better: better, Stream: &ownStream{Conn: mine, end: sync.OnceFunc(func() {
		cancel()
		workers.Wait()
		own.close()
	})}}, nil
}

// ownStream is the stream to this process's own server, which ends with it.
type ownStream struct {
	net.Conn
	end func()
}

func (s *ownStream) Close() error {
	err := s.Conn.Close()
	s.end()
	return err
}

// awaitWindow waits for a window and joins it; one that does not take the agent is not asked again.
func (w *windowWay) awaitWindow(ctx context.Context, client string) bool {
	refused := map[string]bool{}
	for sleep(ctx, often) {
		descriptor, isOpen, err := w.find()
		if err != nil || !isOpen || refused[descriptor.Window] {
			continue
		}
		stream, err := w.join(ctx, descriptor, client)
		if err != nil {
			refused[descriptor.Window] = !errors.Is(err, attach.ErrGone)
			continue
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.joined = stream
		return true
	}
	return false
}

func (w *windowWay) takeJoined() io.ReadWriteCloser {
	w.mu.Lock()
	defer w.mu.Unlock()
	stream := w.joined
	w.joined = nil
	return stream
}

// close lets go of a window that was joined for nothing.
func (w *windowWay) close() {
	if stream := w.takeJoined(); stream != nil {
		_ = stream.Close()
	}
}

// lobby is a server without a connector: it answers what all answer alike, while a window asks whether the agent may join.
func (w *windowWay) lobby(ctx context.Context) (io.ReadWriteCloser, error) {
	empty, err := core.Open(core.Options{
		Logger: w.log, Version: version(), Environ: w.environ, Executable: w.executable, Window: core.NewWindow(), Settings: w.settings, IsStill: true,
	})
	if err != nil {
		return nil, err
	}
	o := w.options
	o.Logger, o.Version, o.Caller.Kind = w.log, version(), callerAgent
	server := serve.New(empty.Host, o) // the host is not started, and has no connector
	mine, its := net.Pipe()
	var workers sync.WaitGroup
	workers.Go(func() { _ = server.Serve(ctx, its) })
	return &ownStream{Conn: mine, end: sync.OnceFunc(func() {
		workers.Wait()
		server.Close()
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
		defer cancel()
		empty.Close(closing)
	})}, nil
}

// sleep waits, and reports false where ctx ends before that.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
