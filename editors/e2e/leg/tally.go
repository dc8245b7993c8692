package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Counts are numbers of tests, subtests included.
type counts struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

// String is the closing line by which runs are read.
func (c counts) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", c.Passed, c.Failed, c.Skipped)
}

func (c counts) plus(d counts) counts {
	return counts{c.Passed + d.Passed, c.Failed + d.Failed, c.Skipped + d.Skipped}
}

// An event is one line of `go test -json` (see `go doc test2json`).
type event struct {
	Action, Package, Test, Output string
}

// A testRun holds what is known of the tests of one run that have not ended.
type testRun struct {
	out    io.Writer
	each   bool                       // every test has a line of its own
	output map[[2]string][]string     // package and test (or "") to what it printed
	open   map[string]map[string]bool // package to its tests without an outcome
	failed map[string]int             // package to its failed tests
	counts
}

// tally reads the events of a run to the end. Passing tests stay silent; failures and skips show what they printed.
// Lines that are no events are passed through.
func tally(each bool, in io.Reader, out io.Writer) counts {
	r := testRun{out: out, each: each, output: map[[2]string][]string{}, open: map[string]map[string]bool{}, failed: map[string]int{}}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		var e event
		if json.Unmarshal([]byte(line), &e) == nil && e.Action != "" {
			r.take(e)
		} else if strings.TrimSpace(line) != "" {
			fmt.Fprintln(out, strings.TrimRight(line, "\n"))
		}
		if err != nil {
			return r.counts
		}
	}
}

func (r *testRun) take(e event) {
	key := [2]string{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		r.output[key] = append(r.output[key], e.Output)
	case "run":
		if r.open[e.Package] == nil {
			r.open[e.Package] = map[string]bool{}
		}
		r.open[e.Package][e.Test] = true
	case "pass", "fail", "skip":
		if e.Test == "" {
			r.endPackage(e)
		} else {
			r.endTest(e)
		}
		delete(r.output, key)
	}
}

func (r *testRun) endTest(e event) {
	delete(r.open[e.Package], e.Test)
	if r.each {
		fmt.Fprintf(r.out, "%-4s %s\n", e.Action, e.Test)
	}
	switch e.Action {
	case "pass":
		r.Passed++
		return
	case "fail":
		r.Failed++
		r.failed[e.Package]++
	case "skip":
		r.Skipped++
	}
	r.show(e.Package, e.Test)
}

// endPackage prints the package's own line. Tests that never ended (a panic, a time-out) have failed, and a package that
// failed without any failed test (it did not build, a goroutine was left behind) counts as one failure.
func (r *testRun) endPackage(e event) {
	if e.Action != "fail" {
		r.showLast(e.Package)
		return
	}
	for test := range r.open[e.Package] {
		r.endTest(event{Action: "fail", Package: e.Package, Test: test})
	}
	if r.failed[e.Package] == 0 {
		r.Failed++
	}
	r.show(e.Package, "")
}

func (r *testRun) show(pkg, test string) {
	for _, text := range r.output[[2]string{pkg, test}] {
		if !strings.HasPrefix(text, "=== ") {
			fmt.Fprint(r.out, text)
		}
	}
}

// showLast prints "ok  package  1.2s"; a package without tests has nothing to say.
func (r *testRun) showLast(pkg string) {
	lines := r.output[[2]string{pkg, ""}]
	if len(lines) > 0 && strings.HasPrefix(lines[len(lines)-1], "ok") {
		fmt.Fprint(r.out, lines[len(lines)-1])
	}
}
