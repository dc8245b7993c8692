//go:build e2e

package e2e

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The harness itself is tested with a fake server, so that a failing journey tells of Pillion and not of the harness.
func TestHarnessJourney(t *testing.T) {
	neovims(t, func(t *testing.T, bed neovimBed) {
		s := newSandbox(t, fakeProgram(t))
		n := openRepository(t, s, bed)
		travel(t, n)
		n.quit()
	})
}

// fakeProgram is a program that is the fake server.
func fakeProgram(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "pillion")
	script := "#!/bin/sh\n" + fakeServerVar + "=1 exec " + self + "\n"
	// A fork meanwhile would hold the file open for writing, and it could not be started (golang/go#22315).
	syscall.ForkLock.RLock()
	err = os.WriteFile(program, []byte(script), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// Where the run is hermetic, it really is.
func TestHarnessIsHermetic(t *testing.T) {
	if os.Getenv("PILLION_HERMETIC") == "" {
		t.Skip("NOT HERMETIC: run it by beds/hermetic.sh")
	}
	interfaces, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagUp != 0 && i.Flags&net.FlagLoopback == 0 {
			t.Errorf("%s is up", i.Name)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("loopback: %v", err)
	}
	defer listener.Close()
	conn, err := net.DialTimeout("tcp", listener.Addr().String(), time.Second)
	if err != nil {
		t.Fatalf("loopback: %v", err)
	}
	conn.Close()
	for pid, command := range processes() {
		if pid != 1 && pid != os.Getpid() && pid != os.Getppid() && strings.Contains(command, "go test") {
			t.Errorf("sees %d %s, which runs outside", pid, command)
		}
	}
}
