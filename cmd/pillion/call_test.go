//go:build !windows

package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pillion/rpc/message"
)

const readOnlyTool = `[{"name":"a","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]`

// fake is an entry whose fake connector has these variables.
func (w *world) fake(name, mode string, env map[string]string) string {
	w.t.Helper()
	all := map[string]string{"GORACE": quickExit}
	maps.Copy(all, env)
	text, err := json.Marshal(map[string]any{"command": pathOf(w.t, "fakestdio"), "args": []string{mode}, "env": all})
	if err != nil {
		w.t.Fatal(err)
	}
	return `"` + name + `": ` + string(text)
}

func TestK3_CallWithoutAWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pids := filepath.Join(w.home, "pids")
	w.user(w.fake("mine", "echo,pid="+pids, map[string]string{"PILLION_FAKE_TOOLS": readOnlyTool}))
	const arguments = `{"n":9007199254740993,"b":1.50,"a":"ü"}`
	o := w.expect(exitOK, "call", "mine.a", arguments)
	if o.stdout != arguments+"\n" || o.stderr != "" {
		t.Error(o)
	}
	piped := w.runWith(" "+arguments+"\n", "call", "mine.a", "-", "--raw")
	if piped.code != exitOK || piped.stdout != arguments {
		t.Error(piped)
	}
	result := decode[message.CallResult](t, w.expect(exitOK, "call", "mine__a", arguments, "--json"))
	if result.Status != message.CallOK || result.Text != arguments || !strings.Contains(result.ContentText, "9007199254740993") || !result.MayHaveRun {
		t.Errorf("result %+v", result)
	}
	for _, pid := range strings.Fields(w.read(pids)) {
		if isAliveText(pid) {
			t.Errorf("the connector's process %s is left", pid)
		}
	}
}

func isAliveText(pid string) bool {
	var number int
	if json.Unmarshal([]byte(pid), &number) != nil {
		return false
	}
	return syscall.Kill(number, 0) == nil
}

func TestCallExitCodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	readOnly := map[string]string{"PILLION_FAKE_TOOLS": readOnlyTool}
	failing := map[string]string{"PILLION_FAKE_TOOLS": readOnlyTool, "PILLION_FAKE_RESULT": `{"content":[{"type":"text","text":"no such note"}],"isError":true}`}
	w.user(
		w.fake("good", "echo", readOnly), w.fake("failing", "", failing), w.fake("asking", "echo", nil),
		w.fake("dead", "exit=3", nil), w.fake("fault", "fail=tools/call:-32000", readOnly),
		`"off": {"command": "true", "disabled": true}`,
	)
	w.project(w.entry("theirs", "fakestdio"))
	for name, test := range map[string]struct {
		arguments []string
		code      int
		stderr    string
	}{
		"no such tool":       {[]string{"good.none"}, exitUsage, "none"},
		"no such connector":  {[]string{"none.a"}, exitUsage, "none.a"},
		"not an object":      {[]string{"good.a", "[1]"}, exitUsage, ""},
		"not JSON":           {[]string{"good.a", "{"}, exitUsage, ""},
		"duplicate keys":     {[]string{"good.a", `{"x":1,"x":2}`}, exitUsage, ""},
		"the tool says so":   {[]string{"failing.a"}, exitFailed, "did not succeed"},
		"a protocol error":   {[]string{"fault.a"}, exitFailed, "-32000"},
		"nobody to ask":      {[]string{"asking.a"}, exitNotAllowed, "nobody can be asked"},
		"needs permission":   {[]string{"theirs.a"}, exitNotAllowed, "--allow"},
		"does not run":       {[]string{"dead.a"}, exitDown, "1. "},
		"switched off":       {[]string{"off.a"}, exitNotAllowed, "disabled"},
		"no tool":            {nil, exitUsage, "tool"},
		"an unknown flag":    {[]string{"good.a", "--yes"}, exitUsage, "--yes"},
		"too many arguments": {[]string{"good.a", "{}", "{}"}, exitUsage, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := w.with(t).expect(test.code, append([]string{"call"}, test.arguments...)...)
			if !strings.Contains(o.stderr, test.stderr) || o.stderr == "" {
				t.Errorf("want %q on standard error\n%v", test.stderr, o)
			}
			if strings.Contains(o.stderr, "needs permission") && strings.Contains(o.stdout, "\n") {
				t.Error(o)
			}
		})
	}
}

// TestS6_AllowNamesOneDefinitionForOneRun calls a project's tool with --allow and looks what is stored.
func TestS6_AllowNamesOneDefinitionForOneRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	touched := filepath.Join(w.home, "touched")
	w.project(w.fake("theirs", "echo,touch="+touched, nil))
	listed := decode[listShape](t, w.expect(0, "mcp", "list", "--json")).Connectors[0]
	o := w.expect(exitNotAllowed, "call", "--allow", strings.Repeat("0", 64), "theirs.a", "{}")
	if _, err := os.Stat(touched); err == nil {
		t.Fatal("another hash started it")
	}
	if !strings.Contains(o.stderr, listed.Hash) {
		t.Error(o)
	}
	// The definition runs, the call still asks.
	o = w.expect(exitNotAllowed, "call", "--allow", listed.Hash, "theirs.a", "{}")
	if _, err := os.Stat(touched); err != nil || !strings.Contains(o.stderr, "nobody can be asked") {
		t.Fatalf("%v\n%v", err, o)
	}
	if got := states(t, w); got["theirs"] != message.ConnectorWaiting {
		t.Errorf("states %v", got)
	}
	w.expect(exitFailed, "mcp", "revoke", "theirs") // nothing was stored
	// The whole definition is what was named: a change is another one.
	w.project(w.fake("theirs", "echo,banner,touch="+touched, nil))
	w.expect(exitNotAllowed, "call", "--allow", listed.Hash, "theirs.a", "{}")
}

func TestCallAsksOnTheTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.fake("mine", "echo", nil))
	var out strings.Builder
	command := w.command("call", "mine.a", `{"x": "y"}`)
	command.Stdin = strings.NewReader("2\n2\n") // is nobody's answer
	s := w.start(command, &out)
	s.sees("may this tool be called with exactly these arguments?")
	s.sees(`| {"x":"y"}`)
	s.sees("1. Decline")
	s.sees("2. Allow once")
	s.sees(numberPrompt)
	s.types("2\n")
	s.expects(exitOK)
	if out.String() != "{\"x\":\"y\"}\n" {
		t.Errorf("standard output %q", out.String())
	}
	// Once is once.
	s = w.onTerminal(nil, "call", "mine.a")
	s.sees(numberPrompt)
	s.types("1\n")
	if shown := s.expects(exitNotAllowed); !strings.Contains(shown, "declined") {
		t.Error(shown)
	}
}

func TestE2_AlwaysIsRemembered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.fake("mine", "echo", nil))
	s := w.onTerminal(nil, "call", "mine.a")
	s.sees("Always allow tool (in every folder)")
	s.sees(numberPrompt)
	number := numberOf(t, s.all(), "Always allow tool")
	s.types(number + "\n")
	s.expects(exitOK)
	if o := w.expect(exitOK, "call", "mine.a", "{}", "--json"); decode[message.CallResult](t, o).Allowed.By != message.AllowedByRule {
		t.Error(o)
	}
}

// numberOf is the number that stands before a title.
func numberOf(t *testing.T, shown, title string) string {
	t.Helper()
	for line := range strings.Lines(shown) {
		if number, rest, isChoice := strings.Cut(strings.TrimSpace(line), ". "); isChoice && strings.HasPrefix(rest, title) {
			return number
		}
	}
	t.Fatalf("no choice %q in\n%s", title, shown)
	return ""
}

// TestS16_AQuestionWithoutAnAnswer types what is none of the numbers.
func TestS16_AQuestionWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log := filepath.Join(w.home, "log")
	w.user(w.fake("mine", "echo", map[string]string{"SRVLOG": log}))
	s := w.onTerminal(nil, "call", "mine.a")
	s.sees(numberPrompt)
	s.types("\n")
	s.sees(numberPrompt)
	s.types("once\n")
	s.sees(numberPrompt)
	s.types("02\n")
	s.sees("nothing was decided")
	s.expects(exitFailed)
	if strings.Contains(w.read(log), "tools/call") {
		t.Error("the call was made")
	}
}

// TestCallAllowsTheConnectorFirst asks about the definition, then about the call, and makes it.
func TestCallAllowsTheConnectorFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(w.fake("theirs", "echo", nil))
	s := w.onTerminal(nil, "call", "theirs.a", `{"x":1}`)
	s.sees("may these connectors of this repository run programs")
	s.sees(yesPrompt)
	s.types("yes\n")
	s.sees("may this tool be called")
	s.sees(numberPrompt)
	s.types("2\n")
	s.sees(`{"x":1}`)
	s.expects(exitOK)

	s = w.onTerminal(nil, "mcp", "approve")
	s.expects(exitOK)
	w.expect(exitOK, "mcp", "revoke", "theirs")
	s = w.onTerminal(nil, "call", "theirs.a")
	s.sees(yesPrompt)
	s.types("no\n")
	s.expects(exitNotAllowed)
}

func TestCallInTheWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.fake("mine", "echo", nil))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	folder := filepath.Join(w.repository, "below")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	// Answered in the editor, by nobody else: there is no terminal.
	command := w.command("call", "mine.a", `{"x":1}`, "--json")
	command.Dir = folder
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var out strings.Builder
	command.Stdout = &out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ask := e.Ask(message.AskApproval)
	if ask.Asker.Kind != message.AskerCLI || ask.Asker.PID != command.Process.Pid || ask.Asker.Program == "" || ask.SessionID == "" {
		t.Errorf("asker %+v, session %q", ask.Asker, ask.SessionID)
	}
	e.Answer(ask.AskID, `{"decision":"once"}`)
	if err := command.Wait(); err != nil {
		t.Fatal(err)
	}
	if result := decode[message.CallResult](t, outcome{stdout: out.String()}); result.Text != `{"x":1}` || result.Allowed.By != message.AllowedByAnswer {
		t.Errorf("result %+v", result)
	}
	// Answered in the terminal: it closes in the editor.
	s := w.onTerminal(nil, "call", "mine.a", `{"x":2}`)
	s.sees(numberPrompt)
	ask = e.Ask(message.AskApproval)
	s.types("2\n")
	s.sees(`{"x":2}`)
	s.expects(exitOK)
	if closed := e.Closed(ask.AskID); closed.How != message.AskAnswered || !strings.Contains(closed.By, "cli") {
		t.Errorf("closed %+v", closed)
	}
	// Asked in the terminal, answered in the editor.
	s = w.onTerminal(nil, "call", "mine.a", `{"x":3}`)
	s.sees(numberPrompt)
	e.Answer(e.Ask(message.AskApproval).AskID, `{"decision":"decline","text":"not now"}`)
	s.sees("declined by the user, who says: not now")
	s.expects(exitNotAllowed)
}

// TestE8_CtrlC cancels a call that runs, here and in a window.
func TestE8_CtrlC(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"by itself", "in a window"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			log := filepath.Join(w.home, "log")
			w.user(w.fake("mine", "progress=300ms:forever", map[string]string{"PILLION_FAKE_TOOLS": readOnlyTool, "SRVLOG": log}))
			if name == "in a window" {
				w.edit().Connector("mine", message.ConnectorReady)
			}
			var out strings.Builder
			s := w.onTerminal(&out, "call", "mine.a", "{}", "--json")
			s.sees("%") // some progress
			s.types("\x03")
			s.expects(exitFailed)
			result := decode[message.CallResult](t, outcome{stdout: out.String()})
			if result.Status != message.CallCancelled || !result.MayHaveRun {
				t.Errorf("result %+v", result)
			}
			// One that was started for the call alone is ended with it.
			if name == "in a window" {
				eventually(t, "the connector is told", func() bool { return strings.Contains(w.read(log), "notifications/cancelled") })
			}
		})
	}
}

// TestE6_FilesOfAResultOutliveTheRun keeps a picture.
func TestE6_FilesOfAResultOutliveTheRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.entry("demo", "fakestdio"))
	png := `iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==`
	w.user(w.fake("mine", "", map[string]string{
		"PILLION_FAKE_TOOLS": readOnlyTool, "PILLION_FAKE_RESULT": `{"content":[{"type":"image","mimeType":"image/png","data":"` + png + `"}]}`,
	}))
	o := w.expect(exitOK, "call", "mine.a")
	lines := strings.Split(strings.TrimSpace(o.stdout), "\n")
	path := lines[len(lines)-1]
	if !strings.HasPrefix(path, filepath.Join(w.home, "tmp")) || !strings.HasPrefix(w.read(path), "\x89PNG") {
		t.Error(o)
	}
	folder := filepath.Join(w.home, "kept")
	for range 2 { // nothing is written over
		result := decode[message.CallResult](t, w.expect(exitOK, "call", "mine.a", "--output", folder, "--json"))
		if kept := result.Attachments[0].URI.FsPath(); filepath.Dir(kept) != folder || !strings.HasPrefix(w.read(kept), "\x89PNG") {
			t.Errorf("%+v", result)
		}
	}
	if kept, _ := os.ReadDir(folder); len(kept) != 2 {
		t.Errorf("kept %v", kept)
	}
	if left, _ := os.ReadDir(filepath.Join(w.home, "state", "results")); len(left) > 0 {
		t.Errorf("left in the state folder: %v", left)
	}
}

func TestE6_LongTextIsWholeInAPipe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.fake("mine", "reply=100000", map[string]string{"PILLION_FAKE_TOOLS": readOnlyTool}))
	alone := w.expect(exitOK, "call", "mine.a")
	if len(alone.stdout) < 90_000 {
		t.Errorf("%d bytes of text", len(alone.stdout))
	}
	w.edit().Connector("mine", message.ConnectorIdle) // what it lists is known from before
	if joined := w.expect(exitOK, "call", "mine.a"); joined.stdout != alone.stdout {
		t.Errorf("in the window %d bytes, else %d", len(joined.stdout), len(alone.stdout))
	}
}

func TestCallOfAWindowThatCloses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.fake("mine", "echo", nil))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	s := w.onTerminal(nil, "call", "mine.a")
	s.sees(numberPrompt)
	e.Kill()
	if shown := s.expects(exitFailed); !strings.Contains(shown, "closed before the call came back") {
		t.Error(shown)
	}
	// What it left behind is in nobody's way.
	s = w.onTerminal(nil, "call", "mine.a")
	s.sees(numberPrompt)
	s.types("1\n")
	s.expects(exitNotAllowed)
}
