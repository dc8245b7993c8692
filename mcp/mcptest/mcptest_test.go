package mcptest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}

// life is a fake connector that the test talks to line by line.
type life struct {
	t      *testing.T
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr strings.Builder
	cmd    *exec.Cmd
}

func start(t *testing.T, mode string, env ...string) *life {
	t.Helper()
	path, args, own := Command(mode)
	l := &life{t: t, cmd: exec.Command(path, args...)}
	l.cmd.Env = append(append(os.Environ(), own...), env...)
	l.cmd.Stderr = &l.stderr
	stdin, err := l.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := l.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	l.stdin, l.stdout = stdin, bufio.NewReader(stdout)
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.stdin.Close()
		l.cmd.Process.Kill()
		l.cmd.Wait()
	})
	return l
}

func (l *life) say(line string) { fmt.Fprintln(l.stdin, line) }

func (l *life) hear(want string) {
	l.t.Helper()
	line, err := l.stdout.ReadString('\n')
	if err != nil || strings.TrimRight(line, "\n") != want {
		l.t.Fatalf("heard %.200q (%v), want %q", line, err, want)
	}
}

const ok = `"result":{"content":[{"type":"text","text":"ok"}]}}`

func TestFake_AnswersAsDocumented(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	l := start(t, "", LogVar+"="+log)
	for say, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"server/discover"}`: `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"initialize"}`:      `{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":"1.2.3"},"instructions":"Be brief."}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`:      `{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"a","description":"Does nothing.","inputSchema":{"type":"object"}}]}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call"}`:      `{"jsonrpc":"2.0","id":4,` + ok,
		`{"jsonrpc":"2.0","id":"p","method":"ping"}`:          `{"jsonrpc":"2.0","id":"p","result":{}}`,
	} {
		l.say(say)
		l.hear(want)
	}
	if got := len(Received(t, log)); got != 5 {
		t.Errorf("the log has %d lines", got)
	}
}

func TestFake_SizesRepliesExactly(t *testing.T) {
	l := start(t, "")
	for _, bytes := range []int{100, 65537, 1<<20 + 1} {
		l.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"a","arguments":{"bytes":%d}}}`, bytes))
		line, err := l.stdout.ReadString('\n')
		if err != nil || len(line) != bytes+1 {
			t.Errorf("%d bytes wanted: a line of %d (%v)", bytes, len(line)-1, err)
		}
	}
}

func TestFake_RefusesUnknownModes(t *testing.T) {
	l := start(t, "banner,baner")
	if err := l.cmd.Wait(); err == nil || l.cmd.ProcessState.ExitCode() != 2 {
		t.Errorf("ended with %v", err)
	}
	if !strings.Contains(l.stderr.String(), `"baner"`) {
		t.Errorf("said %q", l.stderr.String())
	}
}

func TestFake_WrapperPassesPipesAndMode(t *testing.T) {
	l := start(t, "wrapper,echo,exiton=ping:7")
	l.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"n":9007199254740993}}}`)
	l.hear(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"n\":9007199254740993}"}]}}`)
	l.say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	l.cmd.Wait()
	if code := l.cmd.ProcessState.ExitCode(); code != 7 {
		t.Errorf("exit code %d", code)
	}
}

func TestFake_LivesAsTold(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	const ping, pong = `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`
	for _, test := range []struct {
		mode  string
		codes []int // of one life after the other
		lines int   // in file afterwards
	}{
		{"touch=" + file, []int{0, 0}, 2},
		{"failfirst=2:" + file, []int{1, 1, 0}, 3},
		{"helper=" + file, []int{0}, 1},
		{"exiton=initialize:4", []int{0}, 0},
		{"exit=5", []int{5}, 0},
	} {
		os.Remove(file)
		for _, code := range test.codes {
			l := start(t, test.mode)
			if code == 0 {
				l.say(ping)
				l.hear(pong)
			}
			l.stdin.Close()
			l.cmd.Wait()
			if got := l.cmd.ProcessState.ExitCode(); got != code {
				t.Errorf("%s: exit code %d, want %d", test.mode, got, code)
			}
		}
		if got := len(Received(t, file)); got != test.lines {
			t.Errorf("%s: %d lines in the file, want %d", test.mode, got, test.lines)
		}
	}
}

func TestFake_DumpsItsProcess(t *testing.T) {
	l := start(t, "dump", "CANARY=yes")
	l.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`)
	line, err := l.stdout.ReadString('\n')
	if err != nil || !strings.Contains(line, "CANARY=yes") || !strings.Contains(line, `\"cwd\"`) {
		t.Errorf("said %s, %v", line, err)
	}
}

func TestModes_AreDescribedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, mode := range Modes() {
		if seen[mode.Name] || mode.Does == "" || strings.ContainsAny(mode.Name, ",=+:") {
			t.Errorf("mode %+v", mode)
		}
		seen[mode.Name] = true
	}
}

// Two clients of one fake both count their requests from one.
func TestHTTP_AnswersEveryClient(t *testing.T) {
	t.Parallel()
	fake := NewHTTP(t, "")
	var clients sync.WaitGroup
	for range 20 {
		clients.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, fake.URL(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
			if err != nil {
				t.Error(err)
				return
			}
			reply, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer reply.Body.Close()
			if text, err := io.ReadAll(reply.Body); err != nil || !strings.Contains(string(text), `"id":1`) {
				t.Errorf("%s, %v", text, err)
			}
		})
	}
	clients.Wait()
}
