//go:build !windows

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/rpc/message"
)

const canary = "canary-0123456789-abcdef"

// sealed makes a world's secrets go to the file, whatever keyring its user has.
func (w *world) sealed() {
	w.t.Helper()
	w.write(filepath.Join(w.home, "state", "secrets.json"), `{"version":1,"data":{"place":"file","entries":[]}}`)
}

// userInputs writes the user's file with inputs beside the entries.
func (w *world) userInputs(inputs string, entries ...string) {
	w.t.Helper()
	w.write(w.userFile(), `{"inputs":[`+inputs+`],`+strings.TrimPrefix(file(entries...), "{"))
}

const tokenInput = `{"id":"token","type":"promptString","description":"Your key","password":true}`

// leaks are the files below the user's home that hold a text.
func (w *world) leaks(text string) []string {
	w.t.Helper()
	var found []string
	err := filepath.WalkDir(w.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // what goes away meanwhile holds nothing
		}
		if raw, err := os.ReadFile(path); err == nil && strings.Contains(string(raw), text) {
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

func TestS29_SecretVerbsShowNoValue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sealed()
	var shown strings.Builder
	expect := func(code int, stdin string, arguments ...string) outcome {
		t.Helper()
		o := w.runWith(stdin, arguments...)
		shown.WriteString(o.stdout + o.stderr)
		if o.code != code {
			t.Fatalf("pillion %q: want exit code %d\n%v", arguments, code, o)
		}
		return o
	}
	if o := expect(exitOK, "", "secret", "list"); o.stdout != "" {
		t.Error(o)
	}
	w.userInputs(tokenInput,
		`"mine": {"command": "good", "args": ["${input:token}"]}`, `"other": {"command": "good", "args": ["more", "${input:token}"]}`)
	is := func(set string) {
		t.Helper()
		lines := strings.Split(strings.TrimSpace(expect(exitOK, "", "secret", "list").stdout), "\n")
		if len(lines) != 2 || !strings.Contains(strings.Join(lines, "\n"), "token\t"+set+"\t\tgood ${input:token}\tmine") {
			t.Errorf("%q", lines)
		}
	}
	is("not set")
	expect(exitUsage, canary, "secret", "set", "token", "--from-stdin")                       // two are called so
	expect(exitUsage, canary, "secret", "set", "nothing", "--from-stdin")                     // none is
	expect(exitUsage, "", "secret", "set", "token", "a-value-as-argument")                    // never
	expect(exitUnanswered, canary, "secret", "set", "token", "--connector", "mine")           // a pipe is no terminal
	expect(exitUsage, "a\x00b", "secret", "set", "token", "--connector=mine", "--from-stdin") // no program can be given it
	is("not set")
	if o := expect(exitOK, canary+"\n", "secret", "set", "token", "--connector", "mine", "--from-stdin"); !strings.Contains(o.stdout, "good ${input:token}") {
		t.Error(o)
	}
	is("in the sealed file")
	shape := decode[secretListShape](t, expect(exitOK, "", "secret", "list", "--json"))
	if shape.Place != "file" || len(shape.Secrets) != 2 {
		t.Errorf("%+v", shape)
	}
	for _, s := range shape.Secrets {
		if s.ID != "token" || s.Source != "user" || s.Root != "" || s.Set != (s.Destination == "good ${input:token}") {
			t.Errorf("%+v", s)
		}
	}
	if o := expect(exitOK, "short", "secret", "set", "token", "--connector", "other", "--from-stdin", "--json"); !decode[secretShape](t, o).Secret.Set || !strings.Contains(o.stderr, "less than 8 bytes") {
		t.Error(o)
	}
	if found := w.leaks(canary); len(found) > 0 || strings.Contains(shown.String(), canary) {
		t.Errorf("the value stands in %q\n%s", found, shown.String())
	}
	expect(exitOK, "", "secret", "remove", "token", "--destination", "good ${input:token}")
	is("not set")
	if o := expect(exitOK, "", "secret", "remove", "token", "--connector", "other", "--json"); decode[secretShape](t, o).Secret.Set {
		t.Error(o)
	}
}

func TestG3_AValueIsTypedUnseen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sealed()
	w.userInputs(tokenInput, w.fakeReading("mine"))
	s := w.onTerminal(nil, "secret", "set", "token")
	s.sees("Value, which is not shown: ")
	s.types(canary + "\n")
	if shown := s.expects(exitOK); strings.Contains(shown, canary) || !strings.Contains(shown, "Stored: \"token\"") {
		t.Errorf("%q", shown)
	}
	// It serves the connector: nothing is asked.
	if o := w.expect(exitOK, "call", "mine.a"); !strings.Contains(o.stdout, "answered") {
		t.Error(o)
	}
	s = w.onTerminal(nil, "secret", "set", "token")
	s.sees("Value, which is not shown: ")
	s.types("\x04") // the terminal ends
	s.expects(exitUnanswered)
	if found := w.leaks(canary); len(found) > 0 {
		t.Errorf("the value stands in %q", found)
	}
}

// fakeReading is a connector of the user's that is given the input token.
func (w *world) fakeReading(name string) string {
	w.t.Helper()
	text := w.fake(name, "", map[string]string{
		"PILLION_FAKE_TOOLS": readOnlyTool, "PILLION_FAKE_RESULT": `{"content":[{"type":"text","text":"answered"}]}`, "TOKEN": "${input:token}",
	})
	return text
}

func TestA4_ACallOnATerminalAsksForTheValue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sealed()
	w.userInputs(tokenInput, w.fakeReading("mine"))
	// Where nobody can be asked it says what helps.
	if o := w.expect(exitDown, "call", "mine.a"); !strings.Contains(o.stdout+o.stderr, "pillion secret set token") {
		t.Error(o)
	}
	s := w.onTerminal(nil, "call", "mine.a")
	s.sees("what its file says that it is")
	s.sees("| Your key")
	s.sees("an empty line is none: ")
	s.types("\n")
	if shown := s.expects(exitDown); !strings.Contains(shown, "it was asked for, and not given") {
		t.Error(shown)
	}
	s = w.onTerminal(nil, "call", "mine.a")
	s.sees("an empty line is none: ")
	s.types(canary + "\n")
	if shown := s.expects(exitOK); !strings.Contains(shown, "answered") || strings.Contains(shown, canary) {
		t.Error(shown)
	}
	if o := w.expect(exitOK, "call", "mine.a"); o.stdout != "answered\n" {
		t.Error(o)
	}
	if found := w.leaks(canary); len(found) > 0 {
		t.Errorf("the value stands in %q", found)
	}
}

func TestA4_ATerminalAnswersForTheWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sealed()
	w.userInputs(`{"id":"stage","type":"pickString","options":["one","two"]},`+tokenInput,
		w.fakeReading("mine"), w.fake("picks", "", map[string]string{"PILLION_FAKE_TOOLS": readOnlyTool, "STAGE": "${input:stage}"}))
	e := w.edit()
	answered := map[string]bool{}
	for range 2 {
		var ask message.Ask
		eventually(t, "a value is asked for", func() bool {
			for _, open := range editortest.Request(e, message.Asks, message.Empty{}).Asks {
				if open.Kind == message.AskInput && !answered[string(open.AskID)] {
					ask = open
					return true
				}
			}
			return false
		})
		answered[string(ask.AskID)] = true
		body, err := ask.ParseBody()
		if err != nil {
			t.Fatal(err)
		}
		s := w.onTerminal(nil, "answer", string(ask.AskID))
		if input := body.(message.InputBody); input.Secret {
			s.sees("an empty line is none: ")
			s.types(canary + "\n")
		} else {
			s.sees("1. No value")
			s.sees("3. \"two\"")
			s.sees(numberPrompt)
			s.types("3\n")
		}
		if shown := s.expects(exitOK); strings.Contains(shown, canary) || !strings.Contains(shown, "Answered: a value") {
			t.Errorf("%q", shown)
		}
	}
	e.Connector("mine", message.ConnectorReady)
	e.Connector("picks", message.ConnectorReady)
}

// A value that is stored in a terminal answers the window's question.
func TestA4_SecretSetAnswersTheWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sealed()
	w.userInputs(tokenInput, w.fakeReading("mine"))
	e := w.edit()
	e.Ask(message.AskInput)
	if o := w.runWith(canary, "secret", "set", "token", "--from-stdin"); o.code != exitOK {
		t.Fatal(o)
	}
	e.Connector("mine", message.ConnectorReady)
	if asks := editortest.Request(e, message.Asks, message.Empty{}).Asks; len(asks) != 0 {
		t.Errorf("%+v", asks)
	}
}

func TestS28_ForeignInputsDoNotActOnATerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sealed()
	foreign := strings.ReplaceAll(strings.Join(escapes, " "), "\x00", "")
	text := jsonText(t, foreign)
	w.userInputs(`{"id":`+jsonText(t, "tok\u202een")+`,"type":"promptString","password":true,"description":`+text+`}`,
		`"mine": {"command": "good", "args": [`+jsonText(t, "${input:tok\u202een}")+`, `+text+`]}`)
	for _, arguments := range [][]string{{"secret", "list"}, {"secret", "list", "--json"}, {"secret", "remove", "tok\u202een"}} {
		isTame(t, strings.Join(arguments, " "), w.onTerminal(nil, arguments...).expects(exitOK))
	}
	s := w.onTerminal(nil, "secret", "set", "tok\u202een")
	s.sees("Value, which is not shown: ")
	s.types(canary + "\n")
	isTame(t, "secret set", s.expects(exitOK))
	isTame(t, "secret set of nothing", w.onTerminal(nil, "secret", "set", "x\u202ex").expects(exitUsage))
}
