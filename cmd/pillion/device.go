package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"pillion/mcp/process"
)

// settleTime is how long a question takes no key after it appeared (S16).
const settleTime = 500 * time.Millisecond

// maxTries is how often something that is no answer may be typed.
const maxTries = 3

// maxLineBytes bounds an answer.
const maxLineBytes = 4096

var (
	// errNoPerson says that nobody sits before this program.
	errNoPerson = errors.New("there is no terminal to ask on")
	// errUndecided says that what was typed decides nothing.
	errUndecided = errors.New("nothing was decided")
)

// device is the terminal that a person sits at: the device itself, whatever standard input and output are, because only
// what is typed there is a person's word (S6).
type device struct {
	in, out *os.File
	// wanted asks the reader for one line.
	wanted chan struct{}
	lines  chan typed
	// isReading is set while a line is asked for that did not come.
	isReading bool
}

type typed struct {
	text string
	at   time.Time
	err  error
}

// openDevice opens the terminal, or says why there is nobody to ask. What a connector started is nobody (S6).
func openDevice() (*device, error) {
	if startedByConnector() {
		return nil, errOfConnector
	}
	in, out, err := openTerminal()
	if err != nil {
		return nil, errNoPerson
	}
	if !term.IsTerminal(int(in.Fd())) {
		return nil, errNoPerson
	}
	d := &device{in: in, out: out, wanted: make(chan struct{}), lines: make(chan typed, 1)}
	go d.read() // it ends with the program: a read of a terminal cannot be interrupted everywhere
	return d, nil
}

// errOfConnector refuses what would be a connector judging itself.
var errOfConnector = errors.New("this was started by a connector, which may not answer for you")

// startedByConnector reports whether this program descends from a connector of a Pillion, or carries its mark.
func startedByConnector() bool {
	return process.OwnMarker() != "" || process.StartedByConnector(os.Getpid())
}

func (d *device) read() {
	for range d.wanted {
		text, err := readLine(d.in)
		d.lines <- typed{text, time.Now(), err}
	}
}

// readLine reads one line; what came with it after its end is typed ahead and lost.
func readLine(in *os.File) (string, error) {
	var line []byte
	part := make([]byte, maxLineBytes)
	for {
		n, err := in.Read(part)
		if err != nil {
			return "", err
		}
		if n == 0 {
			return "", os.ErrClosed
		}
		line = append(line, part[:n]...)
		if text, _, isWhole := strings.Cut(string(line), "\n"); isWhole {
			return strings.TrimSuffix(text, "\r"), nil
		}
		if len(line) > maxLineBytes {
			line = append(line[:0], "too long"...)
		}
	}
}

func (d *device) show(text string) {
	width, _, err := term.GetSize(int(d.out.Fd()))
	if err != nil {
		width = 0
	}
	fmt.Fprintln(d.out, fit(text, width))
}

// ask shows a text, waits, throws away what was typed before its end, and returns the line that is typed then, exactly.
// The error is [errUndecided] where the terminal ended, and the cause of ctx where that ended first.
func (d *device) ask(ctx context.Context, text, prompt string) (string, error) {
	d.show(text)
	settled := time.NewTimer(settleTime)
	defer settled.Stop()
	select {
	case <-settled.C:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	discardTyped(d.in)
	fmt.Fprint(d.out, prompt)
	return d.line(ctx, time.Now())
}

// line returns the next line that is typed after a moment.
func (d *device) line(ctx context.Context, since time.Time) (string, error) {
	for {
		if !d.isReading {
			d.wanted <- struct{}{}
			d.isReading = true
		}
		select {
		case line := <-d.lines:
			d.isReading = false
			if line.err != nil {
				return "", errUndecided
			}
			if line.at.After(since) {
				return line.text, nil
			}
		case <-ctx.Done():
			fmt.Fprintln(d.out)
			return "", context.Cause(ctx)
		}
	}
}

// approves asks for a yes; only the exact word is one.
func (d *device) approves(ctx context.Context, text string) (bool, error) {
	answer, err := d.ask(ctx, text, "Type yes to allow, anything else is no: ")
	return answer == "yes", err
}

// choose asks for one of several answers by its number, and returns its index. Nothing is preselected: an empty line, and
// anything that is not one of the numbers, decides nothing.
func (d *device) choose(ctx context.Context, text string, titles []string) (int, error) {
	var b strings.Builder
	b.WriteString(text)
	for i, title := range titles {
		fmt.Fprintf(&b, "\n  %d. %s", i+1, title)
	}
	prompt := fmt.Sprintf("Type a number from 1 to %d: ", len(titles))
	answer, err := d.ask(ctx, b.String(), prompt)
	for try := 1; err == nil; try++ {
		if number, isNumber := strconv.Atoi(answer); isNumber == nil && number >= 1 && number <= len(titles) && answer == strconv.Itoa(number) {
			return number - 1, nil
		}
		if try == maxTries {
			return 0, errUndecided
		}
		fmt.Fprint(d.out, prompt)
		answer, err = d.line(ctx, time.Now())
	}
	return 0, err
}
