package rpctest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Transcript is a parsed file. It keeps every line, so that an unchanged one is
// written back byte by byte.
type Transcript struct {
	name  string
	lines []line
}

// line is one directive with the text it was read from.
type line struct {
	number int    // counted from 1
	text   string // all of it, without the last line end
	verb   verb
	value  value  // of message, split and expect; nil for an expect to be filled
	json   []byte // the same as written
	bytes  []byte // of body, raw and stderr
	count  int    // of fill and exit
}

// verb is what a line says.
type verb string

const (
	comment verb = "#"
	message verb = ">"
	split   verb = ">split"
	body    verb = ">body"
	fill    verb = ">fill"
	raw     verb = ">raw"
	eof     verb = ">eof"
	expect  verb = "<"
	exit    verb = "= exit"
	stderr  verb = "= stderr"
)

// ParseTranscript reads the text of a transcript. The name appears in failures.
func ParseTranscript(name string, text []byte) (*Transcript, error) {
	t := &Transcript{name: name}
	for i, s := range strings.Split(string(text), "\n") {
		if continues(s) && len(t.lines) > 0 && t.lines[len(t.lines)-1].verb != comment {
			t.lines[len(t.lines)-1].text += "\n" + s
			continue
		}
		t.lines = append(t.lines, line{number: i + 1, text: s, verb: verbOf(s)})
	}
	for i := range t.lines {
		if err := t.lines[i].parse(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, t.lines[i].number, err)
		}
	}
	return t, nil
}

// continues reports whether a line belongs to the one before.
func continues(s string) bool {
	return strings.TrimSpace(s) != "" && (s[0] == ' ' || s[0] == '\t')
}

// verbOf returns the verb of a line, and the line itself if it has none.
func verbOf(s string) verb {
	s = strings.TrimRight(s, "\r")
	if strings.TrimSpace(s) == "" || s[0] == '#' {
		return comment
	}
	for _, v := range []verb{split, body, fill, raw, eof, exit, stderr, message, expect} {
		if rest, found := strings.CutPrefix(s, string(v)); found && (rest == "" || rest[0] == ' ') {
			return v
		}
	}
	return verb(s)
}

// parse reads what stands behind the verb.
func (l *line) parse() (err error) {
	rest := strings.TrimSpace(strings.TrimPrefix(l.text, string(l.verb)))
	switch l.verb {
	case comment:
		return nil
	case eof:
		if rest != "" {
			return fmt.Errorf("%s takes nothing", l.verb)
		}
		return nil
	case message, split, expect:
		if l.verb == expect && rest == "" {
			return nil
		}
		l.json = []byte(rest)
		l.value, err = parseMessage(l.json)
		return err
	case body, raw:
		l.bytes, err = unquote(rest)
		return err
	case stderr:
		if rest == "empty" {
			return nil
		}
		l.bytes, err = unquote(rest)
		return err
	case fill, exit:
		if l.count, err = strconv.Atoi(rest); err != nil || l.count < 0 {
			return fmt.Errorf("%s takes a number, got %q", l.verb, rest)
		}
		return nil
	}
	return fmt.Errorf("unknown directive %q", firstWord(string(l.verb)))
}

// parseMessage reads an object.
func parseMessage(text []byte) (value, error) {
	v, err := parseValue(text)
	if err != nil {
		return nil, err
	}
	if _, isObject := v.(object); !isObject {
		return nil, fmt.Errorf("a message is an object, got %s", shortened(v))
	}
	return v, nil
}

// unquote reads a Go string.
func unquote(text string) ([]byte, error) {
	s, err := strconv.Unquote(text)
	if err != nil {
		return nil, fmt.Errorf("expected a quoted string, got %q", text)
	}
	return []byte(s), nil
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

// Bytes returns the text of the transcript.
func (t *Transcript) Bytes() []byte {
	var out bytes.Buffer
	for i, l := range t.lines {
		if i > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(l.text)
	}
	return out.Bytes()
}
