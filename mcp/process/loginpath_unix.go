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
func LoginPath(ctx context.Context, shell string, env []string) (string, error) {
	path, err := loginPath(ctx, shell, env)
	if err != nil {
		return "", fmt.Errorf("ask the login shell %q for PATH: %w", shell, err)
	}
	return path, nil
}

func loginPath(ctx context.Context, shell string, env []string) (string, error) {
	if !filepath.IsAbs(shell) {
		return "", errors.New("the shell's path is not absolute")
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	mark := rand.Text()
	// Should this process be killed meanwhile, Linux ends the shell with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	process, out, err := startShell(shell, loginArguments(shell, loginPathCommand(mark)), env)
	if err != nil {
		return "", err
	}
	defer out.Close()
	started, _ := lookup(process.Pid)
	session := newTree(target{leader: started.identity, since: earliest(started.started), marker: mark})
	stop := context.AfterFunc(ctx, func() { _ = out.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	path, ok, output := readMarkedPath(out, mark)
	if ok {
		endShell(process, session)
		return path, nil
	}
	if err := ctx.Err(); err != nil {
		session.kill()
		_, _ = process.Wait()
		return "", err
	}
	state := endShell(process, session)
	if path, ok := printedPath(output); ok && state != nil && state.Success() {
		return path, nil
	}
	return "", fmt.Errorf("it printed none (%v)", state)
}

func startShell(shell string, argv, env []string) (*os.Process, *os.File, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	defer null.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer w.Close()
	process, err := os.StartProcess(shell, argv, &os.ProcAttr{
		Dir: "/", Env: env, Files: []*os.File{null, w, null}, Sys: shellAttributes(),
	})
	if err != nil {
		return nil, nil, errors.Join(err, r.Close())
	}
	return process, r, nil
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

// endShell waits for the end of a shell that has nothing more to say, and forces it.
func endShell(process *os.Process, session *tree) *os.ProcessState {
	force := time.AfterFunc(shellEndBound, session.kill)
	defer force.Stop()
	state, _ := process.Wait()
	return state
}
