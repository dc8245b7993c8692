package devtools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
)

const (
	startPatience = 30 * time.Second
	// endPatience is for the browser to end by itself; nothing is lost when it is killed then, and whoever ends this process waits
	// for little longer.
	endPatience  = time.Second
	maxSaidBytes = 4 << 10
)

// Options say how to start a browser.
type Options struct {
	Program        string // absolute; see Find
	Relay          string // "127.0.0.1:port" of the proxy that everything goes through
	Folder         string // a new and private folder, which is removed, whatever lies there, when the browser has ended
	WithoutSandbox bool   // a browser of root has none; for tests and containers
	Env            []string
	Log            *slog.Logger
}

// Browser is a running browser. Its methods may be called from any goroutine.
type Browser struct {
	*Conn
	Product string // such as "HeadlessChrome/156.0.8078.108"

	command *exec.Cmd // nil is a browser that was attached to, which goes on when this ends
	folder  string
	said    *tail
	ended   chan struct{} // closed when the process has ended and its folder is gone
	closing sync.Once
}

// StartError is a browser that could not be started.
type StartError struct {
	Program string
	Said    string // the end of what it wrote, which is not ours; may be ""
	Err     error
}

func (e *StartError) Error() string {
	text := fmt.Sprintf("start browser %q: %v", e.Program, e.Err)
	if e.Said != "" {
		text += "; it said: " + e.Said
	}
	return text
}

func (e *StartError) Unwrap() error { return e.Err }

// NeedsSandboxStep reports whether the browser refused to run for want of a sandbox, as it does for root and in some containers.
func (e *StartError) NeedsSandboxStep() bool {
	return strings.Contains(e.Said, "--no-sandbox") || strings.Contains(e.Said, "sandbox")
}

// Start starts the browser and waits until it answers. onEvent is as in [Connect]. The error is the context's or a *StartError;
// after one nothing is left.
func Start(ctx context.Context, o Options, onEvent func(Event)) (*Browser, error) {
	b, err := launch(o, onEvent)
	if err != nil {
		_ = os.RemoveAll(o.Folder)
		return nil, &StartError{Program: o.Program, Err: err}
	}
	waiting, cancel := context.WithTimeoutCause(ctx, startPatience, errors.New("it did not answer in time"))
	defer cancel()
	version, err := cdp.Call(waiting, b.Conn.Browser(), browser.GetVersion, cdp.Empty{})
	if err != nil {
		b.Close()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &StartError{Program: o.Program, Said: b.said.String(), Err: err}
	}
	b.Product = version.Product
	return b, nil
}

func launch(o Options, onEvent func(Event)) (*Browser, error) {
	profile, temporary := filepath.Join(o.Folder, "profile"), filepath.Join(o.Folder, "tmp")
	for _, folder := range []string{profile, temporary} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return nil, err
		}
	}
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), ourOut.Close())
	}
	b := &Browser{folder: o.Folder, said: &tail{}, ended: make(chan struct{})}
	b.command = command(o.Program, switches(o, profile), o.Folder, theirIn, theirOut)
	b.command.Dir = o.Folder
	b.command.Env = append(o.Env, "TMPDIR="+temporary, "TMP="+temporary, "TEMP="+temporary)
	b.command.Stderr = b.said
	b.command.Stdout = b.said
	// What the browser leaves behind may hold these open.
	b.command.WaitDelay = time.Second
	err = b.command.Start()
	_ = theirIn.Close()
	_ = theirOut.Close()
	if err != nil {
		return nil, errors.Join(err, ourIn.Close(), ourOut.Close())
	}
	b.Conn = Connect(ourIn, ourOut, onEvent)
	go b.wait()
	return b, nil
}

func (b *Browser) wait() {
	_ = b.command.Wait()
	for range 20 {
		if os.RemoveAll(b.folder) == nil {
			break
		}
		time.Sleep(50 * time.Millisecond) // a process of the browser that still writes
	}
	close(b.ended)
}

// PID is the id of the process that everything of the browser descends from.
func (b *Browser) PID() int { return b.command.Process.Pid }

// Ended is closed when the browser's process has ended and its folder is gone, or the connection to one that was attached to.
func (b *Browser) Ended() <-chan struct{} { return b.ended }

// IsAttached reports whether somebody else started it.
func (b *Browser) IsAttached() bool { return b.command == nil }

// Kill ends the browser without a word, or where it was attached to the connection alone; it does not wait (see Ended).
func (b *Browser) Kill() {
	if b.command == nil {
		b.Conn.end()
		return
	}
	select {
	case <-b.ended: // its id may be somebody else's by now
	default:
		killTree(b.command.Process)
	}
}

// Close ends the browser, politely for a moment, and waits until it has ended and its folder is gone.
func (b *Browser) Close() {
	b.closing.Do(func() {
		if b.command == nil {
			b.Conn.Close()
			return
		}
		select {
		case <-b.Over():
		default:
			b.Conn.Browser().Send(browser.CommandClose, nil)
		}
		b.waitEnded(endPatience)
		b.Conn.Close()
		b.waitEnded(endPatience / 4) // it ends with its pipes too
		b.Kill()
	})
	<-b.ended
}

func (b *Browser) waitEnded(atMost time.Duration) {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-b.ended:
	case <-timer.C:
	}
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

var _ io.Writer = (*tail)(nil)

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - maxSaidBytes; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
