package mcptest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Mode is one thing that a fake can be told to do otherwise.
type Mode struct {
	Name string
	// Value says what stands after the =; empty when nothing does.
	Value string
	Does  string
}

// Modes lists what a mode may be made of: "name" or "name=value", several joined by commas. In values, "+" joins several
// and sizes are plain bytes; METHOD:X pairs may be joined by "+" too. No value has a comma, so neither may the name of a test
// whose t.TempDir is to stand in one.
func Modes() []Mode {
	return slices.Concat(lifeModes(), noiseModes(), protocolModes(), callModes(), otherModes())
}

func lifeModes() []Mode {
	return []Mode{
		{"touch", "FILE", "creates FILE at once"},
		{"pid", "FILE", "appends its process id to FILE at once"},
		{"stderr", "TEXT", "writes the line TEXT to stderr at once"},
		{"exit", "CODE", "exits before it reads anything"},
		{"failfirst", "N:FILE", "exits 1 at once in its first N lives, which it counts in FILE"},
		{"slowstart", "DURATION", "reads nothing for that long"},
		{"noread", "", "never reads"},
		{"stopreading", "", "stops reading once it has answered tools/list"},
		{"strict", "", "exits 1 unless the first line is initialize"},
		{"closestdout", "", "closes stdout at once and lives on"},
		{"closeon", "METHOD", "closes stdout when METHOD comes and lives on"},
		{"exiton", "METHOD:CODE", "exits when METHOD comes"},
		{"exitafter", "METHOD:CODE", "exits once METHOD is answered"},
		{"ignoreeof", "", "lives on when stdin ends"},
		{"ignoreterm", "", "ignores SIGTERM"},
		{"flush", "FILE", "writes \"flushed\" to FILE 300 ms after stdin ends; \"signal\" when SIGTERM comes first"},
		{"sleep", "", "does nothing for an hour"},
		{"wrapper", "", "starts itself as a child that does the rest, and only waits for it"},
		{"helper", "FILE", "starts a helper in a session of its own, writes its process id to FILE, and ends it 1 s after stdin ends"},
	}
}

func noiseModes() []Mode {
	return []Mode{
		{"banner", "[TEXT]", "prints a line to stdout at once"},
		{"lines", "", "prints a log line before every answer"},
		{"bracenoise", "", "prints a line that begins with { and is no JSON before every answer"},
		{"jsonlog", "", "prints a line of JSON that is no message before every answer"},
		{"flood", "BYTES", "prints that much text without a newline, then a newline, before the first answer"},
		{"glue", "", "prints log text in front of the first answer to tools/call, on the same line"},
		{"bom", "", "begins stdout with a byte-order mark"},
		{"crlf", "", "ends lines with CR LF"},
		{"blank", "", "prints an empty line before every answer"},
		{"twin", "", "puts a notification and each answer on one line"},
		{"latin1", "", "prints a line that is not UTF-8 before every answer"},
		{"stderrflood", "BYTES", "writes that much to stderr, in lines, before every answer"},
		{"stderrraw", "BYTES", "writes that much to stderr, without a newline, before every answer"},
		{"stderrspin", "", "writes progress with carriage returns to stderr for ever"},
		{"stderrtotal", "BYTES", "writes that much to stderr, in lines, before it reads"},
	}
}

func protocolModes() []Mode {
	return []Mode{
		{"version", "VERSION", "names that protocol version in the answer to initialize"},
		{"modern", "", "answers server/discover with protocol version 2026-07-28"},
		{"modernonly", "", "the same, and refuses initialize"},
		{"mute", "", "reads and answers nothing"},
		{"silent", "METHOD", "never answers METHOD"},
		{"fail", "METHOD:CODE", "answers METHOD with that error"},
		{"failafter", "METHOD:CODE", "answers METHOD with that error from the second time on"},
		{"silentafter", "METHOD", "never answers METHOD from the second time on"},
		{"failonce", "METHOD:CODE", "answers METHOD with that error the first time"},
		{"delay", "METHOD:DURATION", "answers METHOD that much later"},
		{"gate", "METHOD:ADDRESS", "answers METHOD once a connection to ADDRESS was closed at the other end"},
		{"tools", "N", "has that many tools: a, t1, t2, …"},
		{"grow", "", "has one entry more in each list each time that it is asked for it"},
		{"pages", "N", "has N pages with one entry each in all four lists"},
		{"pagefail", "N", "fails the request of page N once"},
		{"emptycursor", "", "ends lists with an empty cursor"},
		{"cursorloop", "", "names the same next cursor on every page"},
		{"cursorforever", "", "names a new next cursor on every page, without end"},
		{"storm", "", "sends tools/list_changed after each answer to tools/list"},
		{"turn", "", "has tools that only read in its first answer to tools/list, and the same ones that delete from then on"},
		{"release", "VERSION", "says that it is of that version; of what the file holds, where it is a path"},
		{"changewhile", "", "sends tools/list_changed while it answers the second tools/list, and has another tool from then on"},
		{"ids", "string|null|float|other|missing", "spoils the id of answers to tools/call"},
	}
}

func callModes() []Mode {
	return []Mode{
		{"echo", "", "answers with the bytes of the arguments as text"},
		{"dump", "", "answers with its process id, arguments, environment and folder, as JSON in text"},
		{"reply", "BYTES", "answers with a line of that many bytes; the argument \"bytes\" does the same for one call"},
		{"idlast", "", "puts the id at the end of answers to tools/call"},
		{"deep", "N", "answers with content that nests N deep"},
		{"reverse", "", "answers two calls at a time, the second one first"},
		{"late", "", "answers a call only once it was cancelled, and sends a result for an id never used"},
		{"progress", "EVERY:FOR", "reports progress for that long, then answers; never where FOR is \"forever\""},
		{"foreignprogress", "EVERY:FOR", "the same with a token that is nobody's"},
		{"burst", "N", "sends N tools/list_changed before the answer"},
		{"waitlist", "", "sends tools/list_changed and answers only once tools/list came"},
		{"ask", "METHOD", "sends that request, waits for its answer and answers with it as text"},
		{"collide", "", "sends a ping with the id of the call first"},
		{"errorobject", "string|float|nocode|empty", "answers with an error that is not shaped as one"},
		{"noresult", "", "answers with neither result nor error"},
		{"nullresult", "", "answers with result null"},
		{"both", "", "answers with both a result and an error"},
		{"badjson", "", "answers with a line that is not JSON half-way"},
		{"surrogate", "", "answers with a lone surrogate and bytes that are not UTF-8"},
		{"resulttype", "TYPE", "answers with that resultType"},
	}
}

// options are the parts of a mode.
type options map[string]string

func parseMode(mode string) (options, error) { return parse(mode, Modes()) }

func parse(mode string, modes []Mode) (options, error) {
	known := map[string]bool{}
	for _, m := range modes {
		known[m.Name] = true
	}
	o := options{}
	for part := range strings.SplitSeq(mode, ",") {
		name, value, _ := strings.Cut(part, "=")
		if name == "" {
			continue
		}
		// A misspelt mode would make a test that cannot fail.
		if !known[name] {
			return nil, fmt.Errorf("there is no mode %q", name)
		}
		o[name] = value
	}
	return o, nil
}

func (o options) has(name string) bool { _, ok := o[name]; return ok }

func (o options) number(name string) int { n, _ := strconv.Atoi(o[name]); return n }

func (o options) duration(name string) time.Duration { return duration(o[name]) }

func duration(text string) time.Duration { d, _ := time.ParseDuration(text); return d }

// lists reports whether the value, entries joined by +, has the entry.
func (o options) lists(name, entry string) bool {
	return o.has(name) && slices.Contains(strings.Split(o[name], "+"), entry)
}

// pair returns X of the entry "KEY:X" for the key.
func (o options) pair(name, key string) (string, bool) {
	for entry := range strings.SplitSeq(o[name], "+") {
		if value, ok := strings.CutPrefix(entry, key+":"); ok {
			return value, true
		}
	}
	return "", false
}

func (o options) String() string {
	var parts []string
	for name, value := range o {
		if value != "" {
			name += "=" + value
		}
		parts = append(parts, name)
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}
