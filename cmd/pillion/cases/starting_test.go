//go:build unix

package cases

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// script writes a program of the user's and returns its path.
func (w *world) script(name, text string) string {
	w.t.Helper()
	path := w.write(w.file(name), "#!/bin/sh\n"+text)
	if err := os.Chmod(path, 0o755); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// fromTheDesktop leaves the world the PATH that a desktop gives its programs, and a login shell.
func (w *world) fromTheDesktop(shell string) {
	for i, variable := range w.environ {
		if strings.HasPrefix(variable, "PATH=") {
			w.environ[i] = "PATH=/usr/bin:/bin"
		}
	}
	w.environ = append(w.environ, "SHELL="+shell)
}

// C12: what the login shell's PATH holds is found; a shell that is slow, noisy or mute costs a bounded time.
func TestC12_ThePathOfTheLoginShell(t *testing.T) {
	t.Parallel()
	for name, shell := range map[string]struct {
		text    string
		isFound bool
	}{
		"runs what it is told":       {`PATH="$TOOLS:$PATH"; export PATH; while [ $# -gt 1 ]; do shift; done; exec /bin/sh -c "$1"`, true},
		"is noisy first":             {`echo 'Welcome to PATH=/nowhere'; printf '\033[31m%s\n' /usr/bin:/bin; PATH="$TOOLS:$PATH"; export PATH; while [ $# -gt 1 ]; do shift; done; exec /bin/sh -c "$1"`, true},
		"prints it and nothing more": {`echo "loading"; echo "$TOOLS:/usr/bin"`, true},
		"hangs":                      {`exec sleep 1000`, false},
		"hangs in a child":           {`sleep 1000 & wait`, false},
		"fails":                      {`exit 1`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tools := w.file("tools")
			if err := os.Mkdir(tools, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(fakestdio, filepath.Join(tools, "only-there")); err != nil {
				t.Fatal(err)
			}
			w.fromTheDesktop(w.script("shell", "TOOLS='"+tools+"'\n"+shell.text+"\n"))
			w.user(servers(map[string]entry{"mine": fake("dump", readOnly).with("command", "only-there")}))
			e := w.edit()
			if !shell.isFound {
				problem := e.Connector("mine", message.ConnectorFailed).Problem
				if problem.Kind != message.ProblemProgram || !strings.Contains(problem.Reason, "only-there") || !strings.Contains(strings.Join(problem.Steps, "\n"), "/usr/bin, /bin") {
					t.Errorf("%+v", problem)
				}
				return
			}
			e.Connector("mine", message.ConnectorReady)
			if text := call(t, e, "mine.a", "{}").Text; !strings.Contains(text, "PATH=/usr/bin:/bin:"+tools) {
				t.Errorf("the child's own PATH lacks it: %s", text)
			}
		})
	}
}

// C12: what needs no look-up is not held up by a shell that hangs; and the shell does not outlive a kill.
func TestC12_AHangingShellDiesWithPillion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fromTheDesktop(w.script("shell", "echo $$ >> '"+w.file("shells")+"'\nexec sleep 1000\n"))
	w.user(servers(map[string]entry{"mine": fake("")}))
	e := w.edit()
	eventually(t, "the shell runs", func() bool { return alive(t, w.file("shells")) == 1 })
	e.Kill()
	eventually(t, "the shell has ended", func() bool { return alive(t, w.file("shells")) == 0 })
}

func TestC13_TheChildsEnvironment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.environ = append(w.environ,
		"OPENAI_API_KEY=leak-one", "AWS_SECRET_ACCESS_KEY=leak-two", "GITHUB_TOKEN=leak-three", "LD_PRELOAD_X=leak-four", "NODE_OPTIONS=", "ANYTHING=leak-five",
		"HTTP_PROXY=http://p", "no_proxy=localhost", "LC_ALL=C", "SSL_CERT_FILE=/certs", "PASSED=on")
	w.user(servers(map[string]entry{
		"plain":    fake("dump", readOnly, "OWN=own"),
		"inherits": fake("dump", readOnly).with("pillion", map[string]any{"inheritEnv": []string{"PASSED", "NOT_THERE"}}),
	}))
	w.project(servers(map[string]entry{"theirs": fake("dump").with("pillion", map[string]any{"inheritEnv": []string{"ANYTHING"}})}))
	e := w.edit()
	e.Allow("theirs")
	for _, name := range []string{"plain", "inherits", "theirs"} {
		e.Connector(name, message.ConnectorReady)
		var result message.CallResult
		if name == "theirs" {
			result = approved(t, e, name+".a", "{}", message.ApproveOnce)
		} else {
			result = call(t, e, name+".a", "{}")
		}
		p := dumped(t, result)
		for _, variable := range p.Env {
			if strings.Contains(variable, "leak-") || strings.HasPrefix(variable, "NODE_OPTIONS") || strings.HasPrefix(variable, "PILLION_STATE") {
				t.Errorf("%s has %s", name, variable)
			}
		}
		for variable, want := range map[string]string{
			"HOME": w.home, "HTTP_PROXY": "http://p", "no_proxy": "localhost", "LC_ALL": "C", "SSL_CERT_FILE": "/certs", "LANG": "C.UTF-8",
			"OWN":    map[bool]string{true: "own", false: "(unset)"}[name == "plain"],
			"PASSED": map[bool]string{true: "on", false: "(unset)"}[name == "inherits"],
		} {
			if got := p.env(variable); got != want {
				t.Errorf("%s: %s=%s, want %s", name, variable, got, want)
			}
		}
	}
}

// A late one is added without a restart, a mute one ends by its own clock, and neither is to do with the rest.
func TestC24_ALateArrivalIsAdded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gate, open := w.gate("gate")
	late := entry{"command": "/bin/sh", "args": []string{"-c", `while [ ! -e "$0" ]; do sleep 0.02; done; exec "$1"`, gate, fakestdio}, "env": map[string]string{mcptest.ModeVar: ""}}
	w.user(servers(map[string]entry{
		"late": late,
		"mute": fake("mute").with("pillion", map[string]any{"startTimeout": "2s"}),
		"fast": fake("", readOnly).with("pillion", map[string]any{"startTimeout": "1500ms"}),
		"dead": fake("exit=1"),
	}))
	e := w.edit()
	pid := pidOf(t, e, "fast")
	if result := call(t, e, "fast.a", "{}"); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	// A call on what is starting waits for it, not for any other.
	answer := begin(t, e, message.ToolCallParams{Tool: "late.a"})
	if c := e.Connector("mute", message.ConnectorFailed); c.Problem.Kind != message.ProblemTimeout || !strings.Contains(c.Problem.Reason, "2s") {
		t.Errorf("%+v", c.Problem)
	}
	e.Connector("dead", message.ConnectorFailed)
	if c := e.Connector("late"); c.State != message.ConnectorStarting {
		t.Errorf("%+v", c)
	}
	open()
	e.Approve(message.ApproveOnce)
	if result := ended(t, e, answer); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	// The time for its start is over by now, which ends nothing.
	if now := pidOf(t, e, "fast"); now != pid {
		t.Errorf("process %d, then %d", pid, now)
	}
}

func TestC7_IdleStopAndStartOnUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	idle := map[string]any{"idleTimeout": "300ms"}
	w.user(servers(map[string]entry{
		"mine": fake("dump,pid="+w.file("pids"), readOnly).with("pillion", idle),
		"busy": w.puppet("busy").with("pillion", idle),
		"keen": fake("").with("pillion", map[string]any{"idleTimeout": "300ms", "start": "eager"}),
	}))
	e := w.edit()
	gate, open := w.gate("gate")
	held := hold(t, e, w.log("busy"), message.ToolCallParams{Tool: "busy.look", ArgumentsText: told(t, map[string]any{"gate": gate})})
	for lives := 1; lives <= 3; lives++ { // the first one learns the tools
		c := e.Connector("mine", message.ConnectorIdle)
		if alive(t, w.file("pids")) != 0 || len(c.Processes) != 0 || c.Tools != 1 || c.Problem != nil {
			t.Errorf("%+v, %d of its processes live", c, alive(t, w.file("pids")))
		}
		if n := len(idsIn(t, w.file("pids"))); n != lives {
			t.Fatalf("%d processes were started, want %d", n, lives)
		}
		if tools := editortest.Request(e, message.Tools, message.ToolsParams{Connector: "mine"}); tools.Total != 1 || len(idsIn(t, w.file("pids"))) != lives {
			t.Errorf("%d tools; listing starts nothing", tools.Total)
		}
		p := dumped(t, call(t, e, "mine.a", "{}"))
		if ids := idsIn(t, w.file("pids")); len(ids) != lives+1 || ids[lives] != p.PID {
			t.Errorf("process %d answered; started were %v", p.PID, ids)
		}
	}
	// Three times as long: one that works is not idle, and an eager one stays.
	busy := pidOf(t, e, "busy")
	pidOf(t, e, "keen")
	open()
	if result := ended(t, e, held); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
	e.Connector("busy", message.ConnectorIdle)
	eventually(t, "the busy one has ended too", func() bool { return !isAlive(busy) })
}

// Every kind of failure has its own reason, steps back, and the same in the answer to a call (D1, D2).
func TestD1_EveryKindHasItsReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.file("no-program"), "text")
	soon := map[string]any{"startTimeout": "700ms"}
	w.user(servers(map[string]entry{
		"absent":     {"command": "no-such-program-anywhere"},
		"absent too": {"command": w.file("nowhere/at all")},
		"no program": {"command": w.file("no-program")},
		"exits":      fake("stderr=missing libfoo\x1b[31m\u202e\u0007,exit=127"),
		"crashes":    {"command": "/bin/sh", "args": []string{"-c", "kill -SEGV $$"}},
		"mute":       fake("mute").with("pillion", soon),
		"chatter":    fake("banner=I speak no MCP,mute").with("pillion", soon),
		"closed":     fake("closestdout,ignoreeof").with("pillion", soon),
		"refuses":    fake("fail=initialize:-32000+server/discover:-32601"),
		"folder":     fake("").with("cwd", w.file("nowhere")),
		"remote":     {"url": "http://127.0.0.1:1/mcp"},
	}))
	e := w.edit()
	for name, want := range map[string]struct {
		kind  message.ProblemKind
		words []string
	}{
		"absent":     {message.ProblemProgram, []string{"no-such-program-anywhere", "PATH"}},
		"absent too": {message.ProblemProgram, []string{w.file("nowhere/at all")}},
		"no program": {message.ProblemProgram, []string{w.file("no-program")}},
		"exits":      {message.ProblemExited, []string{"exited (127)", `missing libfoo`}},
		"crashes":    {message.ProblemExited, []string{"SIGSEGV"}},
		"mute":       {message.ProblemTimeout, []string{"no answer", "700ms"}},
		"chatter":    {message.ProblemProtocol, []string{"speaks no MCP", "I speak no MCP"}},
		"closed":     {message.ProblemProtocol, []string{"closed its stdout", "running"}},
		"refuses":    {message.ProblemProtocol, []string{"refused", "told to fail"}},
		"folder":     {message.ProblemConfig, []string{w.file("nowhere")}},
		"remote":     {message.ProblemUnreachable, []string{"nothing listens", "refused"}},
	} {
		problem := e.Connector(name, message.ConnectorFailed).Problem
		if problem == nil || problem.Kind != want.kind || len(problem.Steps) == 0 {
			t.Errorf("%s: %+v", name, problem)
			continue
		}
		for _, word := range want.words {
			if !strings.Contains(problem.Reason, word) {
				t.Errorf("the reason of %s lacks %q: %s", name, word, problem.Reason)
			}
		}
		if strings.ContainsAny(problem.Reason+strings.Join(problem.Steps, ""), "\x1b\a\n\u202e") {
			t.Errorf("control characters in %q", problem.Reason)
		}
		for i, step := range problem.Steps {
			if step == "" {
				t.Errorf("step %d of %s is empty", i, name)
			}
		}
		result := call(t, e, name+".a", "{}")
		if result.Status != message.CallConnectorDown || result.MayHaveRun || len(result.Steps) == 0 || !strings.Contains(result.Message, fmt.Sprintf("%q", name)) {
			t.Errorf("a call of %s: %+v", name, result)
		}
		for _, word := range want.words {
			if !strings.Contains(result.Message, word) {
				t.Errorf("the answer of %s lacks %q: %s", name, word, result.Message)
			}
		}
	}
	problem := e.Connector("exits").Problem
	if log := string(read(t, problem.LogURI.FsPath())); !strings.Contains(log, "missing libfoo") {
		t.Errorf("the log %s holds %q", problem.LogURI, log)
	}
	execute(e, "pillion.server.status")
	if text := e.Shown("connectors"); !strings.Contains(text, "missing libfoo") || !strings.Contains(text, "1. ") {
		t.Errorf("%s", text)
	}
}

// One slow call, one refused argument and one protocol error take nothing down (D1).
func TestD1_OneCallTakesNothingDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": w.puppet("mine")}))
	e := w.edit()
	pid := pidOf(t, e, "mine")
	result := call(t, e, "mine.look", `{"error":"invalid argument: login is required"}`)
	if result.Status != message.CallConnectorError || result.Error == nil || result.Error.Code != -32602 || result.Error.Message != "invalid argument: login is required" || !result.MayHaveRun {
		t.Errorf("%+v", result)
	}
	gate, _ := w.gate("gate")
	slow := begin(t, e, message.ToolCallParams{Tool: "mine.look", ArgumentsText: told(t, map[string]any{"gate": gate}), TimeoutMS: 100})
	if result := ended(t, e, slow); result.Status != message.CallTimeout {
		t.Errorf("%+v", result)
	}
	if result := call(t, e, "mine.look", `{"text":"still here"}`); result.Text != "still here" || pidOf(t, e, "mine") != pid {
		t.Errorf("%+v", result)
	}
}
