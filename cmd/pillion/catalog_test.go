//go:build !windows

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pillion/rpc/message"
)

const issueTools = `[{"name":"save_issue","description":"Creates an issue. And more.","inputSchema":{"type":"object","properties":{"title":{"type":"string"},"n":{"const":9007199254740993}},"required":["title"]}},` +
	`{"name":"list_teams","description":"Lists the teams that own an issue.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]`

// known is a world in which a connector was listed in an earlier session, and its program is gone since.
func known(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	program := filepath.Join(w.home, "fakestdio") // the name says what it is
	text, err := os.ReadFile(pathOf(t, "fakestdio"))
	if err == nil {
		// A fork meanwhile would hold the file open for writing, and it could not be started (golang/go#22315).
		syscall.ForkLock.RLock()
		err = os.WriteFile(program, text, 0o700)
		syscall.ForkLock.RUnlock()
	}
	if err != nil {
		t.Fatal(err)
	}
	w.user(`"linear": ` + jsonText(t, map[string]any{"command": program, "env": map[string]string{"GORACE": quickExit, "PILLION_FAKE_TOOLS": issueTools}}))
	if o := w.expect(exitOK, "ls"); o.stdout != "linear\tready, starts on use\t-\t-\n" {
		t.Errorf("before: %+v", o)
	}
	if o := w.expect(exitOK, "refresh"); o.stdout != "linear\tready\t2\n" {
		t.Fatalf("%+v", o)
	}
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestJ1_WhatIsKnownIsAnsweredThoughTheProgramIsGone(t *testing.T) {
	t.Parallel()
	w := known(t)
	shape := decode[lsShape](t, w.expect(exitOK, "ls", "--json"))
	if c := shape.Connectors[0]; shape.Tools != 2 || shape.Tokens < 40 || c.State != message.ConnectorIdle || !c.Stale || c.ListedAt == nil {
		t.Errorf("%+v", shape)
	}
	fields := strings.Split(strings.TrimSuffix(w.expect(exitOK, "ls", "--context", "1000").stdout, "\n"), "\t")
	if len(fields) != 6 || fields[0] != "linear" || fields[2] != "2" {
		t.Errorf("%q", fields)
	}
	if o := w.expect(exitOK, "ls", "--context", "1000"); !strings.Contains(o.stderr, "which is little") {
		t.Errorf("no warning: %+v", o)
	}
	if o := w.expect(exitOK, "ls", "linear"); !strings.HasPrefix(o.stdout, "linear.list_teams\tauto\t") || !strings.Contains(o.stdout, "\nlinear.save_issue\task\t") {
		t.Errorf("%+v", o)
	}
	if o := w.expect(exitOK, "search", "issue"); o.stdout != "linear.save_issue\tCreates an issue.\nlinear.list_teams\tLists the teams that own an issue.\n" {
		t.Errorf("%+v", o)
	}
	if o := w.expect(exitOK, "search", "--explain", "saving", "zebra"); o.stdout != "linear.save_issue\tCreates an issue.\tsaving: word\n" || !strings.Contains(o.stderr, "has all of these words") {
		t.Errorf("%+v", o)
	}
	if found := decode[message.ToolsResult](t, w.expect(exitOK, "search", "--json", "--limit", "1", "issue")); found.Total != 2 || len(found.Tools) != 1 || found.NextCursor == "" {
		t.Errorf("%+v", found)
	}
	if o := w.expect(exitOK, "search", "giraffe"); o.stdout != "" || !strings.Contains(o.stderr, "Nothing is found") {
		t.Errorf("%+v", o)
	}
	if o := w.expect(exitOK, "catalog", "--budget", "60"); !strings.Contains(o.stdout, "linear.") {
		t.Errorf("%+v", o)
	}
	if result := decode[message.CatalogResult](t, w.expect(exitOK, "catalog", "--json", "--bias", "teams")); result.Shown != 2 || result.Total != 2 || result.Tokens > 2000 {
		t.Errorf("%+v", result)
	}
	w.expect(exitUsage, "catalog", "--budget", "3")
	w.expect(exitUsage, "search", " ")
	w.expect(exitUsage, "ls", "nobody")
	// It is gone, and a call says so.
	w.expect(exitDown, "call", "linear.list_teams")
	w.expect(exitDown, "refresh", "linear")
}

func TestJ3_TypesAndSchemasOfWhatIsKnown(t *testing.T) {
	t.Parallel()
	w := known(t)
	if o := w.expect(exitOK, "types", "linear.save_issue"); o.stdout != "export interface Tools {\n  /** Creates an issue. */\n  linear__save_issue(args: { title: string; n?: 9007199254740993 }): Promise<unknown>;\n}\n" {
		t.Errorf("%+v", o)
	}
	if shape := decode[typesShape](t, w.expect(exitOK, "types", "--json")); strings.Count(shape.TypeScript, "Promise") != 2 {
		t.Errorf("%+v", shape)
	}
	for _, format := range []string{"json-schema", "mcp", "openapi"} {
		o := w.expect(exitOK, "schema", "--format", format, "linear", "linear.save_issue")
		if !json.Valid([]byte(o.stdout)) || strings.Count(o.stdout, "9007199254740993") != 1 {
			t.Errorf("%s: %+v", format, o)
		}
	}
	w.expect(exitUsage, "schema", "--format", "yaml")
	w.expect(exitUsage, "types", "nobody.nothing")
	w.expect(exitUsage, "types", "linear.nothing")
}

func TestJ1_RefreshStartsOnlyWhatMayRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	touched := w.home + "/touched"
	w.user(w.fake("mine", "", nil), w.entry("dead", "fakestdio", "exit=3"))
	w.project(w.fake("theirs", "touch="+touched, nil))
	if o := w.expect(exitDown, "refresh"); !strings.HasPrefix(o.stdout, "mine\tready\t") || !strings.Contains(o.stdout, "\ndead\t") || strings.Contains(o.stdout, "theirs") {
		t.Errorf("%+v", o)
	}
	if o := w.expect(exitNotAllowed, "refresh", "theirs"); !strings.HasPrefix(o.stdout, "theirs\tneeds permission") {
		t.Errorf("%+v", o)
	}
	if exists(touched) {
		t.Error("what nobody allowed was started")
	}
	if o := w.expect(exitFailed, "types", "theirs"); !strings.Contains(o.stderr, "permission") {
		t.Errorf("%+v", o)
	}
}

func TestJ1_AWindowAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.fake("mine", "", nil))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	shape := decode[lsShape](t, w.expect(exitOK, "ls", "--json"))
	if shape.Window == "" || shape.Connectors[0].Stale || shape.Connectors[0].State != message.ConnectorReady {
		t.Errorf("%+v", shape)
	}
	for _, verb := range [][]string{{"search", "a"}, {"types", "mine.a"}, {"schema", "mine"}, {"catalog"}, {"refresh"}} {
		if o := w.expect(exitOK, verb...); o.stdout == "" {
			t.Errorf("%q: %+v", verb, o)
		}
	}
	e.End()
	if o := w.expect(exitOK, "search", "a"); !strings.HasPrefix(o.stdout, "mine.a\t") {
		t.Errorf("what the window listed is not known later: %+v", o)
	}
}

// TestS28_WhatIsListedActsOnNoTerminal is that of the verbs that show what is known.
func TestS28_WhatIsListedActsOnNoTerminal(t *testing.T) {
	t.Parallel()
	foreign := strings.Join(escapes, " ")
	tools := jsonText(t, []any{map[string]any{
		"name": "a\u202eb", "title": foreign, "description": foreign,
		"inputSchema": map[string]any{"type": "object", "description": foreign, "properties": map[string]any{foreign: map[string]any{"enum": []string{foreign}}}},
	}})
	w := newWorld(t)
	w.user(w.fake("odd\u202ename", "", map[string]string{"PILLION_FAKE_TOOLS": tools}))
	for _, verb := range [][]string{
		{"refresh"}, {"ls"}, {"ls", "odd\u202ename"}, {"search", "a"}, {"search", "--explain", "a"}, {"types"}, {"schema"}, {"schema", "--format", "mcp"},
		{"schema", "--format", "openapi"}, {"catalog"}, {"ls", "--json"}, {"search", "--json", "a"}, {"types", "--json"}, {"catalog", "--json"}, {"refresh", "--json"},
	} {
		isTame(t, strings.Join(verb, " "), w.onTerminal(nil, verb...).expects(exitOK))
	}
}
