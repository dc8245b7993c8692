package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Spec says what to start.
type Spec struct {
	Path   string   // absolute
	Args   []string // without the program's own name
	Env    []string // the whole environment (see Environment); Start adds the marker
	Dir    string   // absolute
	Marker string   // see NewMarker; one marker serves one start
}

func (s Spec) check() error {
	switch {
	case !filepath.IsAbs(s.Path):
		return errors.New("the program's path is not absolute")
	case !filepath.IsAbs(s.Dir):
		return fmt.Errorf("the folder %q is not absolute", s.Dir)
	case !isMarker(s.Marker):
		return fmt.Errorf("%q is not a marker", s.Marker)
	}
	for _, text := range slices.Concat([]string{s.Path, s.Dir}, s.Args, s.Env) {
		if strings.ContainsRune(text, 0) {
			return errors.New("a NUL character in the path, the arguments or the environment")
		}
	}
	return nil
}

// environment is Env with the marker and no other one.
func (s Spec) environment() []string {
	env := slices.DeleteFunc(slices.Clone(s.Env), func(v string) bool {
		return strings.HasPrefix(v, MarkerVar+"=")
	})
	return append(env, MarkerVar+"="+s.Marker)
}

// Timing bounds the two polite steps of Stop; the zero value means DefaultTiming.
type Timing struct {
	EOF  time.Duration // from closing stdin to SIGTERM
	Term time.Duration // from SIGTERM to SIGKILL
}

// DefaultTiming gives each step two seconds.
// It also bounds what a program leaves behind when it ends by itself.
func DefaultTiming() Timing { return Timing{EOF: 2 * time.Second, Term: 2 * time.Second} }

// killPatience bounds the wait for what SIGKILL should have ended: a process stuck in the kernel must not hold up a shutdown.
const killPatience = 5 * time.Second

// Process is one running program and everything it starts.
// Its methods may be called from any goroutine.
type Process struct {
	Stdin  io.WriteCloser // a Write that blocks is freed by Close, Stop and Kill
	Stdout io.Reader      // ends (io.EOF) at the latest when nothing of the process is left; for one goroutine
	Stderr io.Reader      // likewise

	child   *child
	guard   *Guard
	ticket  int // of the guard
	started time.Time
	outputs [2]*output

	exited chan struct{}
	code   int
	signal string
	gone   chan struct{}

	once   sync.Once
	timing Timing        // written before stop is closed
	stop   chan struct{} // closed by the first Stop or Kill
	hurry  chan struct{} // closed by the first Kill
	killed sync.Once
}

// Start starts the program, its leader, in a session of its own and follows it until nothing of it is left.
// The leader's exit ends what it started too, with DefaultTiming.
// A nil guard means that nothing clears up should this process itself be killed.
func Start(spec Spec, g *Guard) (*Process, error) {
	p, err := start(spec, g)
	if err != nil {
		return nil, fmt.Errorf("start %q: %w", spec.Path, err)
	}
	return p, nil
}

func start(spec Spec, g *Guard) (*Process, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	pipes, err := openPipes()
	if err != nil {
		return nil, err
	}
	defer pipes.closeTheirs()
	// The guard knows the marker before there is a process that could outlive this one.
	ticket, err := g.register(spec.Marker)
	if err != nil {
		pipes.closeOurs()
		return nil, err
	}
	c, err := g.spawn(spec, pipes.theirs)
	if err != nil {
		g.release(ticket)
		pipes.closeOurs()
		return nil, err
	}
	g.started(ticket, c)
	p := &Process{
		child: c, guard: g, ticket: ticket, started: time.Now(),
		outputs: [2]*output{{file: pipes.ours[1]}, {file: pipes.ours[2]}},
		exited:  make(chan struct{}), gone: make(chan struct{}),
		stop: make(chan struct{}), hurry: make(chan struct{}),
	}
	p.Stdin, p.Stdout, p.Stderr = &input{file: pipes.ours[0]}, p.outputs[0], p.outputs[1]
	go p.await()
	go p.supervise()
	return p, nil
}

// PID is the id of the program itself.
func (p *Process) PID() int { return p.child.pid }

// StartedAt is when Start started it.
func (p *Process) StartedAt() time.Time { return p.started }

// Exited is closed when the program itself has ended; what it started may still be there (see Gone).
func (p *Process) Exited() <-chan struct{} { return p.exited }

// ExitCode is how the program ended, valid once Exited is closed: its code and "", or -1 and the signal's name ("SIGKILL").
func (p *Process) ExitCode() (code int, signal string) { return p.code, p.signal }

// Gone is closed when nothing of the process is left; only what even SIGKILL has not ended within some seconds is then the guard's.
func (p *Process) Gone() <-chan struct{} { return p.gone }

// Stop closes stdin, waits t.EOF, sends SIGTERM to the group and everything marked, waits t.Term, sends SIGKILL, and returns when nothing is left (MCP 2025-11-25 lifecycle, shutdown).
// On Windows, which has no SIGTERM for a program without a console, the second step is left out.
// It may be called in every state, repeatedly and from many goroutines; the first call's timing counts.
// When ctx ends first Stop returns and the stopping goes on: in the background, and in the guard should this process end meanwhile.
func (p *Process) Stop(ctx context.Context, t Timing) {
	p.beginStop(t)
	select {
	case <-p.gone:
	case <-ctx.Done():
	}
}

// Kill leaves out what remains of the polite steps; it does not wait (see Gone).
func (p *Process) Kill() {
	p.killed.Do(func() { close(p.hurry) })
	p.beginStop(Timing{})
}

func (p *Process) beginStop(t Timing) {
	p.once.Do(func() {
		if t == (Timing{}) {
			t = DefaultTiming()
		}
		p.timing = t
		close(p.stop)
	})
}

// await records how the leader ended.
func (p *Process) await() {
	p.code, p.signal = p.child.await()
	close(p.exited)
}

// supervise sees the process to its end.
func (p *Process) supervise() {
	timing := p.awaitReason()
	if tearDown(p.child.tree, timing, p.exited, p.hurry, killPatience) {
		<-p.exited
		p.guard.release(p.ticket)
		p.guard.endOrphans(timing, p.hurry)
	}
	select {
	case <-p.exited:
		p.child.reap()
	default: // stuck in the kernel
	}
	for _, o := range p.outputs {
		o.end()
	}
	close(p.gone)
}

// awaitReason waits until there is one to end the process, closes its stdin, and returns how patiently to go on.
func (p *Process) awaitReason() Timing {
	defer p.Stdin.Close()
	select {
	case <-p.stop:
		return p.timing
	case <-p.exited:
	}
	// What the leader left behind may be about to end; somebody who calls Stop meanwhile decides anew.
	_ = p.Stdin.Close()
	timing := DefaultTiming()
	waitEmpty(p.child.tree, timing.EOF, nil, p.stop)
	select {
	case <-p.stop:
		return p.timing
	default:
		return Timing{EOF: 0, Term: timing.Term}
	}
}

// tearDown ends a tree whose stdin is closed and reports whether nothing is left of it.
// exited wakes it early, hurry skips the polite steps; both may be nil.
func tearDown(t *tree, timing Timing, exited, hurry <-chan struct{}, patience time.Duration) bool {
	if waitEmpty(t, timing.EOF, exited, hurry) {
		return true
	}
	select {
	case <-hurry:
	default:
		if t.terminate() && waitEmpty(t, timing.Term, exited, hurry) {
			return true
		}
	}
	for end := time.Now().Add(patience); time.Now().Before(end); {
		t.kill()
		if waitEmpty(t, 200*time.Millisecond, exited, nil) {
			return true
		}
	}
	return false
}

// waitEmpty waits until nothing is left of the tree, for at most d, and reports whether that came to be.
func waitEmpty(t *tree, d time.Duration, exited, hurry <-chan struct{}) bool {
	const longest = 50 * time.Millisecond
	end := time.NewTimer(d)
	defer end.Stop()
	for pause := time.Millisecond; ; pause = min(2*pause, longest) {
		if !t.remains() {
			return true
		}
		select {
		case <-hurry:
			return false
		case <-end.C:
			return !t.remains()
		case <-exited:
			exited = nil
			pause = time.Millisecond
		case <-time.After(pause):
		}
	}
}

// pipes are the three streams; ours never reach a child, theirs are closed here once the child has them.
type pipes struct{ ours, theirs [3]*os.File }

func openPipes() (*pipes, error) {
	var p pipes
	for i := range p.ours {
		r, w, err := os.Pipe()
		if err != nil {
			p.closeOurs()
			p.closeTheirs()
			return nil, err
		}
		if i == 0 {
			p.theirs[i], p.ours[i] = r, w
		} else {
			p.ours[i], p.theirs[i] = r, w
		}
	}
	return &p, nil
}

func (p *pipes) closeOurs()   { closeAll(p.ours[:]) }
func (p *pipes) closeTheirs() { closeAll(p.theirs[:]) }

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// input is the writing end of stdin. Closing it twice is no fault.
type input struct{ file *os.File }

func (i *input) Write(b []byte) (int, error) { return i.file.Write(b) }

func (i *input) Close() error {
	if err := i.file.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}
