//go:build unix

package state

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestMain lets the test binary be another window: PILLION_TEST_WINDOW names what it does.
func TestMain(m *testing.M) {
	switch os.Getenv("PILLION_TEST_WINDOW") {
	case "":
		os.Exit(m.Run())
	case "count":
		os.Exit(windowCounts())
	case "hold":
		os.Exit(windowHolds())
	case "read-only":
		os.Exit(windowCannotWrite())
	}
}

func background() context.Context { return context.Background() }

func windowStore() *Store[box] {
	f, err := Open(os.Getenv("PILLION_TEST_FOLDER"))
	if err != nil {
		panic(err)
	}
	return NewStore(f, "box.json", 2, func() box { return box{Items: []string{}} })
}

// windowCounts updates as often as it is told to.
func windowCounts() int {
	n, _ := strconv.Atoi(os.Getenv("PILLION_TEST_COUNT"))
	s := windowStore()
	for i := range n {
		if _, err := s.Update(background(), add(fmt.Sprintf("%d-%d", os.Getpid(), i))); err != nil {
			fmt.Println(err)
			return 1
		}
	}
	return 0
}

// windowHolds stops in the middle of an update.
func windowHolds() int {
	_, err := windowStore().Update(background(), func(b *box) error {
		b.Count = 1000
		fmt.Println("held")
		_, err := io.Copy(io.Discard, os.Stdin)
		return errors.Join(err, errors.New("not killed"))
	})
	fmt.Println(err)
	return 1
}

// windowCannotWrite checks what a store in a folder says that it can read alone.
func windowCannotWrite() int {
	s := windowStore()
	if got, err := s.Read(); err != nil || got.Count != 5 {
		fmt.Println("read:", got, err)
		return 1
	}
	_, err := s.Update(background(), add("x"))
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), s.Path()) {
		fmt.Println("update:", err)
		return 1
	}
	broken := NewStore(s.folder, "broken.json", 2, s.empty)
	if broken.Health() == nil || broken.Confirm(background()) != nil || broken.Health() != nil {
		fmt.Println("health:", broken.Health())
		return 1
	}
	return 0
}

func window(t *testing.T, folder, does string, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(exe)
	c.Env = append(os.Environ(), append(env, "PILLION_TEST_WINDOW="+does, "PILLION_TEST_FOLDER="+folder)...)
	return c
}

func TestC76_TenWindowsAtOnceOneKilledWithTheLock(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "state")
	holder := window(t, folder, "hold")
	stdin, err := holder.StdinPipe() // stays open: the holder waits for its end
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("the holder says %q, %v", line, err)
	}
	const windows, updates = 9, 20
	done := make(chan error)
	for range windows {
		w := window(t, folder, "count", "PILLION_TEST_COUNT="+strconv.Itoa(updates))
		go func() {
			out, err := w.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w: %s", err, out)
			}
			done <- err
		}()
	}
	if err := holder.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait()
	for range windows {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	f, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	s := NewStore(f, "box.json", 2, func() box { return box{} })
	got, err := s.Read()
	if err != nil || got.Count != windows*updates || len(got.Items) != windows*updates {
		t.Errorf("%d of %d updates are there: %v", got.Count, windows*updates, err)
	}
	if found, _ := filepath.Glob(f.Path(".*.tmp")); len(found) > 0 {
		t.Errorf("left behind: %v", found)
	}
}

func TestC76_ReadOnlyFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, "state")
	f, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	put(t, f.Path("box.json"), `{"version":2,"data":{"count":5}}`)
	put(t, f.Path("broken.json"), `{`)
	w := window(t, folder, "read-only")
	if os.Geteuid() == 0 { // whom no mode stops: be somebody else
		giveAway(t, dir, w)
	}
	if err := os.Chmod(folder, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(folder, 0o700) })
	if out, err := w.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// giveAway lets the command run as nobody, who then owns dir.
func giveAway(t *testing.T, dir string, c *exec.Cmd) {
	t.Helper()
	const nobody = 65534
	exe := filepath.Join(dir, "window")
	raw, err := os.ReadFile(c.Path)
	if err == nil {
		// A fork meanwhile would hold the file open for writing, and it could not be started (golang/go#22315).
		syscall.ForkLock.RLock()
		err = os.WriteFile(exe, raw, 0o755)
		syscall.ForkLock.RUnlock()
	}
	if err == nil {
		err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chown(path, nobody, nobody))
		})
	}
	if err == nil {
		err = os.Chmod(filepath.Dir(dir), 0o711)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.Path, c.Dir = exe, dir
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}
