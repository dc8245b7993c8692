package native

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"

	"pillion/browser/devtools"
)

// What a page chooses freely is neither kept nor shown whole.
func TestS27_WhatAPageSaysOfRequestsAndScriptsHasABound(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("A", 1<<20)
	d := newDriver(Options{})
	d.browser = &devtools.Browser{Conn: &devtools.Conn{}}
	one := &tab{requests: map[network.RequestID]*networkEntry{}, running: map[network.RequestID]bool{}}
	one.console.limit, one.network.limit = maxEntries, maxEntries
	d.sessions = map[target.SessionID]*attached{"s": {tab: one, info: &target.Info{Type: "page"}}}
	d.onNetwork(event(t, network.RequestWillBeSent.Method, map[string]any{
		"requestId": "1", "type": "Fetch", "request": map[string]any{"url": "http://127.0.0.1/?" + long, "method": long},
	}))
	d.onNetwork(event(t, network.ResponseReceived.Method, map[string]any{"requestId": "1", "response": map[string]any{"status": 200, "mimeType": long}}))
	d.onConsole(event(t, "Log.entryAdded", map[string]any{"entry": map[string]any{"level": "error", "text": long, "url": long}}))
	d.onConsole(event(t, "Runtime.exceptionThrown", map[string]any{"exceptionDetails": map[string]any{"text": long, "url": long, "lineNumber": 1}}))
	if len(one.network.kept) != 1 || len(one.console.kept) != 2 {
		t.Fatalf("%d requests, %d lines", len(one.network.kept), len(one.console.kept))
	}
	entry := one.network.kept[0]
	if n := len(entry.url) + len(entry.method) + len(entry.mimeType); n > 8<<10 || len(entry.line()) > 2<<10 {
		t.Errorf("%d bytes are kept, %d shown", n, len(entry.line()))
	}
	for _, said := range one.console.kept {
		if n := len(said.text) + len(said.place); n > 8<<10 {
			t.Errorf("%d bytes of %s are kept", n, said.level)
		}
	}
}

func event(t *testing.T, method string, params any) devtools.Event {
	t.Helper()
	encoded, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	return devtools.Event{Session: "s", Method: method, Params: encoded}
}

func TestS27_DownloadsHaveABoundTogether(t *testing.T) {
	t.Parallel()
	var d downloads
	for i := range 5 {
		guid := fmt.Sprint(i)
		d.begin(guid, "")
		_ = d.take(d.underWay[guid], 1, maxDownloadBytes)
		why := d.take(d.underWay[guid], maxDownloadBytes, maxDownloadBytes)
		if isOver := i == 4; (why != "") != isOver {
			t.Errorf("download %d: %q", i, why)
		}
	}
	d.drop("4")
	if d.begun != 4 || d.bytes != maxAllDownloadBytes {
		t.Errorf("%d with %f bytes are left", d.begun, d.bytes)
	}
	if why := d.take(&download{}, 0, maxDownloadBytes+1); !strings.Contains(why, "256 MB") {
		t.Errorf("%q", why)
	}
}

func TestS27_DownloadsHaveANumber(t *testing.T) {
	t.Parallel()
	var d downloads
	for i := range maxDownloads {
		if !d.begin(fmt.Sprint(i), "") {
			t.Fatalf("download %d is refused", i)
		}
	}
	if !d.begin("0", "") || d.begin("one more", "") {
		t.Errorf("%d were begun", d.begun)
	}
	d.drop("0")
	if !d.begin("one more", "") {
		t.Error("there is no room where one has gone")
	}
}

// A page that makes many notes does not hide that there were others.
func TestS17_NotesThatFindNoRoomAreCounted(t *testing.T) {
	t.Parallel()
	d := newDriver(Options{})
	for i := range maxNotes + 3 {
		d.tell("note %d", i)
	}
	d.tell("note 0")
	notes := d.takeNotes()
	if last := notes[len(notes)-1]; len(notes) != maxNotes+1 || last.count != 3 || !strings.HasPrefix(last.text, "more happened") || notes[0].count != 2 {
		t.Errorf("%d notes, the last is %+v", len(notes), last)
	}
	if again := d.takeNotes(); len(again) != 0 {
		t.Errorf("%+v", again)
	}
}
