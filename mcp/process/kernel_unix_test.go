//go:build linux || darwin

package process

import (
	"bufio"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestWatchParent(t *testing.T) {
	t.Parallel()
	cmd := program(t, "stubborn")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	readIDs(t, bufio.NewReader(out))
	gone := WatchParent(t.Context(), cmd.Process.Pid)
	ctx, cancel := context.WithCancel(t.Context())
	unwatched := WatchParent(ctx, cmd.Process.Pid)
	cancel()
	select {
	case <-gone:
		t.Error("gone while it lives")
	default:
	}
	// Gone is gone, also while nobody has taken notice of the exit.
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	within(t, "notice of its end", gone)
	within(t, "notice of a past end", WatchParent(t.Context(), cmd.Process.Pid))
	_ = cmd.Wait()
	within(t, "notice of a past end", WatchParent(t.Context(), cmd.Process.Pid))
	select {
	case <-unwatched:
		t.Error("told after the end of its context")
	default:
	}
}

func TestWatchParent_ByPolling(t *testing.T) {
	t.Parallel()
	p := run(t, specFor("deaf", "/"))
	ended := make(chan bool, 1)
	go func() { ended <- pollEnd(t.Context(), p.child.tree.leader) }()
	p.Kill()
	if !within(t, "notice of its end", ended) {
		t.Error("not told")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if e, _ := lookup(os.Getpid()); pollEnd(ctx, e.identity) {
		t.Error("told that this process has gone")
	}
}

func TestAncestry(t *testing.T) {
	t.Parallel()
	own, parent := os.Getpid(), os.Getppid()
	if got := Parent(own); got != parent {
		t.Errorf("parent %d, want %d", got, parent)
	}
	if !IsAncestor(parent) || !IsAncestor(Parent(parent)) {
		t.Error("the parents are no ancestors")
	}
	spec := specFor("strays", "/")
	p := run(t, spec)
	ids := readIDs(t, bufio.NewReader(p.Stdout))
	for _, id := range ids {
		if !IsDescendantOf(id.pid, 1<<30, p.PID()) || !IsDescendantOf(id.pid, own) || IsDescendantOf(own, id.pid) || IsAncestor(id.pid) {
			t.Errorf("process %d is not where it is", id.pid)
		}
	}
	if !IsDescendantOf(p.PID(), p.PID()) {
		t.Error("a child's own connection is not the child's")
	}
	for _, pid := range []int{own, 0, -1, 1 << 30} {
		if IsAncestor(pid) {
			t.Errorf("%d is an ancestor", pid)
		}
	}
	if IsDescendantOf(own) || IsDescendantOf(0, 0) || IsDescendantOf(1<<30, own) {
		t.Error("a descent that is none")
	}
}

func TestDescends_EndsInATableThatTurns(t *testing.T) {
	t.Parallel()
	turning := func(pid int) int { return 5 - pid } // 2 and 3 are each other's parents
	if descends(2, turning, []int{7}) {
		t.Error("2 descends from 7")
	}
}

func TestS7_CarriesMarker(t *testing.T) {
	t.Parallel()
	p := run(t, specFor("strays", "/"))
	ids := readIDs(t, bufio.NewReader(p.Stdout))
	for _, id := range append(ids, p.child.tree.leader) {
		if !CarriesMarker(id.pid) {
			t.Errorf("process %d carries none", id.pid)
		}
	}
	plain := program(t, "stubborn")
	out, err := plain.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := plain.Start(); err != nil {
		t.Fatal(err)
	}
	defer plain.Wait()
	defer plain.Process.Kill()
	readIDs(t, bufio.NewReader(out))
	for _, pid := range []int{plain.Process.Pid, 1 << 30} {
		if CarriesMarker(pid) {
			t.Errorf("process %d carries one", pid)
		}
	}
}

func TestExecutablePath(t *testing.T) {
	t.Parallel()
	want, err := filepath.EvalSymlinks(self(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := ExecutablePath(os.Getpid()); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := ExecutablePath(1 << 30); got != "" {
		t.Errorf("%q", got)
	}
}

func TestS21_PeerOf(t *testing.T) {
	t.Parallel()
	folder, err := os.MkdirTemp("", "peer") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(folder, "s"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dialled, err := net.DialUnix("unix", nil, listener.Addr().(*net.UnixAddr))
	if err != nil {
		t.Fatal(err)
	}
	defer dialled.Close()
	accepted, err := listener.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	for _, conn := range []*net.UnixConn{dialled, accepted} {
		peer, err := PeerOf(conn)
		if err != nil || peer != (Peer{UID: os.Getuid(), PID: os.Getpid()}) || !peer.IsUser() {
			t.Errorf("%+v, %v", peer, err)
		}
	}
	accepted.Close()
	if peer, err := PeerOf(accepted); err == nil {
		t.Errorf("of a closed connection: %+v", peer)
	}
	if (Peer{UID: os.Getuid() + 1}).IsUser() {
		t.Error("another user is this one")
	}
}

func TestS20_DisallowDump(t *testing.T) {
	t.Parallel()
	p := run(t, specFor("no-dump", "/", "SECRET=canary"))
	line, err := bufio.NewReader(p.Stdout).ReadString('\n')
	if line != "ready 0\n" {
		t.Fatalf("%q, %v", line, err)
	}
	// Root may read everything.
	if text, err := environ(p.PID()); os.Getuid() != 0 && err == nil && strings.Contains(string(text), "canary") {
		t.Error("its environment can be read")
	}
	// Nor may that hinder Stop or the guard.
	p.Stop(t.Context(), patient)
	if code, signal := p.ExitCode(); code != 0 || signal != "" {
		t.Errorf("exit %d %q", code, signal)
	}
}

func TestOwnMarker(t *testing.T) {
	t.Setenv(MarkerVar, "1-abc/x")
	if got := OwnMarker(); got != "1-abc/x" {
		t.Error(got)
	}
}

func TestDescribeSignal(t *testing.T) {
	t.Parallel()
	for signal, want := range map[syscall.Signal]string{syscall.SIGTERM: "SIGTERM", 99: "signal 99"} {
		if code, got := describeSignal(signal); got != want || code != -1 {
			t.Errorf("%d: %d %q", signal, code, got)
		}
	}
}
