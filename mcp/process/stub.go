package process

import (
	"context"
	"io"
	"log/slog"
	"net"
	"time"
)

// MarkerVar names the environment variable that every process of a connector carries.
// Its value is made by NewMarker; its presence also refuses a sidecar started by a connector.
const MarkerVar = "PILLION_CONNECTOR"

// NewMarker makes the marker of one start of a connector: "<pid>-<random>/<connector>", unlike that of any other start, window or user.
func NewMarker(connector string) string { panic("pending") }

// OwnMarker is the marker this process carries itself, "" when no connector started it.
func OwnMarker() string { panic("pending") }

// CarriesMarker reports whether the environment of the process shows that some connector of some sidecar started it.
// False also when the environment can't be read.
func CarriesMarker(pid int) bool { panic("pending") }

// Guard is the sidecar's hold on its guard process.
// Its methods may be called from any goroutine.
type Guard struct{}

// StartGuard starts the guard process: executable with args must call RunGuard on its standard input.
func StartGuard(executable string, args []string, logger *slog.Logger) (*Guard, error) {
	panic("pending")
}

// Close lets the guard go.
// With nothing registered it waits for the guard's end; otherwise it returns at once and the guard clears up what remains.
func (g *Guard) Close() error { panic("pending") }

// RunGuard is the whole life of the guard process; its result is the exit code.
func RunGuard(in io.Reader) int { panic("pending") }

// Spec says what to start.
type Spec struct {
	Path   string   // absolute
	Args   []string // without the program's own name
	Env    []string // the whole environment, see Environment
	Dir    string   // absolute
	Marker string   // see NewMarker
}

// Process is one running program and everything it starts.
// Its methods may be called from any goroutine.
type Process struct {
	Stdin  io.WriteCloser // a Write that blocks is freed by Close, Stop and Kill
	Stdout io.Reader      // io.EOF at the latest when nothing of the process is left
	Stderr io.Reader      // likewise
}

// Timing bounds the two polite steps of Stop; the zero value means DefaultTiming.
type Timing struct {
	EOF  time.Duration // from closing stdin to SIGTERM
	Term time.Duration // from SIGTERM to SIGKILL
}

// DefaultTiming is what a leader's own exit and a zero Timing use.
var DefaultTiming = Timing{EOF: 2 * time.Second, Term: 2 * time.Second}

// Start starts the program in a session of its own; a nil guard means that nothing is cleared up should this process be killed.
func Start(spec Spec, g *Guard) (*Process, error) { panic("pending") }

// PID is the id of the program itself.
func (p *Process) PID() int { panic("pending") }

// StartedAt is when Start started it.
func (p *Process) StartedAt() time.Time { panic("pending") }

// Exited is closed when the program itself has ended; what it started may still be there (see Gone).
func (p *Process) Exited() <-chan struct{} { panic("pending") }

// ExitCode is how it ended, valid once Exited is closed: the code, or -1 and the signal's name ("SIGKILL").
func (p *Process) ExitCode() (code int, signal string) { panic("pending") }

// Gone is closed when nothing of the process is left.
func (p *Process) Gone() <-chan struct{} { panic("pending") }

// Stop closes stdin, waits t.EOF, sends SIGTERM, waits t.Term, sends SIGKILL, and returns when nothing is left.
// It may be called in every state, repeatedly and at once; the first call's timing counts.
// When ctx ends Stop returns and the stopping goes on by itself.
func (p *Process) Stop(ctx context.Context, t Timing) { panic("pending") }

// Kill skips what is left of the polite steps; it does not wait (see Gone).
func (p *Process) Kill() { panic("pending") }

// Environment is what a connector's program sees of base ("NAME=value" as from os.Environ): the allow-list, the variables named by inherit, and extra over both.
func Environment(base, inherit []string, extra map[string]string) []string { panic("pending") }

// LoginPath asks the user's login shell for its PATH, within the bound of ctx.
func LoginPath(ctx context.Context, shell string, env []string) (string, error) { panic("pending") }

// Resolver finds programs.
type Resolver struct {
	Path    string   // a PATH
	Ext     []string // Windows: PATHEXT
	Exclude []string // folders whose PATH entries are skipped (S1)
}

// Look finds program: with a slash relative to dir, bare in the absolute entries of Path outside Exclude.
// The error is a *NotFoundError.
func (r Resolver) Look(program, dir string) (string, error) { panic("pending") }

// ChildPath is the PATH with only the entries that Look uses (S1).
func (r Resolver) ChildPath() string { panic("pending") }

// NotFoundError is a program that Look did not find.
type NotFoundError struct {
	Program string
	Path    string // the PATH that was searched; "" when the program was named with a folder
	Detail  string // more, as a clause
	Reason  error  // fs.ErrNotExist or fs.ErrPermission
}

func (e *NotFoundError) Error() string { panic("pending") }
func (e *NotFoundError) Unwrap() error { return e.Reason }

// Parent is the parent's process id, 0 when unknown.
func Parent(pid int) int { panic("pending") }

// ExecutablePath is the file the process runs, as the kernel tells it, "" when unknown.
func ExecutablePath(pid int) string { panic("pending") }

// IsDescendantOf reports whether pid is one of ancestors or descends from one.
func IsDescendantOf(pid int, ancestors ...int) bool { panic("pending") }

// IsAncestor reports whether this process descends from pid.
func IsAncestor(pid int) bool { panic("pending") }

// DisallowDump keeps other processes of the user from reading this one's memory and environment where the system can do that (S20).
func DisallowDump() error { panic("pending") }

// TakeStdio takes standard input and output for the protocol: from then on a stray print goes to stderr and a stray read finds an empty file.
// A blocked Read or Write returns os.ErrClosed on Close.
func TakeStdio() (in io.ReadCloser, out io.WriteCloser, err error) { panic("pending") }

// WatchReader returns a channel closed when whoever reads out (from TakeStdio) has gone (C79).
func WatchReader(ctx context.Context, out io.WriteCloser) <-chan struct{} { panic("pending") }

// WatchParent returns a channel closed when the process has gone; it stays open when ctx ends first.
func WatchParent(ctx context.Context, pid int) <-chan struct{} { panic("pending") }

// Peer is who stands at the other end of a local socket, as the kernel tells it.
type Peer struct{ UID, PID int }

// IsUser reports whether the peer runs as this process's user.
func (p Peer) IsUser() bool { panic("pending") }

// PeerOf asks the kernel who connected.
func PeerOf(conn *net.UnixConn) (Peer, error) { panic("pending") }

// CommandLine builds the Windows command line for path and args; batch files go through cmd.exe (interpreter true) and no other file does (C11).
func CommandLine(path string, args []string) (line string, interpreter bool, err error) {
	panic("pending")
}
