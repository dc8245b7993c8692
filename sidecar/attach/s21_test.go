//go:build !windows

package attach

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pillion/rpc"
	"pillion/rpc/message"
)

const (
	helperVariable = "PILLION_ATTACH_HELPER"
	socketVariable = "PILLION_ATTACH_SOCKET"
	stranger       = 65534 // nobody, on every system that the tests run on
)

// helpers are what the test binary does as another process.
var helpers = map[string]func() int{
	"exit": func() int { return 0 },
	// dial reports by its exit code whether a stranger is hung up on without a word.
	"dial": func() int {
		conn, err := net.Dial("unix", os.Getenv(socketVariable))
		if err != nil {
			return 3
		}
		defer conn.Close()
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		if n, err := conn.Read(make([]byte, 1)); n > 0 || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			return 4
		}
		return 0
	},
	// listen serves as a stranger until its standard input ends.
	"listen": func() int {
		listener, err := net.Listen("unix", os.Getenv(socketVariable))
		if err != nil {
			return 3
		}
		defer listener.Close()
		_ = os.Chmod(os.Getenv(socketVariable), 0o777)
		_, _ = os.Stdout.WriteString("ready\n")
		_, _ = os.Stdin.Read(make([]byte, 1))
		return 0
	},
}

func helper(t *testing.T, mode, socket string, uid uint32) *exec.Cmd {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if uid != 0 {
		// A stranger may not look into the folder that the test binary was built in.
		executable = copyProgram(t, executable)
	}
	command := exec.Command(executable)
	command.Env = append(os.Environ(), helperVariable+"="+mode, socketVariable+"="+socket)
	if uid != 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid, NoSetGroups: true}}
	}
	return command
}

// copyProgram puts a program where everybody may run it. A link is never busy being written to by a process that another
// test is just starting.
func copyProgram(t *testing.T, path string) string {
	t.Helper()
	copied := filepath.Join(openDir(t), "helper")
	if os.Link(path, copied) == nil {
		return copied
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// A fork meanwhile would hold the file open for writing, and it could not be started (golang/go#22315).
	syscall.ForkLock.RLock()
	err = os.WriteFile(copied, text, 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	return copied
}

// openDir is a folder that everybody may look into.
func openDir(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "pa")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	return folder
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can act as another user")
	}
}

// deadPID is the id of a process that has ended.
func deadPID(t *testing.T) int {
	t.Helper()
	command := helper(t, "exit", "", 0)
	if err := command.Run(); err != nil {
		t.Fatal(err)
	}
	return command.Process.Pid
}

func TestS21_FoldersThatAreRefused(t *testing.T) {
	t.Parallel()
	mkdir := func(t *testing.T, folder string, mode os.FileMode) {
		t.Helper()
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(folder, mode); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		prepare func(t *testing.T, folder string)
		want    string
	}{
		"a link": {func(t *testing.T, folder string) {
			mkdir(t, folder+"-real", 0o700)
			if err := os.Symlink(folder+"-real", folder); err != nil {
				t.Fatal(err)
			}
		}, "is a link"},
		"a link to nothing": {func(t *testing.T, folder string) {
			if err := os.Symlink(folder+"-none", folder); err != nil {
				t.Fatal(err)
			}
		}, "is a link"},
		"a file": {func(t *testing.T, folder string) {
			if err := os.WriteFile(folder, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "is not a folder"},
		"readable by others":       {func(t *testing.T, folder string) { mkdir(t, folder, 0o755) }, "open to other users"},
		"writable by the group":    {func(t *testing.T, folder string) { mkdir(t, folder, 0o770) }, "open to other users"},
		"in a folder of everybody": {func(t *testing.T, folder string) { mkdir(t, folder, 0o700); _ = os.Chmod(filepath.Dir(folder), 0o777) }, "can be written to by other users"},
		"somebody else's": {func(t *testing.T, folder string) {
			needRoot(t)
			mkdir(t, folder, 0o700)
			if err := os.Chown(folder, stranger, stranger); err != nil {
				t.Fatal(err)
			}
		}, "belongs to the user"},
		"in somebody else's": {func(t *testing.T, folder string) {
			needRoot(t)
			mkdir(t, folder, 0o700)
			if err := os.Chown(filepath.Dir(folder), stranger, stranger); err != nil {
				t.Fatal(err)
			}
		}, "belongs to the user"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := shortDir(t)
			test.prepare(t, folder)
			_, err := Listen(folder, descriptorOf("1-a"))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Listen: %v, want %q", err, test.want)
			}
			if _, err := Windows(folder); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Windows: %v, want %q", err, test.want)
			}
			d := descriptorOf("1-a")
			d.Socket = socketPath(folder, "1-a")
			if _, err := Dial(t.Context(), folder, d, cliOptions()); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Dial: %v, want %q", err, test.want)
			}
			if entries, _ := os.ReadDir(folder); len(entries) > 0 {
				t.Errorf("the refused folder holds %v", entries)
			}
		})
	}
}

// TestS21_StickyParentIsEnough holds that a folder of one's own in /tmp will do.
func TestS21_StickyParentIsEnough(t *testing.T) {
	t.Parallel()
	folder := shortDir(t)
	if err := os.Chmod(filepath.Dir(folder), os.ModeSticky|0o777); err != nil {
		t.Fatal(err)
	}
	openWindow(t, folder, "1-a")
}

func TestS21_WhatIsThereAlreadyIsRefused(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{socketSuffix, tokenSuffix} {
		t.Run(suffix, func(t *testing.T) {
			t.Parallel()
			folder := shortDir(t)
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(folder, "1-a"+suffix)
			if err := os.WriteFile(path, []byte("somebody's"), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Listen(folder, descriptorOf("1-a")); err == nil {
				t.Fatal("a window took over what was there")
			}
			if text, err := os.ReadFile(path); err != nil || string(text) != "somebody's" {
				t.Errorf("what was there is now %q, %v", text, err)
			}
			if _, err := os.Lstat(filepath.Join(folder, "1-a.json")); err == nil {
				t.Error("the refused window described itself")
			}
		})
	}
}

// TestS21_PreBoundSocket has another process of the same user listen where the window would.
func TestS21_PreBoundSocket(t *testing.T) {
	t.Parallel()
	folder := shortDir(t)
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	bound, err := net.Listen("unix", filepath.Join(folder, "1-a.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer bound.Close()
	if _, err := Listen(folder, descriptorOf("1-a")); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("error %v", err)
	}
}

// TestS21_ImpostorLearnsNothing has a listener in the window's place that does not know the token: the caller hangs up
// before it has proved anything.
func TestS21_ImpostorLearnsNothing(t *testing.T) {
	t.Parallel()
	folder := shortDir(t)
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	bound, err := net.Listen("unix", filepath.Join(folder, "1-a.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer bound.Close()
	token := message.NewAttachToken()
	if err := os.WriteFile(filepath.Join(folder, "1-a.token"), []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := make(chan string, 8)
	served := make(chan error, 1)
	go func() {
		conn, err := bound.Accept()
		if err != nil {
			served <- err
			return
		}
		router := rpc.NewRouter()
		rpc.Handle(router, message.AttachChallenge, func(_ context.Context, p message.AttachChallengeParams) (message.AttachChallengeResult, error) {
			nonce := message.NewAttachNonce()
			return message.AttachChallengeResult{Proof: message.WindowProof(message.NewAttachToken(), p.Nonce, nonce), Nonce: nonce}, nil
		})
		rpc.Handle(router, message.Attach, func(_ context.Context, p message.AttachParams) (message.AttachResult, error) {
			asked <- p.Proof
			return message.AttachResult{}, nil
		})
		served <- rpc.NewConn(conn, conn, router, rpc.Options{}).Serve(context.Background())
	}()
	d := descriptorOf("1-a")
	d.Socket = filepath.Join(folder, "1-a.sock")
	if _, err := Dial(t.Context(), folder, d, cliOptions()); err == nil || !strings.Contains(err.Error(), "token") {
		t.Errorf("error %v", err)
	}
	<-served
	if len(asked) > 0 {
		t.Error("the caller proved itself to an impostor")
	}
}

// rawCaller speaks to a window without the manners of Dial.
func rawCaller(t *testing.T, w *window) *Window {
	t.Helper()
	stream, err := open(t.Context(), w.Socket())
	if err != nil {
		t.Fatal(err)
	}
	c := &Window{ended: make(chan struct{})}
	c.conn = rpc.NewConn(stream.In(), stream.Out(), rpc.NewRouter(), rpc.Options{})
	go func() {
		defer close(c.ended)
		_ = c.conn.Serve(context.Background())
	}()
	t.Cleanup(c.Close)
	return c
}

func TestS21_ProofsThatAreRefused(t *testing.T) {
	t.Parallel()
	attach := func(proof string) message.AttachParams {
		return message.AttachParams{Role: message.AttachCLI, Name: "test", Proof: proof}
	}
	challenge := func(t *testing.T, c *Window) (nonce string, answer message.AttachChallengeResult) {
		t.Helper()
		nonce = message.NewAttachNonce()
		answer, err := Call(t.Context(), c, message.AttachChallenge, message.AttachChallengeParams{Nonce: nonce})
		if err != nil {
			t.Fatal(err)
		}
		return nonce, answer
	}
	for name, try := range map[string]func(t *testing.T, w *window, c *Window) error{
		"a wrong token": func(t *testing.T, _ *window, c *Window) error {
			nonce, answer := challenge(t, c)
			_, err := Call(t.Context(), c, message.Attach, attach(message.CallerProof(message.NewAttachToken(), nonce, answer.Nonce, message.AttachCLI, "test")))
			return err
		},
		"no challenge": func(t *testing.T, w *window, c *Window) error {
			_, err := Call(t.Context(), c, message.Attach, attach(message.CallerProof(w.token, "", "", message.AttachCLI, "test")))
			return err
		},
		"the window's own proof": func(t *testing.T, _ *window, c *Window) error {
			_, answer := challenge(t, c)
			_, err := Call(t.Context(), c, message.Attach, attach(answer.Proof))
			return err
		},
		"a replay of another connection's": func(t *testing.T, w *window, c *Window) error {
			other := rawCaller(t, w)
			nonce, answer := challenge(t, other)
			proof := message.CallerProof(w.token, nonce, answer.Nonce, message.AttachCLI, "test")
			if _, err := Call(t.Context(), other, message.Attach, attach(proof)); err != nil {
				t.Fatal(err)
			}
			// The same nonce again brings another one of the window's.
			if _, err := Call(t.Context(), c, message.AttachChallenge, message.AttachChallengeParams{Nonce: nonce}); err != nil {
				t.Fatal(err)
			}
			_, err := Call(t.Context(), c, message.Attach, attach(proof))
			return err
		},
		"a second challenge": func(t *testing.T, _ *window, c *Window) error {
			challenge(t, c)
			_, err := Call(t.Context(), c, message.AttachChallenge, message.AttachChallengeParams{Nonce: message.NewAttachNonce()})
			return err
		},
		"a short nonce": func(t *testing.T, _ *window, c *Window) error {
			_, err := Call(t.Context(), c, message.AttachChallenge, message.AttachChallengeParams{Nonce: "00"})
			return err
		},
		"a name that was not signed": func(t *testing.T, w *window, c *Window) error {
			nonce, answer := challenge(t, c)
			params := attach(message.CallerProof(w.token, nonce, answer.Nonce, message.AttachCLI, "test"))
			params.Name = "other"
			_, err := Call(t.Context(), c, message.Attach, params)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := openWindow(t, shortDir(t), "1-a")
			c := rawCaller(t, w)
			err := try(t, w, c)
			var fault *rpc.Error
			if !errors.As(err, &fault) || fault.Code != rpc.CodeRequestFailed {
				t.Fatalf("error %v, want %d", err, rpc.CodeRequestFailed)
			}
			<-c.Ended() // the connection ends with it
		})
	}
}

func TestS21_StrangersAreHungUpOn(t *testing.T) {
	t.Parallel()
	needRoot(t)
	folder := shortDir(t)
	w := openWindow(t, folder, "1-a")
	// As if the modes had not kept the stranger out.
	for path, mode := range map[string]os.FileMode{filepath.Dir(folder): 0o755, folder: 0o755, w.Socket(): 0o777} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := helper(t, "dial", w.Socket(), stranger).CombinedOutput(); err != nil {
		t.Errorf("the stranger was served: %v\n%s", err, out)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.conns) > 0 {
		t.Error("the stranger's connection was returned by Accept")
	}
}

func TestS21_StrangersSocketIsNotJoined(t *testing.T) {
	t.Parallel()
	needRoot(t)
	socket := filepath.Join(openDir(t), "s")
	command := helper(t, "listen", socket, stranger)
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = in.Close()
		_ = command.Wait()
	}()
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t.Context(), socket); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("error %v", err)
	}
}

func TestS21_TokenOfOthersIsNotRead(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) error{
		"open to others": func(path string) error { return os.Chmod(path, 0o644) },
		"a link": func(path string) error {
			return errors.Join(os.Rename(path, path+"-real"), os.Symlink(path+"-real", path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := shortDir(t)
			w := openWindow(t, folder, "1-a")
			if err := spoil(filepath.Join(folder, "1-a.token")); err != nil {
				t.Fatal(err)
			}
			if _, err := Dial(t.Context(), folder, w.Descriptor(), cliOptions()); err == nil {
				t.Error("it was joined")
			}
		})
	}
}

func TestS21_DescriptorsOfOthersAreNotListed(t *testing.T) {
	t.Parallel()
	folder := shortDir(t)
	w := openWindow(t, folder, "1-a")
	text, err := os.ReadFile(filepath.Join(folder, "1-a.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"2-b.json": string(text),                                                                                     // it describes another window
		"3-c.json": strings.ReplaceAll(strings.ReplaceAll(string(text), "1-a", "3-c"), folder, filepath.Dir(folder)), // its socket lies elsewhere
		"4-d.json": "{",
		"5-e.json": "",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	windows, err := Windows(folder)
	if err != nil || len(windows) != 1 || windows[0].Window != w.Descriptor().Window {
		t.Errorf("windows: %+v, %v", windows, err)
	}
}

func TestPathTooLongForASocket(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(shortDir(t), strings.Repeat("x", 120), "pillion")
	if err := os.MkdirAll(filepath.Dir(filepath.Dir(folder)), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Listen(folder, descriptorOf("1-a"))
	if err == nil || !strings.Contains(err.Error(), "XDG_RUNTIME_DIR") || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("error %v", err)
	}
}

func TestNamesThatLeadElsewhere(t *testing.T) {
	t.Parallel()
	folder := shortDir(t)
	for _, name := range []string{"", "..", "../x", "a/b", "/x"} {
		if _, err := Listen(folder, descriptorOf(name)); err == nil {
			t.Errorf("a window is called %q", name)
		}
	}
}
