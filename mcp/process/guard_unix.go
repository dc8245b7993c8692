//go:build linux || darwin

package process

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"
)

const (
	// maxGuards bounds how often a guard that was killed is replaced.
	maxGuards = 8
	// guardWriteBound is how long a command to the guard may take: its pipe is empty unless it is stuck.
	guardWriteBound = 2 * time.Second
	// guardCloseBound is how long Close waits for a guard with nothing to do.
	guardCloseBound = 2 * time.Second
	// guardStartGrace is how long the guard looks for what was about to start when its sidecar went: a fork that is under way then
	// comes through.
	guardStartGrace = 3 * time.Second
	// guardPatience is how long the guard itself tries to end what SIGKILL did not end.
	guardPatience = time.Minute
)

// Guard is the sidecar's hold on its guard process, which clears up when the sidecar dies without having done so.
// A guard that is killed is replaced.
// Its methods may be called from any goroutine; a nil Guard guards nothing.
type Guard struct {
	executable string
	args       []string
	subreaper  *Subreaper
	logger     *slog.Logger
	since      uint64 // when this process started

	mu     sync.Mutex
	pipe   *os.File      // the only writing end there is: its end is this process's end; nil without a guard process
	cmd    *exec.Cmd     // the current guard process
	ended  chan struct{} // closed when it has ended
	kept   map[int]registration
	last   int // ticket
	starts int
	closed bool
}

// StartGuard starts the guard process: executable with args must call RunGuard on its standard input.
// It needs nothing of the caller's: own session, no standard output or error, the folder "/".
// With a Subreaper, which may be nil, what connectors leave behind counts as theirs whatever it did to hide.
func StartGuard(executable string, args []string, subreaper *Subreaper, logger *slog.Logger) (*Guard, error) {
	g := &Guard{executable: executable, args: args, subreaper: subreaper, logger: logger, kept: make(map[int]registration)}
	if self, ok := lookup(os.Getpid()); ok {
		g.since = earliest(self.started)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.launch(); err != nil {
		return nil, fmt.Errorf("start the guard %q: %w", executable, err)
	}
	return g, nil
}

// launch starts a guard process and tells it what is kept. The lock is held.
func (g *Guard) launch() error {
	if g.starts++; g.starts > maxGuards {
		return fmt.Errorf("ended %d times", maxGuards)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	cmd := exec.Command(g.executable, g.args...)
	cmd.Stdin = r // the other two are nil: /dev/null
	cmd.Dir = "/"
	cmd.Env = Environment(os.Environ(), nil, nil)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = g.subreaper.start(func() (int, error) {
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		return cmd.Process.Pid, nil
	})
	if err != nil {
		return errors.Join(err, w.Close())
	}
	ended := make(chan struct{})
	g.pipe, g.cmd, g.ended = w, cmd, ended
	go g.follow(cmd, ended)
	for _, ticket := range slices.Sorted(maps.Keys(g.kept)) {
		if err := g.write(g.kept[ticket].line()); err != nil {
			g.drop()
			return err
		}
	}
	return nil
}

// follow waits for a guard process and replaces it should it end too early.
func (g *Guard) follow(cmd *exec.Cmd, ended chan struct{}) {
	err := cmd.Wait()
	close(ended)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || g.pipe == nil || g.ended != ended {
		return
	}
	g.logger.Warn("the guard has ended, starting another", "error", err)
	g.replace()
}

// drop ends a guard process that is stuck, if it has not ended. The lock is held.
func (g *Guard) drop() {
	// Before its pipe ends: one that wakes up later must not clear up what lives.
	_ = g.cmd.Process.Kill()
	_ = g.pipe.Close()
	g.pipe = nil
}

// replace starts another guard process in place of one that ended or is stuck. The lock is held.
func (g *Guard) replace() {
	g.drop()
	if err := g.launch(); err != nil {
		g.logger.Error("nothing guards the connectors", "error", err)
	}
}

// spawn starts a connector as a child whose descendants never leave this process's sight; see [Subreaper].
func (g *Guard) spawn(spec Spec, streams [3]*os.File) (*child, error) {
	if g == nil {
		return spawn(spec, streams)
	}
	g.subreaper.adopt()
	var c *child
	err := g.subreaper.start(func() (pid int, err error) {
		if c, err = spawn(spec, streams); err != nil {
			return 0, err
		}
		return c.pid, nil
	})
	return c, err
}

// ownerless lists the trees of orphans that no connector which still runs can have left behind.
func (g *Guard) ownerless() []*tree {
	if g == nil {
		return nil
	}
	var trees []*tree
	for _, orphan := range g.subreaper.orphans() {
		if !g.mayOwn(orphan.identity) {
			trees = append(trees, newTree(target{leader: orphan.identity, since: orphan.started}))
		}
	}
	return trees
}

// mayOwn reports whether something registered was there before the orphan.
func (g *Guard) mayOwn(orphan identity) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range g.kept {
		if r.started <= orphan.started {
			return true
		}
	}
	return false
}

// endOrphans ends what connectors that have gone left behind, and waits until nothing is left of it.
func (g *Guard) endOrphans(timing Timing, hurry <-chan struct{}) {
	var ending sync.WaitGroup
	for _, t := range g.ownerless() {
		ending.Go(func() { tearDown(t, Timing{Term: timing.Term}, nil, hurry, killPatience) })
	}
	ending.Wait()
}

// write sends one command. The lock is held.
func (g *Guard) write(line string) error {
	if g.pipe == nil {
		return os.ErrClosed
	}
	_ = g.pipe.SetWriteDeadline(time.Now().Add(guardWriteBound))
	_, err := g.pipe.WriteString(line)
	return err
}

// register tells the guard that something with this marker is about to start.
func (g *Guard) register(marker string) (ticket int, err error) {
	if g == nil {
		return 0, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return 0, errors.New("the guard is closed")
	}
	g.last++
	r := registration{ticket: g.last, marker: marker, since: g.since}
	g.kept[r.ticket] = r
	if err := g.tell(r.line()); err != nil {
		delete(g.kept, r.ticket)
		return 0, fmt.Errorf("tell the guard: %w", err)
	}
	return r.ticket, nil
}

// started tells the guard which process it became.
func (g *Guard) started(ticket int, c *child) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.kept[ticket]
	r.leader, r.started = c.pid, c.tree.leader.started
	g.kept[ticket] = r
	if err := g.tell(r.line()); err != nil {
		// The marker alone is registered already.
		g.logger.Warn("the guard knows a connector by its marker alone", "error", err)
	}
}

// release tells the guard that nothing is left of it.
func (g *Guard) release(ticket int) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.kept, ticket)
	if !g.closed {
		_ = g.tell(releaseLine(ticket)) // at worst the guard looks for something that is not there
	}
}

// tell writes a command, to a new guard process if the present one does not take it. The lock is held.
func (g *Guard) tell(line string) error {
	if g.write(line) == nil {
		return nil
	}
	if g.pipe != nil {
		g.replace() // which tells everything kept
	}
	if g.pipe == nil {
		return errors.New("it does not run")
	}
	return nil
}

// Close lets the guard go.
// With nothing registered it waits for the guard's end; otherwise it returns at once and the guard clears up what remains.
func (g *Guard) Close() error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return nil
	}
	g.keepOrphans()
	g.closed = true
	idle, ended := len(g.kept) == 0, g.ended
	var err error
	if g.pipe != nil {
		err = g.pipe.Close()
	}
	g.mu.Unlock()
	if !idle {
		return err
	}
	select {
	case <-ended:
	case <-time.After(guardCloseBound):
	}
	return err
}

// keepOrphans leaves to the guard what connectors left behind and this process has no more time to end. The lock is held.
func (g *Guard) keepOrphans() {
	for _, orphan := range g.subreaper.orphans() {
		g.last++
		r := registration{g.last, NewMarker("orphan"), earliest(orphan.started), orphan.pid, orphan.started}
		g.kept[r.ticket] = r
		_ = g.tell(r.line())
	}
}

// RunGuard is the whole life of the guard process; its result is the exit code.
// It reads what the sidecar registers and releases. When the pipe ends it looks a moment for what was about to start, gives what is left two seconds, for its stdin has ended as well, then SIGTERM, two seconds, and SIGKILL, and returns once nothing is left.
func RunGuard(in io.Reader) int {
	// What ends the sidecar must not end its guard.
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
	left := readRegistrations(in)
	results := make(chan bool, len(left))
	for _, r := range left {
		t := target{marker: r.marker, since: r.since}
		if r.leader > 0 {
			t.leader, t.since = identity{r.leader, r.started}, earliest(r.started)
		}
		go func() {
			tree := newTree(t)
			isThere := r.leader > 0 || awaitStart(tree)
			results <- !isThere || tearDown(tree, DefaultTiming(), nil, nil, guardPatience)
		}()
	}
	code := 0
	for range left {
		if !<-results {
			code = 1
		}
	}
	return code
}

// awaitStart waits until something of the tree is there, for a while, and reports whether that came to be.
func awaitStart(t *tree) bool {
	for end := time.Now().Add(guardStartGrace); !t.remains(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}
