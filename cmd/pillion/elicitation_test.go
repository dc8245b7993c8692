//go:build !windows

package main

import (
	"strings"
	"testing"
)

// TestF2_AFormOnATerminal fills a connector's form in, field by field, and sees what is sent before it is.
func TestF2_AFormOnATerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(w.fake("mine", "", map[string]string{"PILLION_FAKE_TOOLS": readOnlyTool}))
	const form = `{"ask":[{"method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","required":["name"],` +
		`"properties":{"name":{"type":"string"},"age":{"type":"integer"},"ok":{"type":"boolean","default":true}}}}}]}`
	s := w.onTerminal(nil, "call", "mine.a", form)
	s.sees("A connector asks, not Pillion")
	s.sees(numberPrompt)
	s.types("3\n")
	s.sees("Value: ")
	s.types("Ada\n")
	s.sees("leaves it out: ")
	s.types("many\n")
	s.sees("That is no integer")
	s.sees("leaves it out: ")
	s.types("36\n")
	s.sees("an empty line is true: ")
	s.types("\n")
	s.sees("Send exactly this")
	s.sees(numberPrompt)
	s.types("2\n")
	if shown := s.expects(exitOK); !strings.Contains(shown, `{"action":"accept","content":{"age":36,"name":"Ada","ok":true}}`) {
		t.Errorf("%s", shown)
	}
	s = w.onTerminal(nil, "call", "mine.a", form)
	s.sees(numberPrompt)
	s.types("1\n")
	if shown := s.expects(exitOK); !strings.Contains(shown, `{"action":"decline"}`) {
		t.Errorf("%s", shown)
	}
}
