//go:build !windows

package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pillion/editors/editortest"
	"pillion/rpc/message"
)

func TestMoment(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"90m": "2026-03-04T10:30:00Z", "0s": "2026-03-04T12:00:00Z", "7d": "2026-02-25T12:00:00Z", "2026-03-01": "2026-03-01T00:00:00Z",
		"2026-03-01T08:09": "2026-03-01T08:09:00Z", "2026-03-01T08:09:10+02:00": "2026-03-01T06:09:10Z",
		"": "", "-5m": "", "x": "", "5": "", "7dd": "", "-7d": "", "7 d": "", "1e9d": "", "2026-13-01": "",
	} {
		got, err := moment(text, now)
		if shown := got.UTC().Format(time.RFC3339); (err == nil) != (want != "") || want != "" && shown != want {
			t.Errorf("%q is %s, %v; want %q", text, shown, err, want)
		}
	}
}

// TestN1_WhatHappenedIsToldInEveryWay makes calls from a terminal and asks for them in every way.
func TestN1_WhatHappenedIsToldInEveryWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(
		w.fake("good", "", map[string]string{"PILLION_FAKE_TOOLS": readOnlyTool}),
		w.fake("failing", "", map[string]string{"PILLION_FAKE_TOOLS": readOnlyTool, "PILLION_FAKE_RESULT": `{"content":[{"type":"text","text":"no"}],"isError":true}`}),
	)
	if o := w.expect(exitOK, "activity"); o.stdout != "" || !strings.Contains(o.stderr, nothingRecorded) {
		t.Error(o)
	}
	w.expect(exitOK, "call", "good.a", `{"text":"12345678901234567890"}`)
	w.expect(exitFailed, "call", "failing.a")
	calls := decode[message.ActivityResult](t, w.expect(exitOK, "activity", "--json")).Rows
	if len(calls) != 2 || calls[0].Connector != "failing" || calls[0].Status != "toolError" || calls[1].Tool != "a" || calls[1].Allowed != "readOnly" ||
		string(calls[1].Arguments) != `{"text":"12345678901234567890"}` || !strings.HasPrefix(calls[1].Asker, "cli") {
		t.Fatalf("%+v", calls)
	}
	chain := decode[message.LogResult](t, w.expect(exitOK, "log", "--json", "--call", string(calls[1].CallID))).Rows
	if len(chain) != 2 || chain[0].Kind != "written" || chain[1].Kind != "call" {
		t.Errorf("%+v", chain)
	}
	if o := w.expect(exitOK, "log", "--status", "toolError", "--tool", "failing.a"); strings.Count(o.stdout, "\n") != 1 || !strings.Contains(o.stdout, "\tfailing\ta\t") {
		t.Error(o)
	}
	if o := w.expect(exitOK, "log", "--until", "1h"); o.stdout != "" {
		t.Error(o)
	}
	for _, index := range w.indexes() { // nothing depends on it
		if err := os.Remove(index); err != nil {
			t.Fatal(err)
		}
	}
	stats := decode[message.StatsResult](t, w.expect(exitOK, "stats", "--json")).Calls
	if again := decode[message.StatsResult](t, w.expect(exitOK, "stats", "--json", "--rebuild")).Calls; stats != 2 || again != 2 {
		t.Errorf("%d, then %d calls", stats, again)
	}
	if o := w.expect(exitOK, "stats"); !strings.Contains(o.stdout, "tool\tgood.a\t1\t0\t0\t") || !strings.Contains(o.stdout, "status\ttoolError\t1\n") {
		t.Error(o)
	}
	w.expect(exitUsage, "log", "--since", "yesterday")
	w.expect(exitUsage, "log", "--kind", "calls")
	w.expect(exitUsage, "stats", "--limit", "0")
	w.expect(exitFailed, "log", "--call", "none")
	if indexes := w.indexes(); len(indexes) != 1 {
		t.Errorf("%q", indexes)
	}
}

// indexes are the files that an index of the record is in.
func (w *world) indexes() []string {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.home, "cache", "activity.db*"))
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

func TestS28_TheRecordOnATerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.fake("good", "", map[string]string{"PILLION_FAKE_TOOLS": readOnlyTool}))
	w.expect(exitNotAllowed, "call", "good.a", jsonText(t, map[string]string{"text": strings.Join(escapes, "")})) // there is a URL in it
	id := string(decode[message.ActivityResult](t, w.expect(exitOK, "activity", "--json")).Rows[0].CallID)
	for _, arguments := range [][]string{{"activity"}, {"log"}, {"stats"}, {"log", "--call", id}, {"log", "--call", id, "--json"}, {"log", "--call", "\u202e"}, {"log", "--kind", escapes[0]}, {"activity", "--since", "\x1b[m"}} {
		_, shown := w.onTerminal(nil, arguments...).ends()
		isTame(t, strings.Join(arguments, " "), shown)
		if arguments[0] == "log" && len(arguments) == 3 && arguments[2] == id && !strings.Contains(shown, `\u{202e}`) {
			t.Errorf("the arguments are not shown:\n%s", shown)
		}
	}
}

// TestN1_LogFollows reads along while another terminal makes calls, until it is told to end.
func TestN1_LogFollows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.fake("good", "", map[string]string{"PILLION_FAKE_TOOLS": readOnlyTool}))
	w.expect(exitOK, "call", "good.a", `{"n":1}`)
	follower := w.command("log", "--follow", "--json", "--kind", "written")
	out, err := follower.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := follower.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = follower.Process.Kill() })
	lines := bufio.NewScanner(out)
	next := func(want string) {
		t.Helper()
		var r message.LogRecord
		if !lines.Scan() {
			t.Fatalf("it ended: %v", lines.Err())
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil || string(r.Arguments) != want {
			t.Errorf("%s, %v; want %s", lines.Bytes(), err, want)
		}
	}
	next(`{"n":1}`)
	for _, arguments := range []string{`{"n":2}`, `{"n":3}`} {
		w.expect(exitOK, "call", "good.a", arguments)
		next(arguments)
	}
	if err := follower.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if lines.Scan() {
		t.Errorf("and then %s", lines.Bytes())
	}
	if err := follower.Wait(); err != nil {
		t.Error(err)
	}
}

func TestE11_AnEditorIsToldWhatHappened(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.fake("good", "", map[string]string{"PILLION_FAKE_TOOLS": readOnlyTool}))
	e := w.edit()
	editortest.Request(e, message.ToolCall, message.ToolCallParams{Tool: "good.a"})
	calls := editortest.Request(e, message.Activity, message.ActivityParams{}).Rows
	if len(calls) != 1 || calls[0].Status != "ok" || !strings.HasPrefix(calls[0].Asker, "editor") {
		t.Errorf("%+v", calls)
	}
	if records := editortest.Request(e, message.Log, message.LogParams{CallID: calls[0].CallID}).Rows; len(records) != 2 {
		t.Errorf("%+v", records)
	}
	if stats := editortest.Request(e, message.Stats, message.StatsParams{Filter: message.LogFilter{Connector: "good"}}); stats.Calls != 1 || stats.Days == nil {
		t.Errorf("%+v", stats)
	}
}
