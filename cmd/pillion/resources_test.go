//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pillion/rpc/message"
)

const offersAll = `{"tools":{},"resources":{},"prompts":{},"completions":{}}`

// rich is an entry with resources and prompts.
func (w *world) rich(env map[string]string) string {
	all := map[string]string{"PILLION_FAKE_TOOLS": readOnlyTool, "PILLION_FAKE_CAPABILITIES": offersAll, "SRVLOG": filepath.Join(w.home, "rich.log")}
	for name, value := range env {
		all[name] = value
	}
	return w.fake("rich", "", all)
}

func TestF1_ResourcesAndPromptsInAShell(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.rich(nil))
	if o := w.expect(exitOK, "resources"); o.stdout != "" || w.hasRun("resources/list") {
		t.Errorf("something was started: %+v", o)
	}
	listed := w.expect(exitOK, "resources", "rich")
	if listed.stdout != "rich\ttest://0\tr0\nrich\ttest://0/{x}\tm0\n" {
		t.Errorf("%q", listed.stdout)
	}
	if o := w.expect(exitOK, "prompts", "list", "rich"); o.stdout != "rich\tp0\n" {
		t.Errorf("%q", o.stdout)
	}
	if o := w.expect(exitOK, "resources", "read", "rich", "test://0"); o.stdout != "what stands at test://0\n" {
		t.Errorf("%q", o.stdout)
	}
	read := decode[message.ResourceReadResult](t, w.expect(exitOK, "resources", "read", "rich", "test://0", "--json"))
	if read.Status != message.CallOK || read.Contents[0].Text != "what stands at test://0" {
		t.Errorf("%+v", read)
	}
	// Whoever is not the editor's user is asked for, where nothing says that this may be had (S15).
	for _, verb := range [][]string{{"resources", "read", "rich", "test://other"}, {"prompts", "get", "rich", "p0"}} {
		if o := w.expect(exitNotAllowed, verb...); !strings.Contains(o.stderr, "nobody can be asked") {
			t.Errorf("%q: %+v", verb, o)
		}
	}
	if w.hasRun("test://other") || w.hasRun("prompts/get") {
		t.Error("the connector was asked for what nobody allowed")
	}
	s := w.onTerminal(nil, "prompts", "get", "rich", "p0", "city=Bern")
	s.sees("rich: prompts/get")
	s.sees(numberPrompt)
	s.types("2\n")
	if shown := s.expects(exitOK); !strings.Contains(shown, `p0 {"city":"Bern"}`) {
		t.Errorf("%s", shown)
	}
	w.expect(exitUsage, "prompts", "get", "rich", "p0", "city")
	w.expect(exitUsage, "resources", "read", "none", "test://0")
}

func (w *world) hasRun(part string) bool {
	log, _ := os.ReadFile(filepath.Join(w.home, "rich.log"))
	return strings.Contains(string(log), part)
}

// TestS15_ATerminalInAWindow has the question in both, and one answer.
func TestS15_ATerminalInAWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.rich(nil))
	e := w.edit()
	e.Connector("rich", message.ConnectorReady)
	if o := w.expect(exitOK, "resources", "rich"); !strings.Contains(o.stdout, "test://0") {
		t.Errorf("%+v", o)
	}
	s := w.onTerminal(nil, "resources", "read", "rich", "test://other")
	s.sees("may exactly this be asked of the connector?")
	s.sees(numberPrompt)
	ask := e.Approve(message.ApproveOnce)
	body, err := ask.ParseBody()
	if err != nil || body.(message.ApprovalBody).ArgumentsText != `{"uri":"test://other"}` || len(body.(message.ApprovalBody).Choices) != 2 ||
		body.(message.ApprovalBody).Method != "resources/read" {
		t.Errorf("%+v, %v", body, err)
	}
	if shown := s.expects(exitOK); !strings.Contains(shown, "what stands at test://other") {
		t.Errorf("%s", shown)
	}
	e.End()
	if log := w.read(filepath.Join(w.home, "state", "audit.jsonl")); !strings.Contains(log, `"tool":"resources/read"`) {
		t.Errorf("the audit log: %s", log)
	}
}

// TestS28_WhatConnectorsHaveActsOnNoTerminal is that of the verbs for resources and prompts.
func TestS28_WhatConnectorsHaveActsOnNoTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	foreign := strings.ReplaceAll(strings.Join(escapes, " "), "\x00", "")
	w.user(w.rich(map[string]string{
		"PILLION_FAKE_CONTENTS": jsonText(t, map[string]any{"contents": []any{map[string]any{"uri": foreign, "text": foreign}}}),
		"PILLION_FAKE_PROMPT":   jsonText(t, map[string]any{"description": foreign, "messages": []any{map[string]any{"role": foreign, "content": map[string]any{"type": "text", "text": foreign}}}}),
	}))
	isTame(t, "read", w.onTerminal(nil, "resources", "read", "rich", "test://0").expects(exitOK))
	isTame(t, "read --json", w.onTerminal(nil, "resources", "read", "rich", "test://0", "--json").expects(exitOK))
	s := w.onTerminal(nil, "prompts", "get", "rich", "p0", "a="+foreign)
	s.sees(numberPrompt)
	s.types("2\n")
	isTame(t, "get", s.expects(exitOK))
}
