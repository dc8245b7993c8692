// Leg runs one leg of the project's checks, says how long it took and what came of it, and totals all legs at the end.
// It decides nothing about what a leg is: the Makefile does.
//
//	leg NAME COMMAND [ARG...]         run a command; its exit code is the outcome
//	leg -tests NAME COMMAND [ARG...]  the same for a command that prints `go test -json`: show failures and skips, count tests
//	leg -each -tests NAME COMMAND...  the same, with a line for every test that ended
//	leg -total FILE                   print every leg of FILE and the closing line "N passed, N failed, N skipped"
//
// Where PILLION_LEGS names a file, each leg appends its outcome to it.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

func main() {
	tests := flag.Bool("tests", false, "the command prints `go test -json`")
	each := flag.Bool("each", false, "print a line for every test")
	total := flag.String("total", "", "print the outcome of the legs in this `file`")
	flag.Parse()

	err := run(options{tests: *tests, each: *each, total: *total}, flag.Args(), os.Stdout)
	if err != nil && !errors.Is(err, errFailed) {
		fmt.Fprintln(os.Stderr, "leg:", err)
	}
	if err != nil {
		os.Exit(1)
	}
}

// errFailed is a leg that failed and has been told of.
var errFailed = errors.New("leg failed")

type options struct {
	tests, each bool
	total       string
}

func run(o options, args []string, out io.Writer) error {
	if o.total != "" {
		return printTotal(o.total, out)
	}
	if len(args) < 2 {
		return errors.New("usage: leg [-tests] NAME COMMAND [ARG...] | leg -total FILE")
	}
	came := runLeg(o, args[0], args[1:], out)
	fmt.Fprintln(out, came)
	if file := os.Getenv("PILLION_LEGS"); file != "" {
		if err := came.appendTo(file); err != nil {
			return err
		}
	}
	if came.Failed > 0 {
		return errFailed
	}
	return nil
}

// An outcome is what one leg came to. A leg that is no test run counts only when it fails.
type outcome struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	counts
}

func (o outcome) String() string {
	word := "ok"
	if o.Failed > 0 {
		word = "FAILED"
	}
	line := fmt.Sprintf("== %-14s %-6s %6.1f s", o.Name, word, o.Seconds)
	if o.counts != (counts{}) {
		line += fmt.Sprintf("  (%s)", o.counts)
	}
	return line
}

func (o outcome) appendTo(file string) error {
	line, err := json.Marshal(o)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// runLeg runs the command to its end. A command that cannot be run has failed.
func runLeg(o options, name string, command []string, out io.Writer) outcome {
	started := time.Now()
	var c counts
	var err error
	if o.tests {
		c, err = runTests(o.each, command, out)
		c = settle(c, err == nil, out)
	} else {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Stdout, cmd.Stderr = out, os.Stderr
		if err = cmd.Run(); err != nil {
			c.Failed = 1
		}
	}
	if err != nil {
		fmt.Fprintf(out, "%s: %v\n", command[0], err)
	}
	return outcome{Name: name, Seconds: time.Since(started).Seconds(), counts: c}
}

func runTests(each bool, command []string, out io.Writer) (counts, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return counts{}, err
	}
	if err := cmd.Start(); err != nil {
		return counts{}, err
	}
	c := tally(each, events, out)
	return c, cmd.Wait()
}

// settle lets the command's own word stand: a run that failed without a failed test, or ran no test, is one failure.
func settle(c counts, succeeded bool, out io.Writer) counts {
	switch {
	case !succeeded && c.Failed == 0:
		c.Failed = 1
	case c.Passed+c.Failed == 0:
		fmt.Fprintln(out, "no test ran")
		c.Failed = 1
	}
	return c
}

func printTotal(file string, out io.Writer) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var sum outcome
	for line := range bytes.Lines(text) {
		var o outcome
		if err := json.Unmarshal(line, &o); err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		fmt.Fprintln(out, o)
		sum.Seconds += o.Seconds
		sum.counts = sum.plus(o.counts)
	}
	fmt.Fprintf(out, "== %-21s %6.1f s\n%s\n", "all legs", sum.Seconds, sum.counts)
	return nil
}
