package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/term"

	"pillion/editors"
	"pillion/rpc"
	"pillion/sidecar/core"
)

// program is what a verb works with: where results and messages go, and who runs it.
type program struct {
	ctx        context.Context
	stdout     io.Writer // results, and nothing else
	stderr     io.Writer
	isTerminal bool // stdout shows what is written to a person
	isJSON     bool
	environ    []string
	executable string
	log        *slog.Logger
	settings   *core.Settings
	// hasSaidFaults is set once the files that cannot be used were named.
	hasSaidFaults bool
}

func newProgram() *program {
	executable, _ := os.Executable() // without it no connector can be guarded, and starting one says so
	environ := os.Environ()
	held := core.NewSettings(environ, nil)
	return &program{
		stdout: &checkedWriter{to: os.Stdout}, stderr: os.Stderr, isTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		environ: environ, executable: executable, settings: held, log: core.NewLogger(environ, held.LogLevel()),
	}
}

// print writes one line of the result.
func (p *program) print(line string) { fmt.Fprintln(p.stdout, line) }

// say writes a line for a person to standard error; what is foreign in it was made visible before.
func (p *program) say(line string) { fmt.Fprintln(p.stderr, line) }

func (p *program) sayf(format string, args ...any) { p.say(fmt.Sprintf(format, args...)) }

// printJSON writes the result as JSON: on one line for programs, laid out for a person, where nothing in it acts on the
// terminal (S28).
func (p *program) printJSON(v any) error {
	text, err := rpc.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	if p.isTerminal {
		value := jsontext.Value(text)
		if err := value.Indent(jsontext.WithIndent("  ")); err != nil {
			return fmt.Errorf("lay out the result: %w", err)
		}
		text = harmless(value)
	}
	p.print(string(text))
	return nil
}

// printLine prints one of several values as JSON, on a line of its own.
func (p *program) printLine(v any) error {
	text, err := rpc.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	p.print(string(harmless(text)))
	return nil
}

// harmless writes every character that does not show itself as an escape of JSON's own; the value stays the same.
func harmless(text []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(text) {
		switch {
		case r == '\n' || r >= ' ' && r < 0x7f:
			b.WriteRune(r)
		case r >= utf8.RuneSelf && editors.Visible(string(r)) == string(r):
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}

// visible shows foreign text of several lines as it may be shown on a terminal (S28).
func visible(text string) string {
	if text == "" {
		return ""
	}
	var b strings.Builder
	for line := range strings.Lines(editors.Lines(text)) {
		b.WriteString(strings.TrimPrefix(line, "| "))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// table prints rows: aligned under a heading for a person, one row a line with tabs between for a program.
// Every cell is made visible.
func (p *program) table(heading []string, rows [][]string) {
	out := p.stdout
	if p.isTerminal {
		aligned := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
		defer aligned.Flush()
		out = aligned
		fmt.Fprintln(out, strings.Join(heading, "\t"))
	}
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = editors.Visible(cell)
		}
		fmt.Fprintln(out, strings.TrimRight(strings.Join(cells, "\t"), "\t"))
	}
}

// checkedWriter remembers that something could not be written, which a program that reads the result must learn of.
type checkedWriter struct {
	to  io.Writer
	err error
}

func (w *checkedWriter) Write(b []byte) (int, error) {
	n, err := w.to.Write(b)
	if w.err == nil {
		w.err = err
	}
	return n, err
}
