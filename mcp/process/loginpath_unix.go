//go:build linux || darwin

package process

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// shellEndBound is how long a shell that has answered may take to end, its logout files for example.
const shellEndBound = time.Second

// LoginPath asks the user's login shell for its PATH.
// The shell is started as a login shell and an interactive one, because both kinds of files set PATH, with env, in the folder "/" and without a terminal.
// Whatever else it prints is skipped. When ctx ends the shell and what it started is killed, and the error is ctx's.
//
// Should this process be killed meanwhile, the guard ends the shell and what it started; see the function LoginPath for none.
func (g *Guard) LoginPath(ctx context.Context, shell string, env []string) (string, error) {
	path, err := g.loginPath(ctx, shell, env)
	if err != nil {
		return "", fmt.Errorf("ask the login shell %q for PATH: %w", shell, err)
	}
	return path, nil
}

func (g *Guard) loginPath(ctx context.Context, shell string, env []string) (string, error) {
	if !filepath.IsAbs(shell) {
		return "", errors.New("the shell's path is not absolute")
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	// Its environment has no marker: the user's agents, which it may start, are no connector's.
	marker, mark := NewMarker("login-shell"), rand.Text()
	ticket, err := g.register(marker)
	if err != nil {
		return "", err
	}
	defer g.release(ticket)
	// Even without a guard Linux ends the shell itself with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var asked *loginShell
	err = g.reaping().start(func() (pid int, err error) {
		if asked, err = startShell(shell, loginArguments(shell, loginPathCommand(mark)), env, marker); err != nil {
			return 0, err
		}
		return asked.pid, nil
	})
	if err != nil {
		return "", err
	}
	defer asked.out.Close()
	g.started(ticket, asked.child)
	stop := context.AfterFunc(ctx, func() { _ = asked.out.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	return asked.path(ctx, mark)
}

func (g *Guard) reaping() *Subreaper {
	if g == nil {
		return nil
	}
	return g.subreaper
}

// loginShell is a shell that was asked for its PATH.
type loginShell struct {
	*child
	out *os.File
}

func startShell(shell string, argv, env []string, marker string) (*loginShell, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	process, err := os.StartProcess(shell, argv, &os.ProcAttr{
		Dir: "/", Env: env, Files: []*os.File{null, w, null}, Sys: shellAttributes(),
	})
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return &loginShell{child: newChild(process, marker), out: r}, nil
}

// path is what the shell answers. The shell has ended then.
func (s *loginShell) path(ctx context.Context, mark string) (string, error) {
	path, ok, output := readMarkedPath(s.out, mark)
	if ok {
		s.end()
		return path, nil
	}
	if err := ctx.Err(); err != nil {
		s.force()
		_, _ = s.process.Wait()
		return "", err
	}
	state := s.end()
	if path, ok := printedPath(output); ok && state != nil && state.Success() {
		return path, nil
	}
	return "", fmt.Errorf("it printed none (%v)", state)
}

// end waits for the end of a shell that has nothing more to say, and forces it.
func (s *loginShell) end() *os.ProcessState {
	late := time.AfterFunc(shellEndBound, s.force)
	defer late.Stop()
	state, _ := s.process.Wait()
	return state
}

// force kills the shell and what it started.
func (s *loginShell) force() {
	s.tree.kill()
	_ = s.process.Kill() // should the process table not have been readable
}

// readMarkedPath reads until the path is there, and not to the end: agents that a shell's files start may hold the pipe for days.
func readMarkedPath(out io.Reader, mark string) (path string, ok bool, output string) {
	var all strings.Builder
	chunk := make([]byte, 4096)
	for all.Len() < maxNoiseBytes {
		n, err := out.Read(chunk)
		all.Write(chunk[:n])
		if path, ok := markedPath(all.String(), mark); ok {
			return path, true, ""
		}
		if err != nil {
			break
		}
	}
	return "", false, all.String()
}
