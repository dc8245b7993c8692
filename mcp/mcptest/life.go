package mcptest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// begin does what comes before the first line is read; isOver means that the fake ends with the code.
func (f *fake) begin() (code int, isOver bool) {
	o := f.mode()
	if o.has("sleep") {
		time.Sleep(time.Hour)
		return 0, true
	}
	if o.has("wrapper") {
		return f.wrap(), true
	}
	if path, ok := o["touch"]; ok {
		appendLine(path, "here")
	}
	if path, ok := o["pid"]; ok {
		appendLine(path, fmt.Sprint(os.Getpid()))
	}
	if text, ok := o["stderr"]; ok {
		fmt.Fprintln(f.stderr, text)
	}
	if n := o.number("stderrtotal"); n > 0 {
		f.floodStderr(n)
	}
	if o.has("stderrspin") {
		go f.spinStderr()
	}
	if o.has("exit") {
		return o.number("exit"), true
	}
	if value, ok := o["failfirst"]; ok && failsThisLife(value) {
		return 1, true
	}
	f.watchTerm()
	if path, ok := o["helper"]; ok {
		f.startHelper(path)
	}
	if text, ok := o["banner"]; ok {
		if text == "" {
			text = "Starting server..."
		}
		f.send(text)
	}
	if o.has("closestdout") {
		f.out.Close()
	}
	time.Sleep(o.duration("slowstart"))
	if o.has("noread") {
		time.Sleep(time.Hour)
	}
	return 0, false
}

// wrap starts the rest of the mode as a child that has the pipes, and waits for it.
func (f *fake) wrap() int {
	rest := options{}
	for name, value := range f.mode() {
		if name != "wrapper" {
			rest[name] = value
		}
	}
	path, err := os.Executable()
	if err != nil {
		return 2
	}
	child := exec.Command(path, os.Args[1:]...)
	child.Env = append(os.Environ(), ModeVar+"="+rest.String())
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	var exit *exec.ExitError
	if err := child.Run(); errors.As(err, &exit) {
		return exit.ExitCode()
	} else if err != nil {
		return 2
	}
	return 0
}

// failsThisLife counts lives in the file of "N:FILE" and reports whether this is one of the first N.
func failsThisLife(value string) bool {
	count, path, _ := strings.Cut(value, ":")
	appendLine(path, "life")
	content, _ := os.ReadFile(path)
	var n int
	fmt.Sscan(count, &n)
	return strings.Count(string(content), "\n") <= n
}

// watchTerm makes SIGTERM do what the mode wants.
func (f *fake) watchTerm() {
	path, isFlushing := f.mode()["flush"]
	if !isFlushing && !f.mode().has("ignoreterm") {
		return
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	go func() {
		for range signals {
			if isFlushing {
				appendLine(path, "signal")
				os.Exit(143)
			}
		}
	}()
}

// atEOF ends the fake after stdin has.
func (f *fake) atEOF() int {
	if path, ok := f.mode()["flush"]; ok {
		time.Sleep(300 * time.Millisecond)
		appendLine(path, "flushed")
	}
	if f.mode().has("helper") {
		time.Sleep(time.Second)
		if f.helper != nil && f.helper.Process != nil {
			f.helper.Process.Kill()
			f.helper.Wait()
		}
	}
	if f.mode().has("ignoreeof") {
		time.Sleep(time.Hour)
	}
	return 0
}

func appendLine(path, line string) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer file.Close()
	fmt.Fprintln(file, line)
}
