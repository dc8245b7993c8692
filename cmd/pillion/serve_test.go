//go:build !windows

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"pillion/rpc/message"
)

const (
	shakeHands = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
)

// piped starts pillion serve on pipes; it is to end well once the test does.
func (w *world) piped(arguments ...string) (in io.WriteCloser, out io.Reader) {
	w.t.Helper()
	command := w.command(append([]string{"serve"}, arguments...)...)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if out, err = command.StdoutPipe(); err != nil {
		w.t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = in.Close()
		if err := command.Wait(); err != nil {
			w.t.Errorf("it ends with %v", err)
		}
	})
	return in, out
}

// startServe starts pillion serve and returns how to say a line to it, and how to hear the next one.
func (w *world) startServe(arguments ...string) (say func(string), hear func(words ...string) string) {
	w.t.Helper()
	in, out := w.piped(arguments...)
	lines := bufio.NewReader(out)
	say = func(line string) { _, _ = in.Write([]byte(line)) }
	hear = func(words ...string) string {
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				w.t.Fatalf("wait for %q: %v", words, err)
			}
			isIt := true
			for _, word := range words {
				isIt = isIt && strings.Contains(line, word)
			}
			if isIt {
				return line
			}
		}
	}
	return say, hear
}

func TestL1_ServeOnStandardInputAndOutput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.entry("notes", "pillion", "demo"))
	w.project(w.entry("theirs", "pillion", "demo"))
	say, hear := w.startServe()
	say(shakeHands)
	hear(`"id":1`, `"name":"pillion"`)
	say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"call","arguments":{"tool":"notes.list_notes"}}}` + "\n")
	if answer := hear(`"id":2`); !strings.Contains(answer, "welcome") {
		t.Errorf("what a tool that only reads answers: %s", answer)
	}
	say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"call","arguments":{"tool":"notes.write_note","arguments":{"name":"a","text":"b"}}}}` + "\n")
	if answer := hear(`"id":3`); !strings.Contains(answer, "pillion permissions set allow notes.write_note") {
		t.Errorf("what a call that must ask answers: %s", answer)
	}
	say(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"call","arguments":{"tool":"theirs.list_notes"}}}` + "\n")
	if answer := hear(`"id":4`); !strings.Contains(answer, "pillion mcp approve theirs") || strings.Contains(answer, "welcome") {
		t.Errorf("what a connector of the repository answers: %s", answer)
	}
}

// What an agent is told of a connector that needs permission is said once, in both ways of serving, and is recorded as that
// connector's.
func TestD2_AnAgentIsToldOnceWhatIsMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(w.entry("theirs", "pillion", "demo"))
	for expose, params := range map[string]string{
		"meta": `{"name":"call","arguments":{"tool":"theirs__list_notes"}}`,
		"all":  `{"name":"theirs__list_notes","arguments":{}}`,
	} {
		say, hear := w.startServe("--expose", expose)
		say(shakeHands)
		say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":` + params + `}` + "\n")
		answer := hear(`"id":2`)
		for _, sentence := range []string{`needs permission`, `pillion mcp approve theirs`, `hen call again`} {
			if n := strings.Count(answer, sentence); n != 1 {
				t.Errorf("--expose %s: %q stands there %d times: %s", expose, sentence, n, answer)
			}
		}
		say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":` + strings.ReplaceAll(params, "theirs__", "nobodys__") + `}` + "\n")
		if answer := hear(`"id":3`); !strings.Contains(answer, `there is no tool \"nobodys__list_notes\"`) {
			t.Errorf("--expose %s: of a tool that there is none of: %s", expose, answer)
		}
	}
	stats := decode[message.StatsResult](t, w.expect(exitOK, "stats", "--json"))
	if len(stats.Connectors) != 1 || stats.Connectors[0].Connector != "theirs" || stats.Connectors[0].Refused != 2 || len(stats.Tools) != 1 || stats.Tools[0].Tool != "list_notes" {
		t.Errorf("%+v", stats)
	}
	if o := w.expect(exitOK, "stats"); !strings.Contains(o.stdout, "tool\ttheirs.list_notes\t2\t0\t2\t") {
		t.Errorf("%s", o.stdout)
	}
}

func TestS6_NobodyListensBeyondThisMachine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, address := range []string{"0.0.0.0:0", ":0", "192.0.2.1:80", "[::]:0", "example.com:80", "nonsense"} {
		if o := w.expect(exitUsage, "serve", "--http", "--listen", address); o.stdout != "" || !strings.Contains(o.stderr, "--listen 127.0.0.1:8931") {
			t.Errorf("--listen %s: %v", address, o)
		}
	}
}

func TestS7_TheTokenOfAStartLiesInAPrivateFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	command := w.command("serve", "--http", "--json")
	var errors strings.Builder
	command.Stderr = &errors
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err, errors.String())
	}
	var said struct{ URL, TokenFile string }
	if err := json.Unmarshal([]byte(line), &said); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(said.TokenFile)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	token := strings.TrimSpace(w.read(said.TokenFile))
	arguments, _ := os.ReadFile("/proc/self/cmdline")
	if len(token) < 32 || strings.Contains(line, token) || strings.Contains(string(arguments), token) {
		t.Errorf("the token %q, in %s", token, line)
	}
	for authorization, want := range map[string]int{"Bearer " + token: http.StatusOK, "Bearer x": http.StatusUnauthorized, "": http.StatusUnauthorized} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, said.URL, strings.NewReader(strings.SplitAfter(shakeHands, "\n")[0]))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		request.Header.Set("Authorization", authorization)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%.10s…: HTTP %d, want %d", authorization, response.StatusCode, want)
		}
	}
	_ = command.Process.Signal(syscall.SIGTERM)
	if err := command.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
	if strings.Contains(errors.String(), token) {
		t.Errorf("the token is told: %s", errors.String())
	}
	if _, err := os.Stat(said.TokenFile); !os.IsNotExist(err) {
		t.Errorf("the token is left behind: %v", err)
	}
}
