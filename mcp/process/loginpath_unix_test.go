//go:build linux || darwin

package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// fakeShell is the environment that makes the test binary a login shell.
func fakeShell(does, note string) []string {
	return []string{modeVar + "=shell", "SHELL_DOES=" + does, "NOTE=" + note, "PATH=/usr/bin:/bin", quickExit}
}

// writtenID is the process whose id a mode wrote down.
func writtenID(t *testing.T, path string) identity {
	t.Helper()
	var text []byte
	eventually(t, "an id in "+path, func() bool {
		text, _ = os.ReadFile(path)
		return len(text) > 0
	})
	pid, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return identify(t, pid)
}

func TestC12_LoginPath(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, does, want string }{
		{"plain", "", "/login/bin:/usr/bin:/bin"},
		{"noise before and after", "noise", "/login/bin:/usr/bin:/bin"},
		{"after two seconds", "linger", "/login/bin:/usr/bin:/bin"},
		{"a shell that only prints it, after noise", "noise,print", "/printed/bin:/usr/bin:/bin"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), bound)
			defer cancel()
			got, err := LoginPath(ctx, self(t), fakeShell(test.does, ""))
			if got != test.want || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestC12_LoginPathOfRealShells(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"/bin/sh", "/bin/bash", "/bin/dash", "/bin/zsh", "/usr/bin/fish"} {
		if _, err := os.Stat(shell); err != nil {
			continue
		}
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			for _, file := range []string{".profile", ".zprofile"} {
				place(t, 0o600, home, file)
				text := "echo Welcome; export PATH=\"/from profile/bin:$PATH\"\n"
				if err := os.WriteFile(filepath.Join(home, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			env := []string{"HOME=" + home, "PATH=/usr/bin:/bin", "SHELL=" + shell}
			got, err := LoginPath(t.Context(), shell, env)
			if err != nil || !strings.Contains(got, "/bin") {
				t.Fatalf("got %q, %v", got, err)
			}
			if !strings.HasSuffix(shell, "fish") && !strings.HasPrefix(got, "/from profile/bin:") {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestC12_HangingShellIsBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "id")
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		_, err := LoginPath(ctx, self(t), fakeShell("noise,hang", path))
		result <- err
	}()
	id := writtenID(t, path)
	shell, ok := lookup(Parent(id.pid))
	if !ok {
		t.Fatal("no shell")
	}
	cancel()
	if err := within(t, "the answer", result); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	expectGone(t, id, shell.identity)
}

func TestC20_HangingShellEndsWithTheSidecar(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "id")
	s := startSidecar(t, "asks-shell", "", "NOTE="+path)
	s.ids = append(s.ids, writtenID(t, path))
	s.kill()
	expectGone(t, append(s.ids, s.guard)...)
}

// What a shell's files leave running, an agent for keys say, neither holds up the answer nor ends with it.
func TestC12_AgentsOfTheShellLiveOn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "id")
	guard, err := guardOf()
	if err != nil {
		t.Fatal(err)
	}
	got, err := guard.LoginPath(t.Context(), self(t), fakeShell("agent", path))
	if err := guard.Close(); err != nil {
		t.Error(err)
	}
	id := writtenID(t, path)
	t.Cleanup(func() { _ = send(id, syscall.SIGKILL) })
	if err != nil || !strings.HasPrefix(got, "/login/bin:") {
		t.Errorf("got %q, %v", got, err)
	}
	if !id.lives() {
		t.Error("it has gone")
	}
}

func TestLoginPath_Fails(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		name  string
		ctx   context.Context
		shell string
		does  string
		want  string
	}{
		{"relative", t.Context(), "sh", "", "not absolute"},
		{"absent", t.Context(), "/no/such/shell", "", "no such file"},
		{"no answer", t.Context(), self(t), "fail", "exit status 3"},
		{"no time", ended, self(t), "", "context canceled"},
	} {
		got, err := LoginPath(test.ctx, test.shell, fakeShell(test.does, ""))
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), strconv.Quote(test.shell)) {
			t.Errorf("%s: %q, %v", test.name, got, err)
		}
	}
}

func TestLoginPath_RunsInNobodysFolderWithoutATerminal(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	text := `PATH="/bin:$(pwd):tty$(tty -s; echo $?):$(ps -o sid= -p $$ | tr -d ' ' | grep -c "^$$\$")"`
	if err := os.WriteFile(filepath.Join(home, ".profile"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := LoginPath(t.Context(), "/bin/sh", []string{"HOME=" + home, "PATH=/usr/bin:/bin"})
	if want := "/bin:/:tty1:1"; got != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestLoginArguments(t *testing.T) {
	t.Parallel()
	for shell, want := range map[string]string{
		"/bin/bash":     "/bin/bash -l -i -c C",
		"/usr/bin/fish": "/usr/bin/fish -l -i -c C",
		"/bin/tcsh":     "-tcsh -i -c C",
		"/usr/bin/nu":   "/usr/bin/nu -l -i -c ^C",
		"/usr/bin/pwsh": "/usr/bin/pwsh -Login -Command C",
	} {
		if got := strings.Join(loginArguments(shell, "C"), " "); got != want {
			t.Errorf("%s: %s", shell, got)
		}
	}
}

func TestShellOutput(t *testing.T) {
	t.Parallel()
	const mark = "0123456789"
	if strings.Contains(loginPathCommand(mark), mark) {
		t.Error("a shell that prints its commands would print the mark")
	}
	for text, want := range map[string]string{
		mark + "/a:/b" + mark:               "/a:/b",
		"noise" + mark + "/a" + mark + "\n": "/a",
		mark + mark:                         "",
		mark + "/a":                         "",
		"/a:/b":                             "",
	} {
		if got, ok := markedPath(text, mark); got != want && ok || ok != (want != "") {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
	for text, want := range map[string]string{
		"/a:/b\n":               "/a:/b",
		"hello\nPATH=/a:/b\r\n": "/a:/b",
		"/a:b":                  "",
		"hello":                 "",
		"":                      "",
		"\n":                    "",
		"/a\nbye":               "",
		"/a:\x1b[0m/b":          "",
		"/bin/sh -c 'printf x'": "", // a shell that prints its commands
	} {
		if got, ok := printedPath(text); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
}

func FuzzShellOutput(f *testing.F) {
	f.Add("noise 01/a:/b01\n")
	f.Add("PATH=/a:/b\n")
	f.Fuzz(func(t *testing.T, text string) {
		if path, ok := markedPath(text, "01"); ok && !strings.Contains(text, "01"+path+"01") {
			t.Errorf("%q out of %q", path, text)
		}
		if path, ok := printedPath(text); ok && (path == "" || !strings.Contains(text, path)) {
			t.Errorf("%q out of %q", path, text)
		}
	})
}
