//go:build !windows

package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pillion/editors"
	"pillion/editors/editortest"
	"pillion/rpc/message"
)

// escapes are texts that act on a terminal, or show something else than they are.
var escapes = []string{
	"\x1b[31mred\x1b[0m",          // colour
	"\x1b[2J\x1b[1;1H",            // clear, home
	"\x1b]0;title\x07",            // title
	"\x1b]52;c;cm0gLXJm\x07",      // clipboard
	"\x1b]8;;http://e\x07l\x1b\\", // link
	"\x1b[6n\x1bP$q\"p\x1b\\",     // what terminals answer by typing
	"safe\roverwritten",
	"a\b\b\bb\x7f\x00\x0e\x0f",
	"\u009b31mc1\u0085\u0090",
	"\u202etxt.exe\u202c\u2066x\u2069",
	"zero\u200bwidth\ufeff\u00ad",
	"tag\U000e0041\U000e007f",
	"blank\u2800\u3164\u00a0",
	"\u2028line\u2029",
}

// tame returns what a terminal was shown that is not plain to see.
func tame(shown string) (at int, ok bool) {
	for i, r := range shown {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(shown[i:]); size == 1 {
				return i, false
			}
		}
		if r != '\r' && r != '\n' && r != '\t' && editors.Visible(string(r)) != string(r) {
			return i, false
		}
	}
	// The terminal itself makes CR LF of every line's end; a carriage return anywhere else is somebody's.
	rest := strings.ReplaceAll(shown, "\r\n", "")
	return strings.IndexByte(rest, '\r'), !strings.Contains(rest, "\r")
}

func isTame(t *testing.T, what, shown string) {
	t.Helper()
	if at, ok := tame(shown); !ok {
		t.Errorf("%s shows %q as it is in\n%q", what, shown[at:min(len(shown), at+20)], shown)
	}
}

func jsonText(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestS28_NoForeignTextActsOnATerminal plays every verb on a terminal with foreign text in every place that it can stand.
func TestS28_NoForeignTextActsOnATerminal(t *testing.T) {
	t.Parallel()
	foreign := strings.Join(escapes, " ")
	const inName = "re\x1b]0;x\x07po \u202eevil\u202c" // a folder may be called anything but / and NUL
	w := newWorldIn(t, inName)
	tools := jsonText(t, []any{
		map[string]any{"name": "a", "title": foreign, "description": foreign + ". " + foreign, "inputSchema": map[string]any{"type": "object"}},
		map[string]any{"name": "r\u202ed", "description": foreign, "inputSchema": map[string]any{"type": "object"}, "annotations": map[string]any{"readOnlyHint": true}},
	})
	content := []any{map[string]any{"type": "text", "text": foreign + "\r\nsecond\tline"}}
	quiet := strings.ReplaceAll(foreign, "\x00", "") // no program can be given a NUL
	env := map[string]string{"GORACE": quickExit, "PILLION_FAKE_TOOLS": tools, "NOTE": quiet}
	with := func(more map[string]string) map[string]string {
		all := map[string]string{}
		for _, values := range []map[string]string{env, more} {
			for name, value := range values {
				all[name] = value
			}
		}
		return all
	}
	entry := func(name, mode string, env map[string]string) string {
		return jsonText(t, name) + ": " + jsonText(t, map[string]any{"command": pathOf(t, "fakestdio"), "args": []string{mode, quiet}, "env": env})
	}
	const odd = "odd\u202ename"
	w.user(
		entry("good", "", with(map[string]string{"PILLION_FAKE_RESULT": jsonText(t, map[string]any{"content": content, "structuredContent": map[string]any{foreign: foreign}})})),
		entry("failing", "", with(map[string]string{"PILLION_FAKE_RESULT": jsonText(t, map[string]any{"content": content, "isError": true})})),
		entry("dead", "stderr="+strings.ReplaceAll(strings.ReplaceAll(quiet, ",", ""), "\n", "")+",exit=3", env),
		`"broken`+"\u202e"+`": {"command": 7, `+jsonText(t, foreign)+`: 1}`,
	)
	w.project(entry(odd, "", env), entry("second", "", env))

	show := func(code int, arguments ...string) {
		t.Helper()
		s := w.onTerminal(nil, arguments...)
		shown := s.expects(code)
		isTame(t, strings.Join(arguments, " "), shown)
		if !strings.Contains(shown, `\u`) && !strings.Contains(shown, `\x`) && !slices.Contains(arguments, "--raw") {
			t.Errorf("pillion %q showed nothing foreign, so it proves nothing:\n%s", arguments, shown)
		}
		if slices.Contains(arguments, "--json") && !json.Valid([]byte(shown)) {
			t.Errorf("pillion %q does not show JSON:\n%s", arguments, shown)
		}
	}
	ask := func(code int, prompt, answer string, arguments ...string) {
		t.Helper()
		s := w.onTerminal(nil, arguments...)
		s.sees(prompt)
		s.types(answer)
		isTame(t, strings.Join(arguments, " "), s.expects(code))
	}
	play := func() {
		t.Helper()
		show(exitOK, "mcp", "list")
		show(exitOK, "mcp", "list", "--json")
		show(exitOK, "pending")
		show(exitOK, "pending", "--json")
		show(exitUsage, "call", "good."+quiet)
		show(exitUsage, "call", quiet)
		show(exitUsage, "mcp", "approve", quiet)
		show(exitUsage, "answer", quiet)
		show(exitUsage, quiet)
		show(exitUsage, "call", "--"+quiet, "x")
		show(exitUsage, "mcp", "remove", quiet)
		show(exitUsage, "mcp", "revoke", quiet)
		show(exitUsage, "call", "--raw", "good.a")
		show(exitDown, "call", "dead.a")
		ask(exitOK, numberPrompt, "2\n", "call", "good.a", jsonText(t, map[string]string{foreign: foreign}))
		ask(exitOK, numberPrompt, "2\n", "call", "good.a", jsonText(t, map[string]string{foreign: foreign}), "--json")
		ask(exitFailed, numberPrompt, "2\n", "call", "failing.a")
		ask(exitNotAllowed, numberPrompt, "1\n", "call", "good.a")
		ask(exitNotAllowed, yesPrompt, "no\n", "mcp", "approve", odd)
		ask(exitNotAllowed, yesPrompt, "no\n", "mcp", "approve", odd, "--json")
		ask(exitNotAllowed, yesPrompt, "no\n", "call", odd+".a")
	}
	play()
	ask(exitNotAllowed, yesPrompt, "no\n", "mcp", "add", "added"+"\u202e", "-e", "A="+quiet, "--", "true", quiet)
	ask(exitDown, yesPrompt, "yes\n", "mcp", "add", "dead2", "-e", "A="+quiet, "--", pathOf(t, "fakestdio"), "stderr=\x1b[31mred\x1b[0m,exit=3", quiet)
	show(exitUsage, "mcp", "add", escapes[0], "--", "true")
	ask(exitOK, yesPrompt, "yes\n", "mcp", "approve", odd)
	show(exitOK, "mcp", "revoke", odd)
	ask(exitOK, yesPrompt, "yes\n", "mcp", "approve", odd)
	show(exitOK, "mcp", "revoke", odd, "--json")
	w.expect(exitOK, "mcp", "remove", "dead2")
	show(exitOK, "mcp", "remove", "added\u202e", "--json")

	// The same in an editor's window, with a question open.
	e := w.edit()
	e.Connector("good", message.ConnectorIdle, message.ConnectorReady)
	editortest.Request(e, message.AskShow, message.AskShowParams{})
	e.Ask(message.AskConsent)
	play()
}

func TestS28_JSONKeepsItsValue(t *testing.T) {
	t.Parallel()
	for _, escape := range escapes {
		text := jsonText(t, map[string]string{escape: escape, "plain": "ü漢😀"})
		shown := harmless([]byte(text))
		if at, ok := tame(string(shown)); !ok {
			t.Errorf("%q shows %q", text, shown[at:])
		}
		var value map[string]string
		if err := json.Unmarshal(shown, &value); err != nil || value[escape] != escape || value["plain"] != "ü漢😀" {
			t.Errorf("%q became %q: %v", text, value, err)
		}
		if !strings.Contains(string(shown), "ü漢😀") {
			t.Errorf("what is plain to see was escaped: %s", shown)
		}
	}
}

func FuzzS28_Visible(f *testing.F) {
	for _, escape := range escapes {
		f.Add(escape)
	}
	f.Add("two\nlines\r\nand\ta tab\n")
	f.Fuzz(func(t *testing.T, text string) {
		if at, ok := tame(visible(text)); !ok {
			t.Errorf("%q is shown as it is, at %d of %q", text, at, visible(text))
		}
	})
}

func FuzzS28_JSON(f *testing.F) {
	f.Add("a\u202eb")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // the encoder has made it valid
		}
		raw := []byte(jsonText(t, text))
		shown := harmless(raw)
		var value string
		if at, ok := tame(string(shown)); !ok || json.Unmarshal(shown, &value) != nil || value != text {
			t.Errorf("%q became %q (%d)", text, shown, at)
		}
	})
}

// TestS28_WhatIsPipedIsVisibleToo holds that a pipe into a pager is no way out, and that --raw is byte for byte.
func TestS28_WhatIsPipedIsVisibleToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const text = "\x1b[31mred\x1b[0m\u202e"
	w.user(w.fake("mine", "", map[string]string{
		"PILLION_FAKE_TOOLS": readOnlyTool, "PILLION_FAKE_RESULT": jsonText(t, map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}),
	}))
	if o := w.expect(exitOK, "call", "mine.a"); o.stdout != `\u{1b}[31mred\u{1b}[0m\u{202e}`+"\n" {
		t.Error(o)
	}
	if o := w.expect(exitOK, "call", "mine.a", "--raw"); o.stdout != text {
		t.Errorf("%q", o.stdout)
	}
	// --raw is about standard output: with it elsewhere, a terminal is no hindrance.
	var out strings.Builder
	s := w.onTerminal(&out, "call", "mine.a", "--raw")
	isTame(t, "call --raw into a pipe", s.expects(exitOK))
	if out.String() != text {
		t.Errorf("%q", out.String())
	}
}
