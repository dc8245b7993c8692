//go:build linux || darwin

package process

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// modes are the programs that the tests start. Each says "ready" and ids on its standard output, a line each.
func modes() map[string]func() int {
	return map[string]func() int{
		"echo":            modeEcho,
		"exit":            func() int { return 7 },
		"environment":     modeEnvironment,
		"flush":           modeFlush,
		"heed-term":       func() int { return modeHeedTerm(nil) },
		"stubborn":        modeStubborn,
		"silent":          modeSilent,
		"deaf":            modeDeaf,
		"leave-stray":     modeLeaveStray,
		"leave-hermit":    modeLeaveHermit,
		"hermit-step":     modeHermitStep,
		"strays":          modeStrays,
		"chatty":          modeChatty,
		"browser":         modeBrowser,
		"sidecar":         modeSidecar,
		"released":        modeReleased,
		"shell":           modeShell,
		"asks-shell":      modeAsksShell,
		"stdio":           modeStdio,
		"stdio-close":     modeStdioClose,
		"no-dump":         modeNoDump,
		"descriptor-mode": modeDescriptorMode,
	}
}

func say(words ...any) { fmt.Println(words...) }

func untilEOF() { _, _ = io.Copy(io.Discard, os.Stdin) }

func forever() { select {} }

func modeEcho() int {
	say("ready")
	_, _ = io.Copy(os.Stdout, os.Stdin)
	fmt.Fprintln(os.Stderr, "done")
	return 0
}

func modeEnvironment() int {
	_ = json.NewEncoder(os.Stdout).Encode(os.Environ())
	return 0
}

// note leaves a word in the file named by NOTE.
func note(word string) {
	f, err := os.OpenFile(os.Getenv("NOTE"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err == nil {
		_, _ = f.WriteString(word + "\n")
		_ = f.Close()
	}
}

// modeFlush writes what it has some time after the end of its input, and notes a signal.
func modeFlush() int {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	say("ready")
	untilEOF()
	select {
	case s := <-signals:
		note(s.String())
	case <-time.After(300 * time.Millisecond):
		note("flushed")
	}
	return 0
}

// modeHeedTerm ignores the end of its input and ends at SIGTERM.
func modeHeedTerm(then func()) int {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM)
	say("ready")
	<-signals
	note("terminated")
	if then != nil {
		then()
	}
	return 0
}

// modeStubborn ignores everything that can be ignored.
func modeStubborn() int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	say("ready", os.Getpid())
	forever()
	return 0
}

// modeSilent holds its output and writes nothing there: whoever reads it may be gone already.
func modeSilent() int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	forever()
	return 0
}

// modeDeaf never reads its input.
func modeDeaf() int {
	say("ready")
	forever()
	return 0
}

// startMode starts a further process in another mode and returns its id.
func startMode(mode string, output *os.File, attributes *syscall.SysProcAttr, env ...string) int {
	executable, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(executable)
	cmd.Env = append(append(os.Environ(), modeVar+"="+mode), env...)
	cmd.Stdout = output
	cmd.SysProcAttr = attributes
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	return cmd.Process.Pid
}

// modeLeaveStray leaves a process in a session of its own behind that holds the output, and ends.
func modeLeaveStray() int {
	say(startMode("stubborn", os.Stdout, &syscall.SysProcAttr{Setsid: true}))
	return 0
}

// modeLeaveHermit lives on beside a process that left its session, its environment and, by way of another, its parent.
func modeLeaveHermit() int {
	step := exec.Command(os.Args[0])
	step.Env = append(os.Environ(), modeVar+"=hermit-step")
	step.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := step.Output()
	if err != nil {
		panic(err)
	}
	say("pid", strings.TrimSpace(string(out)))
	say("ready")
	forever()
	return 0
}

func modeHermitStep() int {
	hermit := exec.Command(os.Args[0])
	hermit.Env = []string{modeVar + "=stubborn", quickExit}
	hermit.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := hermit.Start(); err != nil {
		panic(err)
	}
	say(hermit.Process.Pid)
	return 0
}

// modeStrays ignores everything and has three stubborn descendants: in its group, in another group, and in another session.
func modeStrays() int {
	signal.Ignore(syscall.SIGTERM)
	say("pid", startMode("stubborn", nil, nil))
	say("pid", startMode("stubborn", nil, &syscall.SysProcAttr{Setpgid: true}))
	say("pid", startMode("stubborn", nil, &syscall.SysProcAttr{Setsid: true}))
	// One that hides its marker is still a child.
	say("pid", startMode("stubborn", nil, &syscall.SysProcAttr{Setsid: true}, MarkerVar+"=hidden"))
	say("ready")
	forever()
	return 0
}

// modeChatty writes without end.
func modeChatty() int {
	line := []byte(strings.Repeat("x", 4095) + "\n")
	for {
		if _, err := os.Stdout.Write(line); err != nil {
			return 1
		}
	}
}

// modeBrowser starts a helper in its own session and ends it itself one second after the end of its input (C21).
func modeBrowser() int {
	helper := startMode("stubborn", nil, &syscall.SysProcAttr{Setsid: true})
	say("pid", helper)
	say("ready")
	untilEOF()
	<-time.After(time.Second)
	_ = syscall.Kill(helper, syscall.SIGKILL)
	note("cleaned")
	return 0
}

// quickExit keeps programs under the race detector from waiting a second at their end.
const quickExit = "GORACE=atexit_sleep_ms=0"

// specFor is a Spec that starts the test binary in a mode.
func specFor(mode, dir string, env ...string) Spec {
	executable, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return Spec{
		Path: executable, Dir: dir, Marker: NewMarker("c0ffee"),
		Env: append(Environment(os.Environ(), nil, nil), append(env, modeVar+"="+mode, quickExit)...),
	}
}

// guardOf starts a guard in a program or a test.
func guardOf() (*Guard, error) { return guardWith(nil) }

func guardWith(subreaper *Subreaper) (*Guard, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return StartGuard(executable, []string{guardArgument}, subreaper, slog.New(slog.DiscardHandler))
}

// modeSidecar starts what STARTS lists through a guard, says every id, and lives until it is killed. A line on its input
// asks for the guard's id, stops the first that it started, or closes the guard.
func modeSidecar() int {
	var subreaper *Subreaper
	if os.Getenv("REAPS") != "" {
		subreaper = NewSubreaper(slog.New(slog.DiscardHandler))
	}
	guard, err := guardWith(subreaper)
	if err != nil {
		panic(err)
	}
	say("guard", guard.cmd.Process.Pid)
	var started []*Process
	for mode := range strings.SplitSeq(os.Getenv("STARTS"), ",") {
		spec := specFor(mode, "/", "NOTE="+os.Getenv("NOTE"))
		if script, ok := strings.CutPrefix(mode, "sh:"); ok {
			spec = specFor("stubborn", "/", "SELF="+spec.Path)
			spec.Path, spec.Args = "/bin/sh", []string{"-c", script}
		}
		p, err := Start(spec, guard)
		if err != nil {
			panic(err)
		}
		say("pid", p.PID())
		forward(p.Stdout)
		started = append(started, p)
	}
	say("ready")
	for line := range lines(os.Stdin) {
		switch line {
		case "guard?":
			guard.mu.Lock()
			say("guard", guard.cmd.Process.Pid)
			guard.mu.Unlock()
		case "stop":
			started[0].Stop(context.Background(), quick)
			started = started[1:]
			say("stopped")
		case "close":
			_ = guard.Close()
			subreaper.Close()
			return 0
		}
	}
	forever()
	return 0
}

// forward passes on the ids that a program says until it is ready.
func forward(r io.Reader) {
	for line := range lines(r) {
		word, rest, _ := strings.Cut(line, " ")
		if word == "pid" || word == "ready" && rest != "" {
			say("pid", rest)
		}
		if word == "ready" {
			return
		}
	}
}

func lines(r io.Reader) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for scanner := bufio.NewScanner(r); scanner.Scan(); {
			if !yield(scanner.Text()) {
				return
			}
		}
	}
}

// modeReleased stops a process through the guard and then has one with the same marker that is none of the guard's business.
func modeReleased() int {
	guard, err := guardOf()
	if err != nil {
		panic(err)
	}
	spec := specFor("echo", "/")
	p, err := Start(spec, guard)
	if err != nil {
		panic(err)
	}
	p.Kill()
	<-p.Gone()
	say("guard", guard.cmd.Process.Pid)
	say("pid", startMode("stubborn", nil, &syscall.SysProcAttr{Setsid: true}, MarkerVar+"="+spec.Marker))
	say("ready")
	forever()
	return 0
}

// modeShell is a login shell that does what SHELL_DOES lists and then what it was told to.
func modeShell() int {
	for what := range strings.SplitSeq(os.Getenv("SHELL_DOES"), ",") {
		switch what {
		case "noise":
			fmt.Print("Welcome back!\n\x1b[1mYou have mail.\x1b[0m PATH=/no/such\n", os.Args[len(os.Args)-1])
		case "linger":
			<-time.After(2 * time.Second)
		case "agent":
			writeID(startMode("silent", os.Stdout, &syscall.SysProcAttr{Setsid: true}))
		case "hang":
			writeID(startMode("stubborn", os.Stdout, &syscall.SysProcAttr{Setpgid: true}))
			forever()
		case "print":
			say("\n/printed/bin:/usr/bin:/bin")
			return 0
		case "fail":
			return 3
		}
	}
	_ = os.Setenv("PATH", "/login/bin:"+os.Getenv("PATH"))
	_ = os.Unsetenv(modeVar)
	cmd := exec.Command("/bin/sh", "-c", os.Args[len(os.Args)-1])
	cmd.Stdout = os.Stdout
	if err := cmd.Run(); err != nil {
		return 1
	}
	say("Goodbye!")
	return 0
}

// modeAsksShell asks a login shell that hangs, through a guard.
func modeAsksShell() int {
	guard, err := guardOf()
	if err != nil {
		panic(err)
	}
	executable, err := os.Executable()
	if err != nil {
		panic(err)
	}
	say("guard", guard.cmd.Process.Pid)
	say("ready")
	_, err = guard.LoginPath(context.Background(), executable, fakeShell("hang", os.Getenv("NOTE")))
	say(err)
	return 0
}

// writeID leaves an id in the file named by NOTE, all of it at once.
func writeID(pid int) {
	path := os.Getenv("NOTE")
	temporary := filepath.Join(filepath.Dir(path), "id.tmp")
	_ = os.WriteFile(temporary, []byte(strconv.Itoa(pid)), 0o600)
	_ = os.Rename(temporary, path)
}

// modeStdio takes the streams and copies one to the other, with stray prints and reads between.
func modeStdio() int {
	in, out, err := TakeStdio()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("a stray print")
	_, _ = syscall.Write(1, []byte("a stray write\n"))
	if n, err := os.Stdin.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		fmt.Fprintln(os.Stderr, "a stray read got something")
		return 1
	}
	if _, err := io.Copy(out, in); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// modeStdioClose blocks in a read and a write until it closes the streams.
func modeStdioClose() int {
	in, out, err := TakeStdio()
	if err != nil {
		return 1
	}
	results := make(chan error, 2)
	go func() {
		_, err := io.Copy(io.Discard, in)
		results <- err
	}()
	go func() {
		_, err := out.Write(make([]byte, 4<<20))
		results <- err
	}()
	fmt.Fprintln(os.Stderr, "ready")
	_ = in.Close()
	_ = out.Close()
	for range 2 {
		fmt.Fprintln(os.Stderr, <-results)
	}
	return 0
}

func modeNoDump() int {
	if err := DisallowDump(); err != nil {
		say(err)
		return 1
	}
	say("ready", dumpable())
	untilEOF()
	return 0
}

// modeDescriptorMode says whether its streams came non-blocking.
func modeDescriptorMode() int {
	for fd := range 3 {
		say(fd, isNonBlocking(fd))
	}
	return 0
}
