package cases

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/rpc/message"
)

// noBrowser names a program that is no browser as one, so that what is about none can be tried where none is.
func (w *world) noBrowser() {
	w.t.Helper()
	program := filepath.Join(w.home, "chrome")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
		w.t.Fatal(err)
	}
	w.write(filepath.Join(w.home, "config", "settings.json"), `{"browserProvider": "native", "browserProgram": "`+program+`"}`)
}

// H7: one provider a seat and session, in whatever file its name stands, Pillion's own browser among them; what the project says
// of seats counts for nothing (S4).
func TestH7_OneProviderOfASeat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.noBrowser()
	seat := func(name string) map[string]any { return map[string]any{"seat": name} }
	w.user(servers(map[string]entry{
		"stagehand": fake("dump", readOnly).with("pillion", seat("browser")), "other": fake("dump", readOnly).with("pillion", seat("browser")),
		"driver": fake("dump", readOnly).with("pillion", seat("computer")),
	}))
	w.project(servers(map[string]entry{"theirs": fake("dump", readOnly).with("pillion", seat("browser"))}))
	e := w.edit()
	for _, name := range []string{"stagehand", "other", "driver"} {
		e.Connector(name, message.ConnectorReady)
	}
	e.Allow("theirs")
	e.Connector("theirs", message.ConnectorReady)
	for _, tool := range []string{"stagehand.a", "driver.a", "stagehand.a"} {
		if result := call(t, e, tool, "{}"); result.Status != message.CallOK {
			t.Errorf("%s: %+v", tool, result)
		}
	}
	taken := func(result message.CallResult) {
		t.Helper()
		if result.Status != message.CallDenied || !strings.Contains(result.Message, `"stagehand"`) || len(result.Steps) == 0 || result.MayHaveRun {
			t.Errorf("%+v", result)
		}
	}
	taken(call(t, e, "other.a", "{}"))
	taken(approved(t, e, "browser.browser_tabs", `{"action":"list"}`, message.ApproveSession))
	if result := approved(t, e, "theirs.a", "{}", message.ApproveOnce); result.Status != message.CallOK {
		t.Errorf("a project's: %+v", result)
	}
	editortest.Request(e, message.ConnectorStop, message.ConnectorParams{Connector: "stagehand"})
	if result := call(t, e, "other.a", "{}"); result.Status != message.CallOK {
		t.Errorf("once it was stopped: %+v", result)
	}
}

// H1: off, asked about once, and a no with words holds, until a person wants it all the same.
func TestH1_ANoToTheBrowserHolds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.noBrowser()
	e := w.edit()
	answer := begin(t, e, message.ToolCallParams{Tool: "browser.browser_navigate", ArgumentsText: `{"url":"http://localhost:1/"}`})
	ask := e.Ask(message.AskApproval)
	if now := editortest.Request(e, message.Browser, message.BrowserParams{}); now.State != message.BrowserAsking {
		t.Errorf("while it is asked: %+v", now)
	}
	e.Answer(ask.AskID, `{"decision":"decline","text":"read the code"}`)
	e.Closed(ask.AskID)
	if result := ended(t, e, answer); result.Status != message.CallDeclined || !strings.Contains(result.Message, "read the code") {
		t.Errorf("%+v", result)
	}
	if result := call(t, e, "browser.browser_snapshot", "{}"); result.Status != message.CallDeclined {
		t.Errorf("once more: %+v", result)
	}
	e.BrowserStates(message.BrowserRefused)
	execute(e, "pillion.server.browser.start")
	e.Approve(message.ApproveSession)
	e.BrowserStates(message.BrowserRunning)
	if result := call(t, e, "browser.browser_snapshot", "{}"); result.Status != message.CallToolError || !strings.Contains(result.Text, "did not start") {
		t.Errorf("a browser that does not start: %+v", result)
	}
	e.Connector("browser", message.ConnectorReady)
	execute(e, "pillion.server.browser.stop")
	e.BrowserStates(message.BrowserOff)
}

// H2, S1: a browser of the workspace is none, and everything else goes on.
func TestH2_ABrowserOfTheWorkspaceIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	program := filepath.Join(w.repository, "chrome")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n: > ran\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.write(filepath.Join(w.home, "config", "settings.json"), `{"browserProvider": "native", "browserProgram": "`+program+`"}`)
	w.user(servers(map[string]entry{"mine": fake("", readOnly)}))
	e := w.edit()
	started := editortest.Go(context.Background(), e, message.BrowserStart, message.BrowserStartParams{})
	e.Approve(message.ApproveSession)
	if outcome := <-started; outcome.Err != nil || outcome.Result.State != message.BrowserFailed || outcome.Result.Problem == nil ||
		!strings.Contains(outcome.Result.Problem.Reason, "workspace") || len(outcome.Result.Problem.Steps) == 0 {
		t.Errorf("%+v", outcome)
	}
	if result := call(t, e, "mine.a", "{}"); result.Status != message.CallOK {
		t.Errorf("%+v", result)
	}
}
