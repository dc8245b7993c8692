//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/rpc/message"
)

func TestListWithoutAWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if o := w.expect(exitOK, "mcp", "list"); o.stdout != "" || o.stderr != "" {
		t.Error(o)
	}
	touched := filepath.Join(w.home, "touched")
	w.user(w.fake("mine", "touch="+touched, nil), `"broken": {"command": 7}`, w.entry("shared", "fakestdio"))
	w.project(w.entry("theirs", "fakestdio"), w.entry("shared", "fakestdio"))
	shape := decode[listShape](t, w.expect(exitOK, "mcp", "list", "--json"))
	if shape.Window != "" || len(shape.Connectors) != 5 {
		t.Errorf("%+v", shape)
	}
	lines := strings.Split(strings.TrimSpace(w.expect(exitOK, "mcp", "list").stdout), "\n")
	if len(lines) != 5 || !strings.HasPrefix(lines[0], "mine\tready, starts on use\tstdio\t-\tuser\t"+w.userFile()) {
		t.Errorf("%q", lines)
	}
	shown := w.onTerminal(nil, "mcp", "list").expects(exitOK)
	for _, want := range []string{"NAME", "ready, starts on use", "needs permission", "does not run", "not used", "1. ", "pillion mcp approve"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the table lacks %q:\n%s", want, shown)
		}
	}
	if _, err := os.Stat(touched); err == nil {
		t.Error("a connector was started to be listed")
	}
}

func TestListInTheWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.entry("mine", "fakestdio"))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	shape := decode[listShape](t, w.expect(exitOK, "mcp", "list", "--json"))
	if shape.Window == "" || len(shape.Connectors) != 1 || shape.Connectors[0].Tools != 1 || shape.Connectors[0].State != message.ConnectorReady {
		t.Errorf("%+v", shape)
	}
	// Another folder has no window.
	command := w.command("mcp", "list")
	command.Dir = w.home
	out, err := command.Output()
	if err != nil || !strings.Contains(string(out), "starts on use") {
		t.Errorf("%s, %v", out, err)
	}
}

// TestU8_TheWindowWithTheLongestRoot has two windows, one folder inside the other.
func TestU8_TheWindowWithTheLongestRoot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	inner := filepath.Join(w.repository, "inner")
	if err := os.Mkdir(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	outerWindow := w.edit()
	innerWindow := editortest.Start(t, editortest.Options{
		Command: []string{pathOf(t, "pillion"), "--stdio"}, Environ: w.environ, Roots: []string{inner},
	})
	windowIn := func(folder string) string {
		command := w.command("mcp", "list", "--json")
		command.Dir = folder
		out, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		return decode[listShape](t, outcome{stdout: string(out)}).Window
	}
	if got := windowIn(inner); !strings.HasPrefix(got, pidText(innerWindow)) {
		t.Errorf("inner: window %s", got)
	}
	if got := windowIn(w.repository); !strings.HasPrefix(got, pidText(outerWindow)) {
		t.Errorf("outer: window %s", got)
	}
}

func pidText(e *editortest.Editor) string { return strconv.Itoa(e.PID()) + "-" }

func TestPending(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if o := w.expect(exitOK, "pending"); o.stdout != "" {
		t.Error(o)
	}
	if shown := w.onTerminal(nil, "pending").expects(exitOK); !strings.Contains(shown, "Nothing is asked") {
		t.Error(shown)
	}
	w.project(w.entry("theirs", "fakestdio"))
	alone := decode[pendingShape](t, w.expect(exitOK, "pending", "--json"))
	if alone.Window != "" || len(alone.Asks) != 0 || len(alone.Waiting) != 1 {
		t.Errorf("%+v", alone)
	}
	e := w.edit()
	e.Connector("theirs", message.ConnectorWaiting)
	editortest.Request(e, message.AskShow, message.AskShowParams{})
	ask := e.Ask(message.AskConsent)
	joined := decode[pendingShape](t, w.expect(exitOK, "pending", "--json"))
	if joined.Window == "" || len(joined.Asks) != 1 || joined.Asks[0].AskID != ask.AskID || len(joined.Asks[0].Body) == 0 {
		t.Errorf("%+v", joined)
	}
	if shown := w.onTerminal(nil, "pending").expects(exitOK); !strings.Contains(shown, string(ask.AskID)) || !strings.Contains(shown, "pillion answer") {
		t.Error(shown)
	}
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(w.entry("one", "fakestdio"), w.entry("two", "fakestdio"))
	e := w.edit()
	e.Connector("one", message.ConnectorWaiting)
	editortest.Request(e, message.AskShow, message.AskShowParams{})
	ask := e.Ask(message.AskConsent)

	// A pipe is no person, and there is no question of another name.
	if o := w.runWith("3\n3\n", "answer", string(ask.AskID)); o.code != exitUnanswered {
		t.Error(o)
	}
	w.expect(exitUsage, "answer", "none")

	// From any folder, because the id names the window.
	command := w.command("answer", string(ask.AskID))
	command.Dir = w.home
	s := w.start(command, nil)
	s.sees("| \"one\"")
	s.sees("| \"two\"")
	s.sees("1. Not now")
	s.sees("2. Never")
	s.sees("3. Allow")
	s.sees(numberPrompt)
	s.types("\n\n\n") // decides nothing
	s.expects(exitUnanswered)
	if asks, _ := editortest.TryRequest(e, message.Asks, message.Empty{}); len(asks.Asks) != 1 {
		t.Errorf("open questions: %+v", asks)
	}

	s = w.onTerminal(nil, "answer", string(ask.AskID))
	s.sees(numberPrompt)
	s.types("3\n")
	if shown := s.expects(exitOK); !strings.Contains(shown, "Answered: Allow") {
		t.Error(shown)
	}
	e.Connector("one", message.ConnectorReady)
	e.Connector("two", message.ConnectorReady)

	w.expect(exitUsage, "answer", string(ask.AskID)) // it is no longer open
}

func TestAnswerOfAQuestionThatEndsElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project(w.entry("one", "fakestdio"))
	e := w.edit()
	one := e.Connector("one", message.ConnectorWaiting)
	editortest.Request(e, message.AskShow, message.AskShowParams{})
	ask := e.Ask(message.AskConsent)
	s := w.onTerminal(nil, "answer", string(ask.AskID))
	s.sees(numberPrompt)
	e.Answer(ask.AskID, `{"decisions":{"`+string(one.ID)+`":"later"}}`)
	s.sees("was answered by editor")
	s.expects(exitFailed)
}

// TestS21_AFolderThatIsRefused is said, and the verb goes on without a window.
func TestS21_AFolderThatIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	folder := filepath.Join(w.home, "run", "pillion")
	if err := os.Symlink(w.repository, folder); err != nil {
		t.Fatal(err)
	}
	w.edit() // is served all the same
	if o := w.expect(exitOK, "mcp", "list", "--json"); !strings.Contains(o.stderr, "is a link") || decode[listShape](t, o).Window != "" {
		t.Error(o)
	}
	if left, _ := os.ReadDir(w.repository); len(left) > 0 {
		t.Errorf("written through the link: %v", left)
	}
}

func TestS20_StoresThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.fake("mine", "echo", map[string]string{"PILLION_FAKE_TOOLS": readOnlyTool}))
	w.write(filepath.Join(w.home, "state", "permissions.json"), `{"version":1,"data":`)
	o := w.expect(exitNotAllowed, "call", "mine.a") // the read-only pass is void
	if !strings.Contains(o.stderr, "everything asks") {
		t.Error(o)
	}
	e := w.edit()
	ask := e.Ask(message.AskStore)
	s := w.onTerminal(nil, "answer", string(ask.AskID))
	s.sees("1. Leave it")
	s.sees(numberPrompt)
	s.types("2\n")
	s.expects(exitOK)
	w.expect(exitOK, "call", "mine.a")
}
